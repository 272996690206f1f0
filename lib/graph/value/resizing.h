/* resizing.h - Changes the shape of a variable during a restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESIZING_H
#define VV_RESIZING_H

#include <varve/resizing.h>

#include "node.h"
#include "variable.h"

struct vv_resizing {
    struct vv_attachment attachment;
    /* own */
    varve_resizing calls;
    void *user;
    bool is_always; /* also for values with the same shape */
};

extern const struct vv_attachment_kind vv_resizing_kind;

/* Returns the resizing callbacks of a variable, or NULL. */
static inline const struct vv_resizing *vv_resizing_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_resizing_kind);
}

/* New memory for a value, and the variable that will use it. */
struct vv_resize {
    /* to read */
    varve_node *node;
    void *data;
    /* own */
    struct vv_variable *other; /* the variable data that the node does not
                                  use at the moment */
    bool is_taken;
};

/* Returns true if a variable gets new memory for a value of this shape: the
 * shape differs, or varve_always_resize was called. */
bool vv_takes_shape(const varve_node *node, const varve_tensor *coming);

/* Allocates memory for a value of this shape, with the element type of the
 * variable. On failure nothing must be freed. */
varve_status vv_resize_prepare(struct vv_resize *room, varve_node *node,
    const varve_tensor *coming, varve_error *error);

/* Exchanges the memory and shape of the variable. A second call undoes this. */
void vv_resize_exchange(struct vv_resize *room);

/* Reports the result to the program and frees the unused memory. */
void vv_resize_settle(struct vv_resize *room);

#endif
