/* opaque.c - Keeps data of a loaded file that the graph does not store itself,
 * in an observer of the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "opaque.h"

#include <string.h>

#include "allocator.h"
#include "index.h"
#include "node.h"
#include "state.h"

struct kept_of_file {
    struct vv_observer observer;
    varve_graph *graph;
    varve_metadata *metadata; /* with its strings */
    size_t count;
    struct vv_kept kept;
    uint32_t *saved_as; /* indexed by the number of a node of the graph: the
                           number in the file, or VV_NONE */
    size_t numbers;
};

static varve_status opaque_save(void *self, varve_sink *sink)
{
    const struct vv_buffer *bytes = self;
    varve_put(sink, bytes->data, bytes->size);
    return VARVE_OK;
}

/* Stores the bytes of a state. Storing the older bytes again when a restoration
 * is undone cannot fail, as the buffer is large enough. */
static varve_status opaque_load(void *self, const void *bytes, size_t size)
{
    struct vv_buffer *kept = self;
    size_t old = kept->size;
    kept->size = 0;
    kept->failed = false;
    if (size)
        vv_buffer_add(kept, bytes, size);
    if (!kept->failed)
        return VARVE_OK;
    kept->failed = false;
    kept->size = old;
    return VARVE_NO_MEMORY;
}

const varve_state_callbacks vv_opaque_callbacks = { opaque_save, opaque_load };

struct vv_buffer *vv_opaque_new(varve_graph *graph)
{
    const varve_allocator *a = &graph->context.allocator;
    struct vv_buffer *bytes = vv_allocate(a, sizeof *bytes);
    if (bytes)
        vv_buffer_init(bytes, a);
    return bytes;
}

void vv_opaque_free(varve_graph *graph, struct vv_buffer *bytes)
{
    if (!bytes)
        return;
    vv_buffer_clear(bytes);
    vv_release(&graph->context.allocator, bytes, sizeof *bytes);
}

/* --- Callbacks of the graph ----------------------------------------------- */

static void opaque_node_removed(struct vv_observer *self, varve_node *node)
{
    const struct kept_of_file *k = (const struct kept_of_file *)self;
    if (node->number < k->numbers)
        k->saved_as[node->number] = VV_NONE;
    struct vv_node_state *state = vv_state_of(node);
    if (state && state->callbacks.save == opaque_save) {
        vv_opaque_free(node->graph, state->self);
        state->self = NULL;
    }
}

static void free_metadata(struct kept_of_file *k)
{
    const varve_allocator *a = &k->graph->context.allocator;
    for (size_t i = 0; i < k->count; i++) {
        vv_release_string(a, (char *)k->metadata[i].name);
        if (k->metadata[i].kind == VARVE_METADATA_STRING)
            vv_release_string(a, (char *)k->metadata[i].string);
    }
    vv_release(a, k->metadata, k->count * sizeof *k->metadata);
    k->metadata = NULL;
    k->count = 0;
}

static void opaque_graph_freed(struct vv_observer *self)
{
    struct kept_of_file *k = (struct kept_of_file *)self;
    for (varve_node *node = vv_newest_node(k->graph); node;
         node = vv_older_node(node))
        opaque_node_removed(self, node);
    free_metadata(k);
    vv_kept_clear(&k->kept);
    vv_release(&k->graph->context.allocator, k->saved_as,
        k->numbers * sizeof *k->saved_as);
    vv_release(&k->graph->context.allocator, k, sizeof *k);
}

static struct kept_of_file *opaque_find(const varve_graph *graph)
{
    return (struct kept_of_file *)vv_graph_observer(graph, opaque_graph_freed);
}

bool vv_opaque_watch(varve_graph *graph)
{
    if (opaque_find(graph))
        return true;
    struct kept_of_file *k =
        vv_allocate_zeroed(&graph->context.allocator, sizeof *k);
    if (!k)
        return false;
    k->graph = graph;
    vv_kept_init(&k->kept, &graph->context.allocator);
    k->observer.node_removed = opaque_node_removed;
    k->observer.graph_freed = opaque_graph_freed;
    vv_graph_observe(graph, &k->observer);
    return true;
}

/* --- Metadata ----------------------------------------------------------- */

bool vv_graph_keep_metadata(
    varve_graph *graph, const varve_metadata *metadata, size_t count)
{
    struct kept_of_file *k = opaque_find(graph);
    const varve_allocator *a = &graph->context.allocator;
    if (count == 0)
        return true;
    k->metadata = vv_allocate_zeroed(a, count * sizeof *k->metadata);
    if (!k->metadata)
        return false;
    /* Set before all are copied, so that incomplete metadata is freed with the
     * graph. */
    k->count = count;
    for (size_t i = 0; i < count; i++) {
        varve_metadata *m = &k->metadata[i];
        bool is_text = metadata[i].kind == VARVE_METADATA_STRING;
        *m = metadata[i];
        m->name = vv_copy_string(a, metadata[i].name);
        m->string = is_text ? vv_copy_string(a, metadata[i].string) : NULL;
        if (!m->name || (is_text && !m->string))
            return false;
    }
    return true;
}

const varve_metadata *vv_graph_kept_metadata(
    const varve_graph *graph, size_t *count)
{
    const struct kept_of_file *k = opaque_find(graph);
    *count = k ? k->count : 0;
    return k ? k->metadata : NULL;
}

/* --- Data of other formats ------------------------------------------------ */

bool vv_graph_keep_nodes(varve_graph *graph, struct vv_kept *kept,
    varve_node *const *nodes, size_t count)
{
    struct kept_of_file *k = opaque_find(graph);
    const varve_allocator *a = &graph->context.allocator;
    if (kept->items.size == 0)
        return true;
    k->saved_as =
        vv_allocate_array(a, graph->number_limit, sizeof *k->saved_as);
    if (!k->saved_as)
        return false;
    k->numbers = graph->number_limit;
    memset(k->saved_as, 0xff, k->numbers * sizeof *k->saved_as);
    for (size_t i = 0; i < count; i++)
        k->saved_as[nodes[i]->number] = (uint32_t)i;
    vv_kept_move(&k->kept, kept, a);
    return true;
}

const unsigned char *vv_graph_kept_of(
    const varve_node *node, varve_format format, size_t *size)
{
    const struct kept_of_file *k = opaque_find(node->graph);
    bool is_of_file = k && vv_kept_is_for(&k->kept, format) &&
                      node->number < k->numbers &&
                      k->saved_as[node->number] != VV_NONE;
    *size = 0;
    return is_of_file ? vv_kept_find(&k->kept, k->saved_as[node->number], size)
                      : NULL;
}
