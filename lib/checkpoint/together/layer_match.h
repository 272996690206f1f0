/* layer_match.h - Finds on rank 0 which chunks of all ranks the base already
 * has, and which of its layers are dropped.
 *
 * Chunks are compared by size and digest only. Their position in the base and
 * the rank that saved them do not matter. So the number of ranks and the
 * sharding of values may change between saves.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_MATCH_H
#define VV_LAYER_MATCH_H

#include "layer_base.h"
#include "merge.h"

struct vv_layer_match {
    /* to read */
    struct vv_layer_base base; /* if it is not there, all data is new */
    /* own */
    bool is_dropped[VV_MOST_LAYERS];
    uint64_t *offsets; /* for each chunk of the base, in order: its offset in
                          the data */
    uint32_t *sizes;   /* for each chunk; 0: has page digests, so it is not
                          used */
    uint32_t *nexts;   /* next chunk with the same hash; or VV_NONE */
    uint32_t *firsts;  /* first chunk with a hash; the size is a power of two */
    size_t count;
    size_t table_size;
    uint64_t shift; /* offset in the base minus offset in the new data, of
                       the last match */
};

/* Opens the base that the save plan specifies, or the checkpoint at the path of
 * the save, and marks the chunks of the merge that it has. If the base cannot
 * be used nothing is marked. The folder of layers must be locked. May return
 * VARVE_NO_MEMORY. vv_layer_match_end must be called also after a failure. */
varve_status vv_layer_match_make(
    struct vv_layer_match *match, struct vv_merge *merge, varve_error *error);
void vv_layer_match_end(
    struct vv_layer_match *match, const struct vv_merge *merge);

#endif
