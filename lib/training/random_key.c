/* random_key.c - Derives keys from a seed and a name, and adds streams to a
 * graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "random_key.h"

#include <string.h>

#include <varve/random.h>

#include "bytes.h"
#include "checksum.h"
#include "edge.h"
#include "graph.h"
#include "name.h"
#include "path_end.h"

/* Hashes twice, so that a text of any length needs no memory. */
void vv_random_key(
    uint64_t key[2], const uint64_t *numbers, size_t count, const char *text)
{
    unsigned char bytes[2 * 8 + 16];
    struct vv_digest digest = vv_digest_of(text, strlen(text));
    for (size_t i = 0; i < count; i++)
        vv_store64(bytes + 8 * i, numbers[i]);
    memcpy(bytes + 8 * count, digest.bytes, sizeof digest.bytes);
    digest = vv_digest_of(bytes, 8 * count + sizeof digest.bytes);
    /* The bytes of a digest are in big-endian order. */
    key[0] = key[1] = 0;
    for (int i = 0; i < 8; i++) {
        key[1] = key[1] << 8 | digest.bytes[i];
        key[0] = key[0] << 8 | digest.bytes[8 + i];
    }
}

/* Computes the size of the path from the root to a node, with the slash behind
 * each name. Returns false if the node is not reachable from the root. */
static bool size_of_climb(const varve_node *node, size_t *size)
{
    const varve_graph *graph = node->graph;
    *size = 0;
    for (uint32_t i = 0; node != graph->root; i++) {
        const struct vv_edge *edge = vv_first_in(node);
        if (!edge || i == graph->number_limit)
            return false;
        *size +=
            1 + vv_path_name_size(edge->public.name, vv_edge_name(edge)->size);
        node = edge->parent;
    }
    return true;
}

/* Builds the path from the root to a new child of `parent`. Returns false if
 * `parent` is not reachable from the root. */
static bool climb(
    struct vv_buffer *path, const varve_node *parent, const char *name)
{
    char decimal[24];
    struct vv_path_end end;
    size_t size = vv_decimal(parent->edge_count, decimal), above;
    if (parent->kind != VARVE_LIST)
        size = strlen(name);
    else
        name = decimal;
    if (!size_of_climb(parent, &above))
        return false;
    if (!vv_path_end_begin(
            &end, path, above + vv_path_name_size(name, size), SIZE_MAX / 2))
        return true; /* path->failed */
    vv_path_end_add_name(&end, name, size);
    for (const varve_node *node = parent; node != parent->graph->root;) {
        const struct vv_edge *edge = vv_first_in(node);
        vv_path_end_add(&end, '/');
        vv_path_end_add_name(&end, edge->public.name, vv_edge_name(edge)->size);
        node = edge->parent;
    }
    return true;
}

/* Returns false after an error. */
static bool derive(
    varve_node *parent, const char *name, varve_random *stream, uint64_t seed)
{
    varve_graph *graph = parent->graph;
    struct vv_buffer path;
    vv_buffer_init(&path, &graph->context.allocator);
    bool found = climb(&path, parent, name);
    const char *text = vv_buffer_string(&path);
    if (path.failed) {
        vv_graph_memory_error(graph);
    } else if (!found) {
        char where[256];
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: \"%.200s\": a random stream needs an object that can be "
            "reached from the root: the stream is derived from its path",
            vv_node_text(parent, where, sizeof where), name);
    } else {
        *stream = (varve_random){ .position = 0 };
        uint64_t seeds[2] = { vv_graph_seed(graph), seed };
        vv_random_key(stream->key, seeds, seed ? 2 : 1, text);
    }
    found = found && !path.failed;
    vv_buffer_clear(&path);
    return found;
}

/* Returns true if a stream can be added; otherwise records an error. */
static bool random_key_may_add(
    varve_node *parent, const char *name, const varve_random *stream)
{
    if (!vv_node_takes_children(parent, name))
        return false;
    if (!stream)
        vv_graph_error(parent->graph, VARVE_MISUSE, "%s: stream is NULL",
            name ? name : "list element");
    return stream != NULL;
}

static varve_node *random_key_add(
    varve_node *parent, const char *name, varve_random *stream)
{
    const uint64_t two = 2;
    varve_node *node = varve_add_object(parent, name);
    varve_tag(node, VARVE_TAG_RANDOM);
    varve_add_variable(node, "key",
        varve_view(stream->key, VARVE_UINT64, varve_shape_of(1, &two)));
    varve_add_variable(node, "position",
        varve_view(&stream->position, VARVE_UINT64, varve_shape_of(0, NULL)));
    return node;
}

varve_node *varve_add_seeded_random(
    varve_node *parent, const char *name, varve_random *stream)
{
    parent = vv_or_nil(parent);
    return random_key_may_add(parent, name, stream)
               ? random_key_add(parent, name, stream)
               : &parent->graph->nil;
}

varve_node *varve_add_random(
    varve_node *parent, const char *name, varve_random *stream, uint64_t seed)
{
    parent = vv_or_nil(parent);
    bool has_path = parent->kind == VARVE_LIST || name;
    if (!random_key_may_add(parent, name, stream) ||
        (has_path &&
            !derive(parent, name ? name : "list element", stream, seed)))
        return &parent->graph->nil;
    return random_key_add(parent, name, stream);
}
