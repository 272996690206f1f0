/* layer_match.h - at rank 0: which chunks of all ranks the checkpoint before
 * has, and which of its layers are of use.
 *
 * A chunk is known by size and digest alone, wherever it lies there and whoever
 * saved it: so it does not matter whether ranks have come or gone, or have
 * other parts of a value by now.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_MATCH_H
#define VV_LAYER_MATCH_H

#include "layer_base.h"
#include "merge.h"

struct vv_layer_match {
    /* to read */
    struct vv_layer_base base; /* that is there; else all is new */
    /* own */
    bool is_dropped[VV_MOST_LAYERS];
    uint64_t *offsets; /* by chunk of the base, in order: in its data */
    uint32_t *sizes;   /* 0: its digest is not one of its bytes */
    uint32_t *nexts;   /* of the same hash; or VV_NONE */
    uint32_t *firsts;  /* by hash; a power of two of them */
    size_t count;
    size_t table_size;
    uint64_t shift; /* from the data of the checkpoint to that of the base, by
                       what was found last */
};

/* Opens the base that the save plan names, or that stands at the path, and
 * finds what it has. One that is of no use is not there. The folder of layers
 * is locked. VARVE_NO_MEMORY; end with vv_layer_match_end whatever comes of it.
 */
varve_status vv_layer_match_make(
    struct vv_layer_match *match, struct vv_merge *merge, varve_error *error);
void vv_layer_match_end(
    struct vv_layer_match *match, const struct vv_merge *merge);

#endif
