/* variable.c - Manages variables with memory of the program and of the library.
 *
 * SPDX-License-Identifier: MIT
 */
#include "variable.h"

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "graph.h"
#include "memory_table.h"
#include "node.h"
#include "refresh.h"
#include "touch.h"
#include "typed_memory.h"

/* --- Data of the graph -------------------------------------------------- */

enum { POOLS = VARVE_MAX_RANK / 2 + 1 }; /* one for every two ranks */

struct variables {
    struct vv_attachment attachment;
    struct vv_pool pools[POOLS];
    struct vv_pool extras;
    bool has_read_only;
    bool defers_memory;
    bool defers_initializers;
};

static void release_pools(varve_node *nil, void *self)
{
    struct variables *all = self;
    (void)nil;
    for (unsigned i = 0; i < POOLS; i++)
        vv_pool_clear(&all->pools[i]);
    vv_pool_clear(&all->extras);
}

/* Allocates memory that could not be allocated before. */
static bool variable_give_memory(varve_graph *graph)
{
    for (varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node)) {
        if (node->variable && vv_variable_is_owned(node->variable) &&
            !vv_variable_allocate(node))
            return false;
    }
    return true;
}

static void free_variable(varve_node *node);

static const struct vv_attachment_kind kind = {
    .size = sizeof(struct variables),
    .release = release_pools,
    .free_variable = free_variable,
    .mend = variable_give_memory,
};

/* Returns NULL if no variable was made yet. */
static struct variables *variable_all_of(const varve_graph *graph)
{
    return vv_attachment_find(&graph->nil, &kind);
}

/* Returns the data of the graph, allocating it if needed, or NULL if out of
 * memory. */
static struct variables *variable_make_all(varve_graph *graph)
{
    const varve_allocator *a = &graph->context.allocator;
    struct variables *all = variable_all_of(graph);
    if (all)
        return all;
    all = vv_attachment_make(&graph->nil, &kind);
    if (!all)
        return NULL;
    for (unsigned i = 0; i < POOLS; i++) {
        vv_pool_init(&all->pools[i], a, VV_VARIABLE_SIZE(2 * i));
        vv_pool_allow(&all->pools[i],
            sizeof(struct vv_variable) - VV_VARIABLE_SIZE(2 * i));
    }
    vv_pool_init(&all->extras, a, sizeof(struct vv_variable_extra));
    return all;
}

bool vv_defer_memory(varve_graph *graph, bool defer)
{
    struct variables *all = variable_make_all(graph);
    if (all)
        all->defers_memory = defer;
    return all;
}

bool vv_defer_initializers(varve_graph *graph, bool defer)
{
    struct variables *all = variable_make_all(graph);
    if (all)
        all->defers_initializers = defer;
    return all;
}

bool vv_has_read_only(const varve_graph *graph)
{
    const struct variables *all = variable_all_of(graph);
    return all && all->has_read_only;
}

/* Returns the pool for a variable of this rank. */
static struct vv_pool *variable_pool_of(const varve_graph *graph, uint32_t rank)
{
    return &variable_all_of(graph)->pools[(rank + 1) / 2];
}

/* --- Making --------------------------------------------------------------- */

struct vv_variable_extra *vv_variable_extra(varve_node *node)
{
    struct vv_variable *variable = node->variable;
    if (!variable->extra)
        variable->extra = vv_pool_take(&variable_all_of(node->graph)->extras);
    return variable->extra;
}

bool vv_variable_set_initializer(
    varve_node *node, varve_initializer *initializer, void *user)
{
    struct vv_variable_extra *extra = vv_variable_extra(node);
    if (!extra)
        return false;
    extra->initializer = initializer;
    extra->initializer_user = user;
    return true;
}

/* Records an error for an invalid view. Negative extents are the most likely
 * reason. */
