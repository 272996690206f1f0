/* test_bundle_value.c - lib/source/bundle_value.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "unit/source/made_bundle.h"

static varve_error error;

static const char *const texts[] = { "hello", "", "a\0b" };
static const size_t sizes[] = { 5, 0, 3 };

/* The only value, named "v", in digits; NULL with the error. */
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

/* Any bit of the shard that flips is seen, when it is opened or read. */
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

TEST(bundle_value, makes_strings_with_their_lengths_before_them)
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

TEST(bundle_value, makes_strings_of_golden_bytes)
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

TEST(bundle_value, makes_no_strings_of_nothing)
{
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_strings(&m, "v", 1, 0, NULL, NULL, false);
    check_value(&m, "");
    made_begin(&m, PLAIN_HEADER);
    made_counting(&m, "v", 7, 1, (uint64_t[]){ 0 }, 0);
    check_value(&m, "");
}

TEST(bundle_value, sees_every_bit_that_flips_in_strings)
{
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_strings(&m, "v", 1, 3, texts, sizes, false);
    check_sums(&m);
    made_begin(&m, BIG_HEADER);
    made_strings(&m, "v", 1, 3, texts, sizes, true);
    check_sums(&m);
}

TEST(bundle_value, refuses_strings_of_other_sizes)
{
    static const struct {
        uint64_t count;
        const char *bytes;
        const char *says;
    } rows[] = {
        { 1, "", "a length for every string" },
        { 1, "010203", "a length for every string" },
        { 5, "0000000000000000", "a length for every string" },
        { 1, "8080808080808080808080", "a length for every string" },
        { 1, "ffffffffffffffffff01 00000000", "a length for every string" },
        { 2, "06 ffffffffffffffff7f 00000000", "a length for every string" },
        { 1, "05 00000000 61616161", "as many bytes as the strings take" },
        { 1, "03 00000000 61616161", "as many bytes as the strings take" },
        { 0, "00000000 61", "as many bytes as the strings take" },
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

TEST(bundle_value, sees_every_bit_that_flips_in_numbers)
{
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_counting(&m, "v", 1, 1, (uint64_t[]){ 5 }, 20);
    check_sums(&m);
}

/* Two elements, of 3 bytes and none: length, bytes, the sum of all so far. */
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

TEST(bundle_value, gives_variants_as_they_are_stored)
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

/* A matrix of 3 rows and 4 columns in 3 slices: 2 rows of 1 column, 2 rows of
 * 3, a row. */
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
        /* The keys in their order: 0,1 before 1,3. */
        vv_slice_key(&key, "v", 1, 2, pairs + 4 * i);
        made_bytes(m, key.data, key.size,
            (struct made_entry){ .dtype = 5, .rank = 2, .shape = shapes[i] },
            bytes[i], strlen(bytes[i]));
    }
    vv_buffer_clear(&key);
    made_add(m, "v", 1, &(struct made_entry){ .dtype = 5, .rank = 2,
        .shape = (uint64_t[]){ 3, 4 }, .pairs = pairs, .slice_count = 3 });
}

TEST(bundle_value, puts_slices_of_a_matrix_together)
{
    struct made m;
    make_matrix(&m, PLAIN_HEADER);
    check_value(&m, "416142624363446445654666476748684969" "4a6a4b6b4c6c");
    make_matrix(&m, "0803 1a020801"); /* each in a shard of its own */
    check_value(&m, "416142624363446445654666476748684969" "4a6a4b6b4c6c");
    make_matrix(&m, BIG_HEADER);
    check_value(&m, "614162426343644465456646674768486949" "6a4a6b4b6c4c");
    make_matrix(&m, PLAIN_HEADER);
    check_sums(&m);
}

TEST(bundle_value, gives_back_all_memory_when_there_is_none)
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
