/* read_all.h - Restores a checkpoint on many ranks, with options that specify
 * what is opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READ_ALL_H
#define VV_READ_ALL_H

#include <varve/comm.h>
#include <varve/collective.h>

#include "allocator.h"
#include "division.h"
#include "opened.h"
#include "restoration.h"

/* --- Opening -------------------------------------------------------------- */

/* Opens the same checkpoint on all ranks of a collective restore: rank 0 reads
 * the index and broadcasts it. */

struct vv_open_all {
    /* to fill in */
    const varve_comm *comm;
    const struct vv_context *context;
    const char *path;
    uint64_t most_told; /* limit in bytes for digests, boxes and places,
                           each, that are kept in memory */
};

/* Opens a checkpoint. Collective: each rank calls it with the `status` of its
 * earlier steps. If one rank fails all fail, and nothing is open.
 *
 * Only rank 0 reads the index of a Varve file. The others read the header, and
 * the data when they need it. Columns that grow with the number of processes
 * that saved stay in the file; each rank reads the parts that it needs and
 * verifies their checksums.
 *
 * Each rank opens a file itself if it has another format or if the context
 * salvages. Returns VARVE_MISMATCH if a rank finds another file than rank 0, or
 * none. */
varve_status vv_open_all(const struct vv_open_all *how, varve_status status,
    struct vv_opened *file, varve_error *error);

/* --- Dividing the verification -------------------------------------------- */

/* Chooses the part of the replicated data that this rank verifies. */

/* Divides the data that all ranks of a node need among them. They read through
 * the same file system, so data that one rank has verified is valid for the
 * others. If the ranks of a node need different data, nothing is divided.
 * Collective. */
varve_status vv_portion_find(const varve_comm *comm,
    const varve_allocator *allocator, struct vv_division *division,
    varve_error *error);

/* --- Restoring ------------------------------------------------------------ */

/* Restores the checkpoint that `opening` specifies, as varve_read_all does;
 * sets opening->consent. With vv_comm_alone it is vv_restoration_open.
 * Collective: `status` is the result of earlier steps of this rank; if one has
 * failed, with its message in `error`, all ranks fail. */
varve_restoration *vv_read_together(const varve_comm *comm, varve_node *root,
    varve_status status, struct vv_opening *opening, varve_error *error);

#endif
