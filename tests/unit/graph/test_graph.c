/* test_graph.c - Tests the graph: errors, memory, and nil nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "slot.h"

#include <stdlib.h>

static varve_status visit(void *user, varve_node *node, const char *path)
{
    (void)node;
    (void)path;
    ++*(int *)user;
    return VARVE_OK;
}

static varve_status save(void *self, varve_sink *sink)
{
    (void)self;
    (void)sink;
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

/* Every call on a nil node has no effect and returns nil. */
static void use_nil(varve_graph *graph, varve_node *nil)
{
    float x[2] = { 0 };
    int visits = 0;
    varve_state_callbacks callbacks = { save, load };
    varve_node *made[] = { varve_add_object(nil, "a"), varve_add_list(nil, "b"),
        varve_add_dict(nil, "c"), varve_track(nil, "d", nil),
        varve_replace(nil, "e", nil), varve_list_append(nil, nil),
        varve_list_insert(nil, 0, nil), varve_list_replace(nil, 0, nil),
        varve_add_variable(nil, "f", varve_array(x, 2)),
        varve_add_allocated_variable(
            nil, "g", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL),
        varve_add_slot(nil, nil, "h", varve_array(x, 2)),
        varve_add_allocated_slot(
            nil, nil, "i", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL),
        varve_add_state(nil, "j", &callbacks, NULL) };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        cr_assert_eq(made[i], nil, "%zu", i);
    varve_untrack(nil, "a");
    varve_remove(nil);
    varve_alias(nil, "old");
    varve_list_remove(nil, 0);
    varve_list_reorder(nil, NULL, 0);
    varve_tag(nil, "tag");
    varve_untag(nil, "tag");
    varve_rebind(nil, varve_array(x, 2));
    varve_set_on_demand(nil, NULL, NULL);
    cr_assert(!varve_has_tag(nil, "tag"));
    cr_assert_null(varve_find(nil, "a"));
    cr_assert_null(varve_find_path(nil, "a"));
    cr_assert_null(varve_find_slot(nil, nil, "a"));
    cr_assert_null(varve_edge_first(nil));
    cr_assert_null(varve_slot_first(nil));
    cr_assert_null(varve_list_at(nil, 0));
    cr_assert_null(varve_data(nil));
    cr_assert_null(varve_value(nil));
    cr_assert_eq(varve_edge_count(nil), 0);
    cr_assert_eq(varve_state_of(nil), VARVE_DECLARED);
    cr_assert_eq(varve_node_kind(nil), VARVE_NIL);
    cr_assert_eq(varve_node_graph(nil), graph);
    cr_assert_neq(varve_walk(nil, visit, &visits, NULL), VARVE_OK);
    cr_assert_neq(
        varve_report_uninitialized(nil, visit, &visits, NULL), VARVE_OK);
    cr_assert_eq(visits, 0);
}

static void *no_memory(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old;
    (void)old_size;
    (void)new_size;
    return NULL;
}

TEST(graph, without_any_memory_only_reports_errors)
{
    varve_allocator allocator = { .function = no_memory };
    varve_graph *graph = varve_graph_new(&allocator);
    cr_assert_not_null(graph);
    use_nil(graph, varve_graph_root(graph));
    cr_assert_eq(varve_node_kind(varve_add_detached(graph)), VARVE_NIL);
    free_bad(graph, VARVE_NO_MEMORY);
}

TEST(graph, without_memory_for_its_root_only_reports_errors)
{
    test_fail_allocation(1, true);
    varve_graph *graph = new_graph();
    test_fail_allocation(-1, false);
    use_nil(graph, varve_graph_root(graph));
    varve_add_detached(graph);
    free_bad(graph, VARVE_NO_MEMORY);
}

TEST(graph, continues_after_an_error_and_reports_the_first)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *nil = varve_add_object(root, "");
    use_nil(graph, nil);
    varve_untrack(root, "nothing");
    varve_node *fine = varve_add_object(root, "fine");
    cr_assert_eq(varve_find(root, "fine"), fine);
    varve_error error = { .status = VARVE_OK };
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_BAD_NAME);
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    cr_assert_neq(varve_walk(root, visit, &(int){ 0 }, NULL), VARVE_OK);
    free_bad(graph, VARVE_BAD_NAME);
}

TEST(graph, returns_an_error_to_the_call_that_caused_it)
{
    varve_graph *graph = new_graph();
    varve_error error = { 0 };
    cr_assert_eq(vv_graph_take_error(graph, &error), VARVE_OK);
    vv_graph_error(graph, VARVE_LIMIT, "too many");
    cr_assert_eq(vv_graph_take_error(graph, &error), VARVE_LIMIT);
    cr_assert_str_eq(error.message, "too many");
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    vv_graph_error(graph, VARVE_MISUSE, "another");
    cr_assert_eq(vv_graph_take_error(graph, NULL), VARVE_MISUSE);
    varve_graph_free(graph);
}

