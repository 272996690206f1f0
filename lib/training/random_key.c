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
#include "node.h"
#include "path_end.h"

/* Derives a key from the digest of a text. Hashing the text by itself needs no
 * memory for it. */
static void key_of_digest(uint64_t key[2], const uint64_t *numbers,
    size_t count, struct vv_digest digest)
{
    unsigned char bytes[2 * 8 + 16];
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

void vv_random_key(
    uint64_t key[2], const uint64_t *numbers, size_t count, const char *text)
{
    key_of_digest(key, numbers, count, vv_digest_of(text, strlen(text)));
}

/* --- Paths -------------------------------------------------------------- */

/* The digest of the path of the last node to which a stream was added, so that
 * streams along a long path do not digest its beginning again. */
struct last_path {
    struct vv_attachment attachment;
    struct vv_digester *digester; /* NULL: not allocated yet */
    const varve_node *node;       /* NULL: none */
    uint64_t path_changes;        /* of the graph when it was correct */
};

static void last_path_release(varve_node *node, void *self)
{
    struct last_path *last = self;
    vv_digester_free(&node->graph->context.allocator, last->digester);
}

static const struct vv_attachment_kind last_path_kind = {
    .size = sizeof(struct last_path),
    .release = last_path_release,
};

/* Returns NULL if out of memory. */
static struct last_path *last_path_of(varve_graph *graph)
{
    struct last_path *last = vv_attachment_make(&graph->nil, &last_path_kind);
    if (last && !last->digester)
        last->digester = vv_digester_new(&graph->context.allocator);
    if (!last || !last->digester)
        return NULL;
    if (last->path_changes != graph->path_changes)
        last->node = NULL;
    return last;
}

/* Finds the node above `node` where the climb ends: `known` or the root. Adds
 * up the size of the path below it, with a slash for each name. Returns NULL if
 * the node is not reachable from the root. */
static const varve_node *size_of_climb(
    const varve_node *node, const varve_node *known, size_t *size)
{
    const varve_graph *graph = node->graph;
    *size = 0;
    for (uint32_t i = 0; node != graph->root && node != known; i++) {
        const struct vv_edge *edge = vv_first_in(node);
        if (!edge || i == graph->number_limit)
            return NULL;
        *size +=
            1 + vv_path_name_size(edge->public.name, vv_edge_name(edge)->size);
        node = edge->parent;
    }
    return node;
}

/* Builds the path to `node` from a node above it. It begins with a slash unless
 * that is the root. */
static void build_path(struct vv_buffer *path, const varve_node *node,
    const varve_node *above, size_t size)
{
    struct vv_path_end end;
    bool has_slash = above != node->graph->root;
    if (node == above ||
        !vv_path_end_begin(&end, path, size - !has_slash, SIZE_MAX / 2))
        return; /* nothing, or path->failed */
    while (node != above) {
        const struct vv_edge *edge = vv_first_in(node);
        vv_path_end_add_name(&end, edge->public.name, vv_edge_name(edge)->size);
        node = edge->parent;
        if (node != above || has_slash)
            vv_path_end_add(&end, '/');
    }
}

/* Adds the path of a node to the digest. Returns false if the node is not
 * reachable from the root. */
static bool digest_path(
    struct last_path *last, const varve_node *node, struct vv_buffer *path)
{
    size_t size;
    const varve_node *above = size_of_climb(node, last->node, &size);
    if (!above)
        return false;
    build_path(path, node, above, size);
    if (path->failed)
        return true;
    if (above != last->node)
        vv_digester_restart(last->digester);
    vv_digester_add(last->digester, path->data, path->size);
    last->node = node;
    last->path_changes = node->graph->path_changes;
    return true;
}

/* Builds the end of the path of a new child. */
static void build_name(
    struct vv_buffer *path, const varve_node *parent, const char *name)
{
    char decimal[24];
    struct vv_path_end end;
    bool has_slash = parent != parent->graph->root;
    size_t size = vv_decimal(parent->edge_count, decimal);
    if (parent->kind != VARVE_LIST)
        size = strlen(name);
    else
        name = decimal;
    if (!vv_path_end_begin(&end, path,
            vv_path_name_size(name, size) + has_slash, SIZE_MAX / 2))
        return; /* path->failed */
    vv_path_end_add_name(&end, name, size);
    if (has_slash)
        vv_path_end_add(&end, '/');
}

/* Returns false after an error. */
static bool derive(
    varve_node *parent, const char *name, varve_random *stream, uint64_t seed)
{
    varve_graph *graph = parent->graph;
    struct last_path *last = last_path_of(graph);
    struct vv_buffer path;
    vv_buffer_init(&path, &graph->context.allocator);
    bool found = !last || digest_path(last, parent, &path);
    if (last && found && !path.failed)
        build_name(&path, parent, name);
    if (!last || path.failed) {
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
        key_of_digest(stream->key, seeds, seed ? 2 : 1,
            vv_digester_end_with(last->digester, path.data, path.size));
    }
    found = last && found && !path.failed;
    vv_buffer_clear(&path);
    return found;
}

/* --- Streams ------------------------------------------------------------ */

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
