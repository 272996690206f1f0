/* refresh.c - Updates nodes after the program has changed its pointers and
 * containers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "refresh.h"

#include <string.h>

#include <varve/memory.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "node.h"
#include "slice.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"
#include "walk.h"

/* number of edges that are followed upward before a walk is made */
enum { FEW_CLIMBED = 8, MOST_ABOVE = 64 };

/* Attached to a node with a callback, a pointer or both. */
struct refreshed {
    struct vv_attachment attachment;
    varve_node *node;
    struct refreshed *older, *newer;
    varve_refresh *call;
    void *user;
    const void *pointer;
    varve_extent *extents;
    uint32_t rank;
};

/* All such nodes of a graph. */
struct all_refreshed {
    struct vv_attachment attachment;
    struct refreshed *newest;
    size_t freed; /* number of freed ones */
    bool is_busy; /* a callback is running */
};

static const struct vv_attachment_kind all_kind = {
    .size = sizeof(struct all_refreshed),
};

static struct all_refreshed *refresh_all_of(const varve_graph *graph)
{
    return vv_attachment_find(&graph->nil, &all_kind);
}

static void free_extents(const varve_node *node, struct refreshed *r)
{
    if (r->extents)
        vv_release(&node->graph->context.allocator, r->extents,
            r->rank * sizeof *r->extents);
    r->extents = NULL;
    r->pointer = NULL;
    r->rank = 0;
}

static void refresh_release(varve_node *node, void *self)
{
    struct refreshed *r = self;
    struct all_refreshed *all = refresh_all_of(node->graph);
    free_extents(node, r);
    if (all && r->node) {
        all->freed++;
        *(r->newer ? &r->newer->older : &all->newest) = r->older;
        if (r->older)
            r->older->newer = r->newer;
    }
}

static const struct vv_attachment_kind kind = {
    .size = sizeof(struct refreshed),
    .release = refresh_release,
};

/* Returns NULL if out of memory. */
static struct refreshed *refresh_make(varve_node *node)
{
    struct all_refreshed *all =
        vv_attachment_make(&node->graph->nil, &all_kind);
    struct refreshed *r = all ? vv_attachment_make(node, &kind) : NULL;
    if (!r || r->node)
        return r;
    r->node = node;
    r->older = all->newest;
    if (r->older)
        r->older->newer = r;
    all->newest = r;
    return r;
}

void varve_set_refresh(varve_node *node, varve_refresh *refresh, void *user)
{
    node = vv_or_nil(node);
    if (vv_is_nil(node))
        return;
    struct refreshed *r =
        refresh ? refresh_make(node) : vv_attachment_find(node, &kind);
    if (r) {
        r->call = refresh;
        r->user = user;
    } else if (refresh) {
        vv_graph_memory_error(node->graph);
    }
    if (r && !r->call && !r->pointer)
        vv_attachment_drop(node, &kind);
}

/* --- Pointers ----------------------------------------------------------- */

bool vv_refresh_follow(varve_node *node, const varve_tensor *view)
{
    const varve_allocator *a = &node->graph->context.allocator;
    struct refreshed *r = vv_attachment_find(node, &kind);
    if (!vv_is_followed(view)) {
        if (r)
            free_extents(node, r);
        if (r && !r->call)
            vv_attachment_drop(node, &kind);
        return true;
    }
    size_t size = view->rank * sizeof *r->extents;
    varve_extent *extents = size ? vv_allocate(a, size) : NULL;
    r = extents || !size ? refresh_make(node) : NULL;
    if (!r) {
        if (extents)
            vv_release(a, extents, size);
        return false;
    }
    free_extents(node, r);
    if (size)
        memcpy(extents, view->memory->extents, size);
    r->extents = extents;
    r->rank = view->rank;
    r->pointer = view->memory->pointer;
    return true;
}

varve_tensor vv_refresh_view(const varve_tensor *view, varve_memory *strides)
{
    varve_tensor now = vv_tensor_copy(view);
    *strides = (varve_memory){ .strides = view->memory->strides };
    now.memory = strides->strides ? strides : NULL;
    return now;
}

/* Returns true in the usual case, without making a view. */
static bool is_unchanged(const struct refreshed *r, const varve_tensor *was)
{
    const void *data;
    memcpy(&data, r->pointer, sizeof data);
    if (data != was->data || r->rank != was->rank)
        return false;
    for (uint32_t i = 0; i < r->rank; i++)
        if (vv_extent_now(&r->extents[i]) != was->shape[i])
            return false;
    return true;
}

