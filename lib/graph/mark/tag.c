/* tag.c - Stores the tags of a graph and of its nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tag.h"

#include <string.h>

#include "graph.h"
#include "name.h"

const struct vv_attachment_kind vv_tags_kind = { .size = sizeof(
                                                     struct vv_node_tags) };

/* The tags of a graph. */
struct known_tags {
    struct vv_attachment attachment;
    unsigned count;
    const struct vv_name *names[VV_MAX_TAGS];
};

static size_t tag_keep_names(const void *self)
{
    const struct known_tags *known = self;
    for (unsigned i = 0; i < known->count; i++)
        vv_name_keep(known->names[i]);
    return known->count;
}

static const struct vv_attachment_kind known_kind = {
    .size = sizeof(struct known_tags),
    .keep_names = tag_keep_names,
};

unsigned vv_tag_count(const varve_graph *graph)
{
    const struct known_tags *known =
        vv_attachment_find(&graph->nil, &known_kind);
    return known ? known->count : 0;
}

const struct vv_name *vv_tag_name(const varve_graph *graph, unsigned tag)
{
    const struct known_tags *known =
        vv_attachment_find(&graph->nil, &known_kind);
    return known->names[tag];
}

uint64_t vv_tag_bit(const varve_graph *graph, const char *tag)
{
    unsigned count = vv_tag_count(graph);
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(vv_tag_name(graph, i)->bytes, tag) == 0)
            return UINT64_C(1) << i;
    }
    return 0;
}

/* Returns the bit of a tag, and adds it to the graph if needed. Returns 0 after
 * an error. */
static uint64_t take_bit(varve_graph *graph, const char *tag)
{
    uint64_t bit = vv_tag_bit(graph, tag);
    if (bit)
        return bit;
    if (vv_tag_count(graph) == VV_MAX_TAGS) {
        vv_graph_error(graph, VARVE_LIMIT,
            "tag \"%.200s\": a graph can have at most %d tags", tag,
            VV_MAX_TAGS);
        return 0;
    }
    struct known_tags *known = vv_attachment_make(&graph->nil, &known_kind);
    const struct vv_name *name =
        vv_names_intern(&graph->names, tag, strlen(tag));
    if (!known || !name) {
        vv_graph_memory_error(graph);
        return 0;
    }
    known->names[known->count] = name;
    return UINT64_C(1) << known->count++;
}

void vv_tag(varve_node *node, const char *tag)
{
    if (vv_is_nil(node)) {
        vv_graph_note_lost(node->graph, "tagging", tag);
        return;
    }
    if (!tag || !vv_name_is_valid(tag, strlen(tag))) {
        vv_graph_error(node->graph, VARVE_BAD_NAME,
            "a tag must be 1 to %d bytes of UTF-8", VARVE_MAX_NAME_SIZE);
        return;
    }
    struct vv_node_tags *tags = vv_attachment_make(node, &vv_tags_kind);
    if (tags)
        tags->bits |= take_bit(node->graph, tag);
    else
        vv_graph_memory_error(node->graph);
}

void vv_untag(varve_node *node, const char *tag)
{
    struct vv_node_tags *tags = vv_attachment_find(node, &vv_tags_kind);
    if (tags && tag)
        tags->bits &= ~vv_tag_bit(node->graph, tag);
    if (tags)
        node->graph->has_new_views = true; /* values with the tag were not
                                              checked for overlaps */
}

bool varve_has_tag(const varve_node *node, const char *tag)
{
    node = vv_or_nil(node);
    return tag && (vv_node_tags(node) & vv_tag_bit(node->graph, tag)) != 0;
}
