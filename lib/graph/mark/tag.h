/* tag.h - Represents the tags of a node as bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TAG_H
#define VV_TAG_H

#include "node.h"

/* The tag of an object that represents None of Python. */
#define VV_TAG_NONE "none"

enum { VV_MAX_TAGS = 64 };

struct vv_node_tags {
    struct vv_attachment attachment;
    /* own */
    uint64_t bits;
};

extern const struct vv_attachment_kind vv_tags_kind;

/* Returns the tags of a node as bits. Bit 0 is tag 0 of its graph. */
static inline uint64_t vv_node_tags(const varve_node *node)
{
    const struct vv_node_tags *tags = vv_attachment_find(node, &vv_tags_kind);
    return tags ? tags->bits : 0;
}

/* Do what varve_tag and varve_untag do, without recording a fixed value
 * (fixed_value.h). */
void vv_tag(varve_node *node, const char *tag);
void vv_untag(varve_node *node, const char *tag);

/* Return the number of tags in the graph, and their names. */
unsigned vv_tag_count(const varve_graph *graph);
const struct vv_name *vv_tag_name(const varve_graph *graph, unsigned tag);

/* Returns the bit of a tag, or 0 if the graph does not have it. */
uint64_t vv_tag_bit(const varve_graph *graph, const char *tag);

/* Returns true if a node has the tag with this bit, which is that of
 * VARVE_TAG_LOCAL or 0. */
static inline bool vv_is_local(const varve_node *node, uint64_t local_bit)
{
    return (vv_node_tags(node) & local_bit) != 0;
}

#endif
