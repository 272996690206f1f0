/* layer_known.h - Finds the chunks and pages of a save plan that are unchanged
 * since the base was saved, without reading them.
 *
 * Data in a layer that is dropped is written again, so it counts as changed and
 * its digest is computed again. Otherwise data that the program has changed
 * without marking it dirty would be written under a wrong digest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_KNOWN_H
#define VV_LAYER_KNOWN_H

#include "layer_base.h"
#include "unchanged.h"

struct vv_layer_known {
    /* to read */
    bool is_known;  /* the base was saved by this graph */
    uint32_t since; /* the moment of that save */
    /* own */
    const struct vv_unchanged *unchanged;
    const struct vv_index *index; /* index of the save plan */
    const struct vv_layer_base *base;
};

/* The arguments must outlive the result. */
struct vv_layer_known vv_layer_known_of(const struct vv_unchanged *unchanged,
    const struct vv_index *index, const struct vv_layer_base *base);

/* Returns the digest of a chunk that is unchanged, or NULL if the chunk may
 * have changed. */
const uint8_t *vv_layer_known_digest(
    const struct vv_layer_known *known, uint32_t value, uint64_t chunk);

/* Sets is_changed[i] for each of the VV_CHUNK_PAGES pages of a chunk that may
 * have changed. vv_layer_base_pairs must be true for the value. */
void vv_layer_known_mark(const struct vv_layer_known *known, uint32_t value,
    uint64_t chunk, bool *is_changed);

/* Returns true if a chunk of `size` bytes of which `others` pages have changed
 * is written as a whole, with one digest. */
static inline bool vv_is_mostly_new(size_t others, uint64_t size)
{
    return others > size / VV_PAGE_ALIGNMENT / 2;
}

#endif
