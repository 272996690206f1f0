/* digest_cache.h - the digests that the values of a graph had when a save
 * summed them last: of what was not touched since, they are those of now.
 *
 * Each root that was saved has one of them at most. Who uses it takes it, and
 * whoever comes meanwhile finds none and sums all. So no locks are needed where
 * a save in the background meets one of the program's thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SUMS_H
#define VV_SUMS_H

#include <stdatomic.h>

#include <varve/graph.h>

#include "checksum.h"
#include "index.h"

struct vv_known_digests {
    /* to read */
    const varve_node *root;
    uint32_t moment;        /* when the values were gathered */
    struct vv_digest sizes; /* of the column of their sizes */
    size_t count;
    uint8_t *digests; /* so many, as a column */
    /* own */
    struct vv_known_digests *next;
};

/* Zeroed at first. */
struct vv_digest_cache {
    /* own */
    _Atomic(struct vv_known_digests *) first;
};

/* Those that an index has; NULL without memory. */
struct vv_known_digests *vv_sums_new(
    const varve_allocator *allocator, const struct vv_index *index);
void vv_sums_free(
    const varve_allocator *allocator, struct vv_known_digests *sums);

/* Those of a root, or NULL. What is older than a moment is freed. */
struct vv_known_digests *vv_sums_take(struct vv_digest_cache *indexed_pool,
    const varve_allocator *allocator, const varve_node *root, uint32_t oldest);

/* Puts them there, unless later ones of the root are. */
void vv_sums_put(struct vv_digest_cache *indexed_pool,
    const varve_allocator *allocator, struct vv_known_digests *sums);

/* By the last user. */
void vv_sums_clear(
    struct vv_digest_cache *indexed_pool, const varve_allocator *allocator);

#endif
