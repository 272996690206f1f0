/* test_table_out.c - Tests writing tables of TensorFlow checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_out.h"

#include <stdio.h>

#include "bytes.h"
#include "crc.h"
#include "hex.h"

static void add_hex(
    struct vv_table_out *table, const char *key, const char *value)
{
    size_t key_size, value_size;
    unsigned char *key_bytes = hex_bytes(key, &key_size);
    unsigned char *value_bytes = hex_bytes(value, &value_size);
    vv_table_out_add(table, key_bytes, key_size, value_bytes, value_size);
    free(key_bytes);
    free(value_bytes);
}

/* A tensor, strings, and a tensor in two slices. */
TEST(table_out, writes_the_bytes_of_a_golden_index)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, test_allocator());
    add_hex(&table, "", "08011a020801");
    add_hex(&table, "007000010102807f8081",
        "0801120812020802120208012028280835604fe774");
    add_hex(&table, "007000010102807f8182",
        "080112081202080212020802203028103552d1ee6e");
    add_hex(&table, "70",
        "0801120812020802120208033a060a000a0210013a080a000a0408011002");
    add_hex(&table, "73", "080712041202080220182810351b4cd607");
    add_hex(&table, "77", "080112081202080212020803281835c0db3d17");
    cr_assert(vv_table_out_end(&table));
    cr_assert(hex_equal(table.bytes.data, table.bytes.size,
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
        "57fb808b247547db"));
    vv_table_out_clear(&table);
}

TEST(table_out, writes_an_empty_table)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, test_allocator());
    cr_assert(vv_table_out_end(&table));
    cr_assert(hex_equal(table.bytes.data, table.bytes.size,
        "0000000001000000 00c0f2a1b0"
        "0000000001000000 00c0f2a1b0"
        "0008 0d08"
        "000000000000000000000000000000000000000000000000000000000000000000"
        "000000"
        "57fb808b247547db"));
    vv_table_out_clear(&table);
}

/* Reads a number of at most two bytes. */
static size_t number(const unsigned char **at)
{
    size_t value = *(*at)++;
    if (value > 127)
        value = (value & 127) | (size_t)*(*at)++ << 7;
    return value;
}

/* Returns the index block according to the footer. */
static const unsigned char *index_block(
    const struct vv_table_out *table, size_t *size)
{
    const unsigned char *footer = table->bytes.data + table->bytes.size - 48;
    number(&footer);
    number(&footer);
    size_t offset = number(&footer);
    *size = number(&footer);
    return table->bytes.data + offset;
}

/* Asserts the keys of the index, in hexadecimal digits, each followed by a
 * comma. Keys of an index share no bytes. */
static void check_index(const struct vv_table_out *table, const char *expected)
{
    static char text[1000];
    size_t size, length = 0;
    const unsigned char *at = index_block(table, &size);
    uint32_t restarts = vv_load32(at + size - 4);
    const unsigned char *end = at + size - 4 - 4 * restarts;
    uint32_t entries = 0;
    while (at < end) {
        cr_assert_eq(number(&at), 0);
        size_t key_size = number(&at), value_size = number(&at);
        for (size_t i = 0; i < key_size; i++)
            length += (size_t)sprintf(text + length, "%02x", *at++);
        length += (size_t)sprintf(text + length, ",");
        at += value_size;
        entries++;
    }
    text[length] = '\0';
    cr_assert_str_eq(text, expected);
    cr_assert_eq(restarts, entries);
}

/* Writes every entry in a separate block. */
static void check_separators(
    const char *const *keys, size_t count, const char *expected)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, test_allocator());
    table.block_size = 1;
    for (size_t i = 0; i < count; i++)
        add_hex(&table, keys[i], "aa");
    cr_assert(vv_table_out_end(&table));
    check_index(&table, expected);
    vv_table_out_clear(&table);
}

TEST(table_out, separates_blocks_by_the_shortest_possible_key)
{
    /* shortened; differing by one; a prefix of the next; 0xff */
    check_separators(
        (const char *[]){ "616263", "6178", "617900", "617900ff", "7aff" }, 5,
        "6163,6178,617900,62,7b,");
    check_separators((const char *[]){ "61ffee", "62", "ff05", "ffff" }, 4,
        "61ffee,63,ff06,ffff,");
    check_separators((const char *[]){ "" }, 1, ",");
}

/* 17 entries: the last one is a restart point. */
TEST(table_out, stores_every_sixteenth_key_completely)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, test_allocator());
    for (int i = 0; i < 17; i++) {
        char key[8];
        snprintf(key, sizeof key, "key%02d", i);
        vv_table_out_add(&table, key, 5, "v", 1);
    }
    cr_assert(vv_table_out_end(&table));
    /* 9 bytes; 9 entries that share "key0" and 6 that share less, up to
     * "key1" */
    size_t at = 9 + 9 * 5 + 6 + 5 * 5;
    cr_assert(hex_equal(table.bytes.data + at, 9 + 12,
        "000501 6b65793136 76 00000000 55000000 02000000"));
    vv_table_out_clear(&table);
}

TEST(table_out, ends_a_block_when_full_and_before_a_huge_entry)
{
    static const char value[2000];
    struct vv_table_out table;
    vv_table_out_begin(&table, test_allocator());
    table.block_size = 1000;
    vv_table_out_add(&table, "a", 1, value, 900);
    vv_table_out_add(&table, "b", 1, value, 77); /* 994 bytes with restarts */
    vv_table_out_add(&table, "c", 1, value, 1);  /* 999 */
    vv_table_out_add(&table, "d", 1, value, 0);  /* 1003: full */
    vv_table_out_add(&table, "g", 1, value, 1);
    vv_table_out_add(&table, "j", 1, value, 1998); /* not huge, but full */
    vv_table_out_add(&table, "m", 1, value, 1);
    vv_table_out_add(&table, "p", 1, value, 1999); /* huge */
    cr_assert(vv_table_out_end(&table));
    check_index(&table, "65,6b,6e,71,");
    vv_table_out_clear(&table);
}

TEST(table_out, adds_a_checksum_to_every_block_with_its_type)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, test_allocator());
    vv_table_out_add(&table, "a", 1, "b", 1);
    cr_assert(vv_table_out_end(&table));
    size_t size;
    const unsigned char *block = index_block(&table, &size);
    cr_assert_eq(block[size], 0);
    cr_assert_eq(vv_load32(block + size + 1),
        vv_crc32c_mask(vv_crc32c(0, block, size + 1)));
    vv_table_out_clear(&table);
}

/* The index of a single block is started only at the end. */
static void check_without_memory(int count)
{
    for (long n = 0;; n++) {
        struct vv_table_out table;
        test_fail_allocation(n, false);
        vv_table_out_begin(&table, test_allocator());
        table.block_size = 300;
        for (int i = 0; i < count; i++) {
            char key[100];
            int size = snprintf(key, sizeof key, "%090d", i);
            vv_table_out_add(&table, key, (size_t)size, "v", 1);
        }
        bool done = vv_table_out_end(&table);
        long tried = test_allocation_count();
        test_fail_allocation(-1, false);
        vv_table_out_clear(&table);
        cr_assert_eq(done, tried <= n);
        if (done)
            break;
    }
}

TEST(table_out, reports_failed_allocations)
{
    check_without_memory(1);
    check_without_memory(100);
}