TEST(graph, accepts_another_node_as_its_root)
{
    varve_graph *graph = new_graph();
    varve_node *node = vv_node_new(graph, VARVE_OBJECT);
    vv_graph_set_root(graph, node);
    cr_assert(varve_graph_root(graph) == node);
    cr_assert(vv_newest_node(graph) == node && !vv_older_node(node));
    varve_graph_free(graph);
}

TEST(graph, leaves_the_error_unchanged_on_success)
{
    varve_error error;
    memset(&error, 0x55, sizeof error);
    varve_error before = error;
    varve_graph *graph = new_graph();
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_OK);
    cr_assert_eq(memcmp(&error, &before, sizeof error), 0);
    cr_assert_eq(varve_node_kind(varve_graph_root(graph)), VARVE_OBJECT);
    varve_graph_free(graph);
    varve_graph_free(NULL);
}

TEST(graph, works_with_the_default_allocator)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_add_object(varve_graph_root(graph), "a");
    free_good(graph);
    graph = varve_graph_new(&(varve_allocator){ 0 });
    varve_add_object(varve_graph_root(graph), "a");
    free_good(graph);
}

TEST(graph, copies_its_context)
{
    struct vv_context context = { .allocator = *test_allocator() };
    varve_graph *graph = vv_graph_new_in(&context);
    memset(&context, 0, sizeof context);
    varve_add_object(varve_graph_root(graph), "a");
    free_good(graph);
}

struct listener {
    struct vv_observer base;
    int freed;
    int *order;
    int heard;
    varve_status status;
};

static void heard_end(struct vv_observer *self)
{
    ((struct listener *)self)->freed++;
}

static void heard_edge(struct vv_observer *self, struct vv_edge *edge)
{
    (void)edge;
    struct listener *l = (struct listener *)self;
    l->heard = ++*l->order;
}

static varve_status bad(const struct vv_observer *self, varve_error *error)
{
    varve_status status = ((const struct listener *)self)->status;
    if (status && error)
        error->status = status;
    return status;
}

TEST(graph, notifies_the_newest_observer_first_and_removes_any)
{
    int order = 0;
    struct listener l[3] = { { .freed = 0 } };
    varve_graph *graph = new_graph();
    for (int i = 0; i < 3; i++) {
        l[i] = (struct listener){ .base = { .edge_added = heard_edge,
                                      .graph_freed = heard_end,
                                      .check = bad },
            .order = &order };
        vv_graph_observe(graph, &l[i].base);
        cr_assert_eq(l[i].base.number, (uint64_t)i + 1);
    }
    varve_add_object(varve_graph_root(graph), "a");
    cr_assert_eq(l[2].heard, 1);
    cr_assert_eq(l[1].heard, 2);
    cr_assert_eq(l[0].heard, 3);
    l[1].status = VARVE_IO;
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_IO);
    vv_graph_forget(graph, &l[1].base);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    varve_add_object(varve_graph_root(graph), "b");
    cr_assert_eq(l[1].heard, 2);
    cr_assert_eq(l[0].heard, 5);
    varve_graph_free(graph);
    cr_assert_eq(l[0].freed, 1);
    cr_assert_eq(l[1].freed, 0);
    cr_assert_eq(l[2].freed, 1);
}

TEST(graph, reports_its_own_error_before_that_of_an_observer)
{
    struct listener l = { .base = { .graph_freed = heard_end, .check = bad },
        .status = VARVE_IO };
    varve_graph *graph = new_graph();
    vv_graph_observe(graph, &l.base);
    vv_graph_error(graph, VARVE_LIMIT, "%s: %d", "where", 1);
    vv_graph_error(graph, VARVE_CALLBACK, "later");
    varve_error error = { 0 };
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_LIMIT);
    cr_assert_str_eq(error.message, "where: 1");
    varve_graph_free(graph);
}

/* --- Memory ------------------------------------------------------------- */

static void *count_bytes(
    void *user, void *old, size_t old_size, size_t new_size)
{
    size_t *bytes = user;
    void *block = new_size ? realloc(old, new_size) : NULL;
    if (new_size == 0)
        free(old);
    if (block || new_size == 0)
        *bytes += new_size - old_size;
    return block;
}

/* The count fills pools and tables as much as that of a million nodes does: a
 * node, its variable, its edge, its name, and the tables in which they are
 * found. */
TEST(graph, needs_few_bytes_for_a_variable)
{
    enum { COUNT = 129000, WIDTH = 100, MOST = 198 };
    static float values[COUNT];
    size_t bytes = 0;
    varve_allocator counting = { .function = count_bytes, .user = &bytes };
    varve_graph *graph = varve_graph_new(&counting);
    varve_node *unit = NULL;
    for (unsigned i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "unit_%u", i / WIDTH);
        if (i % WIDTH == 0)
            unit = varve_add_object(varve_graph_root(graph), name);
        snprintf(name, sizeof name, "weight_%u", i);
        varve_add_variable(unit, name, varve_scalar(&values[i]));
    }
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    cr_assert_leq(bytes / COUNT, MOST, "%zu", bytes / COUNT);
    varve_graph_free(graph);
    cr_assert_eq(bytes, 0);
}
