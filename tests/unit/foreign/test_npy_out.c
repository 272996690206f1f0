/* test_npy_out.c - Tests writing NumPy arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "npy_out.h"

#include "readers.h"
#include "targets.h"

static varve_tensor value; /* of the only variable */

static void build_one(varve_node *root)
{
    varve_add_variable(root, "w", value);
}

/* Asserts that the file is `header`, spaces up to a line end at `size` bytes,
 * and `data`. np.save wrote the same for these arrays. */
static void check_bytes(const char *header, size_t size, const void *data,
    size_t data_size)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.npy", VARVE_FORMAT_NPY, build_one, &reported, &error), error);
    cr_assert_str_eq(reported.text, "");
    size_t found, length = strlen(header);
    const unsigned char *bytes = memory_bytes(w.memory, "a.npy", &found);
    cr_assert_eq(found, size + data_size, "%d", (int)found);
    cr_assert_eq(memcmp(bytes, "\x93NUMPY\1\0", 8), 0);
    cr_assert_eq(bytes[8] + 256 * bytes[9], size - 10);
    cr_assert_eq(memcmp(bytes + 10, header, length), 0, "%.100s",
        (const char *)bytes + 10);
    for (size_t i = 10 + length; i < size - 1; i++)
        cr_assert_eq(bytes[i], ' ');
    cr_assert_eq(bytes[size - 1], '\n');
    cr_assert_eq(memcmp(bytes + size, data, data_size), 0);
    world_free(&w);
}

#define IS(descr, shape)                                                       \
    "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

TEST(npy_out, writes_the_bytes_of_numpy)
{
    float reals[6] = { 1, 2, 3, 4, 5, 6 };
    int64_t one = 7;
    bool flags[2] = { true, false };
    value = varve_array(reals, 2, 3);
    check_bytes(IS("<f4", "(2, 3)"), 128, reals, sizeof reals);
    value = varve_array(reals, 6);
    check_bytes(IS("<f4", "(6,)"), 128, reals, sizeof reals);
    value = varve_scalar(&one);
    check_bytes(IS("<i8", "()"), 128, &one, sizeof one);
    value = varve_array(flags, 2);
    check_bytes(IS("|b1", "(2,)"), 128, flags, 2);
    value = varve_array(reals, 0, 3);
    check_bytes(IS("<f4", "(0, 3)"), 128, "", 0);
}

