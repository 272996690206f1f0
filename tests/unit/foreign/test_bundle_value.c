/* test_bundle_value.c - Tests decoding the values of TensorFlow checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_value.h"

#include "made_bundles.h"
#include "unit/foreign/made_bundle.h"

/* Adds a value of any type with these stored bytes. */
static void add_hex(const char *key, struct index_entry t, const char *hex)
{
    size_t size;
    unsigned char *bytes = hex_bytes(hex, &size);
    add_value(key, t, bytes, size);
    free(bytes);
}

/* The complete index: tensors w, s and p (in two slices), as TensorFlow writes
 * them. */
static const char index_hex[] =
    "00000608011a020801000a15007000010102807f80810801120812020802120208012028"
    "280835604fe7740802158182080112081202080212020802203028103552d1ee6e00011e"
    "700801120812020802120208033a060a000a0210013a080a000a04080110020001117308"
    "0712041202080220182810351b4cd60700011377080112081202080212020803281835c0"
    "db3d17000000000100000000f43e0397000000000100000000c0f2a1b000010378009b01"
    "00000000010000000023ff8c59a00108ad010f0000000000000000000000000000000000"
    "000000000000000000000000000000000057fb808b247547db";
static const char data_hex[] =
    "000000000000803f0000004000004040000080400000a040"
    "0505b56f994f68656c6c6f776f726c64"
    "0000000000004040"
    "0000803f00000040000080400000a040";

