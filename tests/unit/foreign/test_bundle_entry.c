/* test_bundle_entry.c - Tests the header and entries of a TensorFlow index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_entry.h"

#include "made_bundles.h"
#include "unit/foreign/made_bundle.h"

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

TEST(bundle_entry, accepts_headers_of_its_version)
{
    begin_empty_bundle();
    add_header_hex("0801 1a04 0802 1001"); /* producer 2, consumers from 1 */
    end_bundle(open_bundle());
    begin_empty_bundle();
    /* requires readers newer than version 2 */
    add_header_hex("0801 1a02 1802");
    end_bundle(open_bundle());
    refuse_header("0801 1a04 0802 1002", VARVE_TOO_NEW,
        "the checkpoint excludes readers of version 1");
    refuse_header("0801 1a02 1801", VARVE_TOO_NEW, "an older TensorFlow");
    refuse_header("0801 1002", VARVE_CORRUPT, "must be 0 or 1, not 2");
    refuse_header("1a02 0801", VARVE_CORRUPT, "invalid number of shards: 0");
    refuse_header("08ffffffff0f", VARVE_CORRUPT, "number of shards: 429496");
    refuse_header("0a00", VARVE_NOT_A_CHECKPOINT,
        "format V1, which is not supported: load it with TensorFlow and");
    begin_empty_bundle();
    refuse_bundle(VARVE_CORRUPT, "the index is empty");
    begin_empty_bundle();
    add_floats("x", 1);
    refuse_bundle(VARVE_CORRUPT, "does not begin with a header");
}

static void refuse(const char *key, struct index_entry t, varve_status status,
    const char *says)
{
    begin_bundle();
    add_index_entry(key, strlen(key), &t);
    refuse_bundle(status, says);
}

TEST(bundle_entry, refuses_entries_that_contradict_themselves)
{
    varve_status bad = VARVE_CORRUPT;
    struct index_entry sixteen = { .dtype = FLOAT, .rank = 16, .size = 4 };
    for (int i = 0; i < 17; i++)
        sixteen.shape[i] = 1;
    refuse("x", (struct index_entry){ .size = 4 }, bad,
        "c.index: x: it has no element type");
    refuse("x", (struct index_entry){ .dtype = FLOAT, .size = 5 }, bad,
        "x: its size does not match its shape");
    refuse("x", (struct index_entry){ .dtype = FLOAT, .size = 4, .shard = 1 },
        bad, "x: its shard does not exist");
    refuse("x",
        (struct index_entry){ .dtype = FLOAT, .rank = 1, .shape = { -1 } }, bad,
        "x: an extent is negative");
    refuse("x", (struct index_entry){ .dtype = FLOAT, .size = UINT64_MAX }, bad,
        "x: a number is negative");
    refuse("x", (struct index_entry){ .dtype = FLOAT, .rank = 3,
        .shape = { INT64_MAX, INT64_MAX, 4 } }, bad, "2^64 bytes or more");
    refuse("x", (struct index_entry){ .dtype = UINT32_MAX }, bad,
        "the number of its type or");
    sixteen.rank = 17;
    refuse("x", sixteen, VARVE_LIMIT, "x: it has more than 16");
    refuse("x", (struct index_entry){ .dtype = FLOAT, .size = 4, .offset = 1 },
        VARVE_TRUNCATED, "x: its 4 bytes at offset 1 do not fit");
}

TEST(bundle_entry, accepts_a_rank_of_16_and_extents_of_0)
{
    struct index_entry t = { .dtype = FLOAT, .rank = 16 };
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

TEST(bundle_entry, reads_every_element_type)
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
        add_value(key, (struct index_entry){ .dtype = types[i].number }, bytes,
            types[i].size);
    }
    add_value("u",
        (struct index_entry){ .dtype = 29, .rank = 1, .shape = { 2 } }, bytes,
        2);
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

