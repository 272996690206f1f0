/* test_table_in.c - Tests reading tables of TensorFlow checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_in.h"

#include <stdio.h>

#include "bytes.h"
#include "crc.h"
#include "hex.h"
#include "support/test_context.h"
#include "table_out.h"
#include "wire.h"

/* A table made of blocks with any content. */
struct made {
    unsigned char bytes[4096];
    size_t size;
};

struct handle {
    unsigned offset, size;
};

static const char empty_block[] = "00000000 01000000";
static varve_error error;

/* Adds a block, its kind and its checksum. */
static struct handle put_block(struct made *m, const char *hex, int kind)
{
    size_t size;
    unsigned char *block = hex_bytes(hex, &size);
    unsigned char *at = m->bytes + m->size;
    struct handle handle = { (unsigned)m->size, (unsigned)size };
    memcpy(at, block, size);
    at[size] = (unsigned char)kind;
    vv_store32(at + size + 1, vv_crc32c_mask(vv_crc32c(0, at, size + 1)));
    m->size += size + 5;
    free(block);
    return handle;
}

/* Adds a footer; offsets and sizes take one or two bytes each here. */
static void put_number(unsigned char **at, unsigned value)
{
    if (value > 127)
        *(*at)++ = (unsigned char)(value | 128);
    *(*at)++ = (unsigned char)(value > 127 ? value >> 7 : value);
}

static void finish(struct made *m, struct handle meta, struct handle index)
{
    unsigned char *footer = m->bytes + m->size;
    memset(footer, 0, 48);
    unsigned char *at = footer;
    put_number(&at, meta.offset);
    put_number(&at, meta.size);
    put_number(&at, index.offset);
    put_number(&at, index.size);
    vv_store64(footer + 40, UINT64_C(0xdb4775248b80fb57));
    m->size += 48;
}

/* Makes a table of one block, whose key in the index is `last`. */
static void make(struct made *m, const char *block, int kind, const char *last)
{
    char index[64];
    m->size = 0;
    struct handle data = put_block(m, block, kind);
    struct handle meta = put_block(m, empty_block, 0);
    snprintf(index, sizeof index, "00 %02x 02 %s 00 %02x 00000000 01000000",
        (unsigned)strlen(last) / 2, last, data.size);
    finish(m, meta, put_block(m, index, 0));
}

/* The entries as "key=value;" in hexadecimal digits. */
struct seen {
    char text[4096];
    size_t size;
    size_t count;
    size_t stop; /* fail at this entry; 0: never */
};

static varve_status see(void *user, const unsigned char *key, size_t key_size,
    const unsigned char *value, size_t value_size, varve_error *e)
{
    struct seen *s = user;
    if (++s->count == s->stop) {
        snprintf(e->message, sizeof e->message, "enough");
        return VARVE_LIMIT;
    }
    for (size_t i = 0; i < key_size + value_size; i++) {
        if (s->size + 8 > sizeof s->text)
            return VARVE_OK;
        unsigned c = i < key_size ? key[i] : value[i - key_size];
        if (i == key_size)
            s->text[s->size++] = '=';
        s->size += (size_t)sprintf(s->text + s->size, "%02x", c);
    }
    s->size += (size_t)sprintf(s->text + s->size, ";");
    return VARVE_OK;
}

static varve_status read_bytes(
    const void *bytes, size_t size, struct seen *seen)
{
    struct vv_context context = test_context(NULL);
    /* Allocated exactly, so that a sanitizer detects reads past the end. */
    unsigned char *copy = malloc(size + !size);
    if (size > 0)
        memcpy(copy, bytes, size);
    struct vv_table_in table = { &context, "t", copy, size };
    size_t stop = seen->stop;
    *seen = (struct seen){ .stop = stop };
    error = (varve_error){ 0 };
    varve_status status = vv_table_each(&table, see, seen, &error);
    cr_assert_eq(test_block_count(), 0);
    cr_assert(!status || *error.message);
    free(copy);
    return status;
}

static varve_status read_made(const struct made *m, struct seen *seen)
{
    return read_bytes(m->bytes, m->size, seen);
}

static const char golden[] =
    "00000608011a020801"
    "000a15007000010102807f80810801120812020802120208012028280835604fe774"
    "0802158182080112081202080212020802203028103552d1ee6e"
    "00011e700801120812020802120208033a060a000a0210013a080a000a0408011002"
    "00011173080712041202080220182810351b4cd607"
    "00011377080112081202080212020803281835c0db3d17"
    "0000000001000000 00f43e0397"
    "0000000001000000 00c0f2a1b0"
    "00010378009b01 0000000001000000 0023ff8c59"
    "a00108 ad010f"
    "00000000000000000000000000000000000000000000000000000000000000000000"
    "57fb808b247547db";

