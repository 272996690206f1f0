/* unchanged.c - Observes when nodes and edges of a graph change, and remembers
 * the values of the last few saves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unchanged.h"

#include <stdatomic.h>
#include <string.h>

#include "allocator.h"
#include "digest_cache.h"
#include "dirty.h"
#include "graph.h"
#include "layout.h"
#include "memory_table.h"
#include "system.h"
#include "touch.h"
#include "variable.h"

enum { REMEMBERED = 8 };

_Static_assert((int)VV_TOUCHED_PAGE == (int)VV_PAGE_ALIGNMENT,
    "what is touched is written page by page");

/* The values of a save. Values with equal sizes and digests are equal. */
struct saved {
    const varve_node *root; /* NULL: this entry is not in use */
    uint32_t moment;
    struct vv_digest digests;
    struct vv_digest sizes;
};

/* Shared by the graph and its save plans in flight, and freed with the last of
 * them. `users` and `cache` are atomic. `next` and `saved` are used by one save
 * at a time. */
struct vv_past {
    varve_allocator allocator;
    atomic_uint users;
    unsigned next;
    struct saved saved[REMEMBERED];
    struct vv_digest_cache cache;
};

/* The moment of a save, and the number of the dirty-page query that was made
 * then. */
struct look {
    uint32_t moment;
    uint64_t number;
};

/* A part of a value that is unchanged since `moment`. */
struct run {
    uint32_t value;
    uint32_t moment;
    uint64_t begin, end;
};

struct watcher {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph;
    int64_t process;
    uint32_t built; /* moment of the last change of nodes, edges or slots */
    struct vv_past *past;
    struct vv_dirty *dirty;        /* NULL: writes are not tracked */
    struct look looks[REMEMBERED]; /* the last ones, oldest first */
    unsigned look_count;
    struct vv_value_ends ends;
};

/* --- Values that were saved ----------------------------------------------- */

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
    vv_digest_cache_clear(&past->cache, &a);
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