TEST(bundle_value, reads_a_file_of_the_format_byte_for_byte)
{
    size_t index_size, data_size;
    unsigned char *index = hex_bytes(index_hex, &index_size);
    unsigned char *data = hex_bytes(data_hex, &data_size);
    varve_error error;
    cr_assert_eq(index_size, 241);
    begin_empty_bundle();
    vv_table_out_clear(&maker.table);
    memory_put(maker.memory, INDEX, index, index_size);
    memory_put(maker.memory, SHARD, data, data_size);
    varve_reader *reader = try_bundle(&error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(
        varve_reader_format(reader), VARVE_FORMAT_TENSORFLOW_NAMES);
    check_bytes(
        reader, "w", "000000000000803f0000004000004040000080400000a040");
    check_bytes(
        reader, "p", "000000000000803f0000004000004040000080400000a040");
    check_bytes(reader, "s", "0500000000000000 0500000000000000"
                             "68656c6c6f 776f726c64");
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    end_bundle(reader);
    free(index);
    free(data);
}

static uint32_t sum_of(const char *hex)
{
    size_t size;
    unsigned char *bytes = hex_bytes(hex, &size);
    uint32_t sum = vv_crc32c(0, bytes, size);
    free(bytes);
    return sum;
}

/* --- Strings -------------------------------------------------------------- */

/* Adds strings with their lengths of fixed size, `fixed`, and as stored; the
 * checksum that `wrong` selects is invalid. */
static void add_strings(const char *key, int64_t count, const char *stored,
    const char *fixed, const char *text, int wrong)
{
    char hex[1024], sums[1024];
    uint32_t masked = vv_crc32c_mask(sum_of(fixed)) + (wrong == 1);
    snprintf(sums, sizeof sums, "%02x%02x%02x%02x", masked & 255,
        masked >> 8 & 255, masked >> 16 & 255, masked >> 24);
    snprintf(hex, sizeof hex, "%s%s%s", fixed, sums, text);
    struct index_entry t = { .dtype = STRING, .rank = 1, .shape = { count },
        .sum = vv_crc32c_mask(sum_of(hex)) + (wrong == 2) };
    snprintf(hex, sizeof hex, "%s%s%s", stored, sums, text);
    add_hex(key, t, hex);
}

TEST(bundle_value, reads_strings_of_any_length)
{
    static char text[601], stored[8], fixed[9];
    memset(text, 'a', 600); /* 300 bytes of 0xaa */
    snprintf(stored, sizeof stored, "ac02");
    snprintf(fixed, sizeof fixed, "2c010000");
    begin_bundle();
    add_strings("a", 2, "0002", "0000000002000000", "6869", 0);
    add_strings("b", 1, stored, fixed, text, 0);
    add_strings("c", 0, "", "", "", 0);
    add_value("d",
        (struct index_entry){ .dtype = STRING, .rank = 1, .shape = { 0 } }, "",
        0);
    varve_reader *reader = open_bundle();
    check_bytes(reader, "a", "0000000000000000 0200000000000000 6869");
    char expected[700];
    snprintf(expected, sizeof expected, "2c01000000000000%s", text);
    check_bytes(reader, "b", expected);
    check_bytes(reader, "c", "");
    check_bytes(reader, "d", "");
    end_bundle(reader);
}

TEST(bundle_value, verifies_both_checksums_of_strings)
{
    varve_error error;
    begin_bundle();
    add_strings("a", 1, "02", "02000000", "6869", 0);
    add_strings("b", 1, "02", "02000000", "6869", 1);
    add_strings("c", 1, "02", "02000000", "6869", 2);
    varve_reader *reader = open_bundle();
    check_bytes(reader, "a", "0200000000000000 6869");
    refuse_value(reader, "b", "b: bytes 7 to 14: expected CRC-32C");
    refuse_value(reader, "c", "c: bytes 14 to 21: expected CRC-32C");
    cr_assert_eq(varve_reader_verify(reader, NULL, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "2 damaged in total"), "%s", error.message);
    end_bundle(reader);
}

static void refuse_strings(int64_t count, const char *hex, const char *says)
{
    begin_bundle();
    add_hex("s", (struct index_entry){ .dtype = STRING, .rank = 1,
        .shape = { count } }, hex);
    refuse_bundle(VARVE_CORRUPT, says);
}

TEST(bundle_value, refuses_strings_with_inconsistent_lengths)
{
    refuse_strings(1, "02 00000000 61", "does not match the lengths");
    refuse_strings(1, "02 00000000 616263", "does not match the lengths");
    refuse_strings(5, "00 00000000", "the length of a string is");
    refuse_strings(1, "ff 000000 61", "the length of a string is");
    refuse_strings(1, "0000", "the length of a string is");
    refuse_strings(2, "7f 7f 00000000 61", "the length of a string is");
    refuse_strings(INT64_C(1) << 40, "00 00000000", "the length of a string");
}

/* --- Byte order ----------------------------------------------------------- */

TEST(bundle_value, reverses_the_bytes_of_a_big_endian_writer)
{
    varve_saved_node node;
    begin_empty_bundle();
    add_header(1, 1);
    add_hex("a",
        (struct index_entry){ .dtype = INT32, .rank = 1, .shape = { 2 } },
        "01020304 05060708");
    add_hex(
        "b", (struct index_entry){ .dtype = COMPLEX64 }, "01020304 05060708");
    add_hex("c", (struct index_entry){ .dtype = INT64 }, "0102030405060708");
    add_hex("d", (struct index_entry){ .dtype = 4, .rank = 1, .shape = { 3 } },
        "010203");
    /* Both checksums cover the lengths in the writer's byte order, and are
     * stored in it. */
    uint32_t sum = vv_crc32c_mask(sum_of("00000002"));
    char hex[64], stored[64];
    snprintf(hex, sizeof hex, "00000002 %08x 6869", sum);
    snprintf(stored, sizeof stored, "02 %08x 6869", sum);
    add_hex("s", (struct index_entry){ .dtype = STRING,
        .sum = vv_crc32c_mask(sum_of(hex)) }, stored);
    varve_reader *reader = open_bundle();
    check_bytes(reader, "a", "04030201 08070605");
    check_bytes(reader, "b", "04030201 08070605");
    check_bytes(reader, "c", "0807060504030201");
    check_bytes(reader, "d", "010203");
    check_bytes(reader, "s", "0200000000000000 6869");
    cr_assert(varve_reader_find(reader, "a", &node));
    cr_assert_eq(node.offset, 0, "is not in the file as it is given");
    end_bundle(reader);
}

TEST(bundle_value, verifies_bytes_that_it_reverses)
{
    begin_empty_bundle();
    add_header(1, 1);
    add_hex("a", (struct index_entry){ .dtype = INT32, .sum = 5 }, "01020304");
    varve_reader *reader = open_bundle();
    refuse_value(reader, "a", "a: bytes 0 to 4: expected CRC-32C");
    end_bundle(reader);
}

/* --- Variants ------------------------------------------------------------- */

/* Adds two elements, `6162` and nothing, with their cumulative checksums; the
 * last byte of the second one may be wrong. */
static void add_variants(const char *key, int wrong)
{
    unsigned char first[8] = { 2 }, second[8] = { 0 };
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    uint32_t sum = vv_crc32c(0, first, 8);
    sum = vv_crc32c(sum, "ab", 2);
    vv_buffer_add(&b, "\2ab", 3);
    vv_buffer_add32(&b, vv_crc32c_mask(sum));
    sum = vv_crc32c(sum, b.data + 3, 4);
    sum = vv_crc32c(sum, second, 8);
    vv_buffer_add8(&b, 0);
    vv_buffer_add32(&b, vv_crc32c_mask(sum) ^ (wrong == 1));
    sum = vv_crc32c(sum, b.data + 8, 4);
    if (wrong == 2)
        vv_buffer_add8(&b, 0);
    add_value(key, (struct index_entry){ .dtype = 21, .rank = 1, .shape = { 2 },
        .sum = vv_crc32c_mask(sum) + (wrong == 3) }, b.data, b.size);
    vv_buffer_clear(&b);
}

TEST(bundle_value, reads_variants_as_stored_and_verifies_them)
{
    varve_saved_node node;
    begin_bundle();
    add_variants("a", 0);
    add_variants("b", 1);
    add_variants("c", 2);
    add_variants("d", 3);
    varve_reader *reader = open_bundle();
    cr_assert(varve_reader_find(reader, "a", &node));
    cr_assert_eq(node.kind, VARVE_STATE);
    cr_assert_eq(node.size, 12);
    cr_assert_str_eq(
        varve_reader_tag_at(reader, node.id, 0), "tensorflow:variant");
    unsigned char bytes[12];
    varve_error error;
    cr_assert_ok(
        varve_reader_read(reader, node.id, bytes, sizeof bytes, &error), error);
    cr_assert_eq(memcmp(bytes, "\2ab", 3), 0);
    refuse_value(reader, "b", "b: bytes 12 to 24: expected CRC-32C");
    refuse_value(reader, "c", "other bytes follow the variants");
    refuse_value(reader, "d", "expected CRC-32C");
    end_bundle(reader);
}

/* --- Slices --------------------------------------------------------------- */

/* Adds a box of a tensor [2,2,2] of bytes, each of which is its index. */
static void add_box(int x, int nx, int z, int nz)
{
    unsigned char key[] = { 0, 'q', 0, 1, 1, 3, (unsigned char)(0x80 + x),
        (unsigned char)(0x80 + nx), 0x80, 0x7f, (unsigned char)(0x80 + z),
        (unsigned char)(0x80 + nz) };
    struct index_entry t = { .dtype = 4, .rank = 3, .shape = { nx, 2, nz } };
    t.offset = maker.data.size;
    for (int i = x; i < x + nx; i++)
        for (int j = 0; j < 2; j++)
            for (int k = z; k < z + nz; k++)
                vv_buffer_add8(&maker.data, (uint8_t)(4 * i + 2 * j + k));
    t.size = maker.data.size - t.offset;
    t.sum = vv_crc32c_mask(vv_crc32c(0, maker.data.data + t.offset, t.size));
    add_index_entry((const char *)key, sizeof key, &t);
}

TEST(bundle_value, assembles_boxes_of_three_dimensions)
{
    size_t size;
    unsigned char *slices = hex_bytes(
        "3a0c 0a021001 0a00 0a0408001002"
        "3a0e 0a0408011001 0a00 0a0408001001"
        "3a0e 0a0408011001 0a00 0a0408011001", &size);
    begin_bundle();
    add_box(0, 1, 0, 2);
    add_box(1, 1, 0, 1);
    add_box(1, 1, 1, 1);
    add_index_entry("q", 1, &(struct index_entry){ .dtype = 4, .rank = 3,
        .shape = { 2, 2, 2 }, .slices = slices, .slices_size = size });
    varve_reader *reader = open_bundle();
    check_bytes(reader, "q", "00010203 04050607");
    end_bundle(reader);
    free(slices);
}

/* --- Rule by rule --------------------------------------------------------- */

static varve_error error;

static const char *const texts[] = { "hello", "", "a\0b" };
static const size_t sizes[] = { 5, 0, 3 };

/* Returns the only value, named "v", in hexadecimal digits, or NULL and the
 * error. */
static const char *value_of(struct memory *memory)
{
    static char text[1024];
    unsigned char bytes[500];
    varve_saved_node node;
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "v", &node));
    cr_assert(node.has_value && node.size <= sizeof bytes);
    varve_status status =
        varve_reader_read(reader, node.id, bytes, sizeof bytes, &error);
    cr_assert_eq(!varve_reader_verify(reader, NULL, NULL), !status);
    varve_reader_free(reader);
    text[0] = '\0';
    for (size_t i = 0; i < node.size; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
    return status ? NULL : text;
}

