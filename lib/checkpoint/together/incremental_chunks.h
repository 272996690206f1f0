/* incremental_chunks.h - Finds the chunks of a collective save that the base
 * already has, and writes the others one by one. Used in saves in which chunks
 * are compressed or left out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INCREMENTAL_CHUNKS_H
#define VV_INCREMENTAL_CHUNKS_H

#include "comm_collectives.h"
#include "layer_base.h"
#include "merge.h"

/* --- Chunks of the base --------------------------------------------------- */

/* Finds on rank 0 which chunks of all ranks the base already has, and which of
 * its layers are dropped.
 *
 * Chunks are compared by size and digest only. Their position in the base and
 * the rank that saved them do not matter. So the number of ranks and the
 * sharding of values may change between saves. */

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

/* --- Writing chunks ------------------------------------------------------- */

/* Writes the chunks of a share one by one, for saves in which chunks are
 * compressed or left out.
 *
 * In such a save the number of bytes that a rank writes is not known in
 * advance. So chunks are written in rounds. In each round a rank has up to
 * about VV_ROUND_SIZE bytes of its chunks ready, and rank 0 assigns their
 * offsets in the files, in the order of ranks. All offsets depend only on the
 * sizes of the chunks, so the files are deterministic. */

enum { VV_ROUND_SIZE = 4 << 20 };

struct vv_chunks_out {
    /* to fill in */
    const struct vv_save_plan *save_plan;
    const struct vv_share *share;
    const varve_comm *comm;
    const char *path;    /* path of the file */
    int file;            /* open; -1: this rank writes nothing */
    const uint8_t *bits; /* a bit for each chunk of the share: it must be
                            written */
    const struct vv_merge *merge; /* used on rank 0 only */
    struct vv_buffer *locations;  /* gets the locations of the chunks */
    /* to read */
    bool is_agreed; /* after a failure: all ranks return the same */
};

/* Writes the chunks. Collective: must be called on all ranks, with the `status`
 * of the previous steps of each rank. Returns the status of this rank; the
 * caller must call vv_agree unless `is_agreed` is set. */
varve_status vv_chunks_write(
    struct vv_chunks_out *out, varve_status status, varve_error *error);

#endif
