/* unchanged.h - which values of a save plan are as an older save has them,
 * known without a look at them.
 *
 * A save that asks for it remembers which values it wrote, by their digests,
 * and at which moment of the graph. So a checkpoint with these values is known
 * again, whatever it is called and whatever came between; and what was neither
 * touched nor, where the machine tells, written to after that moment is as
 * there. Nothing here fails: what is not known counts as changed.
 *
 * Gathering belongs to the thread of the graph. The rest belongs to whoever
 * writes, of which there is one at a time for a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_UNCHANGED_H
#define VV_UNCHANGED_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "graph.h"
#include "index.h"
#include "digest_cache.h"
#include "walk.h"

struct vv_dirty;
struct vv_past;

struct vv_unchanged {
    /* to read */
    uint32_t moment; /* when the values were gathered */
    /* own */
    struct vv_past *past; /* what was saved before; NULL: nothing is known */
    const varve_node *root;
    uint32_t oldest;   /* nothing is known of what was saved before that */
    uint32_t *touched; /* by value; NULL: all of them were, just now */
    size_t count;
    struct vv_buffer runs; /* what was written to later, by value and place */
    struct vv_buffer rows; /* and what was touched in parts */
    struct vv_known_digests *sums; /* what was summed last, while it is looked
                             at here; NULL: nothing is known of that */
};

/* What the saves and snapshots of a graph follow writes by, shared; to be freed
 * by vv_dirty_free. NULL without memory. */
struct vv_dirty *vv_unchanged_dirty(varve_graph *graph);

/* Notes when each value was touched or written to, where the options of a
 * incremental save ask for it (NULL: of no incremental one), and begins the
 * next moment. `nodes` and `sizes` are columns of the index of the walk. */
void vv_unchanged_gather(struct vv_unchanged *unchanged,
    const struct vv_walk *walk, const struct vv_index *index,
    const varve_increment_options *options);
void vv_unchanged_clear(
    struct vv_unchanged *unchanged, const varve_allocator *allocator);

/* Whether a checkpoint has the values of one of the last few saves of the same
 * nodes; sets the moment of that. */
bool vv_unchanged_since(const struct vv_unchanged *unchanged,
    const struct vv_index *older, uint32_t *moment);

/* A range of a value. */
struct vv_span {
    uint32_t value;
    uint64_t at, size;
};

/* Whether it is as it was gathered at that moment. */
bool vv_is_unchanged(const struct vv_unchanged *unchanged,
    const struct vv_span *span, uint32_t since);

/* Sets those pages of a range, which begins with one, that are not. */
void vv_unchanged_mark(const struct vv_unchanged *unchanged,
    const struct vv_span *span, uint32_t since, bool *is_changed);

/* They were saved: the index has all their digests. */
void vv_unchanged_note(
    const struct vv_unchanged *unchanged, const struct vv_index *index);

/* Takes the digests of the save that summed these values last, if they are as
 * large as here. They are put back when it is cleared. */
void vv_unchanged_take(struct vv_unchanged *unchanged, const uint8_t *sizes);

/* Instead of them: all digests of now; or none, as something was not true. */
void vv_unchanged_keep(
    struct vv_unchanged *unchanged, const struct vv_index *index);
void vv_unchanged_drop(struct vv_unchanged *unchanged);

#endif
