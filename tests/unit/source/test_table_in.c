/* test_table_in.c - lib/source/table_in.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_in.h"

#include <stdio.h>
#include <stdlib.h>

#include "bytes.h"
#include "crc32c.h"
#include "hex.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "table_out.h"

/* All entries of a table, one behind the other, as text. */
struct seen {
    struct vv_buffer text;
    size_t count;
};

static varve_error error;

static varve_status see(void *user, const unsigned char *key, size_t key_size,
    const unsigned char *value, size_t value_size, varve_error *unused)
{
    struct seen *seen = user;
    (void)unused;
    vv_buffer_add(&seen->text, key, key_size);
    vv_buffer_add8(&seen->text, '=');
    vv_buffer_add(&seen->text, value, value_size);
    vv_buffer_add8(&seen->text, ';');
    seen->count++;
    return VARVE_OK;
}

static varve_status read_table(
    const void *bytes, size_t size, struct seen *seen)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_table_in table = { &context, "t.index", bytes, size };
    *seen = (struct seen){ .count = 0 };
    vv_buffer_init(&seen->text, test_allocator());
    error = (varve_error){ 0 };
    varve_status status = vv_table_each(&table, see, seen, &error);
    memory_free(memory);
    return status;
}

static void make_table(
    struct vv_table_out *table, size_t count, size_t block_size)
{
    char key[64], value[64];
    vv_table_out_begin(table, test_allocator());
    table->block_size = block_size;
    for (size_t i = 0; i < count; i++) {
        snprintf(key, sizeof key, "model/layer/%05zu", i);
        snprintf(value, sizeof value, "value %zu", i * i);
        vv_table_out_add(table, key, strlen(key), value, strlen(value));
    }
    cr_assert(vv_table_out_end(table));
}

/* A block that is followed by what it is compressed with and its sum. */
static void add_block(struct vv_buffer *to, const char *hex, uint8_t kind)
{
    size_t size, begin = to->size;
    unsigned char *bytes = hex_bytes(hex, &size);
    vv_buffer_add(to, bytes, size);
    vv_buffer_add8(to, kind);
    uint32_t sum = vv_crc32c(0, to->data + begin, size + 1);
    vv_buffer_add32(to, vv_crc32c_mask(sum));
    free(bytes);
}

/* A table of one data block; reads it. The blocks' handles fit a byte each. */
static varve_status read_one_block(
    const char *block, uint8_t kind, const char *last_key, struct seen *seen)
{
    struct vv_buffer t;
    char index[128];
    vv_buffer_init(&t, test_allocator());
    add_block(&t, block, kind);
    size_t size = t.size - 5, meta = t.size;
    add_block(&t, "00000000 01000000", 0);
    size_t begin = t.size;
    snprintf(index, sizeof index, "00 %02zx 02 %s 00 %02zx 00000000 01000000",
        strlen(last_key) / 2, last_key, size);
    add_block(&t, index, 0);
    uint8_t footer[48] = { (uint8_t)meta, 8, (uint8_t)begin,
        (uint8_t)(t.size - 5 - begin) };
    vv_store64(footer + 40, UINT64_C(0xdb4775248b80fb57));
    vv_buffer_add(&t, footer, sizeof footer);
    varve_status status = read_table(t.data, t.size, seen);
    vv_buffer_clear(&t);
    return status;
}

static void check_block(const char *block, uint8_t kind, const char *text)
{
    struct seen seen;
    cr_assert_eq(read_one_block(block, kind, "7a", &seen), VARVE_OK, "%s",
        error.message);
    cr_assert_str_eq(vv_buffer_string(&seen.text), text);
    vv_buffer_clear(&seen.text);
}

