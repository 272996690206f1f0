/* graph_new.c - Creates a graph that uses the real system.
 *
 * This is the only file that connects the graph with the system interface.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/graph.h>

#include "default_allocator.h"
#include "graph.h"
#include "store.h"

varve_graph *varve_graph_new(const varve_allocator *allocator)
{
    struct vv_context context = {
        .allocator = vv_allocator_or_default(allocator),
        .system = vv_default_system(),
    };
    return vv_graph_new_in(&context);
}
