/* touch.h - which values have changed, as far as somebody says so.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TOUCH_H
#define VV_TOUCH_H

#include "attachment.h"
#include "graph.h"

/* The value of a node may become another. */
static inline void vv_will_touch(varve_node *node)
{
    node->touched = node->graph->moment;
}

/* It is another now, and whole. */
static inline void vv_touch(varve_node *node)
{
    vv_will_touch(node);
    node->is_half = false;
}

enum { VV_TOUCHED_PAGE = 4096 }; /* the part that a touched row is known by */

/* Hangs on a variable of which a part was touched. */
struct vv_touched {
    struct vv_attachment attachment;
    /* to read */
    uint64_t size;     /* bytes of the value that it is of */
    uint32_t *moments; /* by page: when it was touched last; 0: never in parts
                          since the value has this size */
};

/* NULL: it was touched as a whole only. */
const struct vv_touched *vv_touched_parts(const varve_node *node);

#endif