static varve_status follow_change(const struct refreshed *r, varve_error *error)
{
    varve_node *node = r->node;
    const varve_tensor *was = &node->variable->tensor;
    const varve_memory at = { .pointer = r->pointer, .extents = r->extents };
    varve_tensor now = varve_view_at(&at, was->dtype, r->rank);
    char path[256], text[VARVE_TENSOR_TEXT_SIZE];
    now.memory = was->memory;
    if (!vv_tensor_is_valid(&now))
        return vv_fail(error, VARVE_BAD_SHAPE,
            "%s: its extents are negative or the size does not fit in memory",
            vv_node_text(node, path, sizeof path));
    if (varve_slice_of(node) && !vv_shape_equal(was, &now))
        return vv_fail(error, VARVE_MISMATCH,
            "%s: the shape of a shard cannot change, found %s",
            vv_node_text(node, path, sizeof path),
            varve_tensor_text(&now, text));
    vv_variable_rebind(node, &now);
    return vv_graph_take_error(node->graph, error);
}

/* A NULL pointer is an error only when its elements are needed. */
static varve_status refresh_follow(
    const struct refreshed *r, varve_error *error)
{
    return is_unchanged(r, &r->node->variable->tensor)
               ? VARVE_OK
               : follow_change(r, error);
}

/* --- Refreshing --------------------------------------------------------- */

static varve_status refresh_call(const struct refreshed *r, varve_error *error)
{
    char path[256];
    varve_node *node = r->node;
    varve_status status = r->call(r->user, node);
    if (status)
        return vv_fail(error, vv_status_of_callback(status),
            "%s: its callback that refreshes it failed with %s",
            vv_node_text(node, path, sizeof path), varve_status_name(status));
    return vv_graph_take_error(node->graph, error);
}

static varve_status refresh(const struct refreshed *r, varve_error *error)
{
    if (r->pointer && r->node->variable)
        VV_TRY(refresh_follow(r, error));
    return r->call ? refresh_call(r, error) : VARVE_OK;
}

/* Returns true if a few of the oldest edges lead from the root to the node. */
static bool refresh_is_near(const varve_node *node, const varve_node *root)
{
    for (int i = 0; i < FEW_CLIMBED && node && node != root; i++) {
        const struct vv_edge *in = vv_first_in(node);
        node = in ? in->parent : NULL;
    }
    return node == root;
}

/* Updates the nodes below `root`. Stops when one is freed. */
static varve_status refresh_below(
    varve_node *root, struct vv_walk *walk, varve_error *error)
{
    const struct all_refreshed *all = refresh_all_of(root->graph);
    size_t freed = all->freed;
    for (struct refreshed *r = all->newest, *older; r; r = older) {
        older = r->older;
        bool is_below = refresh_is_near(r->node, root);
        if (!is_below && !walk->steps)
            VV_TRY(vv_walk_begin(walk, root, error));
        if (is_below || vv_walk_has(walk, r->node))
            VV_TRY(refresh(r, error));
        if (all->freed != freed)
            break; /* possibly `older` */
    }
    return VARVE_OK;
}

/* Updates the nodes above `root` along its oldest edges, outermost first,
 * because `root` may be a part of them. */
static varve_status refresh_above(varve_node *root, varve_error *error)
{
    varve_node *above[MOST_ABOVE];
    size_t count = 0;
    for (const struct vv_edge *in = vv_first_in(root); in && count < MOST_ABOVE;
         in = vv_first_in(in->parent))
        above[count++] = in->parent;
    while (count-- > 0) {
        const struct refreshed *r = vv_attachment_find(above[count], &kind);
        if (r)
            VV_TRY(refresh(r, error));
    }
    return VARVE_OK;
}

static varve_status refresh_all(varve_node *root, varve_error *error)
{
    const struct all_refreshed *all = refresh_all_of(root->graph);
    varve_status status = refresh_above(root, error);
    for (size_t freed = all->freed + 1; !status && freed != all->freed;) {
        struct vv_walk walk = { 0 };
        freed = all->freed;
        status = refresh_below(root, &walk, error);
        if (walk.steps)
            vv_walk_end(&walk);
    }
    return status;
}

varve_status vv_refresh(varve_node *root, varve_error *error)
{
    struct all_refreshed *all = refresh_all_of(root->graph);
    if (!all || !all->newest || all->is_busy)
        return VARVE_OK;
    all->is_busy = true;
    varve_status status = refresh_all(root, error);
    all->is_busy = false;
    return status;
}