/* Adds a tensor p [2,3] in slices, each of which has all rows. */
static void add_whole(const char *slices, uint64_t dtype)
{
    size_t size;
    unsigned char *bytes = hex_bytes(slices, &size);
    add_index_entry("p", 1,
        &(struct index_entry){ .dtype = dtype, .rank = 2, .shape = { 2, 3 },
            .slices = bytes, .slices_size = size });
    free(bytes);
}

/* Adds a slice of columns from `start` on. */
static void add_columns(int start, int length, uint64_t dtype)
{
    unsigned char key[] = { 0, 'p', 0, 1, 1, 2, 0x80, 0x7f,
        (unsigned char)(0x80 + start), (unsigned char)(0x80 + length) };
    unsigned char bytes[64];
    struct index_entry t = {
        .dtype = dtype, .rank = 2, .shape = { 2, length }
    };
    t.offset = maker.data.size;
    t.size = (uint64_t)(8 * length);
    for (size_t i = 0; i < t.size; i++)
        bytes[i] = (unsigned char)(16 * start + (int)i);
    t.sum = vv_crc32c_mask(vv_crc32c(0, bytes, t.size));
    vv_buffer_add(&maker.data, bytes, t.size);
    add_index_entry((const char *)key, sizeof key, &t);
}

TEST(bundle_entry, assembles_slices)
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

TEST(bundle_entry, refuses_slices_that_do_not_cover_the_shape)
{
    varve_status bad = VARVE_CORRUPT;
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole(SLICE("00", "01"), FLOAT);
    refuse_bundle(bad, "p: its slices have fewer elements than its shape");
    begin_bundle();
    add_columns(0, 3, FLOAT);
    add_columns(1, 2, FLOAT);
    add_whole(SLICE("00", "03") SLICE("01", "02"), FLOAT);
    refuse_bundle(bad, "p: its slices have more elements than its shape");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole(SLICE("00", "01") SLICE("01", "02"), FLOAT);
    refuse_bundle(bad, "p: a slice has no entry in the index");
    begin_bundle();
    add_columns(0, 1, INT32);
    add_whole(SLICE("00", "01"), FLOAT);
    refuse_bundle(bad, "p: a slice has a different type");
    begin_bundle();
    add_columns(2, 2, FLOAT);
    add_whole(SLICE("02", "02"), FLOAT);
    refuse_bundle(bad, "p: a slice does not fit into its shape");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    refuse_bundle(bad, "a slice of p: no tensor refers to it");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole("3a02 0a00", FLOAT);
    refuse_bundle(bad, "p: a slice has too few dimensions");
    begin_bundle();
    add_columns(0, 1, FLOAT);
    add_whole("3a06 0a00 0a00 0a00", FLOAT);
    refuse_bundle(bad, "p: a slice has too many dimensions");
}

TEST(bundle_entry, detects_overlapping_slices_when_a_value_is_read)
{
    begin_bundle();
    add_columns(0, 2, FLOAT);
    add_columns(1, 1, FLOAT);
    add_whole(SLICE("00", "02") SLICE("01", "01"), FLOAT);
    varve_reader *reader = open_bundle();
    refuse_value(
        reader, "p", "c.index: p: two of its slices overlap");
    end_bundle(reader);
}

/* --- Rule by rule --------------------------------------------------------- */

static const uint64_t shape_6[] = { 6 };

/* Writes an index of entries in hexadecimal digits, terminated by NULL, and a
 * shard of 64 bytes. */
static struct memory *index_of(const char *const *pairs)
{
    struct memory *memory = memory_new();
    struct vv_table_out table;
    static const char data[64];
    vv_table_out_begin(&table, test_allocator());
    for (; *pairs; pairs += 2) {
        size_t key_size, size;
        unsigned char *key = hex_bytes(pairs[0], &key_size);
        unsigned char *value = hex_bytes(pairs[1], &size);
        vv_table_out_add(&table, key, key_size, value, size);
        free(key);
        free(value);
    }
    cr_assert(vv_table_out_end(&table));
    memory_put(memory, "x.index", table.bytes.data, table.bytes.size);
    memory_put(memory, "x.data-00000-of-00001", data, sizeof data);
    vv_table_out_clear(&table);
    return memory;
}

