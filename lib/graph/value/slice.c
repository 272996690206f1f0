/* slice.c - Makes slices of larger values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "slice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "box.h"
#include "edge.h"
#include "graph.h"
#include "typed_memory.h"

char *vv_slice_text(
    const varve_tensor *view, const varve_slice *slice, char *text)
{
    varve_tensor_text(view, text);
    size_t size = strlen(text);
    const char *between = " from [";
    for (uint32_t i = 0; i < view->rank; i++) {
        size += (size_t)snprintf(text + size, VV_SLICE_TEXT_SIZE - size,
            "%s%" PRIu64, between, slice->start[i]);
        between = ",";
    }
    if (view->rank > 0)
        snprintf(text + size, VV_SLICE_TEXT_SIZE - size, "] on");
    return text;
}

char *vv_part_text(
    const varve_tensor *view, const varve_slice *slice, char *text)
{
    const varve_tensor whole = varve_view(NULL, view->dtype, slice->shape);
    strcat(vv_slice_text(view, slice, text), " of ");
    varve_tensor_text(&whole, text + strlen(text));
    return text;
}

/* --- Making ------------------------------------------------------------- */

static varve_box slice_box_of(
    const varve_tensor *view, const varve_slice *slice)
{
    varve_box box = { { 0 }, { 0 } };
    for (uint32_t i = 0; i < view->rank; i++) {
        box.start[i] = slice ? slice->start[i] : 0;
        box.extents[i] = view->shape[i];
    }
    return box;
}

/* A slice may fit into memory even if the complete value does not. */
static bool is_value(varve_dtype dtype, const varve_shape *shape)
{
    uint64_t count, size;
    return shape->rank <= VARVE_MAX_RANK &&
           vv_shape_count(shape->rank, shape->extents, &count) &&
           vv_size_of(count, varve_dtype_size(dtype), &size);
}

/* Returns true if a view is a valid slice. Otherwise records an error. */
static bool slice_check(const varve_tensor *view, const varve_slice *slice,
    const varve_node *where, const char *name)
{
    varve_graph *graph = where->graph;
    char where_text[256], text[VV_SLICE_TEXT_SIZE], all[VARVE_TENSOR_TEXT_SIZE];
    const varve_tensor whole = varve_view(NULL, view->dtype, slice->shape);
    const varve_box box = slice_box_of(view, slice);
    const char *path = vv_node_text(where, where_text, sizeof where_text);
    if (!is_value(view->dtype, &slice->shape))
        vv_graph_error(graph, VARVE_BAD_SHAPE,
            "%s: \"%.200s\": the rank of a shard is at most %d and its size "
            "must fit in 64 bits, found rank %u",
            path, name, VARVE_MAX_RANK, (unsigned)slice->shape.rank);
    else if (view->dtype == VARVE_STRING)
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: \"%.200s\": a shard needs elements of a fixed size, found %s",
            path, name, varve_tensor_text(&whole, all));
    else if (view->rank != whole.rank ||
             vv_box_leaves(&whole, &box) < view->rank)
        vv_graph_error(graph, VARVE_BAD_SHAPE,
            "%s: \"%.200s\": the shard is not inside %s: %s", path, name,
            varve_tensor_text(&whole, all), vv_slice_text(view, slice, text));
    else
        return true;
    return false;
}

const struct vv_attachment_kind vv_slice_kind = {
    .size = sizeof(struct vv_slice),
};

/* Returns false and records an error if the slice is invalid. */
static bool slice_set(varve_node *node, const varve_slice *slice,
    const varve_node *where, const char *name)
{
    const varve_tensor *view = &node->variable->tensor;
    if (!slice_check(view, slice, where, name))
        return false;
    struct vv_slice *own = vv_attachment_make(node, &vv_slice_kind);
    if (!own) {
        vv_graph_memory_error(node->graph);
        return false;
    }
    own->slice = *slice;
    own->is_part = memcmp(view->shape, slice->shape.extents,
                       view->rank * sizeof *view->shape) != 0;
    return true;
}

varve_node *vv_slice_new(varve_node *parent, const char *name,
    varve_tensor view, const varve_slice *slice, bool is_owned)
{
    if (is_owned)
        view.data = NULL;
    varve_node *node = vv_variable_new(parent, name, view, is_owned);
    if (vv_is_nil(node) || !slice || slice_set(node, slice, parent, name))
        return node;
    vv_node_free(node);
    return &parent->graph->nil;
}

/* A NULL start is reported here, because it cannot be copied. */
static bool slice_begin(varve_slice *slice, const varve_node *parent,
    const char *name, varve_shape shape, const uint64_t *start)
{
    char path[256];
    *slice = (varve_slice){ .shape = shape };
    if (!start && shape.rank > 0) {
        vv_graph_error(parent->graph, VARVE_MISUSE,
            "%s: \"%.200s\": the start of the shard is NULL",
            vv_node_text(parent, path, sizeof path), name);
        return false;
    }
    for (uint32_t i = 0; i < shape.rank && i < VARVE_MAX_RANK; i++)
        slice->start[i] = start[i];
    return true;
}

varve_node *varve_add_slice(varve_node *parent, const char *name,
    varve_tensor view, varve_shape shape, const uint64_t *start)
{
    parent = vv_or_nil(parent);
    const char *shown = name ? name : "list element";
    varve_slice slice;
    if (!vv_node_takes_children(parent, name) ||
        !slice_begin(&slice, parent, shown, shape, start))
        return &parent->graph->nil;
    return vv_edge_attach(
        parent, name, vv_slice_new(parent, shown, view, &slice, false));
}

varve_node *varve_add_allocated_slice(varve_node *parent, const char *name,
    varve_dtype dtype, varve_shape shape, const varve_box *box,
    varve_initializer *initializer, void *user)
{
    parent = vv_or_nil(parent);
    const char *shown = name ? name : "list element";
    varve_slice slice;
    if (!vv_node_takes_children(parent, name) ||
        !slice_begin(&slice, parent, shown, shape, box ? box->start : NULL))
        return &parent->graph->nil;
    varve_shape part = varve_shape_of(shape.rank, box ? box->extents : NULL);
    varve_node *node = vv_slice_new(
        parent, shown, varve_view(NULL, dtype, part), &slice, true);
    return vv_variable_attach(parent, name, node, initializer, user);
}

/* --- Queries ------------------------------------------------------------ */

const varve_slice *varve_slice_of(const varve_node *node)
{
    node = vv_or_nil(node);
    const struct vv_slice *slice = vv_attachment_find(node, &vv_slice_kind);
    return slice ? &slice->slice : NULL;
}

bool vv_slice_may_be(const varve_node *node, varve_dtype dtype)
{
    const varve_slice *slice = varve_slice_of(node);
    return !slice || (dtype != VARVE_STRING && is_value(dtype, &slice->shape));
}

varve_tensor vv_whole_of(const varve_node *node)
{
    const varve_slice *slice = vv_part_of(node);
    varve_tensor whole = vv_tensor_copy(&node->variable->tensor);
    whole.data = NULL;
    whole.memory = NULL;
    return slice ? varve_view(NULL, whole.dtype, slice->shape) : whole;
}

varve_box vv_box_of(const varve_node *node)
{
    return slice_box_of(&node->variable->tensor, vv_part_of(node));
}
