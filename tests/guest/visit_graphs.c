/* visit_graphs.c - Visits building, changing and traversing a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

#include <string.h>

struct body {
    int32_t count;
    float *values;
    char name[8];
};

static const varve_field fields[] = {
    VARVE_FIELD(struct body, count),
    VARVE_FIELD_POINTER(struct body, values, count),
    VARVE_FIELD_TEXT(struct body, name),
    VARVE_FIELDS_END,
};

static const varve_field flat_fields[] = {
    VARVE_FIELD(struct body, count),
    VARVE_FIELDS_END,
};

static varve_status on_node(void *user, varve_node *node, const char *path)
{
    (void)node;
    (void)path;
    guest_called_back("a visit of a node");
    ++*(size_t *)user;
    return VARVE_OK;
}

static void on_demand(void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    (void)node;
    (void)offer;
    guest_called_back("on demand");
}

static void visit_nodes(struct guest *g, struct state *s)
{
    varve_node *node, *list, *other;
    MAKES(g, node, varve_add_object(s->root, "object"));
    MAKES(g, list, varve_add_list(s->root, "list"));
    MAKES(g, other, varve_add_dict(s->root, "dict"));
    CALL(g, varve_track(s->root, "again", node));
    CALL(g, varve_replace(s->root, "again", other));
    CALL(g, varve_alias(node, "older"));
    CALL(g, varve_retire(s->root, "gone"));
    CALL(g, varve_tag(node, VARVE_TAG_METRIC));
    CALL(g, varve_untag(node, VARVE_TAG_METRIC));
    CALL(g, varve_list_append(list, node));
    CALL(g, varve_list_insert(list, 0, other));
    CALL(g, varve_list_reorder(list, (size_t[]){ 1, 0 }, 2));
    CALL(g, varve_list_replace(list, 1, node));
    CALL(g, varve_list_remove(list, 0));
    CALL(g, varve_untrack(s->root, "again"));
    MAKES(g, node, varve_add_detached(s->graph));
    CALL(g, varve_set_on_demand(node, on_demand, NULL));
    CALL(g, varve_remove(other));
    MAKES(g, node, varve_find_path(s->root, "model/weights"));
    CALL(g, varve_set_global_name(node, "global"));
    CALL(g, varve_mark_dirty(s->root));
    const varve_box box = { .extents = { 1 } };
    GOOD(g, varve_mark_rows_dirty(node, 0, 1, &g->error));
    GOOD(g, varve_mark_box_dirty(node, &box, &g->error));
}

static size_t count_none(void *user)
{
    (void)user;
    return 0;
}

static void get_none(void *user, void *structs)
{
    (void)user;
    (void)structs;
}

static void clear_none(void *user)
{
    (void)user;
}

static varve_status put_none(void *user, const void *one)
{
    (void)user;
    (void)one;
    return VARVE_OK;
}

static void visit_variables(struct guest *g, struct state *s)
{
    varve_node *node, *model = varve_find(s->root, "model");
    varve_node *weights = varve_find(model, "weights");
    const varve_migrating none = { .fields = flat_fields,
        .size = sizeof(struct body),
        .count = count_none,
        .get = get_none,
        .clear = clear_none,
        .put = put_none };
    uint64_t inexact;
    float *pointer = s->small;
    MAKES(
        g, node, varve_add_variable(model, "small", varve_array(s->small, 6)));
    CALL(g, varve_rebind(node, varve_array(s->small, 3)));
    CALL(g, varve_set_refresh(node, NULL, NULL));
    CALL(g, varve_add_variable(model, "at", varve_array_at(&pointer, 6)));
    CALL(g, varve_set_resizing(node, NULL, NULL));
    CALL(g, varve_always_resize(varve_find(s->root, "growing")));
    CALL(g, varve_add_detached_variable(s->graph, varve_array(s->small, 6)));
    MAKES(g, node,
        varve_find_or_add_variable(model, "found", VARVE_FLOAT64,
            VARVE_SHAPE(s->count), state_initialize, NULL));
    GOOD(g, varve_retype(node, VARVE_FLOAT32, &inexact, &g->error));
    GOOD(g, varve_retype(node, VARVE_BFLOAT16, &inexact, &g->error));
    CALL(g, varve_add_slot(model, weights, "a", varve_array(s->small, 6)));
    CALL(g, varve_add_slot_like(model, weights, "b", state_initialize, NULL));
    CALL(g, varve_add_allocated_slot(
                model, weights, "c", VARVE_INT8, VARVE_SHAPE(9), NULL, NULL));
    CALL(g, varve_add_slice(model, "slice", varve_array(s->small, 6),
                VARVE_SHAPE(12), (uint64_t[]){ 6 }));
    CALL(g, varve_add_allocated_slice(model, "slice 2", VARVE_INT8,
                VARVE_SHAPE(9), &(varve_box){ { 3 }, { 4 } }, NULL, NULL));
    CALL(g, varve_add_variable_as_saved(
                model, "as saved", VARVE_INT8, VARVE_SHAPE(9), NULL, NULL));
    CALL(g, varve_add_rank_local(model, "mine", NULL, NULL));
    CALL(g, varve_add_random(model, "random", &s->stream, 0));
    CALL(g, varve_add_migrating(model, "pairs", NULL, &none));
    CALL(g, varve_add_libc_random(model, "drand48", VARVE_LIBC_DRAND48));
    CALL(g, varve_add_text(model, "text", (char *)s->bytes, sizeof s->bytes));
}

void visit_graphs(struct guest *g)
{
    struct state s;
    struct body body = { .count = SMALL, .name = "body" };
    varve_graph *graph;
    varve_node *node;
    size_t count = 0;
    MAKES(g, graph, varve_graph_new(state_allocator()));
    CALL(g, varve_graph_free(graph));
    CALL(g, state_open(&s, g));
    body.values = s.small;
    CALL(g, varve_set_seed(s.graph, 5));
    visit_nodes(g, &s);
    visit_variables(g, &s);
    MAKES(g, node, varve_add_struct(s.root, "body", fields, &body));
    CALL(g, varve_rebind_struct(node, &body));
    GOOD(g, varve_walk(s.root, on_node, &count, &g->error));
    GOOD(g, varve_graph_check(s.graph, &g->error));
    CALL(g, varve_add_object(s.root, "model"));
    FAILS(g, VARVE_DUPLICATE, varve_graph_check(s.graph, &g->error));
    FAILS(g, VARVE_DUPLICATE, varve_graph_clear_error(s.graph, &g->error));
    CALL(g, state_close(&s));
}

void visit_parts(struct guest *g)
{
    struct state s;
    varve_node *nodes[4], *first, *second;
    const varve_select select = { .pattern = "model/**" };
    size_t count = 4;
    state_open(&s, g);
    CALL(g, varve_defer_initializers(s.graph, true));
    MAKES(g, first,
        varve_add_allocated_variable(s.root, "first", VARVE_INT32,
            VARVE_SHAPE(9), state_initialize, NULL));
    MAKES(g, second,
        varve_add_allocated_variable(s.root, "second", VARVE_INT32,
            VARVE_SHAPE(9), state_initialize, NULL));
    CALL(g, varve_set_initializer(second, state_initialize, NULL));
    CALL(g, varve_initialize_after(first, second));
    FAILS(g, VARVE_UNMATCHED, varve_require_ready(s.root, NULL, &g->error));
    GOOD(g, varve_report_uninitialized(s.root, on_node, &count, &g->error));
    GOOD(g, varve_initialize(s.root, NULL, &g->error));
    GOOD(g, varve_require_ready(s.root, NULL, &g->error));
    GOOD(g, varve_each(s.root, &select, on_node, &count, &g->error));
    count = 4;
    GOOD(g, varve_collect(s.root, &select, nodes, &count, &g->error));
    CALL(g, state_close(&s));
}
