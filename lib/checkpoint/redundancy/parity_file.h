/* parity_file.h - Reads and writes parity files (docs/format.md). A rank keeps
 * one next to its own file, for the other members of its group.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PARITY_FILE_H
#define VV_PARITY_FILE_H

#include "buffer.h"
#include "checksum.h"
#include "redundancy.h"
#include "redundancy_group.h"

/* A file of a member when it was protected. */
struct vv_member_file {
    /* to fill in */
    uint64_t size;
    struct vv_digest digest;
};

/* The description of a protected set. It is the same in the parity files of a
 * group, except for `rank`. */
struct vv_parity_table {
    /* to fill in */
    uint32_t scheme;
    uint32_t group_size;
    uint32_t rank; /* the rank that has this parity file */
    uint32_t size; /* number of ranks */
    uint64_t number;
    struct vv_digest set;    /* digest of the files of all ranks, which
                                identifies the save */
    const uint32_t *domains; /* domains of all ranks */
    struct vv_redundancy_group group;
    struct vv_member_file files[VV_MOST_MEMBERS];
};

/* Returns the offset of the block in a parity file. */
uint64_t vv_parity_head_size(const struct vv_parity_table *table);

/* For XOR, returns the size of the segments of a file. A file has one segment
 * less than there are members; the last one may be shorter or empty. */
uint64_t vv_segment_size(const struct vv_parity_table *table);

/* Returns the size of the block of a member. */
uint64_t vv_block_size(const struct vv_parity_table *table, uint32_t index);

/* Appends the header of a parity file. `block` is the digest of the block. */
void vv_parity_add_head(struct vv_buffer *head,
    const struct vv_parity_table *table, const struct vv_digest *block);

/* An open parity file. */
struct vv_parity_in {
    /* to read */
    struct vv_parity_table table; /* its domains are in `domains` below */
    struct vv_digest block;       /* its digest in the header */
    uint64_t head_size;
    int file;
    /* own */
    struct vv_buffer domains;
};

/* Opens the parity file of this rank, and checks its header. Does not verify
 * the block. Returns VARVE_NOT_FOUND, VARVE_CORRUPT, VARVE_TRUNCATED,
 * VARVE_NOT_A_CHECKPOINT or VARVE_TOO_NEW, or VARVE_MISMATCH if it was saved by
 * another number of ranks. On failure there is nothing to close. */
varve_status vv_parity_open(struct vv_parity_in *in,
    const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *file, varve_error *error);
void vv_parity_close(
    struct vv_parity_in *in, const struct vv_redundancy *redundancy);

#endif
