/* test_torch_value.c - Tests the values of torch files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_sample.h"
#include "torch_value.h"

/* Opens a pickle with a storage "0" of 24 bytes. */
static varve_reader *open_pickle(
    struct world *w, struct vv_buffer *pickle, varve_error *error)
{
    struct vv_buffer file = new_torch(pickle, "0", 24, NULL);
    *w = world_new();
    varve_reader *r = open_bytes(w, "a.pt", &file, error);
    cr_assert(r, "%s", error->message);
    vv_buffer_clear(pickle);
    vv_buffer_clear(&file);
    return r;
}

#define BIT_63 "\0\0\0\0\0\0\0\x80"

TEST(torch_value, has_numbers_and_texts)
{
    struct world w;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    OP(&b, "(\x88J\xfe\xff\xff\xffG\x3f\xf8\0\0\0\0\0\0");
    OP(&b, "\x8a\x09" BIT_63 "\0");
    OP(&b, "\x8a\x09" BIT_63 "\1");
    put_text(&b, "gr\xc3\xbcn");
    OP(&b, "C\2\xff\0t.");
    varve_reader *r = open_pickle(&w, &b, &error);
    check_value(r, "0", "bool[]", "\1", 1);
    check_value(r, "1", "int64[]", "\xfe\xff\xff\xff\xff\xff\xff\xff", 8);
    check_value(r, "2", "float64[]", "\0\0\0\0\0\0\xf8\x3f", 8);
    check_value(r, "3", "uint64[]", BIT_63, 8);
    check_value(r, "4", "string[]", "\11\0\0\0\0\0\0\0" BIT_63 "\1", 17);
    cr_assert_str_eq(
        varve_reader_tag_at(r, find_node(r, "4").id, 0), "pickle:int");
    check_value(r, "5", "string[]", "\5\0\0\0\0\0\0\0gr\xc3\xbcn", 13);
    check_value(r, "6", "string[]", "\2\0\0\0\0\0\0\0\xff\0", 10);
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_value, has_lists_of_numbers_as_vectors)
{
    struct world w;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    OP(&b, "((K\1K\2t](K\1G\x3f\xf8\0\0\0\0\0\0e)K\1\x88\x86t.");
    varve_reader *r = open_pickle(&w, &b, &error);
    check_value(r, "0", "int64[2]", "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
    check_value(r, "1", "float64[2]",
        "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf8\x3f", 16);
    cr_assert_eq(find_node(r, "2").kind, VARVE_OBJECT);
    cr_assert_eq(find_node(r, "3").kind, VARVE_OBJECT);
    check_value(r, "3/0", "int64[]", "\1\0\0\0\0\0\0\0", 8);
    check_value(r, "3/1", "bool[]", "\1", 1);
    varve_reader_free(r);
    world_free(&w);
}

/* 2^53 + 1 is not a float64, 2^53 + 2 is one. */
TEST(torch_value, has_integers_exactly_in_lists_with_reals)
{
    struct world w;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    OP(&b, "(](");
    put_integer(&b, (INT64_C(1) << 53) + 1);
    OP(&b, "G\x3f\xf0\0\0\0\0\0\0e](");
    put_integer(&b, (INT64_C(1) << 53) + 2);
    OP(&b, "G\x3f\xf0\0\0\0\0\0\0e](");
    put_integer(&b, INT64_MIN);
    OP(&b, "G\x3f\xf0\0\0\0\0\0\0et.");
    varve_reader *r = open_pickle(&w, &b, &error);
    cr_assert_eq(find_node(r, "0").kind, VARVE_OBJECT);
    check_value(r, "0/0", "int64[]", "\1\0\0\0\0\0\x20\0", 8);
    check_value(r, "0/1", "float64[]", "\0\0\0\0\0\0\xf0\x3f", 8);
    check_value(r, "1", "float64[2]",
        "\1\0\0\0\0\0\x40\x43\0\0\0\0\0\0\xf0\x3f", 16);
    check_value(r, "2", "float64[2]",
        "\0\0\0\0\0\0\xe0\xc3\0\0\0\0\0\0\xf0\x3f", 16);
    varve_reader_free(r);
    world_free(&w);
}

static void put_bytes(struct vv_buffer *b, int64_t offset, int64_t extent,
    int64_t stride)
{
    put_tensor(b, &(struct put){ .class = "ByteStorage", .key = "0",
        .count = 24, .offset = offset, .rank = 1, .shape = { extent },
        .strides = { stride } });
}

TEST(torch_value, has_the_same_tensor_once)
{
    struct world w;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    put_bytes(&b, 0, 4, 1);
    put_bytes(&b, 0, 4, 1);
    put_bytes(&b, 1, 4, 1);
    put_bytes(&b, 0, 4, 2);
    put_bytes(&b, 0, 5, 1);
    put_tensor(&b, &(struct put){ .class = "BoolStorage", .key = "0",
        .count = 24, .rank = 1, .shape = { 4 }, .strides = { 1 } });
    OP(&b, "t.");
    varve_reader *r = open_pickle(&w, &b, &error);
    uint32_t first = find_node(r, "0").id;
    cr_assert_eq(find_node(r, "1").id, first);
    for (char path[2] = "2"; *path <= '5'; ++*path)
        cr_assert_neq(find_node(r, path).id, first);
    check_value(r, "2", "uint8[4]", "\2\3\4\5", 4);
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_value, is_read_in_place_if_row_major)
{
    struct world w;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    put_bytes(&b, 0, 24, 1);
    put_bytes(&b, 3, 4, 1);
    OP(&b, "t.");
    varve_reader *r = open_pickle(&w, &b, &error);
    varve_saved_node all = find_node(r, "0"), part = find_node(r, "1");
    cr_assert_eq(part.offset, all.offset + 3);
    size_t size;
    unsigned char *file = memory_bytes(w.memory, "a.pt", &size);
    cr_assert_eq(file[all.offset + 23], 24);
    unsigned char bytes[24];
    file[all.offset + 23] ^= 1;
    cr_assert_eq(varve_reader_read(r, all.id, bytes, 24, &error),
        VARVE_CORRUPT, "the sum is that of all");
    varve_reader_free(r);
    world_free(&w);
}

/* A tensor of 2^62 elements of one byte; and two of 2^25, of which 64 MiB has
 * room for one and the file for none. */
TEST(torch_value, omits_tensors_that_are_too_large)
{
    struct world w;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    put_bytes(&b, 0, INT64_C(1) << 62, 0);
    put_bytes(&b, 0, 48 << 20, 0);
    put_bytes(&b, 1, 48 << 20, 0);
    put_bytes(&b, 0, 48 << 20, 0);
    OP(&b, "t.");
    varve_reader *r = open_pickle(&w, &b, &error);
    static const bool is_there[] = { false, true, false, true };
    for (int i = 0; i < 4; i++) {
        char path[] = { (char)('0' + i), '\0' };
        varve_saved_node node = find_node(r, path);
        cr_assert_eq(node.has_value, is_there[i], "%d", i);
        if (!is_there[i])
            cr_assert_str_eq(varve_reader_tag_at(r, node.id, 0),
                "pickle:torch._utils._rebuild_tensor_v2");
    }
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_value, may_be_declared_without_a_value)
{
    struct world w;
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    put_global(&b, "torch._utils", "_rebuild_meta_tensor_no_storage");
    OP(&b, "(");
    put_global(&b, "torch", "float32");
    OP(&b, "K\2\x85K\1\x85\x89tR.");
    varve_reader *r = open_pickle(&w, &b, &error);
    varve_saved_node node = find_node(r, "value");
    char text[VARVE_TENSOR_TEXT_SIZE];
    cr_assert_eq(node.kind, VARVE_VARIABLE);
    cr_assert_not(node.has_value);
    cr_assert_str_eq(varve_tensor_text(&node.value, text), "float32[2]");
    varve_reader_free(r);
    world_free(&w);
}