static bool unchanged_is_same(const struct saved *a, const struct saved *b)
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
        if (s->moment < u->oldest || !unchanged_is_same(s, &wanted) ||
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

/* --- Digests -------------------------------------------------------------- */

static void unchanged_give_back(struct vv_unchanged *u)
{
    if (u->known)
        vv_digest_cache_put(&u->past->cache, &u->past->allocator, u->known);
    u->known = NULL;
}

/* Does not use digests of a later save, as they are of later values. */
void vv_unchanged_take(struct vv_unchanged *u, const uint8_t *sizes)
{
    if (!u->past || u->known)
        return;
    u->known = vv_digest_cache_take(
        &u->past->cache, &u->past->allocator, u->root, u->oldest);
    if (!u->known)
        return;
    struct vv_digest now = vv_digest_of(sizes, u->count * sizeof(uint64_t));
    if (u->known->moment > u->moment ||
        !vv_digest_equal(&u->known->sizes, &now))
        unchanged_give_back(u);
}

void vv_unchanged_keep(struct vv_unchanged *u, const struct vv_index *index)
{
    const varve_allocator *a = &u->past->allocator;
    struct vv_known_digests *known = vv_known_digests_new(a, index);
    if (!known)
        return;
    vv_unchanged_drop(u);
    known->root = u->root;
    known->moment = u->moment;
    u->known = known;
}

void vv_unchanged_drop(struct vv_unchanged *u)
{
    if (u->known)
        vv_known_digests_free(&u->past->allocator, u->known);
    u->known = NULL;
}

/* --- Callbacks of the graph ----------------------------------------------- */

static void note_built(struct vv_observer *self)
{
    struct watcher *w = (struct watcher *)self;
    w->built = w->graph->moment;
}

static void unchanged_edge_added(struct vv_observer *self, struct vv_edge *edge)
{
    (void)edge;
    note_built(self);
}

static void unchanged_slot_added(struct vv_observer *self, struct vv_slot *slot)
{
    (void)slot;
    note_built(self);
}

static void node_came_or_went(struct vv_observer *self, varve_node *node)
{
    (void)node;
    note_built(self);
}

static void unchanged_graph_freed(struct vv_observer *self)
{
    struct watcher *w = (struct watcher *)self;
    const varve_allocator a = w->context.allocator;
    release_past(w->past);
    vv_dirty_free(w->dirty);
    vv_value_ends_clear(&w->ends);
    vv_release(&a, w, sizeof *w);
}

static struct watcher *find_watcher(const varve_graph *graph)
{
    return (struct watcher *)vv_graph_observer(graph, unchanged_graph_freed);
}

static struct watcher *new_watcher(varve_graph *graph)
{
    struct watcher *w =
        vv_allocate_zeroed(&graph->context.allocator, sizeof *w);
    if (!w)
        return NULL;
    w->context = graph->context;
    w->graph = graph;
    vv_value_ends_init(&w->ends, &w->context.allocator);
    w->observer.edge_added = unchanged_edge_added;
    w->observer.edge_removed = node_came_or_went;
    w->observer.children_moved = node_came_or_went;
    w->observer.slot_added = unchanged_slot_added;
    w->observer.node_removed = node_came_or_went;
    w->observer.graph_freed = unchanged_graph_freed;
    vv_graph_observe(graph, &w->observer);
    return w;
}

static struct watcher *watcher_of(varve_graph *graph)
{
    struct watcher *w = find_watcher(graph);
    return w ? w : new_watcher(graph);
}

static struct vv_dirty *dirty_of(struct watcher *w)
{
    if (!w->dirty)
        w->dirty = vv_dirty_new(&w->context);
    return w->dirty;
}

struct vv_dirty *vv_unchanged_dirty(varve_graph *graph)
{
    struct watcher *w = watcher_of(graph);
    struct vv_dirty *dirty = w ? dirty_of(w) : NULL;
    return dirty ? vv_dirty_share(dirty) : NULL;
}

/* Returns the shared data with a reference. A child process starts with new
 * data after a fork, as the parent may have been changing the old when it
 * forked. */
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

struct gathering {
    struct vv_unchanged *unchanged;
    const struct vv_walk *walk;
    const struct vv_index *index;
    struct watcher *watcher;
};

static const varve_node *node_of(const struct gathering *g, uint32_t value)
{
    return g->walk->steps[vv_at32(g->index->value_nodes, value)].node;
}

static uint64_t unchanged_size_of(const struct gathering *g, uint32_t value)
{
    return vv_at64(g->index->value_sizes, value);
}

/* Returns false for small values: they are written in groups, and the library
 * itself changes some of them. */
static bool may_be_unchanged(const struct gathering *g, uint32_t value)
{
    return unchanged_size_of(g, value) >= VV_PAGED_SIZE &&
           node_of(g, value)->variable;
}

static void unchanged_note_touched(const struct gathering *g)
{
    struct vv_unchanged *u = g->unchanged;
    uint32_t count = g->index->value_count;
    u->touched =
        vv_allocate_array(g->walk->allocator, count, sizeof *u->touched);
    if (!u->touched)
        return;
    u->count = count;
    for (uint32_t i = 0; i < count; i++)
        u->touched[i] =
            may_be_unchanged(g, i) ? node_of(g, i)->touched : u->moment;
}

/* --- Values that were marked dirty in part -------------------------------- */

static void unchanged_add_run(struct vv_buffer *runs, uint32_t value,
    uint32_t moment, uint64_t begin, uint64_t end)
{
    const struct run run = { value, moment, begin, end };
    vv_buffer_add(runs, &run, sizeof run);
}

static void note_pages(struct vv_unchanged *u, uint32_t value, uint64_t size,
    const struct vv_touched *touched)
{
    size_t count = vv_page_count(size);
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t moment = touched->moments[i];
        end = i + 1;
        while (end < count && touched->moments[end] == moment)
            end++;
        uint64_t behind = (uint64_t)end * VV_PAGE_ALIGNMENT;
        if (moment > 0)
            unchanged_add_run(&u->rows, value, moment,
                (uint64_t)i * VV_PAGE_ALIGNMENT, behind < size ? behind : size);
    }
}

