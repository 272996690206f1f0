/* test_layers_in.c - Tests reading data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layers_in.h"

#include <string.h>

#include "support/test.h"
#include "data_out.h"
#include "support/index_sample.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

TEST(unpackers, are_used_by_one_thread_at_a_time_and_reused)
{
    const struct vv_context context = test_context(NULL);
    struct vv_unpackers unpackers = { .idle = { NULL } };
    struct vv_unpacker *one = vv_unpackers_take(&unpackers, &context);
    struct vv_unpacker *other = vv_unpackers_take(&unpackers, &context);
    cr_assert(one && other && one != other);
    vv_unpackers_give(&unpackers, one);
    vv_unpackers_give(&unpackers, other);
    long made = test_block_count();
    struct vv_unpacker *again = vv_unpackers_take(&unpackers, &context);
    cr_assert(again == one || again == other);
    cr_assert_eq(test_block_count(), made);
    vv_unpackers_give(&unpackers, again);
    vv_unpackers_clear(&unpackers);
}

TEST(unpackers, are_cached_up_to_a_limit)
{
    enum { MANY = VV_MAX_WORKERS + 3 };
    const struct vv_context context = test_context(NULL);
    struct vv_unpackers unpackers = { .idle = { NULL } };
    struct vv_unpacker *all[MANY];
    long before = test_block_count();
    for (int i = 0; i < MANY; i++)
        cr_assert(all[i] = vv_unpackers_take(&unpackers, &context));
    cr_assert_eq(test_block_count() - before, MANY);
    for (int i = 0; i < MANY; i++)
        vv_unpackers_give(&unpackers, all[i]);
    cr_assert_eq(test_block_count() - before, VV_MAX_WORKERS);
    vv_unpackers_clear(&unpackers);
    cr_assert_eq(test_block_count(), before);
    vv_unpackers_clear(&unpackers);
}

TEST(unpackers, are_not_created_without_memory)
{
    const struct vv_context context = test_context(NULL);
    struct vv_unpackers unpackers = { .idle = { NULL } };
    test_fail_allocation(0, false);
    cr_assert_null(vv_unpackers_take(&unpackers, &context));
    test_fail_allocation(-1, false);
}

enum { SIZE = 1000, BYTES = 64 + SIZE + 64 };

/* An index of 10 to 3000 bytes in two data files, with zeros between, and a
 * system in memory that contains them. */
struct incremental {
    struct memory *memory;
    struct vv_context context;
    uint8_t nonces[32];
    uint8_t columns[4][5 * 8];
    struct vv_index index;
    uint8_t bytes[2][SIZE];
};

static void make_layer(struct incremental *l, int number)
{
    const struct vv_system *system = l->context.system;
    struct vv_data_out out;
    char path[64] = "run/layers/";
    uint64_t offset, size;
    varve_error error;
    vv_layer_name(l->nonces + 16 * number, path + strlen(path));
    for (int i = 0; i < SIZE; i++)
        l->bytes[number][i] = (uint8_t)(i * 7 + number);
    int file =
        system->create_file(system->state, VV_WORKING_DIRECTORY, path);
    cr_assert_geq(file, 0);
    cr_assert_ok(
        vv_data_out_begin(&out, &l->context, file, path, 0, &error), error);
    cr_assert_ok(vv_data_out_place(&out, 4096 + 64, &offset, &error), error);
    cr_assert_eq(offset, 64);
    cr_assert_ok(
        vv_data_out_add(&out, l->bytes[number], SIZE, &error), error);
    cr_assert_ok(vv_data_out_end_layer(
                     &out, l->nonces + 16 * number, true, &size, &error),
        error);
    cr_assert_eq(size, BYTES);
    vv_data_out_clear(&out);
    system->close(system->state, file);
}

static void add_place(struct incremental *l, uint64_t begin, uint32_t layer,
    uint64_t offset)
{
    uint32_t i = l->index.place_count++;
    vv_store64(l->columns[1] + 8 * i, begin);
    vv_store32(l->columns[2] + 4 * i, layer);
    vv_store64(l->columns[3] + 8 * i, offset);
}

