/* touch.h - Records which values have changed, according to the program or the
 * library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TOUCH_H
#define VV_TOUCH_H

#include "graph.h"
#include "node.h"

/* Records that the value of a node may change. */
static inline void vv_will_touch(varve_node *node)
{
    node->touched = node->graph->moment;
}

/* Records that the value has changed, and is complete. */
static inline void vv_touch(varve_node *node)
{
    vv_will_touch(node);
    node->is_half = false;
}

enum {
    VV_TOUCHED_PAGE = 4096
}; /* the unit in which changed rows are
      recorded, in bytes */

/* Attached to a variable of which a part was changed. */
struct vv_touched {
    struct vv_attachment attachment;
    /* to read */
    uint64_t size;     /* size of the value that the pages belong to */
    uint32_t *moments; /* by page: moment of the last change; 0: not changed
                          in part since the value has this size */
};

/* Returns NULL if only complete changes were recorded. */
const struct vv_touched *vv_touched_parts(const varve_node *node);

#endif
