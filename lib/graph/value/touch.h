/* touch.h - which values have changed, as far as somebody says so.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TOUCH_H
#define VV_TOUCH_H

#include "graph.h"

/* The value of a node changes, or has just changed. */
static inline void vv_touch(varve_node *node)
{
    node->touched = node->graph->moment;
}

#endif
