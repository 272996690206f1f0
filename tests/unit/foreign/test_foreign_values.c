/* test_foreign_values.c - Tests reading and decoding values of other formats.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "crc.h"
#include "foreign_values.h"
#include "layout.h"
#include "made_format.h"

enum { FILE_SIZE = 4 * VV_CHUNK_SIZE };

static unsigned char file_bytes[FILE_SIZE];

static unsigned char file_byte(uint64_t i)
{
    return (unsigned char)(i * 13 + (i >> 9) + 5);
}

static struct world begin(void)
{
    struct world w = world_new();
    for (size_t i = 0; i < FILE_SIZE; i++)
        file_bytes[i] = file_byte(i);
    memory_put(w.memory, "dir/file", file_bytes, FILE_SIZE);
    made_count = 0;
    made_more = NULL;
    return w;
}

static void add_stored(uint64_t size, uint64_t offset)
{
    made_values[made_count++] = (struct made_value){
        .size = size, .place = { .offset = offset } };
}

static void add_decoded(uint64_t size, uint64_t number)
{
    made_values[made_count++] = (struct made_value){
        .size = size, .place = { .file = VV_DECODED, .offset = number } };
}

/* Adds a valid or an invalid checksum to the last value. */
static void add_sum(enum vv_sum_kind kind, bool is_right)
{
    struct made_value *v = &made_values[made_count - 1];
    uint32_t sum =
        vv_sum(kind, file_bytes + v->place.offset, (size_t)v->size);
    v->place.sum_kind = kind;
    v->place.sum = kind == VV_SUM_CRC32C ? vv_crc32c_mask(sum) : sum;
    v->place.sum ^= is_right ? 0 : 1;
}

static void open_made_file(struct world *w, struct vv_opened *in)
{
    varve_error error = { 0 };
    cr_assert_ok(open_as_made(w, in, &error), error);
}

static void end(struct world *w, struct vv_opened *in)
{
    vv_opened_close(in);
    cr_assert_eq(free_count, 1);
    world_free(w);
}

/* --- Reading -------------------------------------------------------------- */

static void expect_values(const struct vv_opened *in, unsigned char *to)
{
    for (uint32_t v = 0; v < made_count; v++) {
        const struct made_value *value = &made_values[v];
        uint64_t begin = vv_at64(in->parsed.index.value_offsets, v);
        for (uint64_t i = 0; !value->is_not_saved && i < value->size; i++)
            to[begin + i] = value->place.file == VV_DECODED
                                ? decoded_byte(value->place.offset, i)
                                : file_byte(value->place.offset + i);
    }
}

TEST(foreign_values, reads_any_range_of_several_values_and_gaps)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    add_stored(100, 1000);
    add_decoded(70, 3);
    add_stored(0, 0);
    add_stored(64, 7);
    add_stored(9, 0);
    made_values[4].is_not_saved = true;
    add_decoded(1, 9);
    open_made_file(&w, &in);
    size_t size = (size_t)in.data_end;
    unsigned char *wanted = calloc(size, 1), *found = malloc(size);
    expect_values(&in, wanted);
    for (size_t from = 0; from < size; from += 3) {
        for (size_t to = from + 1; to <= size; to += to % 2 ? 4 : 7) {
            memset(found, 0xaa, size);
            cr_assert_ok(
                vv_opened_read(&in, from, found, to - from, &error), error);
            cr_assert_eq(memcmp(found, wanted + from, to - from), 0,
                "%zu to %zu", from, to);
            cr_assert(to == size || found[to - from] == 0xaa);
        }
    }
    free(wanted);
    free(found);
    end(&w, &in);
}

TEST(foreign_values, reports_failed_reads)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    unsigned char bytes[64];
    add_stored(64, FILE_SIZE - 64);
    open_made_file(&w, &in);
    memory_resize(w.memory, "dir/file", FILE_SIZE - 1);
    cr_assert_eq(vv_opened_read(&in,
        vv_at64(in.parsed.index.value_offsets, 0), bytes, 64, &error),
        VARVE_TRUNCATED);
    end(&w, &in);
}

TEST(foreign_values, returns_the_offset_of_a_value_in_an_open_file)
{
    struct world w = begin();
    struct vv_opened in;
    int file;
    uint64_t offset;
    add_stored(8, 40);
    add_decoded(8, 1);
    open_made_file(&w, &in);
    struct vv_foreign *f = in.state;
    cr_assert(vv_opened_locate(&in, 0, &file, &offset));
    cr_assert_eq(file, f->files[0].file);
    cr_assert_eq(offset, 40);
    cr_assert_not(vv_opened_locate(&in, 1, &file, &offset));
    int open = f->files[0].file;
    f->files[0].file = -1; /* simulates one of thousands of files */
    cr_assert_not(vv_opened_locate(&in, 0, &file, &offset));
    f->files[0].file = open;
    end(&w, &in);
}

/* --- Decoding ------------------------------------------------------------- */