static const char golden_entries[] =
    "=08011a020801;"
    "007000010102807f8081=0801120812020802120208012028280835604fe774;"
    "007000010102807f8182=080112081202080212020802203028103552d1ee6e;"
    "70=0801120812020802120208033a060a000a0210013a080a000a0408011002;"
    "73=080712041202080220182810351b4cd607;"
    "77=080112081202080212020803281835c0db3d17;";

TEST(table_in, reads_the_entries_of_a_golden_index)
{
    size_t size;
    struct seen seen = { .stop = 0 };
    unsigned char *bytes = hex_bytes(golden, &size);
    cr_assert_eq(size, 241);
    cr_assert(vv_table_ends_in(bytes + size - 48, 48));
    cr_assert_not(vv_table_ends_in(bytes + size - 7, 7));
    cr_assert_not(vv_table_ends_in(bytes, size - 1));
    cr_assert_ok(read_bytes(bytes, size, &seen), error);
    cr_assert_str_eq(seen.text, golden_entries);
    free(bytes);
}

TEST(table_in, detects_every_flipped_bit_and_every_truncation)
{
    size_t size;
    struct seen seen = { .stop = 0 };
    unsigned char *bytes = hex_bytes(golden, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        varve_status status = read_bytes(bytes, size, &seen);
        if (status == VARVE_OK) /* padding of the footer, and of a number */
            cr_assert(bit / 8 >= size - 43 && bit / 8 < size - 8 &&
                          strcmp(seen.text, golden_entries) == 0,
                "bit %zu", bit);
        else
            cr_assert(status == VARVE_CORRUPT || status == VARVE_TRUNCATED);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t cut = 0; cut < size; cut++)
        cr_assert_eq(read_bytes(bytes, cut, &seen), VARVE_TRUNCATED, "%zu",
            cut);
    free(bytes);
}

TEST(table_in, reads_any_number_of_blocks)
{
    struct vv_table_out table;
    struct vv_context context = test_context(NULL);
    struct seen seen = { .stop = 0 };
    vv_table_out_begin(&table, test_allocator());
    table.block_size = 40;
    for (int i = 0; i < 5000; i++) {
        char key[16];
        int size = snprintf(key, sizeof key, "key%06d", i);
        vv_table_out_add(&table, key, (size_t)size, key,
            (size_t)(i % 4));
    }
    cr_assert(vv_table_out_end(&table));
    struct vv_table_in in = {
        &context, "t", table.bytes.data, table.bytes.size
    };
    cr_assert_ok(vv_table_each(&in, see, &seen, &error), error);
    cr_assert_eq(seen.count, 5000);
    vv_table_out_clear(&table);
}

TEST(table_in, stops_when_the_callback_requests_it)
{
    size_t size;
    struct seen seen = { .stop = 3 };
    unsigned char *bytes = hex_bytes(golden, &size);
    cr_assert_eq(read_bytes(bytes, size, &seen), VARVE_LIMIT);
    cr_assert_str_eq(error.message, "enough");
    cr_assert_eq(seen.count, 3);
    free(bytes);
}

static void check_refused(
    const struct made *m, varve_status expected, const char *says)
{
    struct seen seen = { .stop = 0 };
    varve_status status = read_made(m, &seen);
    cr_assert_eq(status, expected, "%s: %s, not: %s",
        varve_status_name(status), error.message, says);
    cr_assert(strstr(error.message, says), "%s, not: %s", error.message, says);
}