static void make(struct incremental *l)
{
    *l = (struct incremental){ .memory = memory_new() };
    l->context = test_context(memory_system(l->memory));
    const struct vv_system *system = l->context.system;
    system->make_directory(system->state, VV_WORKING_DIRECTORY, "run");
    system->make_directory(system->state, VV_WORKING_DIRECTORY, "run/layers");
    memset(l->nonces, 0x1f, 16);
    memset(l->nonces + 16, 0xe0, 16);
    l->index.layer_count = 2;
    l->index.layer_nonces = l->nonces;
    l->index.layer_sizes = l->columns[0];
    l->index.place_begins = l->columns[1];
    l->index.place_layers = l->columns[2];
    l->index.place_offsets = l->columns[3];
    for (int i = 0; i < 2; i++) {
        vv_store64(l->columns[0] + 8 * i, BYTES);
        make_layer(l, i);
    }
    add_place(l, 64, 0, 64);
    add_place(l, 564, 1, 164);
    add_place(l, 664, VV_NONE, 0);
    add_place(l, 700, 0, 64 + 600);
}

static void end(struct incremental *l)
{
    cr_assert_eq(memory_open_count(l->memory), 0, "descriptors are left");
    memory_free(l->memory);
}

static varve_status open_all(
    struct incremental *l, struct vv_layers *layers, varve_error *error)
{
    return vv_layers_open(
        layers, &l->context, "run/a.varve", -1, &l->index, error);
}

/* Sets the expected data from 64 to 1100. */
static void fill(const struct incremental *l, uint8_t *data)
{
    memcpy(data, l->bytes[0], 500);
    memcpy(data + 500, l->bytes[1] + 100, 100);
    memset(data + 600, 0, 36);
    memcpy(data + 636, l->bytes[0] + 600, 400);
}

TEST(layers_in, reads_ranges_across_data_files)
{
    struct incremental l;
    struct vv_layers layers;
    varve_error error;
    uint8_t data[1036], found[1036];
    make(&l);
    fill(&l, data);
    cr_assert_ok(open_all(&l, &layers, &error), error);
    for (size_t from = 0; from < sizeof data; from += 13) {
        for (size_t size = 0; size <= sizeof data - from; size += 29) {
            cr_assert_ok(vv_layers_read(&layers, &l.context, &l.index,
                             64 + from, found, size, &error),
                error);
            cr_assert_eq(memcmp(found, data + from, size), 0);
        }
    }
    vv_layers_close(&layers, &l.context);
    end(&l);
}

TEST(layers_in, finds_the_location_of_a_contiguous_range)
{
    struct incremental l;
    struct vv_layers layers;
    varve_error error;
    uint64_t at = 0;
    make(&l);
    cr_assert_ok(open_all(&l, &layers, &error), error);
    cr_assert_eq(
        vv_layers_find(&layers, &l.index, 600, 64, &at), &layers.all[1]);
    cr_assert_eq(at, 200);
    cr_assert_null(vv_layers_find(&layers, &l.index, 600, 65, &at));
    cr_assert_null(vv_layers_find(&layers, &l.index, 664, 36, &at));
    cr_assert_eq(
        vv_layers_find(&layers, &l.index, 700, 400, &at), &layers.all[0]);
    cr_assert_eq(at, 664);
    vv_layers_close(&layers, &l.context);
    end(&l);
}

TEST(layers_in, remains_readable_after_its_data_files_are_deleted)
{
    struct incremental l;
    struct vv_layers layers;
    varve_error error;
    uint8_t data[1036], found[1036];
    make(&l);
    fill(&l, data);
    cr_assert_ok(open_all(&l, &layers, &error), error);
    for (int i = 0; i < 2; i++)
        l.context.system->remove(l.context.system->state,
            VV_WORKING_DIRECTORY, layers.all[i].path);
    cr_assert_ok(vv_layers_read(&layers, &l.context, &l.index, 64, found,
                     sizeof found, &error),
        error);
    cr_assert_eq(memcmp(found, data, sizeof data), 0);
    vv_layers_close(&layers, &l.context);
    end(&l);
}

static void remove_layer(struct incremental *l, int number)
{
    char path[64] = "run/layers/";
    vv_layer_name(l->nonces + 16 * number, path + strlen(path));
    l->context.system->remove(
        l->context.system->state, VV_WORKING_DIRECTORY, path);
}

