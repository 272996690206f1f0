/* tag.h - tags as bits of a node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TAG_H
#define VV_TAG_H

#include "node.h"

/* The bit of a tag that the graph knows; 0 if it does not. */
uint64_t vv_tag_bit(const varve_graph *graph, const char *tag);

static inline bool vv_is_local(const varve_node *node, uint64_t local_bit)
{
    return (vv_node_tags(node) & local_bit) != 0;
}

#endif
