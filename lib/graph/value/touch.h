/* touch.h - which values have changed, as far as somebody says so.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TOUCH_H
#define VV_TOUCH_H

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

#endif
