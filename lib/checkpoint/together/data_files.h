/* data_files.h - Writes the data files (layers, see docs/format.md) of a
 * collective save.
 *
 * Rank 0 creates and completes them; each process writes its region. They have
 * temporary names until all of them are complete.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_FILES_H
#define VV_DATA_FILES_H

#include "incremental_chunks.h"
#include "merge.h"
#include "publish.h"
#include "share.h"

/* The files of a save, on rank 0. */
struct vv_data_files {
    /* to read */
    bool has_left; /* killed saves have left temporary files */
    /* own */
    struct vv_merge *merge;
    const struct vv_access *like; /* permissions for the files; NULL: as new
                                     files */
    struct vv_layer_match match;  /* finds the chunks that the base already
                                     has */
    int folder;              /* open, with its shared lock held; -1: none */
    struct vv_buffer inside; /* the path of the folder */
    struct vv_new_file *all; /* for each file */
};

/* Finds the chunks that an incremental save need not write, creates the
 * temporary files of a merge, and appends to `orders` the data that the ranks
 * need for writing. The files get the permissions `like`, which must stay valid
 * until the end. On failure nothing is left. */
varve_status vv_data_files_begin(struct vv_data_files *files,
    struct vv_merge *merge, int flags, const struct vv_access *like,
    struct vv_buffer *orders, varve_error *error);

/* Completes the files once all ranks have written and synced, renames them, and
 * adds them to the index. Layers of the base that were saved without a sync are
 * synced. */
varve_status vv_data_files_end(
    struct vv_data_files *files, int flags, varve_error *error);

/* Deletes the files unless `are_named`, that is, unless a checkpoint refers to
 * them. */
void vv_data_files_clear(struct vv_data_files *files, bool are_named);

/* The arguments of vv_data_files_fill. */
struct vv_filling {
    /* to fill in */
    const struct vv_save_plan *save_plan;
    const struct vv_share *share;
    const varve_comm *comm;
    const char *path;
    const struct vv_buffer *orders;
    struct vv_merge *merge; /* on rank 0: gets the locations of chunks */
};

/* Writes the region of this rank, or the chunks of it that must be written, and
 * syncs the file unless `no_sync` is set. Collective: must be called on all
 * ranks, and returns the same on all. */
varve_status vv_data_files_fill(
    const struct vv_filling *filling, varve_error *error);

#endif
