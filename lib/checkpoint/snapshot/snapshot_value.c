/* snapshot_value.c - Returns the value of a node in a snapshot as a view of its
 * copy.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/snapshot.h>

#include <string.h>

#include "failure.h"
#include "shape.h"
#include "snapshot.h"
#include "try.h"
#include "variable.h"

static const struct vv_item *snapshot_find_item(
    const struct varve_snapshot *s, const varve_node *node)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].node == node)
            return &s->items[i];
    return NULL;
}

/* Finds a node by walking the graph. Used for the path of a slot, and if the
 * first lookup ran out of memory. */
static varve_status snapshot_find_by_walk(const struct varve_snapshot *s,
    const char *path, varve_node **node, varve_error *error)
{
    struct vv_walk walk;
    struct vv_buffer text;
    VV_TRY(vv_walk_begin(&walk, s->root, error));
    vv_buffer_init(&text, &s->context.allocator);
    for (size_t i = 0; i < walk.count && !*node && !text.failed; i++) {
        text.size = 0;
        vv_walk_path(&walk, i, &text);
        if (strcmp(vv_buffer_string(&text), path) == 0)
            *node = walk.steps[i].node;
    }
    bool failed = text.failed;
    vv_buffer_clear(&text);
    vv_walk_end(&walk);
    return failed ? vv_fail_memory(error, "a path") : VARVE_OK;
}

bool vv_snapshot_value_of(
    struct varve_snapshot *s, const varve_node *node, varve_tensor *value)
{
    const struct vv_item *item = snapshot_find_item(s, node);
    if (item && node->kind == VARVE_STATE) {
        *value = (varve_tensor){ .dtype = VARVE_UINT8,
            .rank = 1,
            .shape = { item->bytes.size },
            .data = item->bytes.data };
    } else if (item) {
        vv_snapshot_point(s);
        *value = vv_tensor_copy(&node->variable->tensor);
        value->memory = NULL;
        value->data = item->copy;
    }
    return item;
}

varve_status varve_snapshot_value(varve_snapshot *s, const char *path,
    varve_tensor *value, varve_error *error)
{
    if (!s || !path || !value)
        return vv_fail(
            error, VARVE_MISUSE, "snapshot: snapshot, path or value is NULL");
    VV_TRY(vv_snapshot_check(s, error));
    varve_node *node = varve_find_path(s->root, path);
    if (!node)
        VV_TRY(snapshot_find_by_walk(s, path, &node, error));
    if (!node)
        return vv_fail(error, VARVE_NOT_FOUND,
            "snapshot: %s: the program has no node at this path", path);
    if (!vv_snapshot_value_of(s, node, value))
        return vv_fail(error, VARVE_NOT_FOUND,
            "snapshot: %s: the node has no value, or the options of the "
            "snapshot leave it out",
            path);
    return VARVE_OK;
}
