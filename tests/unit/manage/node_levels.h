/* node_levels.h - Creates nodes with a shared tier "far", checks its content
 * for all ranks, and provides a gate at which copies wait.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_NODE_LEVELS_H
#define UNIT_NODE_LEVELS_H

#include "node_world.h"

static inline void begin_far(const varve_level *level)
{
    begin_nodes(4, VARVE_XOR);
    nodes.options.keep_last = 1;
    nodes.options.levels = level;
    nodes.options.level_count = 1;
    nodes.drains = true;
}

/* Returns the number of ranks that have a checkpoint at the tier. */
static inline size_t count_far(int number)
{
    char ending[32];
    snprintf(ending, sizeof ending, "/ckpt-%d.varve", number);
    return count_files("far/rank-", ending);
}

static inline void lose_all_nodes(void)
{
    for (uint32_t i = 0; i < nodes.count; i++)
        lose_node(i);
}

#endif
