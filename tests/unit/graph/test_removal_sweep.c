/* test_removal_sweep.c - Tests freeing unused names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "removal.h"

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

/* Adds and removes children with new names. */
static void pass_through(long from, long to)
{
    char name[32];
    for (long i = from; i < to; i++) {
        snprintf(name, sizeof name, "passing %ld", i);
        varve_remove(varve_add_object(root, name));
    }
}

static const struct vv_name *known(const char *name)
{
    return vv_names_find(&graph->names, name, strlen(name));
}

TEST(sweep, bounds_names_by_live_nodes)
{
    begin();
    varve_add_object(root, "stays");
    pass_through(0, 1000);
    size_t bytes = test_byte_count();
    test_reset_peak();
    pass_through(1000, 20000);
    cr_assert_leq(graph->names.set.count, 200);
    cr_assert_leq(test_byte_count(), bytes + 4096);
    cr_assert_leq(test_peak_bytes(), bytes + 8192);
    cr_assert_null(known("passing 0"));
    cr_assert_not_null(known("stays"));
    cr_assert_leq(graph->number_limit, 3);
    free_good(graph);
}

/* By every call that removes a name. */
TEST(sweep, frees_names_of_untracked_or_replaced_edges)
{
    float v = 0;
    begin();
    varve_node *leaf = varve_add_variable(root, "leaf", varve_scalar(&v));
    for (int i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d", i);
        varve_track(root, name, leaf);
        varve_untrack(root, name);
        varve_set_global_name(leaf, name);
    }
    cr_assert_leq(graph->names.set.count, 200);
    cr_assert_str_eq(varve_global_name(leaf), "2999");
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < 3000; i++)
        varve_list_append(list, leaf);
    while (varve_edge_count(list))
        varve_list_remove(list, varve_edge_count(list) - 1);
    pass_through(0, 10000);
    cr_assert_leq(graph->names.set.count, 200);
    free_good(graph);
}

TEST(sweep, keeps_every_name_in_use)
{
    float v = 0, m = 0;
    begin();
    varve_node *leaf = varve_add_variable(root, "leaf", varve_scalar(&v));
    varve_alias(leaf, "older");
    varve_alias(leaf, "oldest");
    varve_retire(root, "retired");
    varve_set_global_name(leaf, "global");
    varve_tag(leaf, "tagged");
    varve_add_slot(varve_add_object(root, "owner"), leaf, "slot",
        varve_scalar(&m));
    varve_track(varve_add_detached(graph), "detached", leaf);
    varve_untag(leaf, "tagged");
    pass_through(0, 1000);
    static const char *const names[] = { "leaf", "older", "oldest",
        "retired", "global", "tagged", "owner", "slot", "detached" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_not_null(known(names[i]), "%s", names[i]);
    cr_assert_eq(varve_find(root, "leaf"), leaf);
    cr_assert_not_null(
        varve_find_slot(varve_find(root, "owner"), leaf, "slot"));
    cr_assert(vv_names_rank(&graph->names));
    check_links(graph);
    free_good(graph);
}

struct keeper {
    struct vv_observer base;
    const struct vv_name *name;
    bool is_busy;
    int sweeps;
};

static size_t keep(struct vv_observer *self)
{
    struct keeper *k = (struct keeper *)self;
    vv_name_keep(k->name);
    k->sweeps++;
    return 1;
}

static bool busy(const struct vv_observer *self)
{
    return ((const struct keeper *)self)->is_busy;
}

static void forget(struct vv_observer *self)
{
    (void)self;
}

TEST(sweep, calls_observers_and_is_delayed_by_a_busy_one)
{
    begin();
    struct keeper k = { { .names_swept = keep, .is_busy = busy,
                            .graph_freed = forget },
        vv_names_intern(&graph->names, "kept", 4), true, 0 };
    vv_graph_observe(graph, &k.base);
    pass_through(0, 500);
    cr_assert_eq(k.sweeps, 0);
    cr_assert_geq(graph->names.set.count, 500);
    k.is_busy = false;
    pass_through(500, 1500);
    cr_assert_gt(k.sweeps, 0);
    cr_assert_eq(known("kept"), k.name);
    cr_assert_leq(graph->names.set.count, 200);
    free_good(graph);
}

/* A large graph is not searched for each removed name: a sweep starts after as
 * many new names as it examines. */
TEST(sweep, has_a_small_amortized_cost_for_each_name)
{
    enum { LIVING = 20000 };
    char name[32];
    begin();
    struct keeper k = { { .names_swept = keep, .graph_freed = forget },
        vv_names_intern(&graph->names, "kept", 4), false, 0 };
    vv_graph_observe(graph, &k.base);
    for (int i = 0; i < LIVING; i++) {
        snprintf(name, sizeof name, "living %d", i);
        varve_add_object(root, name);
    }
    pass_through(0, 5 * LIVING);
    cr_assert_leq(k.sweeps, 4);
    cr_assert_geq(k.sweeps, 1);
    cr_assert_leq(graph->names.set.count, 7 * LIVING);
    free_good(graph);
}
