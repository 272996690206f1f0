/* digest_cache.h - Keeps digests from one save to the next: those of values,
 * and of the partial pages at their ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DIGEST_CACHE_H
#define VV_DIGEST_CACHE_H

#include <stdatomic.h>

#include <varve/graph.h>

#include "buffer.h"
#include "checksum.h"
#include "index.h"

/* --- Values --------------------------------------------------------------- */

/* Caches the digests of values that a save has computed, for values that are
 * not changed until the next save.
 *
 * There is at most one entry for each root that was saved. A user removes the
 * entry while it uses it. Another thread then finds none and computes all
 * digests. So an asynchronous save and a save on the program's thread need no
 * lock. */

struct vv_known_digests {
    /* to read */
    const varve_node *root;
    uint32_t moment;        /* when the values were gathered */
    struct vv_digest sizes; /* digest of the column of value sizes */
    size_t count;
    uint8_t *digests; /* `count` digests, as a column */
    /* own */
    struct vv_known_digests *next;
};

/* Must be zeroed at first. */
struct vv_digest_cache {
    /* own */
    _Atomic(struct vv_known_digests *) first;
};

/* vv_known_digests_new copies the digests of an index; returns NULL if out of
 * memory. */
struct vv_known_digests *vv_known_digests_new(
    const varve_allocator *allocator, const struct vv_index *index);
void vv_known_digests_free(
    const varve_allocator *allocator, struct vv_known_digests *known);

/* Removes and returns the entry of a root, or returns NULL. Frees entries that
 * are older than the moment `oldest`. */
struct vv_known_digests *vv_digest_cache_take(struct vv_digest_cache *cache,
    const varve_allocator *allocator, const varve_node *root, uint32_t oldest);

/* Adds an entry, unless the cache has a later one of the same root. */
void vv_digest_cache_put(struct vv_digest_cache *cache,
    const varve_allocator *allocator, struct vv_known_digests *known);

/* Frees all entries. No other thread may use the cache. */
void vv_digest_cache_clear(
    struct vv_digest_cache *cache, const varve_allocator *allocator);

/* --- Ends of values ------------------------------------------------------- */

/* Detects changes of the partial pages at the ends of values by digests.
 *
 * Other data shares these pages, so tracking writes by page cannot detect if
 * the value has changed. */

struct vv_value_ends {
    /* own */
    struct vv_buffer all; /* in the order of the calls */
    size_t next;
};

void vv_value_ends_init(
    struct vv_value_ends *ends, const varve_allocator *allocator);
void vv_value_ends_clear(struct vv_value_ends *ends);

/* Removes all entries. Must be called if a save does not check them. */
void vv_value_ends_forget(struct vv_value_ends *ends);

/* Begins a pass, in which each end is checked once. Removes entries that the
 * last pass did not check. */
void vv_value_ends_begin(struct vv_value_ends *ends);

/* Returns the moment since which these bytes are unchanged. That is `moment`,
 * the current one, if they differ from those of the last pass or were not
 * checked at the same position of it. */
uint32_t vv_value_ends_since(struct vv_value_ends *ends, const uint8_t *bytes,
    size_t size, uint32_t moment);

#endif
