/* test_structs_counted.c - Tests counts that are returned by a function.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>

struct layer {
    int inputs, outputs, groups;
    float *w;
};

static size_t count_weights(const void *object)
{
    const struct layer *l = object;
    return (size_t)l->inputs * (size_t)l->outputs / (size_t)l->groups;
}

static const varve_field layer_fields[] = {
    VARVE_FIELD(struct layer, inputs, .is_fixed = true),
    VARVE_FIELD(struct layer, outputs, .is_fixed = true),
    VARVE_FIELD_POINTER_BY(
        struct layer, w, count_weights, .called = "kernel"),
    VARVE_FIELDS_END,
};

TEST(structs, may_count_by_a_function_and_rename_a_member)
{
    float w[24] = { 1, 2, 3, 4, 5, 6 };
    struct layer layer = { 4, 3, 2, w };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_error error = { 0 };
    varve_node *node = varve_add_struct(root, "layer", layer_fields, &layer);
    varve_node *kernel = varve_find(node, "kernel");
    cr_assert_null(varve_find(node, "w"));
    cr_assert_eq(varve_value(kernel)->shape[0], 6);
    layer.groups = 1;
    w[11] = 12;
    const char *path = test_path("counted.varve");
    cr_assert_ok(varve_write(root, path, NULL, &error), error);
    cr_assert_eq(varve_value(kernel)->shape[0], 12);
    w[11] = 0;
    varve_restoration *r = varve_read(root, path, NULL, &error);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    cr_assert_eq(w[11], 12);
    layer.groups = 2;
    r = varve_read(root, path, NULL, &error);
    cr_assert_null(r);
    cr_assert_eq(error.status, VARVE_MISMATCH);
    varve_graph_free(graph);
}

/* The elements of a list behind a pointer, which may be NULL. */
struct box {
    struct layer *all;
    int rows, columns;
};

static size_t count_all(const void *object)
{
    const struct box *box = object;
    return (size_t)box->rows * (size_t)box->columns;
}

static const varve_field box_fields[] = {
    VARVE_FIELD_STRUCTS_BY(
        struct box, all, layer_fields, count_all, .room = calloc),
    VARVE_FIELDS_END,
};

TEST(structs, allocate_the_number_that_a_function_returns)
{
    float w[2] = { 1, 2 };
    struct layer layers[6] = { { 1, 1, 1, w }, { 1, 1, 1, w + 1 } };
    for (int i = 2; i < 6; i++)
        layers[i].groups = 1;
    struct box box = { layers, 2, 3 }, other = { NULL, 3, 2 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_error error = { 0 };
    varve_node *node = varve_add_struct(root, "box", box_fields, &box);
    cr_assert_eq(varve_edge_count(varve_find(node, "all")), 6);
    const char *path = test_path("box.varve");
    cr_assert_ok(varve_write(root, path, NULL, &error), error);
    box.rows = 1;
    cr_assert_ok(
        varve_write(root, test_path("less.varve"), NULL, &error), error);
    cr_assert_eq(varve_edge_count(varve_find(node, "all")), 3);
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    other.rows = 1; /* the function returns 2, and the file has 6 */
    varve_add_struct(root, "box", box_fields, &other);
    varve_restoration *r = varve_read(root, path, NULL, &error);
    cr_assert_null(varve_find(root, "box/all"));
    cr_assert_null(other.all);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

struct table {
    int rows, columns;
    double *cells;
};

static const varve_field table_fields[] = {
    VARVE_FIELD(struct table, rows),
    VARVE_FIELD(struct table, columns),
    VARVE_FIELD_POINTER_2D(
        struct table, cells, rows, columns, .room = calloc),
    VARVE_FIELDS_END,
};

/* Rows without columns, columns without rows, neither, and both. */
TEST(structs, resume_a_table_of_any_shape)
{
    static const int shapes[][2] = { { 3, 0 }, { 0, 4 }, { 0, 0 }, { 3, 4 } };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double cells[12] = { 1, [11] = 12 };
        int rows = shapes[i][0], columns = shapes[i][1];
        struct table saved = { rows, columns, rows && columns ? cells : NULL };
        struct table fresh = { 0 };
        varve_error error = { 0 };
        const char *path = test_path("table.varve");
        varve_graph *graph = story_graph();
        varve_add_struct(
            varve_graph_root(graph), "t", table_fields, &saved);
        cr_assert_ok(
            varve_write(varve_graph_root(graph), path, NULL, &error), error);
        varve_graph_free(graph);
        graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_add_struct(root, "t", table_fields, &fresh);
        for (int times = 0; times < 2; times++) {
            varve_restoration *r = varve_read(root, path, NULL, &error);
            cr_assert(r, "%dx%d: %s", rows, columns, error.message);
            cr_assert_ok(varve_assert_consumed(r, &error), error);
            varve_restoration_free(r);
            cr_assert(fresh.rows == rows && fresh.columns == columns);
            cr_assert_eq(fresh.cells != NULL, rows * columns > 0);
        }
        cr_assert(!fresh.cells || fresh.cells[11] == 12);
        varve_graph_free(graph);
        free(fresh.cells);
    }
}

struct fixed_box {
    int count;
    struct layer *all;
};

static const varve_field fixed_box_fields[] = {
    VARVE_FIELD(struct fixed_box, count),
    VARVE_FIELD_STRUCTS_AT(struct fixed_box, all, layer_fields, count),
    VARVE_FIELDS_END,
};

TEST(structs, name_room_if_a_count_differs)
{
    struct layer layers[2] = { { 0, 0, 1, NULL }, { 0, 0, 1, NULL } };
    struct fixed_box two = { 2, layers }, none = { 0, NULL };
    varve_error error;
    varve_graph *graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "box", fixed_box_fields, &two);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "box", fixed_box_fields, &none);
    story_refused(varve_graph_root(graph), "f", NULL, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "box/count: saved 2, the program has 0 (it") &&
                  story_says(&error, "give their field `.room`"),
        "%s", error.message);
    cr_assert_eq(none.count, 0);
    varve_graph_free(graph);
}
