/* test_overlap.c - Tests the detection of values that overlap in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "overlap.h"

static float m[8];
static varve_error error;

static void check_fails(varve_node *node, const char *first, const char *second)
{
    char words[64];
    cr_assert_eq(vv_overlap_check(node, &error), VARVE_MISUSE);
    snprintf(words, sizeof words, "%s: ", first);
    cr_assert_eq(strstr(error.message, words), error.message, "%s",
        error.message);
    snprintf(words, sizeof words, " %s", second);
    cr_assert_not_null(strstr(error.message, words), "%s", error.message);
}

static void check_holds(varve_node *node)
{
    cr_assert_ok(vv_overlap_check(node, &error), error);
}

TEST(overlap, reports_both_variables)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(m, 4));
    check_holds(root);
    varve_node *b = varve_add_variable(root, "b", varve_array(m + 3, 4));
    check_fails(root, "b", "with a: remove");
    check_fails(root, "b", "with a: remove"); /* until it is fixed */
    varve_rebind(b, varve_array(m + 4, 4));
    check_holds(root);
    varve_rebind(b, varve_array(m, 4));
    check_fails(root, "b", "as a: to add");
    varve_remove(b);
    check_holds(root);
    varve_track(root, "b", varve_find(root, "a")); /* one node, two names */
    check_holds(root);
    free_good(graph);
}

TEST(overlap, is_checked_only_among_saved_nodes_of_a_call)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *part = varve_add_object(root, "part");
    varve_add_variable(root, "a", varve_array(m, 4));
    varve_node *b = varve_add_variable(part, "b", varve_array(m + 1, 2));
    check_holds(part);
    check_fails(root, "part/b", "a");
    varve_tag(b, VARVE_TAG_LOCAL);
    check_holds(root);
    varve_untag(b, VARVE_TAG_LOCAL);
    check_fails(root, "part/b", "a");
    varve_tag(b, VARVE_TAG_FIXED);
    check_fails(root, "part/b", "a");
    /* both are only compared */
    varve_tag(varve_find(root, "a"), VARVE_TAG_FIXED);
    check_holds(root);
    free_good(graph);
}

TEST(overlap, is_not_reported_for_empty_values_and_columns)
{
    struct {
        float x, y;
    } p[4];
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "none", varve_array(&p[1].x, 0));
    varve_add_variable(
        root, "x", varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), 4));
    varve_add_variable(
        root, "y", varve_strided(&p[0].y, VARVE_STRIDES(sizeof *p), 4));
    check_holds(root);
    varve_add_variable(root, "one", varve_scalar(&p[2].y));
    check_fails(root, "one", "y");
    free_good(graph);
}

TEST(overlap, is_found_among_texts_and_library_memory)
{
    char text[16] = "text";
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_text(root, "text", text, sizeof text);
    varve_node *own = varve_add_allocated_variable(
        root, "own", VARVE_FLOAT32, VARVE_SHAPE(4), NULL, NULL);
    check_holds(root);
    varve_node *view =
        varve_add_variable(root, "v", varve_array((float *)varve_data(own), 2));
    check_fails(root, "v", "own");
    varve_rebind(view, varve_view(text + 8, VARVE_FLOAT32, VARVE_SHAPE(2)));
    check_fails(root, "v", "text");
    varve_add_text(root, "again", text, sizeof text);
    varve_remove(view);
    check_fails(root, "again", "text");
    free_good(graph);
}

/* In random order, with gaps below and far above. */
TEST(overlap, is_found_among_many)
{
    enum { COUNT = 3000 };
    static int64_t all[COUNT];
    char name[16];
    int64_t *far = malloc(1 << 20);
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "far", varve_scalar(far));
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "%d", i * 7 % COUNT);
        varve_add_variable(root, name, varve_scalar(&all[i * 7 % COUNT]));
    }
    check_holds(root);
    varve_add_variable(root, "two",
        varve_view((char *)&all[77] + 4, VARVE_INT8, VARVE_SHAPE(1)));
    check_fails(root, "two", "77: ");
    free(far);
    free_good(graph);
}

/* Three values at each of six addresses, with up to two bytes: in any order,
 * below, above and between one another. */
TEST(overlap, is_found_for_any_addresses_of_three_values)
{
    enum { PLACES = 6, SIZES = 3, EACH = PLACES * SIZES };
    static uint8_t bytes[PLACES + SIZES];
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph), *nodes[3];
    for (int i = 0; i < 3; i++) {
        char name[] = { (char)('a' + i), '\0' };
        nodes[i] = varve_add_variable(root, name, varve_array(bytes, 0));
    }
    for (int n = 0; n < EACH * EACH * EACH; n++) {
        const int which[3] = { n % EACH, n / EACH % EACH, n / EACH / EACH };
        int seen[PLACES + SIZES] = { 0 };
        bool is_shared = false;
        for (int i = 0; i < 3; i++) {
            int at = which[i] / SIZES, size = which[i] % SIZES;
            varve_rebind(
                nodes[i], varve_array(bytes + at, (uint64_t)size));
            for (int k = 0; k < size; k++)
                is_shared |= ++seen[at + k] > 1;
        }
        cr_assert_eq(vv_overlap_check(root, &error),
            is_shared ? VARVE_MISUSE : VARVE_OK, "%d", n);
    }
    free_good(graph);
}

TEST(overlap, handles_every_failed_allocation)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(m, 4));
    varve_add_variable(root, "b", varve_array(m, 4));
    varve_status status = VARVE_NO_MEMORY;
    long n = 0;
    for (; status == VARVE_NO_MEMORY; n++) {
        test_fail_allocation(n, false);
        status = vv_overlap_check(root, &error);
        test_fail_allocation(-1, false);
    }
    cr_assert_eq(status, VARVE_MISUSE);
    cr_assert_gt(n, 1);
    free_good(graph);
}