static void note_parts(const struct gathering *g)
{
    struct vv_unchanged *u = g->unchanged;
    for (uint32_t i = 0; i < g->index->value_count; i++) {
        const struct vv_touched *touched =
            may_be_unchanged(g, i) ? vv_touched_parts(node_of(g, i)) : NULL;
        if (touched && touched->size == unchanged_size_of(g, i))
            note_pages(u, i, touched->size, touched);
    }
    if (u->rows.failed)
        u->oldest = u->moment;
}

/* --- Writes that the system has tracked ----------------------------------- */

/* Returns true if writes to the value can be tracked by its address. */
static bool unchanged_is_followed(const struct gathering *g, uint32_t value)
{
    if (!may_be_unchanged(g, value))
        return false;
    const varve_tensor *tensor = &node_of(g, value)->variable->tensor;
    return tensor->dtype != VARVE_STRING && !vv_needs_copy_in(tensor);
}

/* Adds the parts of a range that were written to after older queries, with the
 * moment since which each is unchanged. */
static void note_written(const struct gathering *g, uint32_t value,
    unsigned look, uint64_t begin, uint64_t end)
{
    const struct watcher *w = g->watcher;
    struct vv_unchanged *u = g->unchanged;
    const uint8_t *bytes = node_of(g, value)->variable->tensor.data;
    for (uint64_t at = begin, next; at < end; at = next) {
        bool is_written;
        next = at + vv_dirty_run(w->dirty, w->looks[look].number, bytes + at,
                        (size_t)(end - at), &is_written);
        if (is_written && look + 1 < w->look_count)
            note_written(g, value, look + 1, at, next);
        else if (is_written)
            unchanged_add_run(&u->runs, value, u->moment, at, next);
        else if (look > 0)
            unchanged_add_run(&u->runs, value, w->looks[look].moment, at, next);
    }
}

static void remember_look(struct watcher *w, uint32_t moment, uint64_t number)
{
    if (w->look_count == REMEMBERED)
        memmove(w->looks, w->looks + 1, --w->look_count * sizeof *w->looks);
    w->looks[w->look_count++] = (struct look){ moment, number };
}

static void note_end(
    const struct gathering *g, uint32_t value, uint64_t begin, uint64_t end)
{
    const uint8_t *bytes = node_of(g, value)->variable->tensor.data;
    struct vv_unchanged *u = g->unchanged;
    if (begin < end)
        unchanged_add_run(&u->runs, value,
            vv_value_ends_since(&g->watcher->ends, bytes + begin,
                (size_t)(end - begin), u->moment),
            begin, end);
}

/* The system tracks whole pages (if `is_tracked`). The partial pages at both
 * ends are compared by digest. */
static void note_value(
    const struct gathering *g, uint32_t value, bool is_tracked)
{
    const uint8_t *bytes = node_of(g, value)->variable->tensor.data;
    uint64_t size = unchanged_size_of(g, value);
    uint64_t begin = -(uintptr_t)bytes % VV_PAGE_SIZE;
    uint64_t end = size - (uintptr_t)(bytes + size) % VV_PAGE_SIZE;
    note_end(g, value, 0, begin);
    if (is_tracked)
        note_written(g, value, 0, begin, end);
    note_end(g, value, end, size);
}

/* Queries which pages were written to. Nothing is known of writes before the
 * oldest query that is remembered. */
static void unchanged_look(const struct gathering *g)
{
    struct watcher *w = g->watcher;
    struct vv_unchanged *u = g->unchanged;
    for (uint32_t i = 0; i < g->index->value_count && dirty_of(w); i++) {
        if (unchanged_is_followed(g, i))
            vv_dirty_request(w->dirty, node_of(g, i)->variable->tensor.data,
                (size_t)unchanged_size_of(g, i));
    }
    uint64_t number = w->dirty ? vv_dirty_look(w->dirty) : 0;
    uint32_t oldest = w->look_count && number ? w->looks->moment : u->moment;
    if (u->oldest < oldest)
        u->oldest = oldest;
    vv_value_ends_begin(&w->ends);
    for (uint32_t i = 0; i < g->index->value_count; i++) {
        if (unchanged_is_followed(g, i))
            note_value(g, i, oldest < u->moment);
        else if (u->touched)
            u->touched[i] = u->moment;
    }
    if (u->runs.failed)
        u->oldest = u->moment;
    if (number)
        remember_look(w, u->moment, number);
}

