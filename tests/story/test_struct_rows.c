/* test_struct_rows.c - Tests double **: rows behind separate pointers, of equal
 * or different lengths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

/* [rows] */
struct grid {
    int height, width;
    double **now, **next; /* swapped after each step */
    int order;
    float **lower; /* row i has i + 1 elements */
};

static size_t length_of_row(const void *object, size_t row)
{
    (void)object;
    return row + 1;
}

static const varve_field grid_fields[] = {
    VARVE_FIELDS(struct grid, height, width, order),
    VARVE_FIELD_ROWS(struct grid, now, height, width, .room = calloc),
    VARVE_FIELD_ROWS_BY(
        struct grid, lower, order, length_of_row, .room = calloc),
    VARVE_FIELDS_END,
};
/* [/rows] */

enum { HEIGHT = 3, WIDTH = 2, ORDER = 3 };

static void **make_rows(size_t count, size_t size)
{
    void **rows = calloc(count, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = calloc(1, size);
    return rows;
}

static void free_rows(void *rows, int count)
{
    void **each = rows;
    for (int i = 0; each && i < count; i++)
        free(each[i]);
    free(each);
}

static struct grid new_grid(double by)
{
    struct grid g = { HEIGHT, WIDTH, .order = ORDER };
    g.now = (double **)make_rows(HEIGHT, WIDTH * sizeof(double));
    g.next = (double **)make_rows(HEIGHT, WIDTH * sizeof(double));
    g.lower = (float **)make_rows(ORDER, ORDER * sizeof(float));
    for (int i = 0; i < HEIGHT; i++)
        for (int k = 0; k < WIDTH; k++)
            g.now[i][k] = by + 10 * i + k;
    for (int i = 0; i < ORDER; i++)
        for (int k = 0; k <= i; k++)
            g.lower[i][k] = (float)(by + 100 * i + k);
    return g;
}

static void free_grid(struct grid *g)
{
    free_rows(g->now, g->height);
    free_rows(g->next, g->height);
    free_rows(g->lower, g->order);
}

static void assert_grid(const struct grid *g, double by)
{
    for (int i = 0; i < HEIGHT; i++)
        for (int k = 0; k < WIDTH; k++)
            cr_assert_eq(g->now[i][k], by + 10 * i + k);
    for (int i = 0; i < ORDER; i++)
        for (int k = 0; k <= i; k++)
            cr_assert_eq(g->lower[i][k], (float)(by + 100 * i + k));
}

static varve_graph *add_grid(struct grid *g)
{
    varve_graph *graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "grid", grid_fields, g);
    return graph;
}

static void write_grid(double by)
{
    struct grid g = new_grid(by);
    varve_graph *graph = add_grid(&g);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    free_grid(&g);
}

static const varve_tensor *value_at(varve_graph *graph, const char *path)
{
    return varve_value(varve_find_path(varve_graph_root(graph), path));
}

TEST(struct_rows, are_saved_and_restored_as_one_value)
{
    write_grid(1);
    struct grid g = new_grid(0);
    varve_graph *graph = add_grid(&g);
    const varve_tensor *now = value_at(graph, "grid/now");
    const varve_tensor *lower = value_at(graph, "grid/lower");
    cr_assert_eq(now->rank, 2);
    cr_assert_eq(now->shape[0] * 10 + now->shape[1], 32);
    cr_assert_eq(lower->rank, 1);
    cr_assert_eq(lower->shape[0], 6);
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    assert_grid(&g, 1);
    varve_graph_free(graph);
    free_grid(&g);
}

/* The saved value does not depend on where the rows are in memory. */
TEST(struct_rows, are_saved_like_a_flat_array)
{
    double now[HEIGHT][WIDTH] = { { 0 } };
    float lower[6] = { 0 };
    write_grid(1);
    varve_graph *graph = story_graph();
    varve_node *node = varve_add_object(varve_graph_root(graph), "grid");
    varve_add_variable(node, "now", varve_array(now, HEIGHT, WIDTH));
    varve_add_variable(node, "lower", varve_array(lower, 6));
    varve_read_options options = { .expect = {
                                       .unexpected = "grid/height|grid/width|"
                                                 "grid/order" } };
    varve_restoration_free(
        story_read(varve_graph_root(graph), "f", &options));
    cr_assert_eq(now[2][1], 22);
    cr_assert_eq(lower[5], 203);
    varve_graph_free(graph);
}

/* The table of pointers or a single row is swapped. */
TEST(struct_rows, are_read_again_after_they_were_swapped)
{
    struct grid g = new_grid(1);
    varve_graph *graph = add_grid(&g);
    varve_node *root = varve_graph_root(graph);
    story_write(root, "f");
    double **swapped = g.now, *row;
    g.now = g.next;
    g.next = swapped;
    g.now[2][1] = 7;
    story_write(root, "f");
    g.now[2][1] = 0;
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(g.now[2][1], 7);
    cr_assert_eq(g.next[2][1], 22);
    row = g.now[0];
    g.now[0] = g.now[2];
    g.now[2] = row;
    story_write(root, "f");
    memset(g.now[0], 0, WIDTH * sizeof(double));
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(g.now[0][1], 7);
    cr_assert_eq(g.now[2][1], 0);
    varve_graph_free(graph);
    free_grid(&g);
}

TEST(struct_rows, are_allocated_if_missing)
{
    write_grid(1);
    struct grid g = { .order = ORDER };
    varve_graph *graph = add_grid(&g);
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    cr_assert_eq(g.height, HEIGHT);
    assert_grid(&g, 1);
    story_write(varve_graph_root(graph), "g");
    varve_graph_free(graph);
    free_grid(&g);
}