static void check_refused(
    const char *const *pairs, varve_status status, const char *says)
{
    struct memory *memory = index_of(pairs);
    refused(memory, "x.index", status, says);
    memory_free(memory);
}

static void check_header(
    const char *header, varve_status status, const char *says)
{
    check_refused((const char *[]){ "", header, NULL }, status, says);
}

TEST(bundle_entry, refuses_invalid_headers)
{
    check_refused((const char *[]){ NULL }, VARVE_CORRUPT,
        "the index is empty");
    check_refused((const char *[]){ "77", "0801", NULL }, VARVE_CORRUPT,
        "does not begin with a header");
    check_header("1a020801", VARVE_CORRUPT, "invalid number of shards: 0");
    check_header("08ffffffffffffffffff01", VARVE_CORRUPT, "number of shards");
    check_header("08808080800810 00", VARVE_CORRUPT, "number of shards");
    check_header("08011002", VARVE_CORRUPT, "must be 0 or 1, not 2");
    check_header("0801 12021000", VARVE_CORRUPT,
        "expected wire type 0, found 2");
    check_header("0801 1801", VARVE_CORRUPT, "expected wire type 2, found 0");
    check_header("0d00000000", VARVE_CORRUPT, "expected wire type 0, found 5");
    check_header("08", VARVE_CORRUPT, "the header at byte 1");
}

TEST(bundle_entry, refuses_unsupported_versions)
{
    static const char says[] = "excludes readers of version 1";
    check_header("0801 1a021002", VARVE_TOO_NEW, says);
    check_header("0801 1a0408031802 1a021801", VARVE_TOO_NEW, says);
    check_header("0801 1a05 1a03020301", VARVE_TOO_NEW, says);
    /* A producer of -1 is below TensorFlow's minimum of 0; a consumer of -1 is
     * allowed. */
    check_header("0801 1a0b 08ffffffffffffffffff01", VARVE_CORRUPT,
        "the producer is negative: -1");
    check_header("0801 1a03 1a0180", VARVE_CORRUPT, "the version");
    check_header("0801 1a03 1d0000", VARVE_CORRUPT, "the version");
    check_header("0a020a00", VARVE_NOT_A_CHECKPOINT,
        "format V1, which is not supported: load it with TensorFlow");
}

TEST(bundle_entry, accepts_headers_of_other_readable_versions)
{
    static const char *const headers[] = {
        "0801", "08011a0408071001",
        "08011a041a020203", "08011a041802 1803", "0801 7a0161 7001",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct memory *memory =
            index_of((const char *[]){ "", headers[i], NULL });
        varve_error error;
        varve_reader *reader = open_in(memory, "x.index", &error);
        cr_assert(reader, "%s: %s", headers[i], error.message);
        varve_reader_free(reader);
        memory_free(memory);
    }
}

static void check_entry(
    const char *entry, varve_status status, const char *says)
{
    check_refused((const char *[]){ "", PLAIN_HEADER, "77", entry, NULL },
        status, says);
}

