/* layer_pages.h - chunks of an incremental save that changed in some pages
 * only: these are written, and the others named where the checkpoint before has
 * them.
 *
 * A whole chunk is summed by pages from then on (page_sums.h), so that the next
 * save sums none of it but what may have changed, and compares digests instead
 * of bytes.
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
    struct vv_buffer sums; /* of the chunks that the base has summed by pages,
                              now */
    bool is_column; /* what was added to the column are the first of them */
    uint8_t *older; /* a chunk of the base */
};

/* Makes room for sums. VARVE_NO_MEMORY. */
varve_status vv_layer_pages_begin(struct vv_layer_pages *pages,
    struct vv_save_plan *save_plan, const struct vv_layer_base *base,
    struct vv_layer_out *out, varve_error *error);

/* After it the columns are as the index has them. */
void vv_layer_pages_finish(struct vv_layer_pages *pages);

/* Takes a zeroed one. */
void vv_layer_pages_end(struct vv_layer_pages *pages);

/* A chunk that is in the base too. */
struct vv_layer_chunk {
    uint64_t number; /* of its digest here, */
    uint64_t before; /* and there */
    uint64_t offset; /* where in the data of the base it is */
    uint64_t size;
    unsigned planes;
};

/* Whether the base has it summed by pages: where the digests of these are, and
 * where those of now go. */
bool vv_layer_pages_find(const struct vv_layer_pages *pages, uint64_t before,
    struct vv_known_pages *known);

/* Writes one that is the same there. */
varve_status vv_layer_pages_keep(struct vv_layer_pages *pages,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error);

/* Writes one that is not. Where the base cannot be read, and where most of it
 * is new, all of it is written. Pages are not packed, so that a chunk is never
 * pieced together of parts of several that are. */
varve_status vv_layer_pages_write(struct vv_layer_pages *pages,
    const struct vv_layer_chunk *chunk, const uint8_t *bytes,
    varve_error *error);

#endif
