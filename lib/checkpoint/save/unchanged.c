/* unchanged.c - an observer of the graph, which knows when nodes and edges came
 * or went, and what the last few saves have written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unchanged.h"

#include <stdatomic.h>
#include <string.h>

#include "allocator.h"
#include "graph.h"
#include "layout.h"
#include "system.h"

enum { REMEMBERED = 8 };

/* What a save has written. Equal digests and sizes are equal values. */
struct saved {
    const varve_node *root; /* NULL: none was */
    uint32_t moment;
    struct vv_digest digests;
    struct vv_digest sizes;
};

/* Shared by the graph and the cargos in flight, whoever lives longest. */
struct vv_past {
    varve_allocator allocator;
    atomic_uint users;
    unsigned next;
    struct saved saved[REMEMBERED];
};

struct watcher {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph;
    int64_t process;
    uint32_t built; /* when nodes, edges or slots came or went last */
    struct vv_past *past;
};

/* --- What was saved ------------------------------------------------------- */

static struct vv_past *new_past(const varve_allocator *a)
{
    struct vv_past *past = vv_allocate_zeroed(a, sizeof *past);
    if (!past)
        return NULL;
    past->allocator = *a;
    atomic_store(&past->users, 1);
    return past;
}

static void release_past(struct vv_past *past)
{
    if (!past || atomic_fetch_sub(&past->users, 1) > 1)
        return;
    const varve_allocator a = past->allocator;
    vv_release(&a, past, sizeof *past);
}

static struct saved as_saved(
    const struct vv_unchanged *u, const struct vv_index *index)
{
    return (struct saved){
        .root = u->root,
        .moment = u->moment,
        .digests = vv_digest_of(
            index->digests, (size_t)index->digest_count * VV_DIGEST_SIZE),
        .sizes = vv_digest_of(
            index->value_sizes, index->value_count * sizeof(uint64_t)),
    };
}

static bool is_same(const struct saved *a, const struct saved *b)
{
    return a->root == b->root && vv_digest_equal(&a->digests, &b->digests) &&
           vv_digest_equal(&a->sizes, &b->sizes);
}

bool vv_unchanged_since(const struct vv_unchanged *u,
    const struct vv_index *older, uint32_t *moment)
{
    bool is_known = false;
    if (!u->past)
        return false;
    const struct saved wanted = as_saved(u, older);
    for (size_t i = 0; i < REMEMBERED; i++) {
        const struct saved *s = &u->past->saved[i];
        if (s->moment < u->oldest || !is_same(s, &wanted) ||
            (is_known && s->moment < *moment))
            continue;
        *moment = s->moment;
        is_known = true;
    }
    return is_known;
}

void vv_unchanged_note(
    const struct vv_unchanged *u, const struct vv_index *index)
{
    struct vv_past *past = u->past;
    if (past)
        past->saved[past->next++ % REMEMBERED] = as_saved(u, index);
}

/* --- What the graph tells ------------------------------------------------- */

static void note_built(struct vv_observer *self)
{
    struct watcher *w = (struct watcher *)self;
    w->built = w->graph->moment;
}

static void edge_added(struct vv_observer *self, struct vv_edge *edge)
{
    (void)edge;
    note_built(self);
}

static void slot_added(struct vv_observer *self, struct vv_slot *slot)
{
    (void)slot;
    note_built(self);
}

static void node_came_or_went(struct vv_observer *self, varve_node *node)
{
    (void)node;
    note_built(self);
}

static void graph_freed(struct vv_observer *self)
{
    struct watcher *w = (struct watcher *)self;
    const varve_allocator a = w->context.allocator;
    release_past(w->past);
    vv_release(&a, w, sizeof *w);
}

static struct watcher *find(const varve_graph *graph)
{
    struct vv_observer *o = graph->newest;
    while (o && o->graph_freed != graph_freed)
        o = o->older;
    return (struct watcher *)o;
}

static struct watcher *new_watcher(varve_graph *graph)
{
    struct watcher *w =
        vv_allocate_zeroed(&graph->context.allocator, sizeof *w);
    if (!w)
        return NULL;
    w->context = graph->context;
    w->graph = graph;
    w->observer.edge_added = edge_added;
    w->observer.edge_removed = node_came_or_went;
    w->observer.children_moved = node_came_or_went;
    w->observer.slot_added = slot_added;
    w->observer.node_removed = node_came_or_went;
    w->observer.graph_freed = graph_freed;
    vv_graph_observe(graph, &w->observer);
    return w;
}

/* A fork may have come while the parent's saves were at work on what they
 * remember, so the child begins anew. */
static struct vv_past *past_of(struct watcher *w)
{
    const struct vv_system *s = w->context.system;
    int64_t process = s->process(s->state, NULL, 0);
    if (!w->past || w->process != process) {
        release_past(w->past);
        w->past = new_past(&w->context.allocator);
        w->process = process;
    }
    if (w->past)
        atomic_fetch_add(&w->past->users, 1);
    return w->past;
}

/* --- Gathering ------------------------------------------------------------ */

/* Small values are written together, and changed by the library itself. */
static bool may_be_unchanged(const varve_node *node, uint64_t size)
{
    return node->variable && size >= VV_PAGED_SIZE;
}

static void note_touched(struct vv_unchanged *u, const struct vv_walk *walk,
    const struct vv_index *index)
{
    u->touched = vv_allocate_array(
        walk->allocator, index->value_count, sizeof *u->touched);
    if (!u->touched)
        return;
    u->count = index->value_count;
    for (uint32_t i = 0; i < index->value_count; i++) {
        const varve_node *node =
            walk->steps[vv_at32(index->value_nodes, i)].node;
        u->touched[i] = may_be_unchanged(node, vv_at64(index->value_sizes, i))
                            ? node->touched
                            : u->moment;
    }
}

void vv_unchanged_gather(struct vv_unchanged *u, const struct vv_walk *walk,
    const struct vv_index *index, const varve_write_options *options)
{
    varve_graph *graph = walk->graph;
    *u = (struct vv_unchanged){ .root = walk->steps->node };
    if (!options->layered || !options->only_touched ||
        graph->moment == UINT32_MAX)
        return;
    struct watcher *w = find(graph);
    if (!w)
        w = new_watcher(graph);
    u->past = w ? past_of(w) : NULL;
    if (!u->past)
        return;
    u->oldest = w->built;
    u->moment = graph->moment++;
    note_touched(u, walk, index);
}

bool vv_is_unchanged(
    const struct vv_unchanged *u, uint32_t value, uint32_t since)
{
    return u->touched && u->touched[value] <= since;
}

void vv_unchanged_clear(struct vv_unchanged *u, const varve_allocator *a)
{
    vv_release(a, u->touched, u->count * sizeof *u->touched);
    release_past(u->past);
    *u = (struct vv_unchanged){ .past = NULL };
}