TEST(bundle_entry, refuses_invalid_entries)
{
    check_entry("1200", VARVE_CORRUPT, "x.index: w: it has no element type");
    check_entry("0801 1200 1801 2804", VARVE_CORRUPT, "its shard does not");
    check_entry("0801 1200 2803", VARVE_CORRUPT,
        "its size does not match its shape");
    check_entry("0801 1200 20ffffffffffffffffff01 2804", VARVE_CORRUPT,
        "a number is negative");
    check_entry("0801 1200 28ffffffffffffffffff01", VARVE_CORRUPT,
        "a number is negative");
    check_entry("088080808008 1200", VARVE_CORRUPT, "the number of its type");
    check_entry("0801 120d 120b08ffffffffffffffffff01", VARVE_CORRUPT,
        "an extent is negative");
    check_entry("0801 1218 120a08ffffffffffffffff7f 120a08ffffffffffffffff7f",
        VARVE_CORRUPT, "its shape has 2^64 bytes or more");
    check_entry("0802 120c 120a08ffffffffffffffff7f", VARVE_CORRUPT,
        "its shape has 2^64 bytes or more");
    check_entry("0801 1202 1801", VARVE_CORRUPT, "its rank is unknown");
    check_entry("0801 1204 12020801 1204 12020801 2804", VARVE_CORRUPT,
        "it has two shapes");
    check_entry("0801 1202 1001", VARVE_CORRUPT, "wire type 2, found 0");
    check_entry("0801 1205 1203 0a0161", VARVE_CORRUPT,
        "an extent: field 1: expected wire type 0, found 2");
    check_entry("0801 1200 2804 3001", VARVE_CORRUPT, "wire type 5, found 0");
    check_entry("0a0101", VARVE_CORRUPT, "wire type 0, found 2");
    check_entry("0801 12", VARVE_CORRUPT, "an entry of the index at byte 3");
    check_entry("0801 1222 1200120012001200120012001200120012001200"
        "12001200120012001200 1200 1200", VARVE_LIMIT,
        "x.index: w: it has more than 16 dimensions");
    check_entry("0801 1200 203d 2804", VARVE_TRUNCATED,
        "x.data-00000-of-00001: w: its 4 bytes at offset 61");
}

TEST(bundle_entry, accepts_shapes_of_any_extents)
{
    struct memory *memory = memory_new();
    struct made m;
    varve_error error;
    varve_saved_node node;
    static const uint64_t ones[16] = {
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3,
    };
    made_begin(&m, PLAIN_HEADER);
    made_counting(&m, "a", 4, 16, ones, 3);
    made_counting(&m, "b", 1, 2, (uint64_t[]){ 0, UINT64_C(1) << 62 }, 0);
    made_counting(&m, "c", 1, 0, NULL, 4);
    made_counting(&m, "d", 101, 0, NULL, 4); /* a reference */
    made_put(&m, memory, "x");
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "a", &node));
    cr_assert_eq(node.value.rank, 16);
    cr_assert_eq(node.value.shape[15], 3);
    cr_assert(varve_reader_find(reader, "b", &node));
    cr_assert(node.has_value && node.size == 0 && node.value.rank == 2);
    cr_assert_eq(node.value.shape[1], UINT64_C(1) << 62);
    cr_assert(varve_reader_find(reader, "d", &node));
    cr_assert_eq(node.value.dtype, VARVE_FLOAT32);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    memory_free(memory);
}

/* A tensor "v" of 6 bytes in slices. `change` makes one property of the index
 * invalid. */
struct sliced {
    struct made_entry whole;
    struct made_entry slices[2];
    int64_t pairs[4];
    int64_t keys[4]; /* the pairs in the keys of the slices */
    unsigned char key_name;
    bool has_extra; /* a slice that the tensor does not list */
};

static struct memory *make_sliced(const struct sliced *s)
{
    struct memory *memory = memory_new();
    struct made m;
    struct vv_buffer key;
    struct made_entry whole = s->whole;
    vv_buffer_init(&key, test_allocator());
    made_begin(&m, PLAIN_HEADER);
    for (int i = 0; i < 2; i++) {
        vv_slice_key(&key, "v", 1, 1, s->keys + 2 * i);
        made_bytes(&m, key.data, key.size, s->slices[i], "abcdef",
            (size_t)s->slices[i].shape[0]);
    }
    if (s->has_extra) {
        vv_slice_key(&key, "w", 1, 1, s->keys);
        made_bytes(&m, key.data, key.size, s->slices[0], "abc",
            (size_t)s->slices[0].shape[0]);
    }
    vv_buffer_clear(&key);
    whole.pairs = s->pairs;
    made_add(&m, "v", 1, &whole);
    made_put(&m, memory, "x");
    return memory;
}

static const uint64_t shape_2[] = { 2 }, shape_4[] = { 4 }, shape_3[] = { 3 };

