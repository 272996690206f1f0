/* tag.c - a graph's tags and who has them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tag.h"

#include <string.h>

#include "graph.h"
#include "name.h"

const struct vv_attachment_kind vv_tags_kind = { .size = sizeof(
                                                     struct vv_node_tags) };

uint64_t vv_tag_bit(const varve_graph *graph, const char *tag)
{
    for (unsigned i = 0; i < graph->tag_count; i++) {
        if (strcmp(graph->tags[i]->bytes, tag) == 0)
            return UINT64_C(1) << i;
    }
    return 0;
}

/* The bit of a tag, new to the graph or not; 0 after a mistake. */
static uint64_t take_bit(varve_graph *graph, const char *tag)
{
    uint64_t bit = vv_tag_bit(graph, tag);
    if (bit)
        return bit;
    if (graph->tag_count == VV_MAX_TAGS) {
        vv_mistake(graph, VARVE_LIMIT,
            "tag \"%.200s\": expected at most %d tags in a graph, found one "
            "more",
            tag, VV_MAX_TAGS);
        return 0;
    }
    const struct vv_name *name =
        vv_names_intern(&graph->names, tag, strlen(tag));
    if (!name) {
        vv_memory_mistake(graph);
        return 0;
    }
    graph->tags[graph->tag_count] = name;
    return UINT64_C(1) << graph->tag_count++;
}

void varve_tag(varve_node *node, const char *tag)
{
    node = vv_or_nil(node);
    if (vv_is_nil(node))
        return;
    if (!tag || !vv_name_is_valid(tag, strlen(tag))) {
        vv_mistake(node->graph, VARVE_BAD_NAME,
            "a tag is 1 to %d bytes of UTF-8, found another",
            VARVE_MAX_NAME_SIZE);
        return;
    }
    struct vv_node_tags *tags = vv_attachment_make(node, &vv_tags_kind);
    if (tags)
        tags->bits |= take_bit(node->graph, tag);
    else
        vv_memory_mistake(node->graph);
}

void varve_untag(varve_node *node, const char *tag)
{
    node = vv_or_nil(node);
    struct vv_node_tags *tags = vv_attachment_find(node, &vv_tags_kind);
    if (tags && tag)
        tags->bits &= ~vv_tag_bit(node->graph, tag);
}

bool varve_has_tag(const varve_node *node, const char *tag)
{
    node = vv_or_nil(node);
    return tag && (vv_node_tags(node) & vv_tag_bit(node->graph, tag)) != 0;
}