static varve_status salvage_all(
    struct incremental *l, struct vv_layers *layers, varve_error *error)
{
    struct vv_context context = l->context;
    context.salvages = true;
    return vv_layers_open(
        layers, &context, "run/a.varve", -1, &l->index, error);
}

TEST(layers_in, salvages_values_outside_a_missing_data_file)
{
    struct incremental l;
    struct vv_layers layers;
    varve_error error;
    uint64_t at;
    uint8_t data[1036], found[1036];
    make(&l);
    fill(&l, data);
    remove_layer(&l, 1);
    cr_assert_ok(salvage_all(&l, &layers, &error), error);
    cr_assert_eq(layers.lost, 1);
    cr_assert_ok(vv_layers_read(&layers, &l.context, &l.index, 64, found, 500,
                     &error),
        error);
    cr_assert_eq(memcmp(found, data, 500), 0);
    cr_assert_eq(vv_layers_find(&layers, &l.index, 600, 10, &at)->file, -1);
    cr_assert_eq(vv_layers_read(&layers, &l.context, &l.index, 500, found, 100,
                     &error),
        VARVE_TRUNCATED);
    cr_assert(strstr(error.message, "layers/e0e0") &&
                  strstr(error.message, "a data file"),
        "%s", error.message);
    vv_layers_close(&layers, &l.context);
    end(&l);
}

/* With another size or another header, the digests of the values decide. */
TEST(layers_in, salvages_a_data_file_with_a_wrong_header_or_size)
{
    struct incremental l;
    struct vv_layers layers;
    varve_error error;
    size_t size;
    uint8_t data[1036], found[1036];
    char path[64] = "run/layers/";
    make(&l);
    fill(&l, data);
    vv_layer_name(l.nonces, path + strlen(path));
    memory_bytes(l.memory, path, &size)[3] ^= 1;
    memory_resize(l.memory, path, BYTES - 64);
    cr_assert_ok(salvage_all(&l, &layers, &error), error);
    cr_assert_eq(layers.lost, 0);
    cr_assert_ok(vv_layers_read(&layers, &l.context, &l.index, 64, found,
                     sizeof found, &error),
        error);
    cr_assert_eq(memcmp(found, data, sizeof data), 0);
    vv_layers_close(&layers, &l.context);
    end(&l);
}

TEST(layers_in, salvages_despite_a_directory_in_place_of_a_data_file)
{
    struct incremental l;
    struct vv_layers layers;
    varve_error error;
    char path[80] = "run/layers/";
    make(&l);
    remove_layer(&l, 0);
    vv_layer_name(l.nonces, path + strlen(path));
    l.context.system->make_directory(
        l.context.system->state, VV_WORKING_DIRECTORY, path);
    cr_assert_ok(salvage_all(&l, &layers, &error), error);
    cr_assert_eq(layers.lost, 1);
    vv_layers_close(&layers, &l.context);
    end(&l);
}

