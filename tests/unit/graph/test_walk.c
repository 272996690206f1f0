/* test_walk.c - Tests the traversal of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "walk.h"

static varve_graph *graph;
static varve_node *root;
static float memory[2];

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

static varve_node *leaf(varve_node *parent, const char *name)
{
    return varve_add_variable(parent, name, varve_array(memory, 2));
}

struct paths {
    char text[2000];
    size_t count;
    size_t stop_at;
};

static varve_status note(void *user, varve_node *node, const char *path)
{
    struct paths *p = user;
    cr_assert_not_null(node);
    strcat(strcat(p->text, path), " ");
    return ++p->count == p->stop_at ? VARVE_CANCELLED : VARVE_OK;
}

static void check_walk(varve_node *from, const char *wanted)
{
    struct paths p = { .stop_at = 0 };
    varve_error error = { 0 };
    cr_assert_ok(varve_walk(from, note, &p, &error), error);
    cr_assert_str_eq(p.text, wanted);
}

TEST(walk, is_breadth_first_in_order_of_names)
{
    begin();
    varve_node *b = varve_add_object(root, "b");
    varve_node *a = varve_add_object(root, "a");
    leaf(b, "z");
    leaf(b, "y");
    leaf(a, "x");
    varve_track(b, "a", a);
    varve_track(a, "up", root);
    check_walk(root, " a b a/x b/y b/z ");
    check_walk(b, " a y z a/up a/x ");
    free_good(graph);
}

TEST(walk, visits_lists_by_index_and_each_node_once)
{
    begin();
    varve_node *list = varve_add_list(root, "list");
    varve_node *twice = varve_add_object(list, VARVE_APPEND);
    varve_list_append(list, twice);
    for (int i = 2; i < 12; i++)
        varve_add_object(list, VARVE_APPEND);
    check_walk(root, " list list/0 list/2 list/3 list/4 list/5 list/6 list/7 "
                     "list/8 list/9 list/10 list/11 ");
    free_good(graph);
}

TEST(walk, has_slots_last_in_order_of_owner_variable_and_name)
{
    begin();
    varve_node *b = varve_add_object(root, "b");
    varve_node *a = varve_add_object(root, "a");
    varve_node *y = leaf(root, "y");
    varve_node *x = leaf(root, "x");
    varve_node *apart = varve_add_detached(graph);
    varve_node *hidden = leaf(apart, "hidden");
    varve_add_slot(b, x, "m", varve_array(memory, 2));
    varve_add_slot(a, y, "m", varve_array(memory, 2));
    varve_add_slot(a, x, "v", varve_array(memory, 2));
    varve_add_slot(a, x, "m", varve_array(memory, 2));
    varve_add_slot(a, hidden, "m", varve_array(memory, 2));
    varve_add_slot(apart, x, "m", varve_array(memory, 2));
    varve_node *tracked =
        varve_add_slot(root, x, "s/%", varve_array(memory, 2));
    check_walk(
        root, " a b x y s%2F%25(x) a/m(x) a/v(x) a/m(y) b/m(x) ");
    varve_track(root, "z", tracked);
    check_walk(root, " a b x y z a/m(x) a/v(x) a/m(y) b/m(x) ");
    free_good(graph);
}

TEST(walk, does_not_depend_on_creation_order)
{
    static const char *const names[] = { "d", "a", "c", "b" };
    for (int first = 0; first < 4; first++) {
        begin();
        for (int i = 0; i < 4; i++)
            leaf(root, names[(first + i) % 4]);
        check_walk(root, " a b c d ");
        free_good(graph);
    }
}

TEST(walk, returns_the_status_of_the_visitor)
{
    struct paths p = { .stop_at = 2 };
    begin();
    leaf(root, "a");
    leaf(root, "b");
    varve_error error = { .status = VARVE_OK };
    cr_assert_eq(varve_walk(root, note, &p, &error), VARVE_CANCELLED);
    cr_assert_eq(error.status, VARVE_OK);
    cr_assert_eq(p.count, 2);
    free_good(graph);
}

TEST(walk, finds_the_variables_without_a_value)
{
    struct paths p = { .stop_at = 0 };
    varve_error error = { 0 };
    begin();
    leaf(root, "a");
    varve_node *b = leaf(root, "b");
    varve_node *c = leaf(root, "c");
    b->value_state = VARVE_DECLARED;
    c->value_state = VARVE_PENDING;
    cr_assert_ok(
        varve_report_uninitialized(root, note, &p, &error), error);
    cr_assert_str_eq(p.text, "b c ");
    free_good(graph);
}

TEST(walk, has_indices_and_paths_of_visited_nodes)
{
    struct vv_walk walk;
    struct vv_buffer path;
    varve_error error = { 0 };
    begin();
    varve_node *a = varve_add_object(root, "a b");
    varve_node *x = leaf(a, "x/y");
    varve_node *apart = varve_add_detached(graph);
    cr_assert_ok(vv_walk_begin(&walk, root, &error), error);
    vv_buffer_init(&path, test_allocator());
    cr_assert_eq(walk.count, 3);
    cr_assert(!vv_walk_has(&walk, apart));
    for (size_t i = 0; i < walk.count; i++)
        cr_assert_eq(vv_walk_place(&walk, walk.steps[i].node), i);
    vv_walk_path(&walk, vv_walk_place(&walk, x), &path);
    cr_assert_str_eq(vv_buffer_string(&path), "a b/x%2Fy");
    vv_walk_path(&walk, 0, &path);
    cr_assert_str_eq(vv_buffer_string(&path), "");
    vv_buffer_clear(&path);
    vv_walk_end(&walk);
    free_good(graph);
}

static const varve_node *closed;

static bool is_closed(const varve_node *node)
{
    return node == closed;
}

TEST(walk, does_not_continue_below_closed_nodes)
{
    begin();
    struct vv_walk walk;
    varve_node *a = varve_add_object(root, "a");
    varve_node *below = varve_add_object(a, "below");
    varve_node *shared = varve_add_object(a, "shared");
    varve_track(varve_add_object(root, "b"), "shared", shared);
    closed = a;
    cr_assert_eq(vv_walk_begin_above(&walk, root, is_closed, NULL), VARVE_OK);
    cr_assert_eq(walk.count, 4);
    cr_assert(vv_walk_has(&walk, a) && !vv_walk_has(&walk, below));
    cr_assert(vv_walk_has(&walk, shared));
    cr_assert_eq(vv_walk_edge_count(&walk, a), 0);
    cr_assert_eq(vv_walk_edge_count(&walk, root), 2);
    vv_walk_end(&walk);
    free_good(graph);
}

TEST(walk, handles_every_failed_allocation)
{
    begin();
    varve_node *x = leaf(root, "x");
    for (int i = 0; i < 100; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        varve_add_slot(root, x, name, varve_array(memory, 2));
        leaf(root, name);
    }
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct paths *p = calloc(1, sizeof *p);
        varve_error error = { 0 };
        graph->names.is_ranked = false;
        test_fail_allocation(n, false);
        status = varve_walk(root, note, p, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert_eq(error.status, status);
        cr_assert(status || p->count == 202);
        free(p);
    }
    free_good(graph);
}

static varve_status count(void *user, varve_node *node, const char *path)
{
    (void)node;
    (void)path;
    ++*(size_t *)user;
    return VARVE_OK;
}

static double time_of(size_t children)
{
    begin();
    varve_node *list = varve_add_list(root, "list");
    varve_node *dict = varve_add_dict(root, "dict");
    for (size_t i = 0; i < children; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", i * 7919 % children);
        varve_add_object(list, VARVE_APPEND);
        varve_add_object(dict, name);
    }
    size_t seen = 0;
    double start = seconds();
    cr_assert_eq(varve_walk(root, count, &seen, NULL), VARVE_OK);
    double taken = seconds() - start;
    cr_assert_eq(seen, 3 + 2 * children);
    free_good(graph);
    return taken;
}

TEST(walk, takes_time_proportional_to_the_nodes)
{
    double small = time_of(10000);
    double large = time_of(100000);
    for (int i = 0; i < 2; i++) {
        double again = time_of(10000);
        small = again < small ? again : small;
        again = time_of(100000);
        large = again < large ? again : large;
    }
    cr_assert_lt(large, 40 * small, "%g and %g seconds", small, large);
}

TEST(walk, reaches_a_million_nodes)
{
    enum { CHILDREN = 1000 };
    begin();
    for (int i = 0; i < CHILDREN; i++) {
        char name[24];
        snprintf(name, sizeof name, "%d", i);
        varve_node *list = varve_add_list(root, name);
        for (int k = 0; k < CHILDREN; k++)
            varve_add_object(list, VARVE_APPEND);
    }
    size_t seen = 0;
    cr_assert_eq(varve_walk(root, count, &seen, NULL), VARVE_OK);
    cr_assert_eq(seen, 1 + CHILDREN + CHILDREN * CHILDREN);
    free_good(graph);
}

TEST(walk, reaches_any_depth)
{
    enum { DEPTH = 200000 };
    struct vv_walk walk;
    struct vv_buffer path;
    varve_error error = { 0 };
    begin();
    varve_node *node = root;
    for (int i = 0; i < DEPTH; i++)
        node = varve_add_object(node, "n");
    cr_assert_ok(vv_walk_begin(&walk, root, &error), error);
    vv_buffer_init(&path, test_allocator());
    vv_walk_short_path(&walk, vv_walk_place(&walk, node), SIZE_MAX, &path);
    cr_assert_eq(path.size, 2 * DEPTH - 1);
    cr_assert_eq(varve_find_path(root, vv_buffer_string(&path)), node);
    vv_buffer_clear(&path);
    vv_walk_end(&walk);
    free_good(graph);
}

static varve_status note_longest(void *user, varve_node *node, const char *path)
{
    size_t *longest = user;
    size_t size = strlen(path);
    bool is_cut = strncmp(path, "...", 3) == 0;
    cr_assert(varve_node_kind(node) != VARVE_NIL);
    cr_assert(!is_cut || (size > 240 && size <= 255));
    *longest = size > *longest ? size : *longest;
    return VARVE_OK;
}

/* The total size of the paths of a deep graph is quadratic in its depth. */
TEST(walk, shows_the_end_of_a_path_that_is_too_long)
{
    enum { DEPTH = 5000 };
    size_t longest = 0;
    begin();
    varve_node *node = root;
    for (int i = 0; i < DEPTH; i++)
        node = varve_add_object(node, "next");
    test_reset_peak();
    size_t bytes = test_byte_count();
    cr_assert_eq(varve_walk(root, note_longest, &longest, NULL), VARVE_OK);
    cr_assert_leq(longest, 4095);
    cr_assert_gt(longest, 4080);
    cr_assert_leq(test_peak_bytes() - bytes, DEPTH * 64);
    free_good(graph);
}
