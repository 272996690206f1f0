/* test_touch.c - Tests marking values as dirty.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <varve/variable.h>

#include "touch.h"
#include "variable.h"

static float values[3];
static varve_graph *graph;
static varve_node *object, *inner, *slot, *outer;

/* Builds object/{inner, slot of inner} and outer, and starts the next
 * moment. */
static void begin(void)
{
    graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    object = varve_add_object(root, "object");
    inner = varve_add_variable(object, "inner", varve_scalar(&values[0]));
    slot = varve_add_slot(object, inner, "slot", varve_scalar(&values[1]));
    outer = varve_add_variable(root, "outer", varve_scalar(&values[2]));
    graph->moment = 7;
}

static bool is_touched(const varve_node *node)
{
    return node->touched == 7;
}

TEST(touch, of_a_variable_marks_only_that_variable)
{
    begin();
    varve_mark_dirty(inner);
    cr_assert(is_touched(inner));
    cr_assert_not(is_touched(slot) || is_touched(outer));
    free_good(graph);
}

TEST(touch, of_another_node_marks_its_reachable_subtree)
{
    begin();
    varve_mark_dirty(object);
    cr_assert(is_touched(inner) && is_touched(slot));
    cr_assert_not(is_touched(outer));
    free_good(graph);
}

TEST(touch, without_memory_marks_everything)
{
    begin();
    test_fail_allocation(0, false);
    varve_mark_dirty(object);
    test_fail_allocation(-1, false);
    cr_assert(is_touched(inner) && is_touched(slot) && is_touched(outer));
    free_good(graph);
}

TEST(touch, is_done_by_changes_of_the_library)
{
    static float elsewhere;
    begin();
    varve_error error = { 0 };
    varve_rebind(outer, varve_scalar(&elsewhere));
    cr_assert(is_touched(outer));
    varve_node *added = varve_add_allocated_variable(
        object, "added", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL);
    cr_assert(is_touched(added));
    graph->moment = 8;
    cr_assert_ok(varve_retype(added, VARVE_FLOAT64, NULL, &error), error);
    cr_assert_eq(added->touched, 8);
    graph->moment = 9;
    cr_assert_ok(vv_variable_run_initializer(added, &error), error);
    cr_assert_eq(added->touched, 9);
    free_good(graph);
}

TEST(touch, of_null_marks_nothing)
{
    begin();
    varve_mark_dirty(NULL);
    cr_assert_eq(varve_graph_clear_error(NULL, NULL), VARVE_MISUSE);
    varve_mark_dirty(varve_add_object(outer, "below a variable"));
    varve_graph_clear_error(graph, NULL);
    cr_assert_not(is_touched(outer));
    free_good(graph);
}

/* --- Parts of values ------------------------------------------------------ */

enum { ROWS = 100, ROW = 512 }; /* of 2 KiB: two in a page */

static float table[ROWS][ROW];
static varve_node *rows;

static void begin_rows(void)
{
    begin();
    rows = varve_add_variable(varve_graph_root(graph), "rows",
        varve_view(table, VARVE_FLOAT32, VARVE_SHAPE(ROWS, ROW)));
    graph->moment = 9;
}

/* Returns the pages touched at the moment as a string of bits. */
static const char *pages_of(const varve_node *node)
{
    static char bits[ROWS / 2 + 1];
    const struct vv_touched *touched = vv_touched_parts(node);
    memset(bits, '0', ROWS / 2);
    for (size_t i = 0; touched && i < ROWS / 2; i++)
        bits[i] = touched->moments[i] == graph->moment ? '1' : '0';
    return bits;
}

static void check_pages(size_t first, size_t count)
{
    char expected[ROWS / 2 + 1];
    memset(expected, '0', ROWS / 2);
    memset(expected + first, '1', count);
    expected[ROWS / 2] = '\0';
    cr_assert_str_eq(pages_of(rows), expected);
    cr_assert_neq(rows->touched, graph->moment);
}

TEST(touch, of_rows_marks_their_pages)
{
    varve_error error = { 0 };
    begin_rows();
    cr_assert_null(vv_touched_parts(rows));
    cr_assert_ok(varve_mark_rows_dirty(rows, 4, 2, &error), error);
    check_pages(2, 1);
    graph->moment++;
    check_pages(0, 0);
    cr_assert_ok(varve_mark_rows_dirty(rows, 5, 2, &error), error);
    check_pages(2, 2);
    graph->moment++;
    cr_assert_ok(varve_mark_rows_dirty(rows, ROWS - 1, 1, &error), error);
    check_pages(ROWS / 2 - 1, 1);
    graph->moment++;
    cr_assert_ok(varve_mark_rows_dirty(rows, ROWS, 0, &error), error);
    cr_assert_ok(varve_mark_rows_dirty(rows, 3, 0, &error), error);
    check_pages(0, 0);
    cr_assert_ok(varve_mark_rows_dirty(rows, 0, ROWS, &error), error);
    check_pages(0, ROWS / 2);
    free_good(graph);
}