static void check_refused(struct incremental *l, varve_status expected,
    const char *says, const char *says_too)
{
    struct vv_layers layers;
    varve_error error = { 0 };
    cr_assert_eq(open_all(l, &layers, &error), expected, "%s", error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert(strstr(error.message, says_too), "%s", error.message);
    end(l);
}

TEST(layers_in, reports_a_missing_data_file_with_a_hint)
{
    struct incremental l;
    make(&l);
    l.nonces[16] = 0xee;
    check_refused(&l, VARVE_TRUNCATED,
        "run/a.varve: of its 2 data files, 1 is missing: run/layers/eee0",
        "varve repack");
}

/* Returns the bytes of the second data file, which may be changed. */
static uint8_t *bytes_of(struct incremental *l, size_t *size)
{
    char path[64] = "run/layers/";
    vv_layer_name(l->nonces + 16, path + strlen(path));
    return memory_bytes(l->memory, path, size);
}

TEST(layers_in, refuses_a_truncated_data_file_and_another_one)
{
    struct incremental l;
    make(&l);
    vv_store64(l.columns[0] + 8, BYTES + 1);
    check_refused(&l, VARVE_TRUNCATED, "expected 1129 bytes, found 1128", "");
    make(&l);
    vv_store64(l.columns[0] + 8, BYTES - 1);
    check_refused(&l, VARVE_CORRUPT, "wrong size", "not the data file");
}

TEST(layers_in, checks_every_byte_of_header_and_footer)
{
    size_t size;
    for (size_t i = 0; i < 128; i++) {
        struct incremental l;
        make(&l);
        uint8_t *bytes = bytes_of(&l, &size);
        bytes[i < 64 ? i : size - 128 + i] ^= 0x10;
        check_refused(&l, VARVE_CORRUPT, i < 64 ? "header" : "footer",
            "wrong ");
    }
}

TEST(layers_in, leaks_nothing_if_memory_or_a_system_call_fails)
{
    struct incremental l;
    varve_status status = VARVE_NO_MEMORY;
    make(&l);
    for (long n = 0; status; n++) {
        struct vv_layers layers;
        varve_error error;
        test_fail_allocation(n, false);
        status = open_all(&l, &layers, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        if (!status)
            vv_layers_close(&layers, &l.context);
        cr_assert_eq(memory_open_count(l.memory), 0);
    }
    end(&l);
}

TEST(layers_in, recognizes_names_of_data_files)
{
    uint8_t nonce[16], found[16];
    char name[VV_LAYER_NAME_SIZE];
    for (uint8_t i = 0; i < 16; i++)
        nonce[i] = (uint8_t)(i * 17);
    vv_layer_name(nonce, name);
    cr_assert_str_eq(name, "00112233445566778899aabbccddeeff.data");
    cr_assert(vv_layer_parse_name(name, found));
    cr_assert_eq(memcmp(nonce, found, 16), 0);
    cr_assert_not(vv_layer_parse_name("00112233445566778899.data", found));
    cr_assert_not(vv_layer_parse_name("", found));
    name[3] = 'A';
    cr_assert_not(vv_layer_parse_name(name, found));
    name[3] = '1';
    name[37 - 1] = 'b';
    cr_assert_not(vv_layer_parse_name(name, found));
}

#ifdef VV_HAVE_ZSTD

/* Two data files, the first of which has a frame of four pages. The extents are
 * the first page of the frame, a part of the other file, and the last two
 * pages. */
enum { PLAIN = 4 * 4096 };

struct packed {
    struct incremental l;
    uint8_t plain[PLAIN];
    uint8_t columns[4][5 * 4];
    struct vv_layers layers;
};

static void pack_place(
    struct packed *p, uint32_t i, uint32_t size, uint32_t skip)
{
    vv_store32(p->columns[0] + 4 * i, size);
    vv_store32(p->columns[1] + 4 * i, size ? PLAIN : 0);
    vv_store32(p->columns[2] + 4 * i, skip);
    p->columns[3][i] = size ? 4 : 0;
}

static uint32_t write_frame(struct packed *p)
{
    static uint8_t frame[PLAIN];
    struct vv_pack pack = { .planes = 4 };
    size_t size;
    char path[64] = "run/layers/";
    for (int i = 0; i < PLAIN; i++)
        p->plain[i] = (uint8_t)(i / 100 * (i % 4));
    struct vv_packer *packer = vv_packer_new(&p->l.context.allocator, 1);
    cr_assert(vv_packer_pack(packer, p->plain, PLAIN, frame, &pack));
    cr_assert_leq(pack.size, SIZE, "a small frame");
    vv_layer_name(p->l.nonces, path + strlen(path));
    memcpy(memory_bytes(p->l.memory, path, &size) + 64, frame, pack.size);
    vv_packer_free(packer);
    return pack.size;
}

static void make_packed(struct packed *p)
{
    varve_error error;
    make(&p->l);
    uint32_t size = write_frame(p);
    p->l.index.place_count = 0;
    add_place(&p->l, 64, 0, 64);
    add_place(&p->l, 64 + 4096, 1, 64);
    add_place(&p->l, 64 + 4096 + 500, 0, 64);
    add_place(&p->l, 64 + 3 * 4096 + 500, 0, 64);
    pack_place(p, 0, size, 0);
    pack_place(p, 1, 0, 0);
    pack_place(p, 2, size, 8192);
    pack_place(p, 3, size, 0);
    p->l.index.packed_count = 4;
    p->l.index.place_packed = p->columns[0];
    p->l.index.place_plain = p->columns[1];
    p->l.index.place_skips = p->columns[2];
    p->l.index.place_planes = p->columns[3];
    cr_assert_ok(open_all(&p->l, &p->layers, &error), error);
}

static void end_packed(struct packed *p)
{
    vv_layers_close(&p->layers, &p->l.context);
    end(&p->l);
}

enum { PACKED_DATA = 3 * 4096 + 500 + PLAIN };

static void fill_packed(const struct packed *p, uint8_t *data)
{
    memcpy(data, p->plain, 4096);
    memcpy(data + 4096, p->l.bytes[1], 500);
    memcpy(data + 4096 + 500, p->plain + 8192, 8192);
    memcpy(data + 3 * 4096 + 500, p->plain, PLAIN);
}

TEST(layers_in, reads_ranges_of_compressed_data)
{
    static struct packed p;
    static uint8_t data[PACKED_DATA], found[PACKED_DATA];
    varve_error error;
    make_packed(&p);
    fill_packed(&p, data);
    for (size_t from = 0; from < sizeof data; from += 1013) {
        for (size_t size = 0; size <= sizeof data - from; size += 2029) {
            cr_assert_ok(vv_layers_read(&p.layers, &p.l.context, &p.l.index,
                             64 + from, found, size, &error),
                error);
            cr_assert_eq(memcmp(found, data + from, size), 0);
        }
    }
    cr_assert_ok(vv_layers_read(&p.layers, &p.l.context, &p.l.index, 64, found,
                     sizeof found, &error),
        error);
    cr_assert_eq(memcmp(found, data, sizeof data), 0);
    end_packed(&p);
}

TEST(layers_in, finds_no_contiguous_range_in_compressed_data)
{
    static struct packed p;
    uint64_t at;
    make_packed(&p);
    cr_assert_null(vv_layers_find(&p.layers, &p.l.index, 64, 100, &at));
    cr_assert(vv_layers_find(&p.layers, &p.l.index, 64 + 4096, 500, &at));
    end_packed(&p);
}

TEST(layers_in, holds_one_chunk_at_a_time_and_reports_failed_allocations)
{
    static struct packed p;
    static uint8_t found[PACKED_DATA];
    varve_status status = VARVE_NO_MEMORY;
    make_packed(&p);
    long blocks = test_block_count();
    for (long n = 0; status; n++) {
        varve_error error;
        test_fail_allocation(n, false);
        status = vv_layers_read(&p.layers, &p.l.context, &p.l.index, 64, found,
            sizeof found, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        vv_layers_rest(&p.layers);
        cr_assert_eq(test_block_count(), blocks);
    }
    end_packed(&p);
}

TEST(layers_in, keeps_its_decompressor_until_idle)
{
    static struct packed p;
    static uint8_t found[PACKED_DATA];
    varve_error error;
    make_packed(&p);
    long before = test_block_count();
    for (int i = 0; i < 3; i++) {
        cr_assert_ok(vv_layers_read(&p.layers, &p.l.context, &p.l.index, 64,
                         found, sizeof found, &error),
            error);
        cr_assert_eq(test_block_count(), before + 1, "made once");
    }
    vv_layers_rest(&p.layers);
    cr_assert_eq(test_block_count(), before);
    end_packed(&p);
}

TEST(layers_in, refuses_a_damaged_frame_and_leaks_nothing)
{
    static struct packed p;
    static uint8_t found[PACKED_DATA];
    char path[64] = "run/layers/";
    varve_error error = { 0 };
    size_t size;
    make_packed(&p);
    vv_layer_name(p.l.nonces, path + strlen(path));
    memory_bytes(p.l.memory, path, &size)[64] ^= 1;
    long blocks = test_block_count();
    cr_assert_eq(vv_layers_read(&p.layers, &p.l.context, &p.l.index, 64, found,
                     100, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, path), "%s", error.message);
    vv_layers_rest(&p.layers);
    cr_assert_eq(test_block_count(), blocks);
    end_packed(&p);
}

#endif
