/* parity_file.h - the file that a rank keeps beside its own for others of its
 * group: docs/format.md says what stands in it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PARITY_FILE_H
#define VV_PARITY_FILE_H

#include "buffer.h"
#include "checksum.h"
#include "redundancy.h"
#include "redundancy_group.h"

/* A file of a member, as it was when it was protected. */
struct vv_member_file {
    /* to fill in */
    uint64_t size;
    struct vv_digest digest;
};

/* How a set is protected: the same in the parity files of a group. */
struct vv_parity_table {
    /* to fill in */
    uint32_t scheme;
    uint32_t group_size;
    uint32_t rank; /* whose file it is */
    uint32_t size; /* how many ranks there are */
    uint64_t number;
    struct vv_digest set;    /* of the files of all ranks: which save it was */
    const uint32_t *domains; /* of all ranks */
    struct vv_redundancy_group group;
    struct vv_member_file files[VV_MOST_MEMBERS];
};

/* Bytes before the block. */
uint64_t vv_parity_head_size(const struct vv_parity_table *table);

/* XOR: bytes of each part of which a file has one less than there are members;
 * the last may be cut, or missing. */
uint64_t vv_segment_size(const struct vv_parity_table *table);

/* Bytes that the block of a member has. */
uint64_t vv_block_size(const struct vv_parity_table *table, uint32_t index);

/* Appends the head of the file, with the digest of its block. */
void vv_parity_add_head(struct vv_buffer *head,
    const struct vv_parity_table *table, const struct vv_digest *block);

/* A parity file that was opened. */
struct vv_parity_in {
    /* to read */
    struct vv_parity_table table; /* its domains are in `head` */
    struct vv_digest block;       /* as the head has it */
    uint64_t head_size;
    int file;
    /* own */
    struct vv_buffer domains;
};

/* Opens that of a rank of `comm`, and checks all that it says but its block.
 * VARVE_NOT_FOUND; VARVE_CORRUPT, VARVE_TRUNCATED, VARVE_NOT_A_CHECKPOINT;
 * VARVE_TOO_NEW; VARVE_MISMATCH where it was saved by another number of
 * ranks. On failure there is nothing to close. */
varve_status vv_parity_open(struct vv_parity_in *in,
    const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *file, varve_error *error);
void vv_parity_close(
    struct vv_parity_in *in, const struct vv_redundancy *redundancy);

#endif
