/* test_bundle_entry.c - lib/source/bundle_entry.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_entry.h"

#include "made_bundles.h"

static void add_header_hex(const char *hex)
{
    size_t size;
    unsigned char *bytes = hex_bytes(hex, &size);
    add_raw("", 0, bytes, size);
    free(bytes);
}

static void refuse_header(
    const char *hex, varve_status status, const char *says)
{
    begin_empty_bundle();
    add_header_hex(hex);
    refuse_bundle(status, says);
}

TEST(bundle_entry, takes_headers_of_its_version)
{
    begin_empty_bundle();
    add_header_hex("0801 1a04 0802 1001"); /* producer 2, consumers from 1 */
    end_bundle(open_bundle());
    begin_empty_bundle();
    add_header_hex("0801 1a02 1802"); /* not for readers of version 2 */
    end_bundle(open_bundle());
    refuse_header("0801 1a04 0802 1002", VARVE_TOO_NEW,
        "expected a checkpoint for readers of version 1");
    refuse_header("0801 1a02 1801", VARVE_TOO_NEW, "an older TensorFlow");
    refuse_header("0801 1002", VARVE_CORRUPT, "a byte order, 0 or 1, found 2");
    refuse_header("1a02 0801", VARVE_CORRUPT, "a number of shards, found 0");
    refuse_header("08ffffffff0f", VARVE_CORRUPT, "a number of shards");
    refuse_header("0a00", VARVE_TOO_NEW,
        "found one in format V1: load it with TensorFlow and save it again");
    begin_empty_bundle();
    refuse_bundle(VARVE_CORRUPT, "expected a header, found an empty table");
    begin_empty_bundle();
    add_floats("x", 1);
    refuse_bundle(VARVE_CORRUPT, "expected a header first");
}

static void refuse(
    const char *key, struct told t, varve_status status, const char *says)
{
    begin_bundle();
    add_told(key, strlen(key), &t);
    refuse_bundle(status, says);
}

TEST(bundle_entry, refuses_entries_that_contradict_themselves)
{
    varve_status bad = VARVE_CORRUPT;
    struct told sixteen = { .dtype = FLOAT, .rank = 16, .size = 4 };
    for (int i = 0; i < 17; i++)
        sixteen.shape[i] = 1;
    refuse("x", (struct told){ .size = 4 }, bad,
        "c.index: x: expected an element type, found none");
    refuse("x", (struct told){ .dtype = FLOAT, .size = 5 }, bad,
        "x: expected as many bytes as its shape takes, found others");
    refuse("x", (struct told){ .dtype = FLOAT, .size = 4, .shard = 1 }, bad,
        "x: expected a shard that there is");
    refuse("x", (struct told){ .dtype = FLOAT, .rank = 1, .shape = { -1 } },
        bad, "x: expected extents of 0 or more");
    refuse("x", (struct told){ .dtype = FLOAT, .size = UINT64_MAX }, bad,
        "x: expected numbers of 0 or more");
    refuse("x", (struct told){ .dtype = FLOAT, .rank = 3,
        .shape = { INT64_MAX, INT64_MAX, 4 } }, bad, "less than 2^64 bytes");
    refuse("x", (struct told){ .dtype = UINT32_MAX }, bad,
        "a type and a shard");
    sixteen.rank = 17;
    refuse("x", sixteen, VARVE_LIMIT, "x: expected a rank up to 16");
    refuse("x", (struct told){ .dtype = FLOAT, .size = 4, .offset = 1 },
        VARVE_TRUNCATED, "x: expected 4 bytes at offset 1, found a file of 0");
}

TEST(bundle_entry, takes_a_rank_of_16_and_extents_of_0)
{
    struct told t = { .dtype = FLOAT, .rank = 16 };
    varve_saved_node node;
    begin_bundle();
    for (int i = 0; i < 16; i++)
        t.shape[i] = i == 7 ? 0 : INT64_MAX;
    add_value("x", t, "", 0);
    varve_reader *reader = open_bundle();
    cr_assert(varve_reader_find(reader, "x", &node));
    cr_assert_eq(node.value.rank, 16);
    cr_assert_eq(node.value.shape[15], INT64_MAX);
    check_bytes(reader, "x", "");
    end_bundle(reader);
}