static varve_node *variable_refuse(
    const varve_node *parent, const char *name, const varve_tensor *view)
{
    char text[256];
    const char *where = vv_node_text(parent, text, sizeof text);
    if (view->rank == VV_RANK_OF_OTHER_ROWS)
        return vv_graph_error(parent->graph, VARVE_BAD_SHAPE,
            "%s: \"%.200s\": wrong extents: pass those of the array, as in "
            "varve_array(w, 2, 3) for float w[2][3]",
            where, name);
    for (unsigned i = 0; i < view->rank && i < VARVE_MAX_RANK; i++)
        if (view->shape[i] > INT64_MAX)
            return vv_graph_error(parent->graph, VARVE_BAD_SHAPE,
                "%s: \"%.200s\": extent -%llu is negative (extent %u of %u): "
                "set the count to the number of elements",
                where, name, 0 - (unsigned long long)view->shape[i], i + 1,
                (unsigned)view->rank);
    return vv_graph_error(parent->graph, VARVE_BAD_SHAPE,
        "%s: \"%.200s\": invalid element type, rank above %d, or size that "
        "does not fit in memory (type %d, rank %u)",
        where, name, VARVE_MAX_RANK, (int)view->dtype, (unsigned)view->rank);
}

varve_node *vv_variable_new(
    varve_node *parent, const char *name, varve_tensor view, bool is_owned)
{
    varve_graph *graph = parent->graph;
    varve_memory strides;
    const varve_tensor given = view;
    if (!vv_tensor_is_valid(&view))
        return variable_refuse(parent, name, &view);
    if (is_owned)
        view.memory = NULL;
    else if (!vv_memory_check(&view, parent, name))
        return &graph->nil;
    else if (vv_is_followed(&view))
        view = vv_refresh_view(&view, &strides);
    const struct variables *all = variable_make_all(graph);
    if (!all)
        return vv_graph_memory_error(graph);
    varve_node *node = vv_node_new(graph, VARVE_VARIABLE);
    if (vv_is_nil(node))
        return node;
    node->variable = vv_pool_take(variable_pool_of(graph, view.rank));
    if (!node->variable) {
        vv_node_free(node);
        return vv_graph_memory_error(graph);
    }
    varve_tensor *tensor = &node->variable->tensor;
    bool has_extra = is_owned || view.dtype == VARVE_STRING;
    memcpy(tensor, &view, vv_tensor_bytes(view.rank));
    if (!vv_memory_keep(tensor, &view, &graph->context.allocator) ||
        (has_extra && !vv_variable_extra(node)) ||
        (!is_owned && vv_is_followed(&given) &&
            !vv_refresh_follow(node, &given))) {
        vv_node_free(node);
        return vv_graph_memory_error(graph);
    }
    if (has_extra) {
        node->variable->extra->is_owned = is_owned;
        node->variable->extra->is_bare = all->defers_memory;
    }
    node->value_state = is_owned ? VARVE_DECLARED : VARVE_INITIALIZED;
    graph->has_new_views |= !is_owned;
    vv_touch(node);
    return node;
}

struct vv_variable *vv_variable_like(varve_node *node, const varve_tensor *view)
{
    struct vv_variable *like =
        vv_pool_take(variable_pool_of(node->graph, view->rank));
    if (!like)
        return NULL;
    like->extra = node->variable->extra;
    memcpy(&like->tensor, view, vv_tensor_bytes(view->rank));
    return like;
}

void vv_variable_give(varve_graph *graph, struct vv_variable *variable)
{
    vv_memory_free(&variable->tensor, &graph->context.allocator);
    vv_pool_give(variable_pool_of(graph, variable->tensor.rank), variable);
}

varve_node *varve_add_variable(
    varve_node *parent, const char *name, varve_tensor view)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    return vv_edge_attach(parent, name,
        vv_variable_new(parent, name ? name : "list element", view, false));
}

varve_node *varve_add_fixed_variable(
    varve_node *parent, const char *name, varve_tensor view)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    varve_node *node =
        vv_variable_new(parent, name ? name : "list element", view, false);
    varve_tag(node, VARVE_TAG_FIXED);
    return vv_edge_attach(parent, name, node);
}

varve_node *varve_add_detached_variable(varve_graph *graph, varve_tensor view)
{
    varve_node *root = varve_graph_root(graph);
    return vv_is_nil(root) ? root
                           : vv_variable_new(root, "detached", view, false);
}

