/* tag.h - tags as bits of a node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TAG_H
#define VV_TAG_H

#include "attachment.h"

enum { VV_MAX_TAGS = 64 };

struct vv_node_tags {
    struct vv_attachment attachment;
    /* own */
    uint64_t bits;
};

extern const struct vv_attachment_kind vv_tags_kind;

/* The tags of a node, as bits: the first is that of tag 0 of its graph. */
static inline uint64_t vv_node_tags(const varve_node *node)
{
    const struct vv_node_tags *tags = vv_attachment_find(node, &vv_tags_kind);
    return tags ? tags->bits : 0;
}

/* varve_tag and varve_untag, without the record of a value that is fixed
 * (fixed_value.h). */
void vv_tag(varve_node *node, const char *tag);
void vv_untag(varve_node *node, const char *tag);

/* How many tags the graph knows, and their names. */
unsigned vv_tag_count(const varve_graph *graph);
const struct vv_name *vv_tag_name(const varve_graph *graph, unsigned tag);

/* The bit of a tag that the graph knows; 0 if it does not. */
uint64_t vv_tag_bit(const varve_graph *graph, const char *tag);

static inline bool vv_is_local(const varve_node *node, uint64_t local_bit)
{
    return (vv_node_tags(node) & local_bit) != 0;
}

#endif