TEST(table_in, refuses_invalid_blocks)
{
    static const struct {
        const char *block;
        const char *says;
    } rows[] = {
        { "", "number of restart points" },
        { "000000", "number of restart points" },
        { "00000000", "number of restart points" }, /* none */
        { "00000000 02000000", "number of restart points" },
        { "01000000 01000000", "restart point is outside its" },
        { "000101 61ff 06000000 01000000", "restart point is outside its" },
        { "000101 61 00000000 01000000", "an entry is malformed" },
        { "000201 61ff 00000000 01000000", "an entry is malformed" },
        { "0001 00000000 01000000", "an entry is malformed" },
        { "00ffffffffffffffffff0100 00000000 01000000",
            "an entry is malformed" },
        { "000100 61 02ff00 00000000 01000000", "an entry is malformed" },
        { "000100 61 020100 61 00000000 01000000",
            "an entry is malformed" }, /* shares more bytes than exist */
        { "000100 61 000100 61 00000000 01000000", "in increasing order" },
        { "000200 6162 000100 61 00000000 01000000", "in increasing order" },
        { "000100 62 000100 61 00000000 01000000", "in increasing order" },
        { "000100 61 010000 00000000 01000000", "in increasing order" },
        { "000100 79 00000000 01000000", "a key is greater than that of" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m;
        make(&m, rows[i].block, 0, "78");
        check_refused(&m, VARVE_CORRUPT, rows[i].says);
    }
}

TEST(table_in, requires_increasing_keys_across_blocks)
{
    struct made m = { .size = 0 };
    char index[96];
    struct handle one = put_block(&m, "000101 62 aa 00000000 01000000", 0);
    struct handle two = put_block(&m, "000101 61 bb 00000000 01000000", 0);
    struct handle meta = put_block(&m, empty_block, 0);
    snprintf(index, sizeof index,
        "000102 63 %02x%02x 000102 64 %02x%02x 00000000 01000000", one.offset,
        one.size, two.offset, two.size);
    finish(&m, meta, put_block(&m, index, 0));
    check_refused(&m, VARVE_CORRUPT, "in increasing order");
    /* A first entry that shares bytes with the previous block is invalid
     * too. */
    m.size = 0;
    one = put_block(&m, "000101 62 aa 00000000 01000000", 0);
    two = put_block(&m, "010101 63 bb 00000000 01000000", 0);
    meta = put_block(&m, empty_block, 0);
    snprintf(index, sizeof index,
        "000102 63 %02x%02x 000102 64 %02x%02x 00000000 01000000", one.offset,
        one.size, two.offset, two.size);
    finish(&m, meta, put_block(&m, index, 0));
    check_refused(&m, VARVE_CORRUPT, "first key of the block is incomplete");
}

TEST(table_in, refuses_blocks_outside_the_file)
{
    struct made m = { .size = 0 };
    struct handle meta = put_block(&m, empty_block, 0);
    struct handle index = put_block(&m, empty_block, 0);
    static const struct handle rows[] = {
        { 13, 9 }, { 14, 8 }, { 26, 0 }, { 0, 22 }, { 1000, 8 }, { 8, 16383 },
    };
    size_t size = m.size;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        m.size = size;
        finish(&m, meta, rows[i]);
        check_refused(&m, VARVE_TRUNCATED, "a block of");
        m.size = size;
        finish(&m, rows[i], index);
        check_refused(&m, VARVE_TRUNCATED, "a block of");
    }
    m.size = size;
    finish(&m, meta, index);
    struct seen seen = { .stop = 0 };
    cr_assert_ok(read_made(&m, &seen), error);
    cr_assert_eq(seen.count, 0);
    /* Numbers that overflow. */
    memset(m.bytes + m.size - 48, 0xff, 9);
    m.bytes[m.size - 39] = 1;
    check_refused(&m, VARVE_TRUNCATED, "a block of");
    memset(m.bytes + m.size - 48, 0xff, 12);
    check_refused(&m, VARVE_CORRUPT, "the offset or size of a block");
}

TEST(table_in, refuses_metadata_and_an_index_without_offsets)
{
    struct made m = { .size = 0 };
    struct handle meta = put_block(&m, "000100 61 00000000 01000000", 0);
    finish(&m, meta, put_block(&m, empty_block, 0));
    check_refused(&m, VARVE_CORRUPT, "block of metadata is not empty");
    m.size = 0;
    meta = put_block(&m, empty_block, 0);
    finish(&m, meta, put_block(&m, "000101 61 00 00000000 01000000", 0));
    check_refused(&m, VARVE_CORRUPT, "the offset or size of a block");
}

TEST(table_in, refuses_unknown_compression_types)
{
    struct made m;
    make(&m, "000101 61 aa 00000000 01000000", 2, "78");
    check_refused(&m, VARVE_TOO_NEW, "compression type 2");
}

TEST(table_in, reads_blocks_compressed_with_snappy)
{
    struct made m;
    struct seen seen = { .stop = 0 };
    /* 20 bytes: 4 literal bytes, 8 copied with offset 1, 8 literal bytes */
    make(&m, "14 0c 00010861 11 01 1c 00000000 01000000", 1, "78");
    cr_assert_ok(read_made(&m, &seen), error);
    cr_assert_str_eq(seen.text, "61=6161616161616161;");
}

