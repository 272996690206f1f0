/* chunks_out.h - Writes the chunks of a share one by one, for saves in which
 * chunks are compressed or left out.
 *
 * In such a save the number of bytes that a rank writes is not known in
 * advance. So chunks are written in rounds. In each round a rank has up to
 * about VV_ROUND_SIZE bytes of its chunks ready, and rank 0 assigns their
 * offsets in the files, in the order of ranks. All offsets depend only on the
 * sizes of the chunks, so the files are deterministic.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHUNKS_OUT_H
#define VV_CHUNKS_OUT_H

#include "comm_collectives.h"
#include "merge.h"

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