TEST(bundle_entry, knows_every_element_type)
{
    char key[16];
    unsigned char bytes[16] = { 1, 2, 3 };
    static const struct {
        uint64_t number;
        varve_dtype dtype;
        size_t size;
    } types[] = {
        { 1, VARVE_FLOAT32, 4 }, { 2, VARVE_FLOAT64, 8 },
        { 3, VARVE_INT32, 4 }, { 4, VARVE_UINT8, 1 }, { 5, VARVE_INT16, 2 },
        { 6, VARVE_INT8, 1 }, { 8, VARVE_COMPLEX64, 8 },
        { 9, VARVE_INT64, 8 }, { 10, VARVE_BOOL, 1 }, { 11, VARVE_INT8, 1 },
        { 12, VARVE_UINT8, 1 }, { 13, VARVE_INT32, 4 },
        { 14, VARVE_BFLOAT16, 2 }, { 15, VARVE_INT16, 2 },
        { 16, VARVE_UINT16, 2 }, { 17, VARVE_UINT16, 2 },
        { 18, VARVE_COMPLEX128, 16 }, { 19, VARVE_FLOAT16, 2 },
        { 22, VARVE_UINT32, 4 }, { 23, VARVE_UINT64, 8 },
        { 24, VARVE_FLOAT8_E5M2, 1 }, { 25, VARVE_FLOAT8_E4M3FN, 1 },
        { 101, VARVE_FLOAT32, 4 },
    };
    enum { COUNT = sizeof types / sizeof *types };
    begin_bundle();
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "t%03d", (int)types[i].number);
        add_value(key, (struct told){ .dtype = types[i].number }, bytes,
            types[i].size);
    }
    add_value("u", (struct told){ .dtype = 29, .rank = 1, .shape = { 2 } },
        bytes, 2);
    varve_reader *reader = open_bundle();
    for (size_t i = 0; i < COUNT; i++) {
        varve_saved_node node;
        snprintf(key, sizeof key, "t%03d", (int)types[i].number);
        cr_assert(varve_reader_find(reader, key, &node));
        cr_assert_eq(node.value.dtype, types[i].dtype, "%s", key);
        cr_assert_eq(node.size, types[i].size, "%s", key);
    }
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "u", &node));
    cr_assert_eq(node.kind, VARVE_STATE);
    cr_assert_str_eq(varve_reader_tag_at(reader, node.id, 0),
        "tensorflow:int4");
    check_bytes(reader, "u", "0102");
    end_bundle(reader);
}

/* --- Slices --------------------------------------------------------------- */

#define SLICE(start, length) "3a08 0a00 0a04 08" start "10" length

/* A tensor p [2,3] of slices with all rows each. */
static void add_whole(const char *slices, uint64_t dtype)
{
    size_t size;
    unsigned char *bytes = hex_bytes(slices, &size);
    add_told("p", 1,
        &(struct told){ .dtype = dtype, .rank = 2, .shape = { 2, 3 },
            .slices = bytes, .slices_size = size });
    free(bytes);
}

/* Its columns from `start` on. */
static void add_columns(int start, int length, uint64_t dtype)
{
    unsigned char key[] = { 0, 'p', 0, 1, 1, 2, 0x80, 0x7f,
        (unsigned char)(0x80 + start), (unsigned char)(0x80 + length) };
    unsigned char bytes[64];
    struct told t = { .dtype = dtype, .rank = 2, .shape = { 2, length } };
    t.offset = maker.data.size;
    t.size = (uint64_t)(8 * length);
    for (size_t i = 0; i < t.size; i++)
        bytes[i] = (unsigned char)(16 * start + (int)i);
    t.sum = vv_crc32c_mask(vv_crc32c(0, bytes, t.size));
    vv_buffer_add(&maker.data, bytes, t.size);
    add_told((const char *)key, sizeof key, &t);
}

TEST(bundle_entry, puts_slices_together)
{
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_columns(1, 2, FLOAT);
    add_whole(SLICE("01", "02") SLICE("00", "01"), FLOAT);
    varve_reader *reader = open_bundle();
    check_bytes(reader, "p", "00010203 10111213 14151617 "
                             "04050607 18191a1b 1c1d1e1f");
    varve_error error;
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    end_bundle(reader);
}

TEST(bundle_entry, refuses_slices_that_do_not_make_a_whole)
{
    varve_status bad = VARVE_CORRUPT;
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole(SLICE("00", "01"), FLOAT);
    refuse_bundle(bad, "p: expected slices that make up the whole, "
        "found fewer");
    begin_bundle();
    add_columns(0, 3, FLOAT);
    add_columns(1, 2, FLOAT);
    add_whole(SLICE("00", "03") SLICE("01", "02"), FLOAT);
    refuse_bundle(bad, "p: expected slices that make up the whole, found more");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole(SLICE("00", "01") SLICE("01", "02"), FLOAT);
    refuse_bundle(bad, "p: expected an entry for each of its slices");
    begin_bundle();
    add_columns(0, 1, INT32);
    add_whole(SLICE("00", "01"), FLOAT);
    refuse_bundle(bad, "p: expected slices of its own type");
    begin_bundle();
    add_columns(2, 2, FLOAT);
    add_whole(SLICE("02", "02"), FLOAT);
    refuse_bundle(bad, "p: expected slices inside its shape, found "
        "one outside");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    refuse_bundle(bad, "a slice of p: expected a tensor that has it");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole("3a02 0a00", FLOAT);
    refuse_bundle(bad, "p: expected slices of its rank, found one of fewer");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole("3a06 0a00 0a00 0a00", FLOAT);
    refuse_bundle(bad, "p: expected slices of its rank, found one of more");
}

TEST(bundle_entry, notices_slices_that_overlap_when_they_are_read)
{
    begin_bundle();
    add_columns(0, 2, FLOAT);
    add_columns(1, 1, FLOAT);
    add_whole(SLICE("00", "02") SLICE("01", "01"), FLOAT);
    varve_reader *reader = open_bundle();
    refuse_value(
        reader, "p", "c.index: p: expected slices that do not overlap");
    end_bundle(reader);
}
