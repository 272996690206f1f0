/* resizing.h - a variable on its way to another shape.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESIZING_H
#define VV_RESIZING_H

#include <varve/resizing.h>

#include "attachment.h"
#include "variable.h"

struct vv_resizing {
    struct vv_attachment attachment;
    /* own */
    varve_resizing calls;
    void *user;
    bool is_always; /* for a value of the shape that it has, too */
};

extern const struct vv_attachment_kind vv_resizing_kind;

/* How a variable comes to other shapes; NULL: it does not. */
static inline const struct vv_resizing *vv_resizing_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_resizing_kind);
}

/* Memory for a value, and the variable that will be over it. */
struct vv_room {
    /* to read */
    varve_node *node;
    void *data;
    /* own */
    struct vv_variable *other; /* what it is not at this moment */
    bool is_taken;
};

/* Whether a variable takes a value of that shape by room that is made for it:
 * the shape is another one, or varve_always_resize was called. */
bool vv_takes_shape(const varve_node *node, const varve_tensor *coming);

/* Makes room for a value of that shape, in the elements of the variable. On
 * failure there is nothing to end. */
varve_status vv_room_make(struct vv_room *room, varve_node *node,
    const varve_tensor *coming, varve_error *error);

/* The variable takes it, or goes back to what it was. */
void vv_room_exchange(struct vv_room *room);

/* Tells what became of it, and lets go of the memory that is of no use. */
void vv_room_settle(struct vv_room *room);

#endif
