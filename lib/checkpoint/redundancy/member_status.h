/* member_status.h - what each member of a group still has of a set of files,
 * and what of it can be made again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MEMBER_STATUS_H
#define VV_MEMBER_STATUS_H

#include "parity_file.h"

/* What this rank finds of its own. */
struct vv_local_files {
    /* to read */
    int file; /* of its checkpoint; -1: gone, or not to be read */
    struct vv_member_file is;
    bool has_table;
    bool has_block; /* it is what the head says */
    struct vv_parity_in parity;
    varve_error reason; /* why there is no table */
    bool is_unread;     /* one of both is there, and cannot be read now */
};

/* Reads both, to the end. Only lack of memory is a failure; then there is
 * nothing to let go of. */
varve_status vv_local_files_look(struct vv_local_files *remains,
    const struct vv_redundancy *redundancy, const struct vv_redundant_file *own,
    varve_error *error);
void vv_local_files_let_go(
    struct vv_local_files *remains, const struct vv_redundancy *redundancy);

/* A digest of `size` bytes of a file from an offset on. */
varve_status vv_digest_file(const struct vv_context *context, int file,
    const char *path, const uint64_t offset_and_size[2],
    struct vv_digest *digest, varve_error *error);

/* What a member says to the others of its group. */
struct vv_member_status {
    /* to fill in */
    uint32_t has_file;
    uint32_t has_table;
    uint32_t has_block;
    uint32_t is_unread; /* as in its remains */
    struct vv_member_file is;
    struct vv_member_file files[VV_MOST_MEMBERS]; /* that its table has */
};

/* What is to be made again: members by bits. */
struct vv_repair {
    /* to read */
    uint64_t files;
    uint64_t blocks;
};

/* Decides by what all members say, the same at each of them, and sets the files
 * of the table. VARVE_CORRUPT where more is lost than can be made; VARVE_IO
 * where that is so because a member cannot read what it has. */
varve_status vv_decide_repair(const struct vv_member_status *all,
    struct vv_parity_table *table, struct vv_repair *repair,
    const struct vv_redundant_file *own, const varve_allocator *allocator,
    varve_error *error);

#endif