static struct sliced good_slices(void)
{
    return (struct sliced){
        .whole = { .dtype = 4, .rank = 1, .shape = shape_6,
            .slice_count = 2 },
        .slices = { { .dtype = 4, .rank = 1, .shape = shape_2 },
            { .dtype = 4, .rank = 1, .shape = shape_4 } },
        .pairs = { 0, 2, 2, 4 },
        .keys = { 0, 2, 2, 4 },
    };
}

static void check_slices(const struct sliced *s, const char *says)
{
    struct memory *memory = make_sliced(s);
    refused(memory, "x.index", VARVE_CORRUPT, says);
    memory_free(memory);
}

TEST(bundle_entry, assembles_slices_that_cover_the_value)
{
    struct sliced s = good_slices();
    struct memory *memory = make_sliced(&s);
    varve_error error;
    varve_saved_node node;
    char bytes[6];
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(reader), 2);
    cr_assert(varve_reader_find(reader, "v", &node));
    cr_assert_ok(
        varve_reader_read(reader, node.id, bytes, 6, &error), error);
    cr_assert(memcmp(bytes, "ababcd", 6) == 0);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_entry, refuses_invalid_slices)
{
    struct sliced s = good_slices();
    s.keys[3] = 3;
    check_slices(&s, "v: a slice has no entry in the index");
    s = good_slices();
    s.slices[1].dtype = 6;
    check_slices(&s, "v: a slice has a different type");
    s = good_slices();
    s.slices[1].shape = shape_3;
    check_slices(&s, "v: a slice does not fit into its");
    s = good_slices();
    s.pairs[2] = s.keys[2] = 3;
    check_slices(&s, "v: a slice does not fit into its");
    s = good_slices();
    s.whole.slice_count = 1;
    check_slices(&s, "v: its slices have fewer elements than");
    s = good_slices();
    s.pairs[2] = s.pairs[0], s.pairs[3] = s.pairs[1];
    check_slices(&s, "v: its slices have fewer elements than");
    s = good_slices();
    s.whole.shape = (uint64_t[]){ 5 };
    check_slices(&s, "v: a slice does not fit into its");
    s = good_slices();
    s.whole.size = 6;
    check_slices(&s, "v: it has both slices and bytes of its own");
    s = good_slices();
    s.has_extra = true;
    check_slices(&s, "a slice of w: no tensor refers to it");
    s = good_slices();
    s.whole.dtype = s.slices[0].dtype = s.slices[1].dtype = 29;
    check_slices(&s, "v: a tensor of this type cannot");
}

TEST(bundle_entry, refuses_slices_of_another_rank)
{
    check_refused((const char *[]){ "", PLAIN_HEADER, "77",
        "0804 1208 12020802 12020803 3a02 0a00", NULL }, VARVE_CORRUPT,
        "w: a slice has too few dimensions");
    check_refused((const char *[]){ "", PLAIN_HEADER, "77",
        "0804 1204 12020802 3a04 0a00 0a00", NULL }, VARVE_CORRUPT,
        "w: a slice has too many dimensions");
    check_refused((const char *[]){ "", PLAIN_HEADER, "77",
        "0804 1200 3a00", NULL }, VARVE_CORRUPT,
        "w: a slice has too few dimensions");
}

TEST(bundle_entry, detects_overlapping_slices_when_it_reads_them)
{
    struct sliced s = good_slices();
    varve_error error;
    varve_saved_node node;
    char bytes[6];
    s.slices[0].shape = shape_3;
    s.slices[1].shape = shape_3;
    s.pairs[1] = s.keys[1] = s.pairs[3] = s.keys[3] = 3;
    struct memory *memory = make_sliced(&s);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "v", &node));
    cr_assert_eq(
        varve_reader_read(reader, node.id, bytes, 6, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "two of its slices overlap"), "%s",
        error.message);
    cr_assert_eq(varve_reader_verify(reader, NULL, NULL), VARVE_CORRUPT);
    varve_reader_free(reader);
    memory_free(memory);
}
