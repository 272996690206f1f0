/* test_torch_value_out.c - Tests writing values to torch files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_value_out.h"
#include "typed_memory.h"

#include "readers.h"
#include "targets.h"

static unsigned char bytes[256];
static varve_string words[3] = { { "a", 1 }, { "\xff", 1 }, { "", 0 } };

static void build_types(varve_node *root)
{
    for (unsigned i = 1; i < 64; i++) {
        if (!vv_dtype_is_valid(i) || i == VARVE_STRING)
            continue;
        varve_tensor t = { .data = COPY_OF(bytes),
            .dtype = (varve_dtype)i,
            .rank = 1,
            .shape = { i == VARVE_BOOL ? 2 : 5 } };
        varve_add_variable(root, varve_dtype_name(t.dtype), t);
    }
    varve_add_variable(root, "words", varve_array(words, 3));
}

/* Fills in different bytes, except for bools. */
static void fill(void)
{
    for (int i = 0; i < 256; i++)
        bytes[i] = (unsigned char)(i < 2 ? i : 7 * i);
}

TEST(torch_value_out, has_every_type_bit_for_bit)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    varve_saved_node node;
    fill();
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build_types, &reported, &error), error);
    cr_assert_str_eq(reported.text, "");
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    size_t count = 0;
    for (unsigned i = 1; i < 64; i++) {
        if (!vv_dtype_is_valid(i) || i == VARVE_STRING)
            continue;
        unsigned char expected[256], found[256];
        const char *name = varve_dtype_name((varve_dtype)i);
        uint64_t elements = i == VARVE_BOOL ? 2 : 5;
        cr_assert(varve_reader_find(r, name, &node), "%s", name);
        cr_assert_eq(node.value.dtype, (varve_dtype)i, "%s", name);
        cr_assert_ok(varve_reader_read(r, node.id, found, (size_t)node.size,
            &error), error);
        vv_dtype_swap_copy((varve_dtype)i, expected, bytes, elements);
        cr_assert_eq(memcmp(found, expected, (size_t)node.size), 0, "%s", name);
        count++;
    }
    cr_assert_eq(count, 17, "all but strings");
    check_value(r, "words/0", "string[]", "\1\0\0\0\0\0\0\0a", 9);
    check_value(r, "words/1", "string[]", "\1\0\0\0\0\0\0\0\xff", 9);
    check_value(r, "words/2", "string[]", "\0\0\0\0\0\0\0\0", 8);
    varve_reader_free(r);
    world_free(&w);
}

static float numbers[2];

static void build_declared(varve_node *root)
{
    varve_node *v = varve_add_variable(root, "v", varve_array(numbers, 2));
    varve_tag(v, "local");
}

TEST(torch_value_out, has_type_and_shape_without_a_value)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build_declared, NULL, &error), error);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    cr_assert(varve_reader_find(r, "v", &node));
    cr_assert_not(node.has_value);
    cr_assert_eq(node.value.shape[0], 2);
    varve_reader_free(r);
    world_free(&w);
}