varve_node *varve_find_or_add_variable(varve_node *parent, const char *name,
    varve_dtype dtype, varve_shape shape, varve_initializer *initializer,
    void *user)
{
    char text[256];
    char found[VARVE_TENSOR_TEXT_SIZE];
    char wanted[VARVE_TENSOR_TEXT_SIZE];
    varve_node *node = varve_find(parent, name);
    varve_tensor view = varve_view(NULL, dtype, shape);
    if (!node)
        return varve_add_allocated_variable(
            parent, name, dtype, shape, initializer, user);
    const varve_tensor *now = varve_value(node);
    if (now && now->dtype == dtype && vv_shape_equal(now, &view))
        return node;
    bool is_valid = vv_tensor_is_valid(&view);
    return vv_graph_error(node->graph, VARVE_MISMATCH,
        "%s: expected %s, found %s", vv_node_text(node, text, sizeof text),
        is_valid ? varve_tensor_text(&view, wanted) : "an element type",
        now ? varve_tensor_text(now, found) : "a node without a value");
}

varve_node *vv_variable_attach(varve_node *parent, const char *name,
    varve_node *node, varve_initializer *initializer, void *user)
{
    if (vv_is_nil(node))
        return node;
    vv_variable_set_initializer(node, initializer, user);
    node = vv_edge_attach(parent, name, node);
    if (!vv_is_nil(node))
        vv_variable_begin(node);
    return node;
}

varve_node *varve_add_allocated_variable(varve_node *parent, const char *name,
    varve_dtype dtype, varve_shape shape, varve_initializer *initializer,
    void *user)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    varve_node *node = vv_variable_new(parent, name ? name : "list element",
        varve_view(NULL, dtype, shape), true);
    return vv_variable_attach(parent, name, node, initializer, user);
}

bool vv_variable_allocate(varve_node *node)
{
    struct vv_variable *variable = node->variable;
    size_t size = (size_t)varve_tensor_size(&variable->tensor);
    if (variable->tensor.data || size == 0)
        return true;
    variable->tensor.data =
        vv_allocate_zeros(&node->graph->context.allocator, size);
    return variable->tensor.data;
}

/* Returns false and records an error if out of memory. */
static bool allocate_or_fail(varve_node *node)
{
    char text[256];
    if (vv_variable_allocate(node))
        return true;
    vv_graph_error(node->graph, VARVE_NO_MEMORY,
        "%s: out of memory: %llu bytes for its value",
        vv_node_text(node, text, sizeof text),
        (unsigned long long)varve_tensor_size(&node->variable->tensor));
    return false;
}

void vv_variable_begin(varve_node *node)
{
    const struct variables *all = variable_all_of(node->graph);
    if (all->defers_memory)
        return;
    if (allocate_or_fail(node) && !all->defers_initializers)
        vv_variable_initialize(node);
}

void vv_variable_settle(varve_node *node)
{
    if (allocate_or_fail(node))
        vv_variable_initialize(node);
}

varve_status vv_variable_run_initializer(varve_node *node, varve_error *error)
{
    const struct vv_variable *variable = node->variable;
    const struct vv_variable_extra *extra = variable->extra;
    varve_status status = VARVE_OK;
    enum vv_hold older = vv_graph_hold(node->graph, VV_HOLDS_NODES);
    if (extra && extra->initializer)
        status = extra->initializer(&variable->tensor, extra->initializer_user);
    vv_graph_let_go(node->graph, older);
    if (status) {
        char text[256];
        return vv_fail(error, vv_status_of_callback(status),
            "%s: its initializer failed with %s",
            vv_node_text(node, text, sizeof text), varve_status_name(status));
    }
    node->value_state = VARVE_INITIALIZED;
    vv_touch(node);
    return VARVE_OK;
}

void vv_variable_initialize(varve_node *node)
{
    varve_error error;
    if (node->value_state == VARVE_DECLARED &&
        vv_variable_is_owned(node->variable) &&
        vv_variable_run_initializer(node, &error))
        vv_graph_error(node->graph, error.status, "%s", error.message);
}

void vv_variable_release(
    varve_node *node, struct vv_variable *variable, bool is_older)
{
    struct vv_borrowed *borrowed = is_older ? variable->extra->borrowed : NULL;
    void *data = variable->tensor.data;
    if (!data)
        return;
    if (borrowed) {
        borrowed->release(borrowed, data);
    } else {
        vv_release_value(&node->graph->context.allocator, data,
            (size_t)varve_tensor_size(&variable->tensor));
    }
    if (is_older)
        variable->extra->borrowed = NULL;
    variable->tensor.data = NULL;
}

static void variable_free_memory(varve_node *node)
{
    struct vv_variable *variable = node->variable;
    if (!vv_variable_is_owned(variable) || !variable->tensor.data)
        return;
    vv_graph_values_change(node->graph);
    vv_variable_release(node, variable, true);
}

