/* data_files.h - the files that the processes of a save fill together: rank 0
 * makes them and ends them, each process writes its region in between. They are
 * layers (docs/format.md), with temporary names until all of them are complete.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_FILES_H
#define VV_DATA_FILES_H

#include "layer_match.h"
#include "merge.h"
#include "publish.h"

/* At rank 0. */
struct vv_data_files {
    /* to read */
    bool has_left; /* saves that were killed have left something */
    /* own */
    struct vv_merge *merge;
    const struct vv_access *like; /* of the files; NULL: as new ones */
    struct vv_layer_match match;  /* where it is asked what an older one has */
    int folder;                   /* open, and its lock shared; -1: none */
    struct vv_buffer inside;      /* its path */
    struct vv_new_file *all;      /* by number of the file */
};

/* Finds what of an incremental save need not be written, makes the temporary
 * files of a merge and appends to `orders` what a process has to know. On
 * failure nothing is left. The files have the access `like`, borrowed until the
 * end. */
varve_status vv_data_files_begin(struct vv_data_files *files,
    struct vv_merge *merge, int flags, const struct vv_access *like,
    struct vv_buffer *orders, varve_error *error);

/* Once all is written and synced: completes the files, gives them their names,
 * and tells the index of them. What is shared with a checkpoint for which
 * nobody waited for the disk is made as durable. */
varve_status vv_data_files_end(
    struct vv_data_files *files, int flags, varve_error *error);

/* Removes them unless a checkpoint names them by now. */
void vv_data_files_clear(struct vv_data_files *files, bool are_named);

/* What a rank has to know to write. */
struct vv_filling {
    /* to fill in */
    const struct vv_save_plan *save_plan;
    const struct vv_share *share;
    const varve_comm *comm;
    const char *path;
    const struct vv_buffer *orders;
    struct vv_merge *merge; /* at rank 0: is told where chunks are that go each
                               its own way */
};

/* By all ranks: each writes its region as the orders say, or the chunks of it
 * that they name, and waits until that is on disk unless `no_sync`. The same at
 * all of them. */
varve_status vv_data_files_fill(
    const struct vv_filling *filling, varve_error *error);

#endif