static void check_value(struct made *m, const char *expected)
{
    struct memory *memory = memory_new();
    made_put(m, memory, "x");
    const char *found = value_of(memory);
    cr_assert(found, "%s", error.message);
    cr_assert_str_eq(found, expected);
    memory_free(memory);
}

/* Checks that every flipped bit of the shard is detected when it is opened or
 * read. */
static void check_sums(struct made *m)
{
    struct memory *memory = memory_new();
    size_t size;
    made_put(m, memory, "x");
    unsigned char *bytes =
        memory_bytes(memory, "x.data-00000-of-00001", &size);
    cr_assert_gt(size, 0);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        varve_reader *reader = open_in(memory, "x.index", &error);
        varve_reader_free(reader);
        cr_assert(reader ? !value_of(memory) : true, "bit %zu", bit);
        cr_assert_eq(error.status, VARVE_CORRUPT, "bit %zu: %s", bit,
            error.message);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    cr_assert(value_of(memory));
    memory_free(memory);
}

TEST(bundle_value, returns_strings_after_their_lengths)
{
    static const char expected[] = "0500000000000000" "0000000000000000"
        "0300000000000000" "68656c6c6f" "610062";
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_strings(&m, "v", 1, 3, texts, sizes, false);
    check_value(&m, expected);
    made_begin(&m, BIG_HEADER);
    made_strings(&m, "v", 1, 3, texts, sizes, true);
    check_value(&m, expected);
}