/* If the text needs no padding, NumPy adds a whole line of spaces. */
TEST(npy_out, pads_like_numpy)
{
    int32_t x = 1;
    uint64_t ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    value = varve_view(&x, VARVE_INT32, varve_shape_of(16, ones));
    check_bytes(IS("<i4", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"),
        192, &x, 4);
    value = varve_view(&x, VARVE_INT32, varve_shape_of(14, ones));
    check_bytes(IS("<i4", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"), 128,
        &x, 4);
    ones[0] = 0;
    ones[13] = 100;
    value = varve_view(&x, VARVE_INT32, varve_shape_of(14, ones));
    check_bytes(IS("<i4", "(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 100)"), 192,
        "", 0);
}

TEST(npy_out, writes_strings_with_trailing_nul)
{
    varve_string strings[3] = { { "ab", 2 }, { "", 0 }, { "c\0d", 3 } };
    value = varve_array(strings, 3);
    check_bytes(IS("|S3", "(3,)"), 128, "ab\0\0\0\0c\0d", 9);
    value = varve_array(strings + 1, 1);
    check_bytes(IS("|S1", "(1,)"), 128, "", 1);
    value = varve_array(strings, 0);
    check_bytes(IS("|S1", "(0,)"), 128, "", 0);
}

/* More than the buffer for strings. */
TEST(npy_out, writes_many_strings)
{
    static varve_string strings[3000];
    static char expected[9000];
    for (int i = 0; i < 3000; i++) {
        strings[i] = (varve_string){ "xyz", (uint64_t)i % 4 };
        memcpy(expected + 3 * i, "xyz", (size_t)i % 4);
    }
    value = varve_array(strings, 3000);
    check_bytes(IS("|S3", "(3000,)"), 128, expected, sizeof expected);
}

TEST(npy_out, refuses_strings_that_numpy_would_truncate)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    varve_string strings[2] = { { "ab", 2 }, { "c\0", 2 } };
    value = varve_array(strings, 2);
    cr_assert_eq(write_graph(
        &w, "a.npy", VARVE_FORMAT_NPY, build_one, &reported, &error),
        VARVE_MISUSE);
    cr_assert(strstr(error.message, "NumPy cannot store strings"));
    cr_assert_str_eq(reported.text,
        "w: its value: NumPy cannot store strings that "
        "end in NUL or are so large\n");
    cr_assert_eq(memory_file_count(w.memory), 0);
    world_free(&w);
}

static void build_many(varve_node *root)
{
    static float x;
    static const varve_state_callbacks state = {
        .save = save_byte, .load = load_byte
    };
    varve_node *list = varve_add_list(root, "list");
    varve_node *v = varve_add_variable(list, VARVE_APPEND, varve_scalar(&x));
    varve_track(root, "again", v);
    varve_set_global_name(v, "global");
    varve_tag(v, "tag");
    varve_add_state(root, "state", &state, &x);
    varve_tag(varve_add_variable(root, "declared", varve_scalar(&x)), "local");
}

TEST(npy_out, reports_all_losses)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    varve_graph *graph = vv_graph_new_in(&w.context);
    varve_metadata metadata = {
        .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = 3
    };
    build_many(varve_graph_root(graph));
    cr_assert_ok(varve_save(varve_graph_root(graph), "x", NULL, &error),
        error);
    cr_assert_ok(varve_write(varve_graph_root(graph), "a.npy",
        &(varve_write_options){ .format = VARVE_FORMAT_NPY,
            .foreign = { .loss = add_loss, .loss_user = &reported },
            .metadata = &metadata, .metadata_count = 1,
            .keep_counter = true }, &error), error);
    static const char *const lines[] = {
        "its kind: a list", "a tag", "another path to a node",
        "state: its state\n", "declared: the type and shape of a variable",
        "its global name", "the save counter", "metadata \"step\"",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert(
            strstr(reported.text, lines[i]), "%s: %s", lines[i], reported.text);
    varve_graph_free(graph);
    world_free(&w);
}

static const varve_dtype raw[] = {
    VARVE_BFLOAT16, VARVE_FLOAT8_E4M3FN, VARVE_FLOAT8_E5M2,
};

TEST(npy_out, reports_types_written_as_raw_bytes)
{
    static const char *const headers[] = {
        IS("<V2", "(2,)"), IS("|V1", "(2,)"), IS("|V1", "(2,)"),
    };
    for (size_t i = 0; i < 3; i++) {
        struct world w = world_new();
        struct losses reported = { "" };
        varve_error error = { 0 };
        char bytes[4] = { 1, 2, 3, 4 };
        size_t size;
        value = varve_view(bytes, raw[i], VARVE_SHAPE(2));
        cr_assert_ok(write_graph(&w, "a.npy", VARVE_FORMAT_NPY, build_one,
                         &reported, &error),
            error);
        cr_assert(strstr(reported.text, "w: its type, "), "%s", reported.text);
        cr_assert(strstr(reported.text, varve_dtype_name(raw[i])));
        unsigned char *file = memory_bytes(w.memory, "a.npy", &size);
        cr_assert_eq(memcmp(file + 10, headers[i], strlen(headers[i])), 0);
        cr_assert_eq(size - 128, i == 0 ? 4 : 2);
        cr_assert_eq(memcmp(file + 128, bytes, size - 128), 0);
        world_free(&w);
    }
}

static void build_none(varve_node *root)
{
    varve_add_object(root, "nothing");
}

static void build_two(varve_node *root)
{
    static float x[2];
    varve_add_variable(root, "a", varve_scalar(&x[0]));
    varve_add_variable(root, "b", varve_scalar(&x[1]));
}

TEST(npy_out, requires_exactly_one_variable)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_eq(write_graph(
        &w, "a.npy", VARVE_FORMAT_NPY, build_none, NULL, &error),
        VARVE_MISUSE);
    cr_assert(strstr(error.message, "found 0"), "%s", error.message);
    cr_assert_eq(write_graph(
        &w, "a.npy", VARVE_FORMAT_NPY, build_two, NULL, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "found 2: write npz"));
    cr_assert_eq(memory_file_count(w.memory), 0);
    world_free(&w);
}

TEST(npy_out, leaves_no_file_after_a_failure)
{
    int32_t x = 1;
    value = varve_scalar(&x);
    check_faults("a.npy", VARVE_FORMAT_NPY, build_one);
}