void vv_variable_borrow(
    varve_node *node, void *data, struct vv_borrowed *borrowed)
{
    variable_free_memory(node);
    vv_touch(node);
    node->variable->tensor.data = data;
    node->variable->extra->borrowed = borrowed;
}

void vv_variable_keep_strings(varve_node *node, void *bytes, size_t size)
{
    struct vv_variable_extra *extra = node->variable->extra;
    vv_release(&node->graph->context.allocator, extra->string_bytes,
        extra->string_size);
    extra->string_bytes = bytes;
    extra->string_size = size;
}

static void free_variable(varve_node *node)
{
    variable_free_memory(node);
    if (node->variable->extra) {
        vv_variable_keep_strings(node, NULL, 0);
        vv_pool_give(
            &variable_all_of(node->graph)->extras, node->variable->extra);
    }
    vv_variable_give(node->graph, node->variable);
    node->variable = NULL;
}

/* In a graph that was made from a file, variables without a saved value get
 * memory at the first access. */
void *varve_data(const varve_node *node)
{
    node = vv_or_nil(node);
    if (!node->variable)
        return NULL;
    if (node->value_state == VARVE_DECLARED &&
        vv_variable_is_owned(node->variable))
        allocate_or_fail((varve_node *)node);
    return node->variable->tensor.data;
}

const varve_tensor *varve_value(const varve_node *node)
{
    node = vv_or_nil(node);
    return node->variable ? &node->variable->tensor : NULL;
}

varve_variable_state varve_state_of(const varve_node *node)
{
    node = vv_or_nil(node);
    return (varve_variable_state)node->value_state;
}

void vv_variable_rebind(varve_node *node, const varve_tensor *view)
{
    const varve_allocator *a = &node->graph->context.allocator;
    struct vv_variable *older = node->variable, *over = older;
    varve_tensor kept = vv_tensor_copy(view);
    bool is_kept = vv_memory_keep(&kept, view, a);
    if (is_kept && view->rank != older->tensor.rank)
        over = vv_variable_like(node, &kept);
    if (!is_kept || !over) {
        vv_memory_free(&kept, a);
        vv_graph_memory_error(node->graph);
        return;
    }
    vv_graph_values_change(node->graph);
    vv_touch(node);
    node->variable = over;
    node->graph->has_new_views = true;
    if (over != older) {
        vv_variable_give(node->graph, older);
        return;
    }
    vv_memory_free(&over->tensor, a);
    memcpy(&over->tensor, &kept, vv_tensor_bytes(kept.rank));
}

varve_status vv_variable_check_there(const varve_node *node, varve_error *error)
{
    char path[256], text[VARVE_TENSOR_TEXT_SIZE];
    if (!vv_variable_is_null(node->variable))
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: the pointer for %s is NULL: allocate the elements, or set their "
        "count to 0",
        vv_node_text(node, path, sizeof path),
        varve_tensor_text(&node->variable->tensor, text));
}

bool vv_variable_reach(varve_node *node, const varve_memory *memory)
{
    struct vv_variable *variable = node->variable;
    varve_tensor view = vv_tensor_copy(&variable->tensor);
    view.memory = memory;
    if (!vv_memory_keep(
            &variable->tensor, &view, &node->graph->context.allocator))
        return false;
    variable->extra->is_owned = false;
    variable_all_of(node->graph)->has_read_only = true;
    return true;
}

/* Returns true if it may remain without memory. */
static bool is_bare(const struct vv_variable *variable)
{
    return variable->extra->is_bare && !variable->tensor.data;
}

void vv_variable_give_up(varve_node *node)
{
    if (!node->variable || node->value_state != VARVE_PENDING)
        return;
    if (!vv_variable_is_owned(node->variable)) {
        node->value_state = VARVE_INITIALIZED;
        return;
    }
    node->value_state = VARVE_DECLARED;
    if (!is_bare(node->variable))
        vv_variable_settle(node);
}

void vv_variable_go_without(varve_node *node)
{
    if (!node->variable || node->value_state != VARVE_PENDING ||
        !vv_variable_is_owned(node->variable)) {
        vv_variable_give_up(node);
        return;
    }
    node->value_state = VARVE_DECLARED;
    if (!is_bare(node->variable))
        vv_variable_begin(node);
}
