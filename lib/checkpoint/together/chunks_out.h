/* chunks_out.h - the chunks of a share on their way to the file of its rank,
 * where each is packed, or some are left out: how much a rank writes is not
 * known before.
 *
 * So they are written in rounds. In each a rank has some of its chunks ready,
 * up to VV_ROUND_SIZE bytes, and rank 0 says where in the files those of all
 * go: one behind the other, by rank. Where everything lies follows from how
 * large it is, and from nothing else.
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
    const char *path;             /* of the file */
    int file;                     /* open; -1: nothing of it is to be written */
    const uint8_t *bits;          /* which chunks are to be written */
    const struct vv_merge *merge; /* looked at at rank 0 */
    struct vv_buffer *told;       /* gets where each of them is */
    /* to read */
    bool is_agreed; /* on a failure: it is that of all */
};

/* Called by all ranks, whatever went wrong in one of them before (`status`);
 * returns what this rank has come to. All have to agree on that, but where they
 * have (`is_agreed`). */
varve_status vv_chunks_write(
    struct vv_chunks_out *out, varve_status status, varve_error *error);

#endif
