/* ring.c - Keeps the last few snapshots and reuses their memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/snapshot.h>

#include "allocator.h"
#include "failure.h"
#include "graph.h"

struct varve_ring {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph; /* NULL after it is freed */
    varve_node *root;   /* NULL after it is removed */
    varve_snapshot_options options;
    char *except; /* storage of options.except */
    char *tag;    /* storage of options.tag */
    size_t room;
    size_t count;
    size_t newest;            /* index of the newest snapshot, if there is
                                 one */
    varve_snapshot *places[]; /* NULL: not made yet */
};

static size_t ring_size_of(size_t room)
{
    return sizeof(struct varve_ring) + room * sizeof(varve_snapshot *);
}

static void ring_node_removed(struct vv_observer *self, varve_node *node)
{
    varve_ring *ring = (varve_ring *)self;
    if (node == ring->root)
        ring->root = NULL;
}

static void ring_graph_freed(struct vv_observer *self)
{
    varve_ring *ring = (varve_ring *)self;
    ring->graph = NULL;
    ring->root = NULL;
}

static void ring_watch(varve_ring *ring, varve_node *root)
{
    ring->graph = root->graph;
    ring->root = root;
    ring->observer.node_removed = ring_node_removed;
    ring->observer.graph_freed = ring_graph_freed;
    vv_graph_observe(root->graph, &ring->observer);
}

/* Copies the options and their strings. Returns false if out of memory. */
static bool ring_keep_options(
    varve_ring *ring, const varve_snapshot_options *options)
{
    const varve_allocator *a = &ring->context.allocator;
    ring->options = *options;
    if (options->except)
        ring->except = vv_copy_string(a, options->except);
    if (options->tag)
        ring->tag = vv_copy_string(a, options->tag);
    ring->options.except = ring->except;
    ring->options.tag = ring->tag;
    return !options->except == !ring->except && !options->tag == !ring->tag;
}

varve_ring *varve_ring_new(varve_node *root, size_t count,
    const varve_snapshot_options *options, varve_error *error)
{
    enum { MOST = 1 << 20 };
    if (root && varve_graph_check(root->graph, error))
        return NULL;
    if (!root || vv_is_nil(root) || count == 0 || count > MOST) {
        vv_fail(error, VARVE_MISUSE,
            "ring: node is NULL, or the number of snapshots is not 1 to %d "
            "(%zu)",
            MOST, count);
        return NULL;
    }
    if (VV_CHECK_OPTIONS(options, error))
        return NULL;
    const varve_allocator *a = &root->graph->context.allocator;
    varve_ring *ring = vv_allocate_zeroed(a, ring_size_of(count));
    if (!ring) {
        vv_fail_memory(error, "a ring of snapshots");
        return NULL;
    }
    ring->context = root->graph->context;
    ring->room = count;
    ring_watch(ring, root);
    if (options && !ring_keep_options(ring, options)) {
        varve_ring_free(ring);
        vv_fail_memory(error, "a ring of snapshots");
        return NULL;
    }
    return ring;
}

void varve_ring_free(varve_ring *ring)
{
    if (!ring)
        return;
    if (ring->graph)
        vv_graph_forget(ring->graph, &ring->observer);
    const varve_allocator a = ring->context.allocator;
    for (size_t i = 0; i < ring->room; i++)
        varve_snapshot_free(ring->places[i]);
    vv_release_string(&a, ring->except);
    vv_release_string(&a, ring->tag);
    vv_release(&a, ring, ring_size_of(ring->room));
}

/* Makes a new snapshot in the place of one that no longer fits, or of none. */
static varve_status ring_renew(
    varve_ring *ring, varve_snapshot **snapshot, varve_error *error)
{
    varve_snapshot *fresh =
        varve_snapshot_new_with(ring->root, &ring->options, error);
    if (!fresh)
        return error->status;
    varve_snapshot_free(*snapshot);
    *snapshot = fresh;
    return VARVE_OK;
}

varve_status varve_ring_push(varve_ring *ring, varve_error *error)
{
    if (!ring)
        return vv_fail_none(error, "ring", "varve_ring_new");
    if (!ring->root)
        return vv_fail(error, VARVE_MISMATCH, "ring: its node was removed");
    size_t place = ring->count ? (ring->newest + 1) % ring->room : 0;
    varve_snapshot **snapshot = &ring->places[place];
    varve_error reason = { 0 };
    /* Reuses the oldest snapshot. If the set of variables has changed, it is
     * made anew. */
    varve_status status =
        *snapshot ? varve_snapshot_retake(*snapshot, &reason) : VARVE_MISMATCH;
    if (status == VARVE_MISMATCH)
        status = ring_renew(ring, snapshot, &reason);
    if (status) {
        if (error)
            *error = reason;
        return status;
    }
    ring->newest = place;
    if (ring->count < ring->room)
        ring->count++;
    return VARVE_OK;
}

size_t varve_ring_count(const varve_ring *ring)
{
    return ring ? ring->count : 0;
}

varve_snapshot *varve_ring_at(const varve_ring *ring, size_t back)
{
    if (!ring || back >= ring->count)
        return NULL;
    return ring->places[(ring->newest + ring->room - back) % ring->room];
}

varve_status varve_ring_rollback(
    varve_ring *ring, size_t back, varve_error *error)
{
    if (!ring)
        return vv_fail_none(error, "ring", "a call");
    varve_snapshot *snapshot = varve_ring_at(ring, back);
    if (!snapshot)
        return vv_fail(error, VARVE_NOT_FOUND,
            "ring: there is no snapshot %zu back, only %zu in all", back,
            varve_ring_count(ring));
    varve_status status = varve_snapshot_restore(snapshot, error);
    if (status)
        return status;
    ring->newest = (ring->newest + ring->room - back) % ring->room;
    ring->count -= back;
    return VARVE_OK;
}
