/* test_resize_reshape.c - Tests that shapes must agree unless resizing (rows
 * and columns cut or kept, for given paths) or reshaping (equal number of
 * elements) is requested.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

/* Writes v = [[0 1 2] [3 4 5]] and the same as w. */
static void write_two(void)
{
    float v[6] = { 0, 1, 2, 3, 4, 5 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_array(v, 2, 3));
    varve_add_variable(root, "w", varve_array(COPY_OF(v), 2, 3));
    story_write(root, "f");
    varve_graph_free(graph);
}

/* Reads v as rows x columns into twelve nines. */
static void read_v(const varve_read_options *options, float *v, uint64_t rows,
    uint64_t columns)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (uint64_t i = 0; i < 12; i++)
        v[i] = 9;
    varve_add_variable(root, "v", varve_array(v, rows, columns));
    varve_restoration *r = story_read(root, "f", options);
    varve_error error;
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    varve_report *report = varve_report_new(r, &error);
    cr_assert_eq(strstr(varve_report_text(report), "`resize` dropped") != NULL,
        options && options->resize && (rows < 2 || columns < 3));
    varve_report_free(report);
    for (uint64_t i = rows * columns; i < 12; i++)
        cr_assert_eq(v[i], 9, "memory behind it was written to");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(resize_reshape, common_elements_are_restored_and_others_unchanged)
{
    write_two();
    const uint64_t staging[] = { 0, 1 };
    for (int i = 0; i < 2; i++) {
        varve_read_options options = {
            .resize = "v", .resources.staging_size = staging[i] };
        float v[12];
        read_v(&options, v, 3, 4);
        cr_assert_arr_eq(v,
            ((float[]){ 0, 1, 2, 9, 3, 4, 5, 9, 9, 9, 9, 9 }),
            sizeof(float) * 12);
        read_v(&options, v, 1, 2);
        cr_assert_arr_eq(v, ((float[]){ 0, 1 }), sizeof(float) * 2);
        read_v(&options, v, 3, 1);
        cr_assert_arr_eq(v, ((float[]){ 0, 3, 9 }), sizeof(float) * 3);
    }
}

TEST(resize_reshape, only_paths_that_match_are_resized)
{
    write_two();
    varve_error error;
    varve_read_options options = { .resize = "v" };
    float v[2] = { 9, 9 }, w[2] = { 9, 9 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_array(v, 1, 2));
    varve_add_variable(root, "w", varve_array(w, 1, 2));
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "w: "), "%s", error.message);
    cr_assert_not(story_says(&error, "v: "), "%s", error.message);
    cr_assert_eq(v[0], 9);
    varve_graph_free(graph);
}

TEST(resize_reshape, a_different_rank_is_not_resized)
{
    write_two();
    varve_error error;
    varve_read_options options = { .resize = "**" };
    float v[6] = { 9 };
    varve_graph *graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "v", varve_array(v, 6));
    story_refused(
        varve_graph_root(graph), "f", &options, VARVE_MISMATCH, &error);
    varve_graph_free(graph);
}

static varve_status fill_with_9(const varve_tensor *tensor, void *user)
{
    ++*(int *)user;
    for (uint64_t i = 0; i < varve_tensor_count(tensor); i++)
        ((float *)tensor->data)[i] = 9;
    return VARVE_OK;
}

TEST(resize_reshape, the_rest_of_a_library_owned_variable_is_initialized)
{
    write_two();
    varve_read_options options = { .resize = "v" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", &options);
    int runs = 0;
    varve_node *v = varve_add_allocated_variable(
        root, "v", VARVE_FLOAT32, VARVE_SHAPE(2, 4), fill_with_9, &runs);
    cr_assert_eq(runs, 1);
    cr_assert_arr_eq(varve_data(v), ((float[]){ 0, 1, 2, 9, 3, 4, 5, 9 }),
        sizeof(float) * 8);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(resize_reshape, reshape_requires_the_same_number_of_elements)
{
    write_two();
    varve_error error;
    varve_read_options options = { .reshape = true };
    float v[12];
    read_v(&options, v, 3, 2);
    cr_assert_arr_eq(v, ((float[]){ 0, 1, 2, 3, 4, 5 }),
        sizeof(float) * 6);
    varve_graph *graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "v", varve_array(v, 5));
    story_refused(
        varve_graph_root(graph), "f", &options, VARVE_MISMATCH, &error);
    varve_graph_free(graph);
    graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "v", varve_array(v, 5));
    story_refused(varve_graph_root(graph), "f", NULL, VARVE_MISMATCH, &error);
    varve_graph_free(graph);
}

TEST(resize_reshape, resize_with_a_cast)
{
    write_two();
    varve_read_options options = { .resize = "v", .cast = VARVE_CAST_WIDEN };
    double v[4] = { 9, 9, 9, 9 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_array(v, 1, 4));
    varve_restoration *r = story_read(root, "f", &options);
    cr_assert_eq(v[2], 2);
    cr_assert_eq(v[3], 9);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(resize_reshape, a_large_embedding_over_several_chunks)
{
    enum { ROWS = 70001, COLUMNS = 7, MORE = 9 };
    int *v = malloc(sizeof *v * ROWS * COLUMNS);
    int *w = calloc(ROWS * MORE, sizeof *w);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        v[i] = i + 1;
    varve_graph *graph = story_graph();
    varve_add_variable(
        varve_graph_root(graph), "v", varve_array(v, ROWS, COLUMNS));
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    graph = story_graph();
    varve_read_options options = { .resize = "v" };
    varve_add_variable(
        varve_graph_root(graph), "v", varve_array(w, ROWS - 1, MORE));
    varve_restoration *r = story_read(varve_graph_root(graph), "f", &options);
    for (int i = 0; i < (ROWS - 1) * MORE; i++) {
        int column = i % MORE;
        int wanted =
            column < COLUMNS ? i / MORE * COLUMNS + column + 1 : 0;
        if (w[i] != wanted)
            cr_assert_fail("row %d column %d", i / MORE, column);
    }
    varve_restoration_free(r);
    varve_graph_free(graph);
    free(v);
    free(w);
}
