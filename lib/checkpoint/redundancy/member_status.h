/* member_status.h - Finds which files of a set each member of a group still
 * has, and what can be rebuilt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MEMBER_STATUS_H
#define VV_MEMBER_STATUS_H

#include "parity_file.h"

/* The files of this rank. */
struct vv_local_files {
    /* to read */
    int file; /* its checkpoint, open; -1: missing or unreadable */
    struct vv_member_file is;
    bool has_table;
    bool has_block; /* the block has the digest of the header */
    struct vv_parity_in parity;
    varve_error reason; /* the reason if there is no table */
    bool is_unread;     /* one of the files exists but cannot be read now */
};

/* Reads both files completely. Fails only if out of memory; then there is
 * nothing to release. */
varve_status vv_local_files_look(struct vv_local_files *local,
    const struct vv_redundancy *redundancy, const struct vv_redundant_file *own,
    varve_error *error);
void vv_local_files_close(
    struct vv_local_files *local, const struct vv_redundancy *redundancy);

/* Computes the digest of a range of a file. */
varve_status vv_digest_file(const struct vv_context *context, int file,
    const char *path, const uint64_t offset_and_size[2],
    struct vv_digest *digest, varve_error *error);

/* The message of a member to the others of its group. */
struct vv_member_status {
    /* to fill in */
    uint32_t has_file;
    uint32_t has_table;
    uint32_t has_block;
    uint32_t is_unread; /* as in vv_local_files */
    struct vv_member_file is;
    struct vv_member_file files[VV_MOST_MEMBERS]; /* from its table */
};

/* The files and blocks to rebuild; a bit for each member. */
struct vv_repair {
    /* to read */
    uint64_t files;
    uint64_t blocks;
};

/* Decides what to rebuild from the messages of all members, with the same
 * result on each of them, and sets the files of `table`. Returns VARVE_CORRUPT
 * if too much is lost, or VARVE_IO if that is so only because some members
 * cannot read their files now. */
varve_status vv_decide_repair(const struct vv_member_status *all,
    struct vv_parity_table *table, struct vv_repair *repair,
    const struct vv_redundant_file *own, const varve_allocator *allocator,
    varve_error *error);

#endif
