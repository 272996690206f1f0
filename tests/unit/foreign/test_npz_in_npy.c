/* test_npz_in_npy.c - Tests NumPy array files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "npz_in.h"

#include <varve/varve.h>

#include "graph.h"
#include "readers.h"

static void check_array(const char *text, const void *data, size_t data_size,
    const char *type, const void *expected, size_t size)
{
    struct world w = world_new();
    struct vv_buffer b = new_bytes();
    varve_error error = { 0 };
    add_array(&b, 1, text, data, data_size);
    varve_reader *reader = open_bytes(&w, "a.npy", &b, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_NPY);
    check_value(reader, "arr_0", type, expected, size);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(npy_format, is_one_variable_of_any_layout)
{
    check_array(DICTIONARY("<i2", "False", "(2, 2)"), "\1\0\2\0\3\0\4\0", 8,
        "int16[2,2]", "\1\0\2\0\3\0\4\0", 8);
    check_array(DICTIONARY(">i2", "False", "(2, 2)"), "\0\1\0\2\0\3\0\4", 8,
        "int16[2,2]", "\1\0\2\0\3\0\4\0", 8);
    check_array(DICTIONARY("<i2", "True", "(2, 2)"), "\1\0\3\0\2\0\4\0", 8,
        "int16[2,2]", "\1\0\2\0\3\0\4\0", 8);
    check_array(
        DICTIONARY("<f4", "False", "(0, 3)"), "", 0, "float32[0,3]", "", 0);
    check_array(DICTIONARY("|b1", "False", "()"), "\1", 1, "bool[]", "\1", 1);
}

TEST(npy_format, has_strings)
{
    check_array(DICTIONARY("|S3", "False", "(2,)"), "ab\0c\0\0", 6, "string[2]",
        "\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0abc", 19);
    check_array(DICTIONARY("<U1", "False", "()"), "\xfc\0\0\0", 4, "string[]",
        "\2\0\0\0\0\0\0\0\xc3\xbc", 10);
}

TEST(npy_format, has_other_types_as_tagged_states)
{
    struct world w = world_new();
    struct vv_buffer b = new_bytes();
    varve_error error = { 0 };
    varve_saved_node node;
    add_array(&b, 1, DICTIONARY("<V2", "False", "(2,)"), "abcd", 4);
    varve_reader *reader = open_bytes(&w, "a.npy", &b, &error);
    cr_assert(reader, "%s", error.message);
    check_value(reader, "arr_0", "uint8[4]", "abcd", 4);
    cr_assert(varve_reader_find(reader, "arr_0", &node));
    cr_assert_eq(node.kind, VARVE_STATE);
    cr_assert_str_eq(varve_reader_tag_at(reader, node.id, 0), "numpy:V2");
    varve_reader_free(reader);
    vv_buffer_clear(&b);
    world_free(&w);
}

/* A plain array is read in place, a decoded one is not. */
TEST(npy_format, is_read_in_place_if_possible)
{
    static const struct {
        const char *text;
        bool is_place;
    } cases[] = {
        { DICTIONARY("<i4", "False", "(2, 1)"), true },
        { DICTIONARY("<i4", "True", "(2, 1)"), true },
        { DICTIONARY(">i4", "False", "(2, 1)"), false },
    };
    for (size_t i = 0; i < 3; i++) {
        struct world w = world_new();
        struct vv_buffer b = new_bytes();
        varve_error error = { 0 };
        varve_saved_node node;
        add_array(&b, 1, cases[i].text, "abcdefgh", 8);
        varve_reader *reader = open_bytes(&w, "a.npy", &b, &error);
        cr_assert(varve_reader_find(reader, "arr_0", &node));
        cr_assert_eq(node.offset, cases[i].is_place ? b.size - 8 : 0);
        varve_reader_free(reader);
        vv_buffer_clear(&b);
        world_free(&w);
    }
}

