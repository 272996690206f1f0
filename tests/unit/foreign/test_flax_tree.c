/* test_flax_tree.c - Tests reading the tree of a Flax file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_tree.h"

#include "flax_sample.h"

static struct world w;

static bool has(varve_reader *r, const char *path)
{
    varve_saved_node node;
    return varve_reader_find(r, path, &node);
}

TEST(flax_tree, creates_objects_from_maps_and_variables_from_arrays)
{
    varve_reader *r = flax_open(&w, "82 a161 81 a162 " FLAX_ONE_TWO
        "a163 80");
    varve_saved_node node;
    check_value(r, "a/b", "float32[2]", "\0\0\x80\x3f\0\0\0\x40", 8);
    cr_assert(varve_reader_find(r, "a/b", &node));
    cr_assert_eq(node.kind, VARVE_VARIABLE);
    cr_assert(varve_reader_find(r, "c", &node));
    cr_assert_eq(node.kind, VARVE_OBJECT);
    varve_reader_free(r);
    world_free(&w);
}

TEST(flax_tree, creates_scalars_from_single_values)
{
    varve_reader *r = flax_open(&w, "87 a161 c3 a162 05 a163 cb"
        "3ff8000000000000 a164 a178 a165 c4 01 ff a166 c0"
        "a167 c7 13 02 92 cb 3ff8000000000000 cb 0000000000000000");
    check_value(r, "a", "bool[]", "\1", 1);
    check_value(r, "b", "int64[]", "\5\0\0\0\0\0\0\0", 8);
    check_value(r, "c", "float64[]", "\0\0\0\0\0\0\xf8\x3f", 8);
    check_value(r, "d", "string[]", "\1\0\0\0\0\0\0\0x", 9);
    check_value(r, "e", "string[]", "\1\0\0\0\0\0\0\0\xff", 9);
    cr_assert_not(has(r, "f"));
    check_value(r, "g", "complex128[]",
        "\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\0", 16);
    varve_reader_free(r);
    world_free(&w);
}

TEST(flax_tree, keeps_unsupported_types_as_states)
{
    varve_reader *r = flax_open(&w, "82 a161 d5 05 0102"
        "a162 c7 0c 01 93 91 02 a4 696e7434 c4 02 0304");
    varve_saved_node node;
    check_value(r, "a", "uint8[2]", "\1\2", 2);
    check_value(r, "b", "uint8[2]", "\3\4", 2);
    cr_assert(varve_reader_find(r, "a", &node));
    cr_assert_eq(node.kind, VARVE_STATE);
    cr_assert_str_eq(varve_reader_tag_at(r, node.id, 0), "msgpack:5");
    cr_assert(varve_reader_find(r, "b", &node));
    cr_assert_str_eq(varve_reader_tag_at(r, node.id, 0), "flax:int4");
    varve_reader_free(r);
    world_free(&w);
}

TEST(flax_tree, names_list_elements_by_index)
{
    varve_reader *r = flax_open(&w, "93" FLAX_FOUR "c0 92 a161 91 a162");
    check_value(r, "0", "float32[]", "\0\0\x80\x40", 4);
    cr_assert_not(has(r, "1"));
    check_value(r, "2/0", "string[]", "\1\0\0\0\0\0\0\0a", 9);
    check_value(r, "2/1/0", "string[]", "\1\0\0\0\0\0\0\0b", 9);
    varve_reader_free(r);
    world_free(&w);
}

TEST(flax_tree, names_values_with_keys_that_are_not_text)
{
    varve_reader *r = flax_open(&w, "86 05 a161 fb a162 a0 a163 c0 a164"
        "c4 01 6b a165 a2 ff61 a166");
    check_value(r, "5", "string[]", "\1\0\0\0\0\0\0\0a", 9);
    check_value(r, "-5", "string[]", "\1\0\0\0\0\0\0\0b", 9);
    check_value(r, "<2>", "string[]", "\1\0\0\0\0\0\0\0c", 9);
    check_value(r, "<3>", "string[]", "\1\0\0\0\0\0\0\0d", 9);
    check_value(r, "k", "string[]", "\1\0\0\0\0\0\0\0e", 9);
    check_value(r, "<5>", "string[]", "\1\0\0\0\0\0\0\0f", 9);
    varve_reader_free(r);
    world_free(&w);
}

TEST(flax_tree, names_a_single_value_value)
{
    varve_reader *r = flax_open(&w, FLAX_FOUR);
    check_value(r, "value", "float32[]", "\0\0\x80\x40", 4);
    varve_reader_free(r);
    world_free(&w);
    r = flax_open(&w, "92 01 02");
    check_value(r, "value", "int64[2]", "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0",
        16);
    varve_reader_free(r);
    world_free(&w);
}

TEST(flax_tree, refuses_invalid_trees)
{
    flax_refused("81 a161 01 05", VARVE_CORRUPT, "the end of the file");
    flax_refused("81 90 01", VARVE_CORRUPT, "a key, found a list");
    flax_refused("81 80 01", VARVE_CORRUPT, "a key, found a map");
    flax_refused("82 a161 01 a161 02", VARVE_CORRUPT, "\"a\"");
    flax_refused("81 a161 d4 02 01", VARVE_CORRUPT, "a complex number");
    flax_refused("81 a161 c7 03 02 92 01 02", VARVE_CORRUPT,
        "a complex number");
    flax_refused("81 a161 c7 0c 02 92 ca 00000000 ca 00000000 05",
        VARVE_CORRUPT, "a complex number");
    flax_refused("81 a161 c1", VARVE_CORRUPT, "an invalid byte");
    flax_refused("82 a161 01", VARVE_TRUNCATED, "are left");
}

TEST(flax_tree, reports_the_path_of_an_invalid_value)
{
    flax_refused("81 a161 81 a162 92 c0 c1", VARVE_CORRUPT,
        ": value \"a/b/1\": offset 8: expected ");
    flax_refused("82 a161 81 a162 01 a163 c1", VARVE_CORRUPT,
        ": value \"c\": offset ");
    flax_refused("81 a161 81 90 01", VARVE_CORRUPT, ": value \"a\": offset ");
    flax_refused("c1", VARVE_CORRUPT, ": offset 0: expected ");
}

/* The maximum depth for a file of this size. */
/* Like a hole in a sparse file. */
TEST(flax_tree, refuses_a_list_that_is_too_long)
{
    enum { COUNT = (1 << 26) + 1 };
    static const unsigned char head[] = { 0x81, 0xa1, 'a', 0xdd, 4, 0, 0, 1 };
    struct world disk = world_new();
    varve_error error = { 0 };
    unsigned char *bytes = calloc(1, sizeof head + COUNT);
    memcpy(bytes, head, sizeof head);
    memory_put(disk.memory, FLAX_PATH, bytes, sizeof head + COUNT);
    free(bytes);
    cr_assert_null(vv_reader_open_in(&disk.context, FLAX_PATH, &error));
    cr_assert_eq(error.status, VARVE_LIMIT, "%s", error.message);
    cr_assert(strstr(error.message, "at most 67108864 items"), "%s",
        error.message);
    world_free(&disk);
}

TEST(flax_tree, reads_any_depth)
{
    enum { DEPTH = 100000 };
    struct vv_buffer b = new_bytes();
    varve_error error = { 0 };
    w = world_new();
    for (int i = 0; i < DEPTH; i++)
        vv_buffer_add(&b, "\x81\xa1x", 3);
    vv_buffer_add8(&b, 0x80);
    varve_reader *r = open_bytes(&w, FLAX_PATH, &b, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(r), DEPTH + 1);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}