static void check_bad(
    const char *block, uint8_t kind, varve_status status, const char *says)
{
    struct seen seen;
    cr_assert_eq(read_one_block(block, kind, "7a", &seen), status, "%s: %s",
        block, error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    vv_buffer_clear(&seen.text);
}

TEST(table_in, gives_the_entries_of_any_number_of_blocks)
{
    static const size_t sizes[] = { 262144, 1000, 40 };
    struct seen all, seen;
    for (size_t i = 0; i < 3; i++) {
        struct vv_table_out table;
        make_table(&table, 500, sizes[i]);
        cr_assert_eq(
            read_table(table.bytes.data, table.bytes.size, &seen), VARVE_OK);
        cr_assert_eq(seen.count, 500);
        if (i == 0) {
            all = seen;
        } else {
            cr_assert_eq(seen.text.size, all.text.size);
            cr_assert_eq(
                memcmp(seen.text.data, all.text.data, all.text.size), 0);
            vv_buffer_clear(&seen.text);
        }
        vv_table_out_clear(&table);
    }
    vv_buffer_clear(&all.text);
    cr_assert_eq(test_block_count(), 0);
}

TEST(table_in, notices_every_bit_and_every_cut)
{
    struct vv_table_out table;
    struct seen good, seen;
    make_table(&table, 40, 400);
    unsigned char *bytes = table.bytes.data;
    size_t size = table.bytes.size, silent = 0;
    read_table(bytes, size, &good);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (!read_table(bytes, size, &seen)) {
            /* Zeros that fill the footer mean nothing. */
            cr_assert_eq(seen.text.size, good.text.size, "bit %zu", bit);
            cr_assert_eq(memcmp(seen.text.data, good.text.data,
                             good.text.size), 0, "bit %zu", bit);
            silent++;
        }
        vv_buffer_clear(&seen.text);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    cr_assert_leq(silent, 8 * 40);
    for (size_t cut = 0; cut < size; cut++) {
        cr_assert_neq(read_table(bytes, cut, &seen), VARVE_OK, "%zu", cut);
        vv_buffer_clear(&seen.text);
    }
    vv_buffer_clear(&good.text);
    vv_table_out_clear(&table);
    cr_assert_eq(test_block_count(), 0);
}

/* One entry: nothing shared, a key and a value of one byte each. */
#define A "00 01 01 61 31 "
#define END "00000000 01000000"

TEST(table_in, shares_the_beginnings_of_keys)
{
    check_block("00 02 01 6161 31  01 01 01 62 32 " END, 0, "aa=1;ab=2;");
    check_block(END, 0, "");
    check_block("00 00 00 " A END, 0, "=;a=1;");
}

TEST(table_in, refuses_blocks_that_break_a_rule)
{
    varve_status bad = VARVE_CORRUPT;
    check_bad("01 01 01 61 31 " END, 0, bad, "a block of whole entries");
    check_bad("00 05 01 61 31 " END, 0, bad, "a block of whole entries");
    check_bad("00 01 05 61 31 " END, 0, bad, "a block of whole entries");
    check_bad("00 01 " END, 0, bad, "a block of whole entries");
    check_bad(A "00 01 01 61 32 " END, 0, bad, "keys that increase");
    check_bad("00 01 01 62 31 " A END, 0, bad, "keys that increase");
    check_bad("00 02 01 6161 31 01 00 01 32 " END, 0, bad,
        "keys that increase");
    check_bad("00 01 01 7b 31 " END, 0, bad, "keys up to that of the index");
    check_bad(A "00000000 00000000", 0, bad, "a block with its restarts");
    check_bad(A "00000000 09000000", 0, bad, "a block with its restarts");
    check_bad(A "10000000 01000000", 0, bad, "restarts inside their block");
    check_bad("000000", 0, bad, "a block with its restarts");
    check_bad(A END, 2, VARVE_TOO_NEW, "found kind 2");
}

#ifdef VV_HAVE_SNAPPY
/* The length, then pieces: of literals (their length less one, shifted by two),
 * and copies of what was there before. */
TEST(table_in, unpacks_blocks_of_snappy)
{
    check_block("0d 30 00 01 01 61 31 00000000 01000000", 1, "a=1;");
    /* 00 09 01 and 'a' nine times: one literal, the rest a copy from one byte
     * back; value and end. */
    check_block("15 0c 00 09 01 61  11 01  20 31 00000000 01000000", 1,
        "aaaaaaaaa=1;");
    check_bad("0d 30 00 01 01 61 31 00000000 010000", 1, VARVE_CORRUPT,
        "a block compressed with Snappy");
    check_bad("ffffffff0f 30 00 01 01 61 31 00000000 01000000", 1,
        VARVE_CORRUPT, "a block compressed with Snappy");
    check_bad("00", 1, VARVE_CORRUPT, "a block compressed with Snappy");
}
#endif

TEST(table_in, demands_the_first_key_of_a_block_whole)
{
    struct vv_buffer t;
    struct seen seen;
    vv_buffer_init(&t, test_allocator());
    add_block(&t, "00 01 01 61 31 " END, 0);
    size_t first = t.size - 5, second = t.size;
    add_block(&t, "01 01 01 62 31 " END, 0); /* shares what is elsewhere */
    size_t second_size = t.size - 5 - second, meta = t.size;
    add_block(&t, END, 0);
    size_t begin = t.size;
    char index[128];
    snprintf(index, sizeof index,
        "00 01 02 61 00 %02zx  00 01 02 7a %02zx %02zx " END, first, second,
        second_size);
    add_block(&t, index, 0);
    uint8_t footer[48] = { (uint8_t)meta, 8, (uint8_t)begin,
        (uint8_t)(t.size - 5 - begin) };
    vv_store64(footer + 40, UINT64_C(0xdb4775248b80fb57));
    vv_buffer_add(&t, footer, sizeof footer);
    cr_assert_eq(read_table(t.data, t.size, &seen), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "a whole key first"), "%s", error.message);
    vv_buffer_clear(&seen.text);
    vv_buffer_clear(&t);
}

/* Each key is one byte longer than the one before, and shares all of it: keys
 * of a table of n bytes would be n^2 / 8. */
TEST(table_in, bounds_what_keys_take)
{
    struct vv_table_out table;
    struct seen seen;
    static char key[8000];
    vv_table_out_begin(&table, test_allocator());
    table.block.interval = 100000;
    memset(key, 'k', sizeof key);
    for (size_t i = 1; i < sizeof key; i++)
        vv_table_out_add(&table, key, i, "", 0);
    cr_assert(vv_table_out_end(&table));
    cr_assert_eq(
        read_table(table.bytes.data, table.bytes.size, &seen), VARVE_LIMIT);
    vv_buffer_clear(&seen.text);
    vv_table_out_clear(&table);
}

TEST(table_in, says_when_there_is_no_memory)
{
    struct vv_table_out table;
    struct seen seen;
    make_table(&table, 40, 400);
    for (int n = 0;; n++) {
        struct memory *memory = memory_new();
        struct vv_context context = test_context(memory_system(memory));
        struct vv_table_in in = {
            &context, "t.index", table.bytes.data, table.bytes.size };
        seen = (struct seen){ .count = 0 };
        vv_buffer_init(&seen.text, test_allocator());
        vv_buffer_reserve(&seen.text, 4096);
        test_fail_allocation(n, false);
        varve_status status = vv_table_each(&in, see, &seen, &error);
        test_fail_allocation(-1, false);
        memory_free(memory);
        vv_buffer_clear(&seen.text);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_lt(n, 100);
    }
    vv_table_out_clear(&table);
}