TEST(npy_format, refuses_another_size_and_every_truncation)
{
    struct vv_buffer b = new_bytes();
    add_array(&b, 1, DICTIONARY("<i4", "False", "(2,)"), "abcdefgh", 8);
    vv_buffer_add8(&b, 0);
    check_refused("a.npy", &b, VARVE_CORRUPT,
        "expected 8 bytes after the header, found 9");
    b.size--;
    while (b.size-- > 7)
        check_refused("a.npy", &b, VARVE_TRUNCATED, " the header");
    vv_buffer_clear(&b);
}

static void note_damage(void *user, const varve_damage *damage)
{
    *(const char **)user = damage->what;
}

static varve_status note(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error)
{
    (void)node, (void)bytes, (void)error;
    *(bool *)user = true;
    return VARVE_OK;
}

/* The last of `count` bools is 2: no call may return it. */
static void check_bools(const char *text, size_t count)
{
    struct world w = world_new();
    struct vv_buffer b = new_bytes();
    varve_error error = { 0 };
    unsigned char *bytes = calloc(2, count);
    bool is_given = false;
    bytes[2 * count - 1] = 2;
    add_array(&b, 1, text, bytes, 2 * count);
    varve_reader *reader = open_bytes(&w, "a.npy", &b, &error);
    cr_assert(reader, "%s", error.message);
    const char *what = NULL;
    const varve_verify_options options = { .on_damage = note_damage,
        .on_damage_user = &what };
    cr_assert_eq(varve_reader_verify(reader, &options, &error), VARVE_CORRUPT);
    cr_assert_str_eq(what, "a bool is neither 0 nor 1");
    cr_assert(strstr(error.message, "arr_0: "), "%s", error.message);
    cr_assert(
        strstr(error.message, "0 or 1, found the byte 2"), "%s", error.message);
    cr_assert_eq(
        varve_reader_read(reader, 1, bytes, 2 * count, &error), VARVE_CORRUPT);
    cr_assert_eq(
        varve_reader_each(reader, note, &is_given, 0, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "arr_0: "), "%s", error.message);
    cr_assert(!is_given);
    varve_reader_free(reader);
    varve_graph *graph = vv_graph_new_in(&w.context);
    varve_node *root = varve_graph_root(graph);
    memset(bytes, 0, 2 * count);
    varve_add_variable(
        root, "arr_0", varve_view(bytes, VARVE_BOOL, VARVE_SHAPE(2, count)));
    cr_assert_null(varve_read(root, "a.npy", NULL, &error));
    cr_assert_eq(error.status, VARVE_CORRUPT, "%s", error.message);
    cr_assert_eq(bytes[2 * count - 1], 0);
    varve_graph_free(graph);
    free(bytes);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(npy_format, refuses_bools_that_are_neither_0_nor_1)
{
    check_bools(DICTIONARY("|b1", "False", "(2, 3)"), 3);
    check_bools(DICTIONARY("|b1", "True", "(2, 3)"), 3);
    check_bools(DICTIONARY("|b1", "True", "(2, 600000)"), 600000);
}

TEST(npy_format, is_recognized_by_magic_and_name)
{
    struct vv_candidate c = {
        .path = "a.npy", .head = (const void *)"\x93NUMPY", .head_size = 6
    };
    cr_assert_eq(vv_npy_format.probe(&c), VV_PROBE_SURE);
    c.head_size = 5;
    cr_assert_eq(vv_npy_format.probe(&c), VV_PROBE_NAME);
    c.path = ".npy";
    cr_assert_eq(vv_npy_format.probe(&c), VV_PROBE_NONE);
    struct vv_buffer b = new_bytes();
    vv_buffer_add_string(&b, "something else");
    check_refused("a.npy", &b, VARVE_NOT_A_CHECKPOINT, "not a NumPy array");
    vv_buffer_clear(&b);
}

TEST(npy_format, leaks_nothing_without_memory)
{
    static const char *const texts[] = {
        DICTIONARY(">i4", "False", "(2,)"),
        DICTIONARY("|S4", "False", "(2,)"),
        DICTIONARY("<V4", "False", "(2,)"),
    };
    for (size_t i = 0; i < 3; i++) {
        struct vv_buffer b = new_bytes();
        add_array(&b, 1, texts[i], "abcdefgh", 8);
        check_without_memory("a.npy", &b);
        vv_buffer_clear(&b);
    }
}
