/* test_torch_legacy.c - Tests torch.save files of torch before 1.6.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_legacy.h"
#include "torch_sample.h"

#define MAGIC "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."

/* Adds the first three pickles. */
static void put_head(struct vv_buffer *b, int version, bool is_little)
{
    OP(b, MAGIC "\x80\2M");
    vv_buffer_add8(b, (uint8_t)version);
    vv_buffer_add8(b, (uint8_t)(version >> 8));
    OP(b, ".\x80\2}");
    put_text(b, "little_endian");
    vv_buffer_add8(b, is_little ? 0x88 : 0x89);
    OP(b, "s.");
}

/* Adds the last pickle, with one key. */
static void put_keys(struct vv_buffer *b, const char *key)
{
    OP(b, "\x80\2]");
    put_text(b, key);
    OP(b, "a.");
}

static void put_raw(struct vv_buffer *b, uint64_t count, size_t size)
{
    vv_buffer_add64(b, count);
    for (size_t i = 0; i < size; i++)
        vv_buffer_add8(b, (uint8_t)(i + 1));
}

/* Returns a dict of w, a view of a storage with four elements of two bytes. */
static struct vv_buffer sample(const char *class, size_t padding)
{
    struct vv_buffer b = new_bytes();
    put_head(&b, 1001, true);
    OP(&b, "\x80\2}(");
    put_text(&b, "w");
    put_tensor(&b, &(struct put){ .class = class, .key = "7", .count = 4,
        .offset = 1, .rank = 1, .shape = { 2 }, .strides = { 1 } });
    put_text(&b, "x");
    OP(&b, "B");
    vv_buffer_add32(&b, (uint32_t)padding);
    for (size_t i = 0; i < padding; i++)
        vv_buffer_add8(&b, 'x');
    OP(&b, "u.");
    put_keys(&b, "7");
    put_raw(&b, 4, 8);
    return b;
}

TEST(torch_legacy, has_storages_after_its_pickles)
{
    static const size_t paddings[] = { 0, 70000, 300000 };
    for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++) {
        struct world w = world_new();
        varve_error error = { 0 };
        struct vv_buffer b = sample("HalfStorage", paddings[i]);
        varve_reader *r = open_bytes(&w, "a.pth", &b, &error);
        cr_assert(r, "%s", error.message);
        cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_TORCH);
        check_value(r, "w", "float16[2]", "\3\4\5\6", 4);
        cr_assert_eq(find_node(r, "w").offset, b.size - 6);
        cr_assert_eq(find_node(r, "x").size, 8 + paddings[i]);
        cr_assert_eq(error.status, VARVE_OK);
        varve_reader_free(r);
        vv_buffer_clear(&b);
        world_free(&w);
    }
}

TEST(torch_legacy, is_read_from_a_file_written_by_torch)
{
    struct world w = world_new();
    size_t size;
    varve_error error = { 0 };
    char *bytes = test_read_file(GOLDEN "/foreign/torch_legacy.pt", &size);
    memory_put(w.memory, "a.pth", bytes, size);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pth", &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "row", "float32[3]", "\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40",
        12);
    check_value(r, "half", "float16[3]", "\0\0\0\x3c\0\x40", 6);
    cr_assert_eq(find_node(r, "tied").id, find_node(r, "model/first.bias").id);
    varve_reader_free(r);
    free(bytes);
    world_free(&w);
}

TEST(torch_legacy, refuses_every_truncation)
{
    struct vv_buffer b = sample("HalfStorage", 0);
    for (size_t size = 1; size < b.size; size++) {
        struct world w = world_new();
        varve_error error = { 0 };
        memory_put(w.memory, "a.pth", b.data, size);
        cr_assert_null(vv_reader_open_in(&w.context, "a.pth", &error), "%zu",
            size);
        cr_assert(size < sizeof MAGIC - 2 || error.status == VARVE_TRUNCATED,
            "%zu: %s", size, error.message);
        world_free(&w);
    }
    vv_buffer_clear(&b);
}

static void check_wrong(
    struct vv_buffer b, varve_status status, const char *says)
{
    check_refused("a.pth", &b, status, says);
    vv_buffer_clear(&b);
}

TEST(torch_legacy, reports_errors)
{
    struct vv_buffer b = new_bytes();
    put_head(&b, 1002, true);
    OP(&b, "N.].");
    check_wrong(b, VARVE_TOO_NEW, "must be 1001");
    b = new_bytes();
    put_head(&b, 1001, false);
    OP(&b, "N.].");
    check_wrong(b, VARVE_TOO_NEW, "on a little-endian machine");
    b = new_bytes();
    put_head(&b, 1001, true);
    OP(&b, "N.");
    put_keys(&b, "7");
    check_wrong(b, VARVE_CORRUPT, "a key that the object does not use");
    b = sample("OddStorage", 0);
    check_wrong(b, VARVE_TOO_NEW, "storage \"7\": the element type is not");
    b = sample("HalfStorage", 0);
    b.size -= 16;
    put_raw(&b, UINT64_MAX / 2 + 1, 8);
    check_wrong(b, VARVE_TRUNCATED, "storage \"7\" at offset ");
    b = sample("HalfStorage", 0);
    b.size -= 16;
    /* the size that the tensor needs; the storage has less */
    put_raw(&b, 2, 4);
    check_wrong(b, VARVE_TRUNCATED, "a.pth: w: the storage must have 4");
}

/* A storage of an unsupported type is skipped, and others follow. */
TEST(torch_legacy, skips_storages_of_other_types)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    put_head(&b, 1001, true);
    OP(&b, "(");
    put_tensor(&b, &(struct put){ .class = "QInt32Storage", .key = "q",
        .count = 2 });
    put_tensor(&b, &(struct put){ .class = "ByteStorage", .key = "b",
        .count = 2, .rank = 1, .shape = { 2 }, .strides = { 1 } });
    OP(&b, "t.](");
    put_text(&b, "q");
    put_text(&b, "b");
    OP(&b, "e.");
    put_raw(&b, 2, 8);
    put_raw(&b, 2, 2);
    varve_reader *r = open_bytes(&w, "a.pth", &b, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_str_eq(varve_reader_tag_at(r, find_node(r, "0").id, 0),
        "pickle:torch.QInt32Storage");
    check_value(r, "1", "uint8[2]", "\1\2", 2);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(torch_legacy, reports_failed_allocations)
{
    struct vv_buffer b = sample("HalfStorage", 0);
    check_without_memory("a.pth", &b);
    vv_buffer_clear(&b);
}