TEST(table_in, refuses_invalid_snappy_data)
{
    static const char *const rows[] = {
        "", "00", "ff", "ffffffff0f 00", /* more than it can contain */
        "15 0c 00010861 11 01 1c 00000000 01000000", /* one byte missing */
        "13 0c 00010861 11 01 1c 00000000 01000000",
        "14 0c 00010861 11 05 1c 00000000 01000000", /* bad offset */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m;
        make(&m, rows[i], 1, "78");
        test_reset_peak();
        check_refused(&m, VARVE_CORRUPT, "the block is not valid Snappy data");
        cr_assert_lt(test_peak_bytes(), 4096);
    }
}

static void put_entry(struct vv_buffer *block, size_t shared, const char *rest)
{
    vv_wire_varint(block, shared);
    vv_wire_varint(block, strlen(rest));
    vv_wire_varint(block, 0);
    vv_buffer_add_string(block, rest);
}

/* Adds the Snappy data of a block with one key of `size` bytes 'k', and fifteen
 * keys that share the previous one and add a byte, as TensorFlow does between
 * two restart points. */
static void pack_keys(struct vv_buffer *packed, size_t size)
{
    struct vv_buffer block;
    vv_buffer_init(&block, test_allocator());
    vv_wire_varint(&block, 0);
    vv_wire_varint(&block, size);
    vv_wire_varint(&block, 0);
    vv_buffer_add_string(&block, "k");
    size_t first = block.size;
    for (size_t i = 0; i < 15; i++)
        put_entry(&block, size + i, "k");
    vv_buffer_add32(&block, 0);
    vv_buffer_add32(&block, 1);
    vv_wire_varint(packed, block.size + size - 1);
    vv_buffer_add8(packed, (uint8_t)((first - 1) << 2));
    vv_buffer_add(packed, block.data, first);
    for (size_t left = size - 1, part; left > 0; left -= part) {
        part = left < 64 ? left : 64;
        vv_buffer_add8(packed, (uint8_t)((part - 1) << 2 | 2));
        vv_buffer_add8(packed, 1);
        vv_buffer_add8(packed, 0);
    }
    size_t rest = block.size - first;
    vv_buffer_add8(packed, 60 << 2);
    vv_buffer_add8(packed, (uint8_t)(rest - 1));
    vv_buffer_add(packed, block.data + first, rest);
    vv_buffer_clear(&block);
}

TEST(table_in, limits_keys_by_uncompressed_blocks)
{
    struct vv_buffer packed;
    struct made m = { .size = 0 };
    struct seen seen = { .stop = 0 };
    vv_buffer_init(&packed, test_allocator());
    pack_keys(&packed, 8000);
    size_t size = packed.size;
    memcpy(m.bytes, packed.data, size);
    vv_buffer_clear(&packed);
    m.bytes[size] = 1;
    vv_store32(m.bytes + size + 1,
        vv_crc32c_mask(vv_crc32c(0, m.bytes, size + 1)));
    m.size = size + 5;
    struct handle meta = put_block(&m, empty_block, 0);
    char index[64];
    snprintf(index, sizeof index, "00 01 03 6c 00 %02x%02x 00000000 01000000",
        (unsigned)(size & 127) | 128, (unsigned)size >> 7);
    finish(&m, meta, put_block(&m, index, 0));
    cr_assert_ok(read_made(&m, &seen), error);
    cr_assert_eq(seen.count, 16);
}

/* Each entry adds a byte to the previous key: the keys of n entries take n * n
 * / 2 bytes. */
TEST(table_in, limits_the_memory_of_keys_with_common_prefixes)
{
    struct vv_table_out table;
    struct vv_context context = test_context(NULL);
    struct seen seen = { .stop = 0 };
    static char key[8000];
    memset(key, 'k', sizeof key);
    vv_table_out_begin(&table, test_allocator());
    table.block.interval = 1u << 30;
    for (size_t i = 1; i < sizeof key; i++)
        vv_table_out_add(&table, key, i, "", 0);
    cr_assert(vv_table_out_end(&table));
    struct vv_table_in in = {
        &context, "t", table.bytes.data, table.bytes.size
    };
    cr_assert_eq(vv_table_each(&in, see, &seen, &error), VARVE_LIMIT);
    cr_assert(
        strstr(error.message, "the keys so far exceed"), "%s", error.message);
    vv_table_out_clear(&table);
}

TEST(table_in, leaks_nothing_without_memory)
{
    struct made m;
    make(&m, "14 0c 00010861 11 01 1c 00000000 01000000", 1, "78");
    for (long n = 0;; n++) {
        struct seen seen = { .stop = 0 };
        test_fail_allocation(n, false);
        varve_status status = read_made(&m, &seen);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
    }
}
