/* touch.c - Records which values the program has marked as dirty.
 *
 * SPDX-License-Identifier: MIT
 */
#include "touch.h"

#include <inttypes.h>

#include <varve/variable.h>

#include "allocator.h"
#include "box.h"
#include "failure.h"
#include "try.h"
#include "variable.h"
#include "walk.h"

/* --- Whole values --------------------------------------------------------- */

/* If there is no memory for a walk, all values count as changed. */
static void touch_all(varve_graph *graph)
{
    for (varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node))
        vv_touch(node);
}

static void touch_below(varve_node *root)
{
    struct vv_walk walk;
    if (vv_walk_begin(&walk, root, NULL)) {
        touch_all(root->graph);
        return;
    }
    for (size_t i = 0; i < walk.count; i++)
        vv_touch(walk.steps[i].node);
    vv_walk_end(&walk);
}

void varve_mark_dirty(varve_node *node)
{
    node = vv_or_nil(node);
    if (vv_is_nil(node)) {
        vv_graph_note_lost(node->graph, "varve_mark_dirty", NULL);
        return;
    }
    if (node->variable)
        vv_touch(node);
    else
        touch_below(node);
}

/* --- Parts ---------------------------------------------------------------- */

static size_t page_count(uint64_t size)
{
    return (size_t)(size / VV_TOUCHED_PAGE + (size % VV_TOUCHED_PAGE != 0));
}

static void touch_clear(varve_node *node, struct vv_touched *touched)
{
    vv_release(&node->graph->context.allocator, touched->moments,
        page_count(touched->size) * sizeof *touched->moments);
    touched->moments = NULL;
    touched->size = 0;
}

static void touch_release(varve_node *node, void *self)
{
    touch_clear(node, self);
}

static const struct vv_attachment_kind kind = {
    .size = sizeof(struct vv_touched), .release = touch_release
};

const struct vv_touched *vv_touched_parts(const varve_node *node)
{
    const struct vv_touched *touched = vv_attachment_find(node, &kind);
    return touched && touched->moments ? touched : NULL;
}

/* Returns the pages for a value of this size, or NULL if out of memory. */
static struct vv_touched *parts_of(varve_node *node, uint64_t size)
{
    const varve_allocator *a = &node->graph->context.allocator;
    struct vv_touched *touched = vv_attachment_make(node, &kind);
    if (!touched || (touched->moments && touched->size == size))
        return touched;
    touch_clear(node, touched);
    touched->moments =
        vv_allocate_zeroed(a, page_count(size) * sizeof *touched->moments);
    if (!touched->moments)
        return NULL;
    touched->size = size;
    return touched;
}

static void touch_bytes(
    varve_node *node, struct vv_touched *touched, uint64_t at, uint64_t size)
{
    for (uint64_t i = at / VV_TOUCHED_PAGE;
         i <= (at + size - 1) / VV_TOUCHED_PAGE; i++)
        touched->moments[i] = node->graph->moment;
}

/* Strings are marked completely, and so are other values if there is no memory
 * to record a part. */
static void touch_part(varve_node *node, const varve_box *box)
{
    const varve_tensor *tensor = &node->variable->tensor;
    uint64_t element = varve_dtype_size(tensor->dtype);
    uint64_t size = varve_tensor_size(tensor);
    const varve_box whole = vv_box_whole(tensor);
    struct vv_rows rows;
    if (vv_box_count(tensor, box) == 0)
        return;
    struct vv_touched *touched =
        tensor->dtype == VARVE_STRING ? NULL : parts_of(node, size);
    if (!touched) {
        vv_will_touch(node);
        return;
    }
    vv_rows_begin(&rows, tensor->rank, &whole, box, 0, size / element);
    while (vv_rows_next(&rows))
        touch_bytes(node, touched, rows.from * element, rows.count * element);
}

static varve_status check_variable(
    const varve_node *node, const char *what, varve_error *error)
{
    char text[256];
    if (vv_is_nil(node))
        return vv_fail(error, VARVE_MISUSE, "node is NULL");
    if (node->variable)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: not a variable: it has no %s to mark dirty",
        vv_node_text(node, text, sizeof text), what);
}

varve_status varve_mark_box_dirty(
    varve_node *node, const varve_box *box, varve_error *error)
{
    char path[256], text[VARVE_TENSOR_TEXT_SIZE];
    node = vv_or_nil(node);
    VV_TRY(check_variable(node, "elements", error));
    const varve_tensor *tensor = &node->variable->tensor;
    uint32_t k = box ? vv_box_leaves(tensor, box) : 0;
    if (!box || k < tensor->rank)
        return vv_fail(error, VARVE_MISUSE, "%s: invalid box of %s: %s",
            vv_node_text(node, path, sizeof path),
            varve_tensor_text(tensor, text),
            box ? "it extends outside" : "it is NULL");
    touch_part(node, box);
    return VARVE_OK;
}

varve_status varve_mark_rows_dirty(
    varve_node *node, uint64_t first, uint64_t count, varve_error *error)
{
    char path[256], text[VARVE_TENSOR_TEXT_SIZE];
    node = vv_or_nil(node);
    VV_TRY(check_variable(node, "rows", error));
    const varve_tensor *tensor = &node->variable->tensor;
    varve_box box = vv_box_whole(tensor);
    box.start[0] = first;
    box.extents[0] = count;
    if (tensor->rank == 0 || vv_box_leaves(tensor, &box) < tensor->rank)
        return vv_fail(error, VARVE_MISUSE,
            "%s: the rows are not inside %s: %" PRIu64 " row%s from %" PRIu64,
            vv_node_text(node, path, sizeof path),
            varve_tensor_text(tensor, text), count, vv_plural_s(count), first);
    touch_part(node, &box);
    return VARVE_OK;
}