/* --- All ------------------------------------------------------------------ */

void vv_unchanged_gather(struct vv_unchanged *u, const struct vv_walk *walk,
    const struct vv_index *index, const varve_increment_options *options)
{
    varve_graph *graph = walk->graph;
    struct gathering g = { u, walk, index, NULL };
    *u = (struct vv_unchanged){ .root = walk->steps->node };
    vv_buffer_init(&u->runs, walk->allocator);
    vv_buffer_init(&u->rows, walk->allocator);
    if (!options || !(options->only_dirty || options->track) ||
        graph->moment == UINT32_MAX)
        return;
    g.watcher = watcher_of(graph);
    u->past = g.watcher ? past_of(g.watcher) : NULL;
    if (!u->past)
        return;
    u->oldest = g.watcher->built;
    u->moment = graph->moment++;
    unchanged_note_touched(&g);
    note_parts(&g);
    if (options->only_dirty)
        vv_value_ends_forget(&g.watcher->ends);
    else
        unchanged_look(&g);
}

/* Returns the index of the first run that ends after `at`. */
static size_t find_run(const struct vv_buffer *all, uint32_t value, uint64_t at)
{
    const struct run *runs = (const void *)all->data;
    size_t low = 0, high = all->size / sizeof *runs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct run *r = &runs[middle];
        if (r->value < value || (r->value == value && r->end <= at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the next run, from number *i on, that overlaps the span and has a
 * moment later than `since`; NULL if there is none. */
static const struct run *next_run(const struct vv_buffer *all,
    const struct vv_span *span, uint32_t since, size_t *i)
{
    const struct run *runs = (const void *)all->data;
    size_t count = all->size / sizeof *runs;
    for (; *i < count; ++*i) {
        const struct run *r = &runs[*i];
        if (r->value != span->value || r->begin >= span->at + span->size)
            return NULL;
        if (r->moment > since)
            return r;
    }
    return NULL;
}

static bool has_run(
    const struct vv_buffer *all, const struct vv_span *span, uint32_t since)
{
    size_t i = find_run(all, span->value, span->at);
    return next_run(all, span, since, &i) != NULL;
}

bool vv_is_unchanged(
    const struct vv_unchanged *u, const struct vv_span *span, uint32_t since)
{
    return u->touched && u->touched[span->value] <= since &&
           !has_run(&u->runs, span, since) && !has_run(&u->rows, span, since);
}

static void unchanged_mark(const struct vv_buffer *all,
    const struct vv_span *span, uint32_t since, bool *is_changed)
{
    const struct run *r;
    uint64_t end = span->at + span->size;
    for (size_t i = find_run(all, span->value, span->at);
         (r = next_run(all, span, since, &i)) != NULL; i++) {
        uint64_t from = r->begin > span->at ? r->begin : span->at;
        uint64_t to = r->end < end ? r->end : end;
        vv_mark_pages(is_changed, from - span->at, to - span->at);
    }
}

void vv_unchanged_mark(const struct vv_unchanged *u, const struct vv_span *span,
    uint32_t since, bool *is_changed)
{
    if (!u->touched || u->touched[span->value] > since) {
        vv_mark_pages(is_changed, 0, span->size);
        return;
    }
    unchanged_mark(&u->runs, span, since, is_changed);
    unchanged_mark(&u->rows, span, since, is_changed);
}

void vv_unchanged_clear(struct vv_unchanged *u, const varve_allocator *a)
{
    vv_release(a, u->touched, u->count * sizeof *u->touched);
    vv_buffer_clear(&u->runs);
    vv_buffer_clear(&u->rows);
    unchanged_give_back(u);
    release_past(u->past);
    *u = (struct vv_unchanged){ .past = NULL };
}