TEST(bundle_value, decodes_strings_of_a_golden_file)
{
    struct memory *memory = memory_new();
    size_t size;
    unsigned char *data =
        hex_bytes("0505b56f994f68656c6c6f776f726c64", &size);
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_bytes(&m, "v", 1, (struct made_entry){ .dtype = 7, .rank = 1,
        .shape = (uint64_t[]){ 2 }, .sum = 0x07d64c1b }, data, size);
    made_put(&m, memory, "x");
    free(data);
    const char *found = value_of(memory);
    cr_assert(found, "%s", error.message);
    cr_assert_str_eq(found,
        "05000000000000000500000000000000" "68656c6c6f776f726c64");
    memory_free(memory);
}

TEST(bundle_value, returns_no_strings_for_empty_values)
{
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_strings(&m, "v", 1, 0, NULL, NULL, false);
    check_value(&m, "");
    made_begin(&m, PLAIN_HEADER);
    made_counting(&m, "v", 7, 1, (uint64_t[]){ 0 }, 0);
    check_value(&m, "");
}

TEST(bundle_value, detects_every_flipped_bit_in_strings)
{
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_strings(&m, "v", 1, 3, texts, sizes, false);
    check_sums(&m);
    made_begin(&m, BIG_HEADER);
    made_strings(&m, "v", 1, 3, texts, sizes, true);
    check_sums(&m);
}

