/* test_torch_decode.c - Tests decoding tensors of torch files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_decode.h"
#include "torch_sample.h"

/* Opens an archive with one tensor, w, and a storage of `size` bytes. */
static varve_reader *open_tensor(
    struct world *w, const struct put *t, int size, varve_error *error)
{
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "}");
    put_text(&pickle, "w");
    put_tensor(&pickle, t);
    OP(&pickle, "s.");
    struct vv_buffer file = new_torch(&pickle, "0", size, NULL);
    varve_reader *r = open_bytes(w, "a.pt", &file, error);
    vv_buffer_clear(&pickle);
    vv_buffer_clear(&file);
    return r;
}

static void check(const struct put *t, const char *type, const char *expected,
    size_t size)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_reader *r = open_tensor(&w, t, 24, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "w", type, expected, size);
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_decode, gathers_strided_elements)
{
    check(&(struct put){ .class = "ByteStorage", .key = "0", .count = 24,
        .rank = 2, .shape = { 3, 2 }, .strides = { 1, 3 } },
        "uint8[3,2]", "\1\4\2\5\3\6", 6);
    check(&(struct put){ .class = "ShortStorage", .key = "0", .count = 12,
        .offset = 2, .rank = 2, .shape = { 2, 2 }, .strides = { 4, 1 } },
        "int16[2,2]", "\5\6\7\10\15\16\17\20", 8);
    check(&(struct put){ .class = "ByteStorage", .key = "0", .count = 24,
        .offset = 5, .rank = 2, .shape = { 2, 3 }, .strides = { 0, 0 } },
        "uint8[2,3]", "\6\6\6\6\6\6", 6);
    check(&(struct put){ .class = "ByteStorage", .key = "0", .count = 24,
        .rank = 3, .shape = { 2, 1, 3 }, .strides = { 1, 9, 1 } },
        "uint8[2,1,3]", "\1\2\3\2\3\4", 6);
    check(&(struct put){ .class = "ByteStorage", .key = "0", .count = 24,
        .offset = 4, .rank = 1, .shape = { 3 }, .strides = { 1 } },
        "uint8[3]", "\5\6\7", 3);
    check(&(struct put){ .class = "LongStorage", .key = "0", .count = 3,
        .offset = 1 }, "int64[]", "\11\12\13\14\15\16\17\20", 8);
}

/* Fails for large blocks. */
static void *allocate_small(
    void *user, void *old, size_t old_size, size_t new_size)
{
    cr_assert_lt(new_size, 1 << 19);
    return test_allocator()->function(user, old, old_size, new_size);
}

/* A few elements of a large storage: only their runs are read. */
TEST(torch_decode, reads_only_the_needed_runs)
{
    enum { SIZE = 1 << 20 };
    struct archive a = archive_new();
    struct world w = world_new();
    varve_error error = { 0 };
    struct vv_buffer pickle = new_bytes();
    unsigned char *bytes = calloc(SIZE, 1);
    bytes[0] = 1, bytes[1] = 2;
    bytes[SIZE - 2] = 3, bytes[SIZE - 1] = 4;
    put_tensor(&pickle, &(struct put){ .class = "ByteStorage", .key = "0",
        .count = SIZE, .rank = 2, .shape = { 2, 2 },
        .strides = { SIZE - 2, 1 } });
    OP(&pickle, ".");
    archive_add(&a, (struct entry){ .name = "a/data.pkl",
        .bytes = pickle.data, .size = pickle.size });
    archive_add(&a, (struct entry){ .name = "a/data/0", .bytes = bytes,
        .size = SIZE });
    archive_end(&a);
    w.context.allocator.function = allocate_small;
    varve_reader *r = open_bytes(&w, "a.pt", &a.file, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "value", "uint8[2,2]", "\1\2\3\4", 4);
    varve_reader_free(r);
    free(bytes);
    vv_buffer_clear(&pickle);
    archive_clear(&a);
    world_free(&w);
}

TEST(torch_decode, detects_changes_of_a_completely_read_storage)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    unsigned char bytes[24];
    size_t size;
    varve_reader *r = open_tensor(&w, &(struct put){ .class = "ByteStorage",
        .key = "0", .count = 24, .rank = 2, .shape = { 6, 4 },
        .strides = { 1, 6 } }, 24, &error);
    cr_assert(varve_reader_find(r, "w", &node));
    unsigned char *file = memory_bytes(w.memory, "a.pt", &size);
    unsigned char *at = memchr(file, 1, size);
    while (memcmp(at, "\1\2\3\4\5\6\7", 7) != 0)
        at++;
    at[20] ^= 1;
    cr_assert_eq(varve_reader_read(r, node.id, bytes, 24, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "CRC-32"), "%s", error.message);
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_decode, reports_failed_allocations)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    unsigned char bytes[24];
    varve_status status = VARVE_NO_MEMORY;
    varve_reader *r = open_tensor(&w, &(struct put){ .class = "ByteStorage",
        .key = "0", .count = 24, .rank = 2, .shape = { 6, 4 },
        .strides = { 1, 6 } }, 24, &error);
    cr_assert(varve_reader_find(r, "w", &node));
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        status = varve_reader_read(r, node.id, bytes, 24, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_lt(n, 100);
    }
    cr_assert_eq(bytes[1], 7);
    varve_reader_free(r);
    world_free(&w);
}
