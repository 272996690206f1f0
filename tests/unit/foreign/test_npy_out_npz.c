/* test_npy_out_npz.c - Tests writing archives of NumPy arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "npy_out.h"

#include "readers.h"
#include "targets.h"

static float kernel[6] = { 1, 2, 3, 4, 5, 6 };
static int64_t step = 12;
static varve_string words[2] = { { "ab", 2 }, { "c", 1 } };
static varve_string cut[1] = { { "a\0", 2 } };

static void build(varve_node *root)
{
    varve_node *model = varve_add_object(root, "model");
    varve_node *v =
        varve_add_variable(model, "kernel", varve_array(kernel, 2, 3));
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, v, "m", varve_array(COPY_OF(kernel), 6));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_variable(root, "words", varve_array(words, 2));
    varve_add_variable(root, "\xc3\xbc", varve_array(words, 0));
}

TEST(npz_out, is_readable_with_every_value_and_name)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    int64_t little = (int64_t)vv_order64((uint64_t)step);
    cr_assert_ok(write_graph(
        &w, "a.npz", VARVE_FORMAT_NPZ, build, &reported, &error), error);
    cr_assert_str_eq(reported.text, "");
    varve_reader *r = vv_reader_open_in(&w.context, "a.npz", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_NPZ);
    check_value(r, "step", "int64[]", &little, 8);
    check_value(r, "words", "string[2]",
        "\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0abc", 19);
    check_value(r, "\xc3\xbc", "string[0]", "", 0);
    if (!VV_BIG_ENDIAN) {
        check_value(r, "model/kernel", "float32[2,3]", kernel, 24);
        check_value(r, "adam/m(model/kernel)", "float32[6]", kernel, 24);
    }
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    world_free(&w);
}

TEST(npz_out, is_deterministic_and_aligns_the_data)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    cr_assert_ok(write_graph(
        &w, "a.npz", VARVE_FORMAT_NPZ, build, NULL, &error), error);
    cr_assert_ok(write_graph(
        &w, "b.npz", VARVE_FORMAT_NPZ, build, NULL, &error), error);
    size_t a, b;
    unsigned char *first = memory_bytes(w.memory, "a.npz", &a);
    unsigned char *second = memory_bytes(w.memory, "b.npz", &b);
    cr_assert_eq(a, b);
    cr_assert_eq(memcmp(first, second, a), 0);
    varve_reader *r = vv_reader_open_in(&w.context, "a.npz", &error);
    for (size_t i = 0; varve_reader_node_at(r, i, &node); i++)
        cr_assert_eq(node.offset % 64, 0, "%s", node.path);
    cr_assert(varve_reader_find(r, "model/kernel", &node));
    cr_assert_gt(node.offset, 0, "it is read where it lies");
    varve_reader_free(r);
    world_free(&w);
}

static void build_lossy(varve_node *root)
{
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(root, "cut", varve_array(cut, 1));
    varve_add_variable(a, "b", varve_scalar(&step));
}

/* Builds two names with the same key. */
static void build_twice(varve_node *root)
{
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(a, "b", varve_scalar(&step));
    varve_add_variable(root, "a/b", varve_scalar(COPY_AT(&step)));
}

static void build_global(varve_node *root)
{
    build_twice(root);
    varve_set_global_name(varve_find_path(root, "a/b"), "dense/kernel:0");
}

TEST(npz_out, reports_omitted_data)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.npz", VARVE_FORMAT_NPZ, build_lossy, &reported, &error), error);
    cr_assert(strstr(reported.text, "cut: its value: NumPy cannot store"), "%s",
        reported.text);
    varve_reader *r = vv_reader_open_in(&w.context, "a.npz", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(r), 3, "root, a and b");
    varve_reader_free(r);
    world_free(&w);
}

TEST(npz_out, refuses_duplicate_names)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_eq(write_graph(&w, "a.npz", VARVE_FORMAT_NPZ, build_twice, NULL,
        &error), VARVE_DUPLICATE);
    cr_assert_str_eq(error.message, "a.npz: two values are named \"a/b\"");
    cr_assert_eq(memory_file_count(w.memory), 0);
    world_free(&w);
}

TEST(npz_out, has_global_names_on_request)
{
    static const varve_format formats[] = {
        VARVE_FORMAT_NPZ, VARVE_FORMAT_SAFETENSORS
    };
    for (int i = 0; i < 2; i++) {
        struct world w = world_new();
        varve_error error = { 0 };
        varve_saved_node node;
        struct losses reported = { "" };
        varve_graph *graph = vv_graph_new_in(&w.context);
        build_global(varve_graph_root(graph));
        varve_write_options options = { .format = formats[i],
            .foreign = { .global_names = true,
            .loss = add_loss,
            .loss_user = &reported } };
        cr_assert_ok(varve_write(
            varve_graph_root(graph), "a", &options, &error), error);
        varve_reader *r = vv_reader_open_in(&w.context, "a", &error);
        cr_assert(r, "%s", error.message);
        cr_assert(varve_reader_find(r, "dense/kernel:0", &node));
        cr_assert_str_eq(node.global_name, "dense/kernel:0");
        cr_assert(varve_reader_find(r, "a/b", &node));
        cr_assert_null(
            strstr(reported.text, "global name"), "%s", reported.text);
        varve_reader_free(r);
        varve_graph_free(graph);
        world_free(&w);
    }
}

static char longest[65533];

static void build_long(varve_node *root)
{
    memset(longest, 'n', sizeof longest - 1);
    varve_set_global_name(
        varve_add_variable(root, "long", varve_scalar(&step)), longest);
    longest[sizeof longest - 2] = 0;
    varve_set_global_name(
        varve_add_variable(root, "short", varve_scalar(COPY_AT(&step))),
        longest);
}

TEST(npz_out, omits_a_name_that_is_too_long)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    varve_write_options options = { .format = VARVE_FORMAT_NPZ,
        .foreign = { .global_names = true,
        .loss = add_loss,
        .loss_user = &reported } };
    varve_graph *graph = vv_graph_new_in(&w.context);
    build_long(varve_graph_root(graph));
    cr_assert_ok(
        varve_write(varve_graph_root(graph), "a.npz", &options, &error), error);
    varve_graph_free(graph);
    cr_assert_str_eq(reported.text,
        "long: its value: its name is too long for a "
        "zip archive\n");
    read_back(&w.context, "a.npz");
    varve_reader *r = vv_reader_open_in(&w.context, "a.npz", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(r), 2);
    varve_reader_free(r);
    world_free(&w);
}