TEST(bundle_value, refuses_strings_of_wrong_sizes)
{
    static const struct {
        uint64_t count;
        const char *bytes;
        const char *says;
    } rows[] = {
        { 1, "", "the length of a string is" },
        { 1, "010203", "the length of a string is" },
        { 5, "0000000000000000", "the length of a string is" },
        { 1, "8080808080808080808080", "the length of a string is" },
        { 1, "ffffffffffffffffff01 00000000", "the length of a string is" },
        { 2, "06 ffffffffffffffff7f 00000000", "the length of a string is" },
        { 1, "05 00000000 61616161", "does not match the lengths" },
        { 1, "03 00000000 61616161", "does not match the lengths" },
        { 0, "00000000 61", "does not match the lengths" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory *memory = memory_new();
        struct made m;
        size_t size;
        unsigned char *bytes = hex_bytes(rows[i].bytes, &size);
        made_begin(&m, PLAIN_HEADER);
        made_bytes(&m, "v", 1, (struct made_entry){ .dtype = 7, .rank = 1,
            .shape = &rows[i].count }, bytes, size);
        made_put(&m, memory, "x");
        free(bytes);
        refused(memory, "x.index", VARVE_CORRUPT, rows[i].says);
        memory_free(memory);
    }
}

TEST(bundle_value, swaps_numbers_of_a_big_endian_writer)
{
    static const struct {
        uint32_t dtype;
        size_t size;
        const char *expected;
    } rows[] = {
        { 4, 3, "000102" }, { 10, 1, "00" },
        { 5, 4, "01000302" }, { 14, 2, "0100" }, { 19, 2, "0100" },
        { 1, 8, "0302010007060504" }, { 9, 8, "0706050403020100" },
        { 8, 8, "0302010007060504" },
        { 18, 16, "07060504030201000f0e0d0c0b0a0908" },
        { 16, 2, "0100" }, { 24, 2, "0001" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m;
        uint64_t count = rows[i].size / vv_dtype_file_size(
            vv_bundle_dtype(rows[i].dtype));
        made_begin(&m, BIG_HEADER);
        made_counting(&m, "v", rows[i].dtype, 1, &count, rows[i].size);
        check_value(&m, rows[i].expected);
        made_begin(&m, BIG_HEADER);
        made_counting(&m, "v", rows[i].dtype, 1, &count, rows[i].size);
        check_sums(&m);
    }
}

TEST(bundle_value, detects_every_flipped_bit_in_numbers)
{
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_counting(&m, "v", 1, 1, (uint64_t[]){ 5 }, 20);
    check_sums(&m);
}

/* Adds two elements, of 3 bytes and none: length, bytes, the checksum of all
 * bytes so far. */
static void make_variants(struct made *m, uint32_t dtype, bool swap)
{
    unsigned char stored[64];
    size_t size = 0;
    uint32_t sum = 0;
    for (uint64_t length = 3; length != UINT64_MAX; length -= 3) {
        unsigned char fixed[8];
        vv_store64(fixed, swap ? __builtin_bswap64(length) : length);
        sum = vv_crc32c(sum, fixed, 8);
        stored[size++] = (unsigned char)length;
        memcpy(stored + size, "abc", (size_t)length);
        sum = vv_crc32c(sum, stored + size, (size_t)length);
        size += (size_t)length;
        uint32_t masked = vv_crc32c_mask(sum);
        vv_store32(stored + size, swap ? __builtin_bswap32(masked) : masked);
        sum = vv_crc32c(sum, stored + size, 4);
        size += 4;
        if (length == 0)
            break;
    }
    made_begin(m, swap ? BIG_HEADER : PLAIN_HEADER);
    made_bytes(m, "v", 1, (struct made_entry){ .dtype = dtype, .rank = 1,
        .shape = (uint64_t[]){ 2 }, .sum = vv_crc32c_mask(sum) }, stored, size);
}

TEST(bundle_value, returns_variants_as_stored)
{
    struct made m;
    make_variants(&m, 21, false);
    size_t size = m.shards[0].size;
    cr_assert_eq(size, 13);
    char expected[64] = "";
    for (size_t i = 0; i < size; i++)
        sprintf(expected + 2 * i, "%02x", m.shards[0].data[i]);
    check_value(&m, expected);
    make_variants(&m, 121, false); /* a reference to one */
    check_value(&m, expected);
    make_variants(&m, 21, false);
    check_sums(&m);
}

TEST(bundle_value, checks_variants_of_a_big_endian_writer_in_its_order)
{
    struct made m;
    make_variants(&m, 21, true);
    check_sums(&m);
}

/* Adds a matrix of 3 rows and 4 columns in 3 slices: 2 rows of 1 column, 2 rows
 * of 3, a row. */
static void make_matrix(struct made *m, const char *header)
{
    static const int64_t pairs[] = { 0, 2, 0, 1, 0, 2, 1, 3, 2, 1, 0, -1 };
    static const uint64_t shapes[][2] = { { 2, 1 }, { 2, 3 }, { 1, 4 } };
    static const char *const bytes[] = { "AaEe", "BbCcDdFfGgHh", "IiJjKkLl" };
    struct vv_buffer key;
    vv_buffer_init(&key, test_allocator());
    made_begin(m, header);
    for (unsigned i = 0; i < 3; i++) {
        m->shard = i % m->shard_count;
        /* The keys in order: 0,1 before 1,3. */
        vv_slice_key(&key, "v", 1, 2, pairs + 4 * i);
        made_bytes(m, key.data, key.size,
            (struct made_entry){ .dtype = 5, .rank = 2, .shape = shapes[i] },
            bytes[i], strlen(bytes[i]));
    }
    vv_buffer_clear(&key);
    made_add(m, "v", 1, &(struct made_entry){ .dtype = 5, .rank = 2,
        .shape = (uint64_t[]){ 3, 4 }, .pairs = pairs, .slice_count = 3 });
}

TEST(bundle_value, assembles_slices_of_a_matrix)
{
    struct made m;
    make_matrix(&m, PLAIN_HEADER);
    check_value(&m, "416142624363446445654666476748684969" "4a6a4b6b4c6c");
    make_matrix(&m, "0803 1a020801"); /* each in its own shard */
    check_value(&m, "416142624363446445654666476748684969" "4a6a4b6b4c6c");
    make_matrix(&m, BIG_HEADER);
    check_value(&m, "614162426343644465456646674768486949" "6a4a6b4b6c4c");
    make_matrix(&m, PLAIN_HEADER);
    check_sums(&m);
}

TEST(bundle_value, leaks_nothing_without_memory)
{
    for (int kind = 0; kind < 4; kind++) {
        struct memory *memory = memory_new();
        struct made m;
        if (kind == 0)
            make_matrix(&m, BIG_HEADER);
        else if (kind == 1)
            make_variants(&m, 21, false);
        else
            made_begin(&m, kind == 2 ? PLAIN_HEADER : BIG_HEADER);
        if (kind == 2)
            made_strings(&m, "v", 1, 3, texts, sizes, false);
        if (kind == 3)
            made_counting(&m, "v", 1, 1, (uint64_t[]){ 2 }, 8);
        made_put(&m, memory, "x");
        for (long n = 0;; n++) {
            unsigned char bytes[256];
            varve_status status = VARVE_OK;
            test_fail_allocation(n, false);
            varve_reader *reader = open_in(memory, "x.index", &error);
            if (reader)
                status = varve_reader_read(reader, 1, bytes, 256, &error);
            varve_reader_free(reader);
            test_fail_allocation(-1, false);
            cr_assert_eq(test_block_count(), 0);
            cr_assert_eq(memory_open_count(memory), 0);
            if (reader && !status)
                break;
            cr_assert_eq(error.status, VARVE_NO_MEMORY, "%s", error.message);
        }
        memory_free(memory);
    }
}