/* Rows added after the read. */
TEST(struct_rows, are_restored_when_added)
{
    write_grid(1);
    struct grid g = new_grid(0);
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    varve_add_struct(root, "grid", grid_fields, &g);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    assert_grid(&g, 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
    free_grid(&g);
}

static void save_fails(varve_graph *graph, const char *text)
{
    varve_error error = { 0 };
    cr_assert_eq(varve_save(varve_graph_root(graph), test_path("g"), NULL,
                     &error),
        VARVE_MISUSE);
    cr_assert(story_says(&error, text), "%s", error.message);
}

TEST(struct_rows, are_refused_if_null_or_of_invalid_size)
{
    struct grid g = new_grid(1);
    varve_graph *graph = add_grid(&g);
    double *row = g.now[1];
    g.now[1] = NULL;
    save_fails(graph, "grid/now: a row is NULL");
    g.now[1] = row;
    g.width = -1;
    save_fails(graph, "grid/now: the count is -1: set");
    g.width = WIDTH;
    row = (double *)(void *)g.lower[2];
    g.lower[2] = NULL;
    save_fails(graph, "grid/lower: a row is NULL");
    g.lower[2] = (float *)(void *)row;
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    free_grid(&g);
}

TEST(struct_rows, may_each_have_their_own_memory)
{
    struct grid g = new_grid(1);
    varve_graph *graph = add_grid(&g);
    double *row = g.now[1];
    g.now[1] = g.now[0] + 1;
    save_fails(graph, "grid/now: two of its rows share memory");
    g.now[1] = row;
    varve_add_variable(varve_graph_root(graph), "row",
        varve_array(g.now[2], WIDTH));
    save_fails(graph, "row: shares memory with grid/now");
    varve_graph_free(graph);
    free_grid(&g);
}

/* Rows cannot be restored from another shape. */
TEST(struct_rows, are_not_restored_with_other_lengths)
{
    write_grid(1);
    struct grid g = new_grid(0);
    varve_error error;
    static const varve_field loose[] = {
        VARVE_FIELD_ROWS(struct grid, now, height, width),
        VARVE_FIELDS_END,
    };
    g.height = 2;
    varve_graph *graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "grid", loose, &g);
    story_refused(
        varve_graph_root(graph), "f", NULL, VARVE_MISMATCH, &error);
    cr_assert_eq(g.now[0][1], 1);
    varve_read_options options = { .resize = "grid/now" };
    varve_restoration_free(
        story_read(varve_graph_root(graph), "f", &options));
    cr_assert_eq(g.now[0][1], 2);
    cr_assert_eq(g.now[1][0], 11);
    cr_assert_eq(g.now[2][0], 20, "it is behind those that there are");
    g.height = HEIGHT;
    varve_graph_free(graph);
    free_grid(&g);
}

TEST(struct_rows, stay_consistent_when_allocations_fail)
{
    struct grid g = new_grid(1);
    bool done = false;
    int failed = 0;
    for (long n = 0; !done; n++) {
        varve_error error = { 0 };
        varve_graph *graph = add_grid(&g);
        double **swapped = g.now;
        g.now = g.next;
        g.next = swapped;
        test_fail_allocation(n, false);
        varve_status status = varve_write(
            varve_graph_root(graph), test_path("g"), NULL, &error);
        done = test_allocation_count() <= n;
        test_fail_allocation(-1, false);
        /* (Some allocations of a save are optional.) */
        cr_assert(status == VARVE_OK || (!done && status == VARVE_NO_MEMORY),
            "%ld: %s", n, error.message);
        failed += status != VARVE_OK;
        story_write(varve_graph_root(graph), "g");
        varve_graph_free(graph);
        graph = add_grid(&g);
        double was = g.now[1][1];
        g.now[1][1] = -1;
        varve_restoration_free(
            story_read(varve_graph_root(graph), "g", NULL));
        cr_assert_eq(g.now[1][1], was);
        varve_graph_free(graph);
    }
    cr_assert_gt(failed, 4);
    free_grid(&g);
}

/* An allocation function that fails after some rows, which then belong to the
 * program. */
static long allocations_left;

static void *limited_calloc(size_t count, size_t size)
{
    return allocations_left-- > 0 ? calloc(count, size) : NULL;
}

TEST(struct_rows, keep_the_existing_rows_if_allocation_fails)
{
    static const varve_field fields[] = {
        VARVE_FIELD_ROWS(
            struct grid, now, height, width, .room = limited_calloc),
        VARVE_FIELDS_END,
    };
    write_grid(1);
    for (long n = 0; n <= HEIGHT + 1; n++) {
        struct grid g = { 0 };
        varve_error error = { 0 };
        varve_read_options options = { .only = "grid/now" };
        varve_graph *graph = story_graph();
        varve_add_struct(varve_graph_root(graph), "grid", fields, &g);
        allocations_left = n;
        varve_restoration *r = varve_read(
            varve_graph_root(graph), test_path("f"), &options, &error);
        cr_assert_eq(varve_graph_check(graph, &error),
            n > HEIGHT ? VARVE_OK : VARVE_NO_MEMORY, "%ld: %s", n,
            error.message);
        cr_assert_eq(g.height, n ? HEIGHT : 0);
        varve_restoration_free(r);
        varve_graph_free(graph);
        free_rows(g.now, g.height);
    }
}