TEST(touch, of_a_box_marks_the_pages_of_its_rows)
{
    varve_error error = { 0 };
    const varve_box columns = { .start = { 10, 500 }, .extents = { 6, 12 } };
    const varve_box none = { .start = { 10, 500 }, .extents = { 6, 0 } };
    begin_rows();
    cr_assert_ok(varve_mark_box_dirty(rows, &none, &error), error);
    check_pages(0, 0);
    cr_assert_ok(varve_mark_box_dirty(rows, &columns, &error), error);
    check_pages(5, 3);
    free_good(graph);
}

TEST(touch, of_rows_is_reset_by_a_new_size)
{
    varve_error error = { 0 };
    static float other[ROWS / 2][ROW];
    begin_rows();
    cr_assert_ok(varve_mark_rows_dirty(rows, 4, 2, &error), error);
    graph->moment++;
    varve_rebind(rows,
        varve_view(other, VARVE_FLOAT32, VARVE_SHAPE(ROWS / 2, ROW)));
    cr_assert_eq(rows->touched, graph->moment);
    graph->moment++;
    cr_assert_ok(varve_mark_rows_dirty(rows, 0, 1, &error), error);
    cr_assert_eq(vv_touched_parts(rows)->size, sizeof other);
    cr_assert_eq(vv_touched_parts(rows)->moments[0], graph->moment);
    cr_assert_eq(vv_touched_parts(rows)->moments[2], 0, "of the older one");
    varve_untrack(varve_graph_root(graph), "rows");
    free_good(graph);
}

TEST(touch, of_rows_without_memory_marks_all)
{
    varve_error error = { 0 };
    for (long failing = 0; failing < 2; failing++) {
        begin_rows();
        test_fail_allocation(failing, false);
        cr_assert_ok(varve_mark_rows_dirty(rows, 4, 2, &error), error);
        test_fail_allocation(-1, false);
        cr_assert_eq(rows->touched, graph->moment, "%ld", failing);
        free_good(graph);
    }
}

/* A partially restored variable is complete when all of it is set. */
TEST(touch, of_rows_does_not_complete_a_partial_restore)
{
    varve_error error = { 0 };
    begin_rows();
    rows->is_half = true;
    cr_assert_ok(varve_mark_rows_dirty(rows, 0, ROWS, &error), error);
    cr_assert(rows->is_half);
    test_fail_allocation(0, false);
    graph->moment++;
    varve_rebind(rows, varve_view(table, VARVE_FLOAT32, VARVE_SHAPE(50, ROW)));
    rows->is_half = true;
    cr_assert_ok(varve_mark_rows_dirty(rows, 0, 1, &error), error);
    test_fail_allocation(-1, false);
    cr_assert(rows->is_half);
    varve_mark_dirty(rows);
    cr_assert_not(rows->is_half);
    free_good(graph);
}

TEST(touch, of_rows_out_of_range_is_a_misuse)
{
    varve_error error = { 0 };
    const varve_box beyond = { .start = { 0, 500 }, .extents = { 1, 13 } };
    begin_rows();
    static const uint64_t cases[][2] = { { ROWS, 1 }, { 99, 2 },
        { UINT64_MAX, 2 }, { 1, UINT64_MAX } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(
            varve_mark_rows_dirty(rows, cases[i][0], cases[i][1], &error),
            VARVE_MISUSE);
        cr_assert(strstr(error.message, "rows: the rows are not inside"), "%s",
            error.message);
        const char *words = cases[i][1] == 1 ? ": 1 row from " : " rows from ";
        cr_assert(strstr(error.message, words), "%s", error.message);
    }
    cr_assert_eq(varve_mark_box_dirty(rows, &beyond, &error), VARVE_MISUSE);
    cr_assert(
        strstr(error.message, "it extends outside"), "%s", error.message);
    cr_assert_eq(varve_mark_box_dirty(rows, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_mark_rows_dirty(inner, 0, 1, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "inner: "), "%s", error.message);
    cr_assert_eq(varve_mark_rows_dirty(object, 0, 1, &error), VARVE_MISUSE);
    cr_assert_eq(varve_mark_rows_dirty(NULL, 0, 1, &error), VARVE_MISUSE);
    cr_assert_null(vv_touched_parts(rows));
    cr_assert_neq(rows->touched, graph->moment);
    free_good(graph);
}
