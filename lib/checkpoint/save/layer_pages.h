/* layer_pages.h - Writes chunks of an incremental save in which only some pages
 * have changed: these are written, and the others are referred to in the base.
 *
 * A whole chunk gets page digests (layer_columns.h) when this happens first.
 * The next save then computes digests only for pages that may have changed, and
 * compares digests instead of bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_PAGES_H
#define VV_LAYER_PAGES_H

#include "save_plan.h"
#include "save_plan_digests.h"
#include "layer_base.h"
#include "layer_out.h"

struct vv_layer_pages {
    struct vv_save_plan *save_plan;
    const struct vv_layer_base *base;
    struct vv_layer_out *out;
    struct vv_buffer sums; /* page digests of now, for the chunks that have
                              page digests in the base */
    bool is_column; /* `sums` begins with the digests that were added to the
                       column */
    uint8_t *older; /* buffer for a chunk of the base */
};

/* Allocates `sums`. May return VARVE_NO_MEMORY. */
varve_status vv_layer_pages_begin(struct vv_layer_pages *pages,
    struct vv_save_plan *save_plan, const struct vv_layer_base *base,
    struct vv_layer_out *out, varve_error *error);

/* Completes the columns. */
void vv_layer_pages_finish(struct vv_layer_pages *pages);

/* Frees the memory. `pages` may be zeroed. */
void vv_layer_pages_end(struct vv_layer_pages *pages);

/* A chunk that the base has, too. */
struct vv_layer_chunk {
    uint64_t number; /* number of its digest here */
    uint64_t before; /* number of its digest in the base */
    uint64_t offset; /* in the data of the base */
    uint64_t size;
    unsigned planes;
};

/* If the base has page digests of the chunk, sets known->sums to them and
 * known->now to the buffer for the new ones, and returns true. */
bool vv_layer_pages_find(const struct vv_layer_pages *pages, uint64_t before,
    struct vv_known_pages *known);

/* Writes a chunk that is the same in the base. */
varve_status vv_layer_pages_keep(struct vv_layer_pages *pages,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error);

/* Writes a chunk that differs from that in the base. It is written as a whole
 * if the base cannot be read or if most of its pages have changed. Single pages
 * are not compressed, so that a chunk never consists of parts of several
 * compressed frames. */
varve_status vv_layer_pages_write(struct vv_layer_pages *pages,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error);

#endif