static varve_status read_chunk(const struct vv_opened *in, uint32_t value,
    uint64_t chunk, varve_error *error)
{
    static unsigned char bytes[VV_CHUNK_SIZE];
    uint64_t offset;
    size_t size;
    vv_opened_chunk(in, value, chunk, &offset, &size);
    varve_status status = vv_opened_read(in, offset, bytes, size, error);
    for (size_t i = 0; !status && i < size; i++)
        cr_assert_eq(bytes[i],
            decoded_byte(made_values[value].place.offset,
                chunk * VV_CHUNK_SIZE + i));
    return status;
}

static void read_chunks(const struct vv_opened *in, const char *order)
{
    varve_error error = { 0 };
    for (; *order; order += 2)
        cr_assert_ok(read_chunk(in, (uint32_t)(order[0] - 'a'),
            (uint64_t)(order[1] - '0'), &error), error);
}

static void add_three(void)
{
    add_decoded(2 * VV_CHUNK_SIZE + 10, 1);
    add_decoded(2 * VV_CHUNK_SIZE, 2);
    add_decoded(VV_CHUNK_SIZE + 1, 3);
}

TEST(foreign_values, decode_a_value_once_for_all_chunks)
{
    struct world w = begin();
    struct vv_opened in;
    add_three();
    open_made_file(&w, &in);
    read_chunks(&in, "a0a1a2");
    cr_assert_eq(decode_count, 1);
    read_chunks(&in, "b1b0");
    cr_assert_eq(decode_count, 2);
    read_chunks(&in, "a0b0a1b1a2"); /* two at a time */
    cr_assert_eq(decode_count, 4);
    read_chunks(&in, "a2a1");
    cr_assert_eq(decode_count, 5);
    end(&w, &in);
}

TEST(foreign_values, free_the_memory_of_decoded_values)
{
    struct world w = begin();
    struct vv_opened in;
    add_three();
    open_made_file(&w, &in);
    size_t before = test_byte_count();
    read_chunks(&in, "a0a1a2");
    cr_assert_eq(test_byte_count(), before);
    test_reset_peak();
    read_chunks(&in, "a0b0c0a1b1c1a2"); /* at most two are kept */
    cr_assert_leq(test_peak_bytes(), before + 5 * VV_CHUNK_SIZE);
    end(&w, &in);
    cr_assert_eq(test_block_count(), 0);
}

TEST(foreign_values, decode_a_completely_read_value_into_its_target)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    unsigned char bytes[20];
    add_decoded(20, 6);
    open_made_file(&w, &in);
    long blocks = test_block_count();
    uint64_t offset = vv_at64(in.parsed.index.value_offsets, 0);
    test_fail_allocation(0, true);
    cr_assert_ok(vv_opened_read(&in, offset, bytes, 20, &error), error);
    test_fail_allocation(-1, false);
    cr_assert_eq(decode_count, 1);
    cr_assert_eq(bytes[19], decoded_byte(6, 19));
    cr_assert_eq(test_block_count(), blocks);
    end(&w, &in);
}

TEST(foreign_values, keep_nothing_of_a_value_that_failed_to_decode)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    add_three();
    open_made_file(&w, &in);
    long blocks = test_block_count();
    decode_fails = true;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(read_chunk(&in, 0, 0, &error), VARVE_CORRUPT);
        cr_assert_str_eq(error.message, "burnt");
        cr_assert_eq(test_block_count(), blocks);
    }
    decode_fails = false;
    test_fail_allocation(0, false);
    cr_assert_eq(read_chunk(&in, 0, 0, &error), VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    read_chunks(&in, "a0a1a2");
    end(&w, &in);
}

/* --- Checksums ------------------------------------------------------------ */

static varve_status check_chunk(const struct vv_opened *in, uint64_t chunk,
    const char *what, varve_error *error)
{
    return vv_opened_check(in, 0, chunk,
        file_bytes + made_values[0].place.offset + chunk * VV_CHUNK_SIZE,
        what, error);
}

static void check_small(enum vv_sum_kind kind, const char *found)
{
    char wanted[200];
    for (int right = 0; right < 2; right++) {
        struct world w = begin();
        struct vv_opened in;
        varve_error error = { 0 };
        add_stored(100, 50);
        add_sum(kind, right);
        open_made_file(&w, &in);
        for (int i = 0; i < 3; i++) {
            varve_status status = check_chunk(&in, 0, "a/path", &error);
            cr_assert_eq(status, right ? VARVE_OK : VARVE_CORRUPT);
        }
        uint32_t sum = vv_sum(kind, file_bytes + 50, 100);
        uint32_t stored = vv_sum_stored(kind, made_values[0].place.sum);
        snprintf(wanted, sizeof wanted,
            "dir/file: a/path: bytes 50 to 150: expected %s %08x, found %08x",
            found, (unsigned)stored, (unsigned)sum);
        if (!right)
            cr_assert_str_eq(error.message, wanted);
        end(&w, &in);
    }
}

