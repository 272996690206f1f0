/* test_replica.c - Tests copies of the structure of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "node.h"
#include "node_names.h"
#include "replica.h"

static float values[4];
static float copies[4];

static void place_of(void *user, const varve_node *node, varve_tensor *view)
{
    (void)user;
    view->data = copies + ((float *)varve_data(node) - values);
}

static void *state_of(void *user, const varve_node *node)
{
    (void)node;
    return user;
}

static varve_status save(void *self, varve_sink *sink)
{
    (void)sink;
    *(int *)self += 1;
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    *(int *)self += 1;
    return VARVE_OK;
}

static const varve_state_callbacks callbacks = { save, load };

/* Builds two lists that share an element at different positions, a cycle, slots
 * of two owners, and a state with a child. */
static varve_graph *build(void)
{
    varve_graph *g = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(g);
    varve_node *first = varve_add_list(root, "first");
    varve_node *second = varve_add_list(root, "second");
    varve_node *a =
        varve_add_variable(first, VARVE_APPEND, varve_scalar(&values[0]));
    varve_node *b =
        varve_add_variable(second, VARVE_APPEND, varve_scalar(&values[1]));
    varve_track(second, VARVE_APPEND, a);
    varve_track(first, VARVE_APPEND, b);
    varve_track(first, VARVE_APPEND, root);
    varve_node *m = varve_add_slot(first, a, "m", varve_scalar(&values[2]));
    varve_add_slot(second, a, "m", varve_scalar(&values[3]));
    varve_track(varve_add_dict(root, "dict"), "slot", m);
    varve_node *s =
        varve_add_state(root, "state", &callbacks, &(int){ 0 });
    varve_track(s, "b", b);
    varve_tag(a, VARVE_TAG_TRAINABLE);
    varve_tag(m, "own");
    varve_alias(a, "older");
    varve_retire(s, "retired");
    varve_set_global_name(a, "net/a");
    return g;
}

static void check_edges(const struct vv_walk *walk,
    const struct vv_replica *r, size_t place)
{
    const varve_edge *one = varve_edge_first(walk->steps[place].node);
    const varve_edge *other = varve_edge_first(r->nodes[place]);
    for (; one && other; one = varve_edge_next(one),
                         other = varve_edge_next(other)) {
        cr_assert_str_eq(one->name, other->name);
        cr_assert_eq(
            r->nodes[vv_walk_place(walk, one->node)], other->node);
    }
    cr_assert(!one && !other);
}

TEST(replica, has_the_same_nodes_edges_slots_and_tags)
{
    varve_error error;
    struct vv_walk walk;
    struct vv_replica r;
    int calls = 0;
    const struct vv_replica_values where = {
        .place = place_of, .callbacks = callbacks, .state = state_of,
        .user = &calls
    };
    varve_graph *g = build();
    varve_graph *copy = varve_graph_new(test_allocator());
    cr_assert_ok(varve_graph_check(g, &error), error);
    cr_assert_ok(vv_walk_begin(&walk, varve_graph_root(g), &error), error);
    cr_assert_ok(vv_replica_make(&r, copy, &walk, &where, &error), error);
    cr_assert_eq(r.count, walk.count);
    for (size_t i = 0; i < r.count; i++) {
        const varve_node *node = walk.steps[i].node;
        cr_assert_eq(varve_node_kind(node), varve_node_kind(r.nodes[i]));
        check_edges(&walk, &r, i);
        varve_tensor view = { .data = NULL };
        if (node->variable)
            place_of(NULL, node, &view);
        cr_assert_eq(varve_data(r.nodes[i]), view.data);
    }
    varve_node *root = r.nodes[0];
    varve_node *a = varve_find_path(root, "first/0");
    cr_assert(varve_has_tag(a, VARVE_TAG_TRAINABLE));
    varve_node *m = varve_find_slot(varve_find(root, "first"), a, "m");
    cr_assert(m && varve_has_tag(m, "own"));
    cr_assert(varve_find_slot(varve_find(root, "second"), a, "m"));
    cr_assert_eq(varve_find_path(root, "dict/slot"), m);
    cr_assert_str_eq(vv_first_alias(a)->name->bytes, "older");
    cr_assert_str_eq(varve_global_name(a), "net/a");
    cr_assert(vv_is_retired(varve_find(root, "state"), "retired", 7));
    vv_replica_clear(&r);
    vv_walk_end(&walk);
    varve_graph_free(g);
    varve_graph_free(copy);
}

TEST(replica, fails_and_leaks_nothing_without_memory)
{
    varve_error error;
    struct vv_walk walk;
    struct vv_replica r;
    int calls = 0;
    const struct vv_replica_values where = {
        .place = place_of, .callbacks = callbacks, .state = state_of,
        .user = &calls
    };
    varve_graph *g = build();
    cr_assert_ok(vv_walk_begin(&walk, varve_graph_root(g), &error), error);
    for (long n = 0;; n++) {
        varve_graph *copy = varve_graph_new(test_allocator());
        test_fail_allocation(n, false);
        varve_status status =
            vv_replica_make(&r, copy, &walk, &where, &error);
        test_fail_allocation(-1, false);
        if (!status)
            vv_replica_clear(&r);
        varve_graph_free(copy);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
    }
    vv_walk_end(&walk);
    varve_graph_free(g);
}

TEST(replica, has_the_same_slices)
{
    const uint64_t start[] = { 3 };
    varve_error error;
    struct vv_walk walk;
    struct vv_replica r;
    const struct vv_replica_values where = { .state = state_of };
    varve_graph *g = varve_graph_new(test_allocator());
    varve_graph *copy = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(g);
    varve_node *rows = varve_add_slice(
        root, "rows", varve_array(values, 4), VARVE_SHAPE(8), start);
    varve_add_slot_like(root, rows, "m", NULL, NULL);
    cr_assert_ok(vv_walk_begin(&walk, root, &error), error);
    cr_assert_ok(vv_replica_make(&r, copy, &walk, &where, &error), error);
    cr_assert_eq(r.count, 3);
    for (size_t i = 1; i < r.count; i++) {
        cr_assert_eq(varve_slice_of(r.nodes[i])->shape.extents[0], 8);
        cr_assert_eq(varve_slice_of(r.nodes[i])->start[0], 3);
    }
    vv_walk_end(&walk);
    vv_replica_clear(&r);
    varve_graph_free(copy);
    varve_graph_free(g);
}
