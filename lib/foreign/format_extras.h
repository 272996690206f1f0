/* format_extras.h - Stores properties of nodes that a format has but a graph
 * cannot represent (struct vv_kept in formats.h): the part that formats use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FORMAT_EXTRAS_H
#define VV_FORMAT_EXTRAS_H

#include "formats.h"

struct vv_kept_item {
    uint32_t node;
    uint32_t size;
    uint64_t at;
};

/* Adds data of a node; at most once for each node, and before the nodes are
 * numbered. */
void vv_kept_add(
    struct vv_kept *kept, uint32_t node, const void *bytes, size_t size);

/* Renumbers the items: node i becomes numbers[i]. If that is VV_NONE, the item
 * is dropped. vv_kept_find must be called afterwards only. */
void vv_kept_number(struct vv_kept *kept, const uint32_t *numbers);

static inline bool vv_kept_failed(const struct vv_kept *kept)
{
    return kept->items.failed || kept->bytes.failed;
}

#endif