TEST(foreign_values, report_a_wrong_checksum_with_file_path_and_range)
{
    check_small(VV_SUM_CRC32, "CRC-32");
    check_small(VV_SUM_CRC32C, "CRC-32C");
}

TEST(foreign_values, check_nothing_without_a_checksum)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    add_stored(100, 50);
    add_decoded(100, 1);
    made_values[1].place.sum_kind = VV_SUM_CRC32;
    open_made_file(&w, &in);
    cr_assert_ok(vv_opened_check(&in, 0, 0, file_bytes, "a", &error), error);
    cr_assert_ok(vv_opened_check(&in, 1, 0, file_bytes, "b", &error), error);
    end(&w, &in);
}

static void check_order(
    enum vv_sum_kind kind, const int order[3], bool is_right)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    add_stored(2 * VV_CHUNK_SIZE + 77, 33);
    add_sum(kind, is_right);
    open_made_file(&w, &in);
    for (int i = 0; i < 9; i++) {
        bool is_added = !is_right && i >= 2; /* each time */
        varve_status status =
            check_chunk(&in, (uint64_t)order[i % 3], NULL, &error);
        cr_assert_eq(status, is_added ? VARVE_CORRUPT : VARVE_OK, "%d: %s", i,
            error.message);
    }
    if (!is_right)
        cr_assert(strstr(error.message,
            "dir/file: bytes 33 to 2097262: expected "), "%s", error.message);
    end(&w, &in);
}

TEST(foreign_values, combine_checksums_of_chunks_in_any_order)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
        { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int i = 0; i < 6; i++) {
        check_order(VV_SUM_CRC32C, orders[i], true);
        check_order(VV_SUM_CRC32C, orders[i], false);
    }
    check_order(VV_SUM_CRC32, orders[3], true);
    check_order(VV_SUM_CRC32, orders[3], false);
}

TEST(foreign_values, do_not_count_a_chunk_twice)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    add_stored(2 * VV_CHUNK_SIZE, 0);
    add_sum(VV_SUM_CRC32, false);
    open_made_file(&w, &in);
    for (int i = 0; i < 3; i++)
        cr_assert_ok(check_chunk(&in, 0, "a", &error), error);
    cr_assert_eq(check_chunk(&in, 1, "a", &error), VARVE_CORRUPT);
    end(&w, &in);
}

TEST(foreign_values, report_a_file_changed_between_two_reads)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    add_stored(2 * VV_CHUNK_SIZE, 0);
    add_sum(VV_SUM_CRC32, true);
    open_made_file(&w, &in);
    for (uint64_t c = 0; c < 2; c++)
        cr_assert_ok(check_chunk(&in, c, "a", &error), error);
    file_bytes[VV_CHUNK_SIZE + 5] ^= 1;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(check_chunk(&in, 1, "a/path", &error), VARVE_CORRUPT);
        cr_assert(strstr(error.message,
            "dir/file: a/path: chunk 1 at offset 1048576 has changed: "),
            "%s", error.message);
        cr_assert(strstr(error.message, " as before, found "));
    }
    file_bytes[VV_CHUNK_SIZE + 5] ^= 1;
    cr_assert_ok(check_chunk(&in, 1, "a", &error), error);
    end(&w, &in);
}

static struct vv_opened shared;
static _Atomic(int) made_wrong;

static void *check_from(void *argument)
{
    const int *first = argument;
    for (int i = 0; i < 4; i++) {
        if (check_chunk(&shared, (uint64_t)((*first + i) % 4), "a", NULL))
            made_wrong++;
    }
    return NULL;
}

TEST(foreign_values, may_be_checked_by_two_threads)
{
    for (int turn = 0; turn < 20; turn++) {
        struct world w = begin();
        pthread_t thread;
        int firsts[2] = { 0, turn % 4 };
        bool is_right = turn % 2;
        add_stored(FILE_SIZE, 0);
        add_sum(VV_SUM_CRC32C, is_right);
        open_made_file(&w, &shared);
        made_wrong = 0;
        cr_assert_eq(
            pthread_create(&thread, NULL, check_from, &firsts[1]), 0);
        check_from(&firsts[0]);
        pthread_join(thread, NULL);
        cr_assert(is_right ? made_wrong == 0 : made_wrong > 0);
        cr_assert_eq(check_chunk(&shared, 0, "a", NULL),
            is_right ? VARVE_OK : VARVE_CORRUPT);
        end(&w, &shared);
    }
}

/* --- Lifetime ------------------------------------------------------------- */

TEST(foreign_values, fail_without_memory)
{
    struct world w = begin();
    varve_status status = VARVE_NO_MEMORY;
    add_stored(2 * VV_CHUNK_SIZE, 0);
    add_sum(VV_SUM_CRC32, true);
    add_decoded(5, 1);
    for (long n = 0; status; n++) {
        struct vv_opened in;
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = open_as_made(&w, &in, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        if (!status)
            vv_opened_close(&in);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(w.memory), 0);
        cr_assert(n < 1000);
    }
    world_free(&w);
}
