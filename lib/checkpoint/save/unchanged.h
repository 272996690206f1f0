/* unchanged.h - Finds the values of a save plan that are unchanged since an
 * older save, without reading them.
 *
 * A save with this option remembers the digests of the values that it wrote,
 * and its moment: a number that the graph increments with each such save. So a
 * checkpoint with these values is recognized later, whatever its name is and
 * whatever other saves were made since. Data that was not marked dirty after
 * that moment and, if the system tracks writes, was not written to, is the same
 * as in that checkpoint. The functions do not fail: if something is unknown the
 * data counts as changed.
 *
 * vv_unchanged_gather must be called on the thread of the graph. The other
 * functions are called by the thread that writes a save; only one save of a
 * graph is written at a time.
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
    struct vv_past *past; /* earlier saves; NULL: nothing is known */
    const varve_node *root;
    uint32_t oldest;   /* nothing is known of saves before this moment */
    uint32_t *touched; /* for each value, the moment when it was marked
                          dirty; NULL: all just now */
    size_t count;
    struct vv_buffer runs; /* writes that the system has tracked, by value
                              and offset */
    struct vv_buffer rows; /* parts that were marked dirty, by value and
                              offset */
    struct vv_known_digests *known; /* digests of the last save, taken from
                                      the cache; NULL: none */
};

/* Returns the tracker of writes that the saves and snapshots of a graph share.
 * Must be freed by vv_dirty_free. Returns NULL if out of memory. */
struct vv_dirty *vv_unchanged_dirty(varve_graph *graph);

/* Records when each value was marked dirty or written to, if `options` request
 * it, and begins the next moment. `options` is NULL for a save that is not
 * incremental. `index` is the index of the walk. */
void vv_unchanged_gather(struct vv_unchanged *unchanged,
    const struct vv_walk *walk, const struct vv_index *index,
    const varve_increment_options *options);
void vv_unchanged_clear(
    struct vv_unchanged *unchanged, const varve_allocator *allocator);

/* Returns true if the checkpoint with the index `older` has the values of one
 * of the last few saves of the same nodes; sets *moment to the moment of that
 * save. */
bool vv_unchanged_since(const struct vv_unchanged *unchanged,
    const struct vv_index *older, uint32_t *moment);

/* A range of a value, in bytes. */
struct vv_span {
    uint32_t value;
    uint64_t at, size;
};

/* Returns true if the range is unchanged since that moment. */
bool vv_is_unchanged(const struct vv_unchanged *unchanged,
    const struct vv_span *span, uint32_t since);

/* Sets is_changed[i] for each page of a range that may have changed. The range
 * must begin at a page boundary. */
void vv_unchanged_mark(const struct vv_unchanged *unchanged,
    const struct vv_span *span, uint32_t since, bool *is_changed);

/* Remembers that these values were saved. The index must have all digests. */
void vv_unchanged_note(
    const struct vv_unchanged *unchanged, const struct vv_index *index);

/* Takes the digests of the last save from the cache, if the values have the
 * same sizes. vv_unchanged_clear puts them back. */
void vv_unchanged_take(struct vv_unchanged *unchanged, const uint8_t *sizes);

/* vv_unchanged_keep replaces the digests by those of `index`; vv_unchanged_drop
 * discards them, as some were wrong. */
void vv_unchanged_keep(
    struct vv_unchanged *unchanged, const struct vv_index *index);
void vv_unchanged_drop(struct vv_unchanged *unchanged);

#endif
