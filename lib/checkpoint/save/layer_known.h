/* layer_known.h - which chunks and pages of a save plan its base has as they
 * are, known without a look at them.
 *
 * What lies in a layer that is dropped is written again, so it is looked at:
 * nothing is ever written under the digest of something else, whatever the
 * program forgot to say.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_KNOWN_H
#define VV_LAYER_KNOWN_H

#include "layer_base.h"
#include "unchanged.h"

struct vv_layer_known {
    /* to read */
    bool is_known;  /* it is a checkpoint that this graph has saved, */
    uint32_t since; /* at this moment */
    /* own */
    const struct vv_unchanged *unchanged;
    const struct vv_index *index; /* of the save plan */
    const struct vv_layer_base *base;
};

/* What is given stays as long as that. */
struct vv_layer_known vv_layer_known_of(const struct vv_unchanged *unchanged,
    const struct vv_index *index, const struct vv_layer_base *base);

/* The digest of a chunk that is as there; NULL where it may be another. */
const uint8_t *vv_layer_known_digest(
    const struct vv_layer_known *known, uint32_t value, uint64_t chunk);

/* Says of all VV_CHUNK_PAGES of a chunk, of a value that pairs, which may be
 * others. */
void vv_layer_known_mark(const struct vv_layer_known *known, uint32_t value,
    uint64_t chunk, bool *is_changed);

/* Whether all of a chunk of `size` bytes is written, and summed as a whole,
 * where so many of its pages are others. */
static inline bool vv_is_mostly_new(size_t others, uint64_t size)
{
    return others > size / VV_PAGE_ALIGNMENT / 2;
}

#endif
