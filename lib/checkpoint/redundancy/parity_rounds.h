/* parity_rounds.h - Computes parity blocks from files, and lost files from
 * blocks, in rounds in which each member of each group sends a few bytes to the
 * next one.
 *
 * XOR: in a group of k members each file is divided into k - 1 segments;
 * shorter files are padded with zeros. Column c consists of the block of member
 * c and one segment of each other member: the first segment of member c - 1,
 * the second one of member c - 2, and so on. The XOR of all k cells of a column
 * is zero. So each cell can be computed from the others: the block in a save,
 * and a segment in a rebuild. A partial sum is sent once around the group.
 *
 * PARTNER: the block of a member is a copy of the file of the previous member.
 *
 * The number of rounds is the same on all ranks. A rank that fails sends zeros
 * in the remaining rounds and reports its failure at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PARITY_ROUNDS_H
#define VV_PARITY_ROUNDS_H

#include "parity_file.h"
#include "publish.h"

/* A file that is written from received data. */
struct vv_parity_sink {
    /* to read */
    bool is_open;
    struct vv_publication publication;
    struct vv_digester *digester; /* digest of the received bytes; NULL: none */
    /* own */
    const char *path;
    uint64_t begin; /* offset of the data: the size of the header, which is
                       not included in the digest */
    uint64_t size;  /* bytes received so far */
    uint64_t most;  /* bytes to write; more are ignored */
};

/* The rounds for one set on one rank. */
struct vv_parity_rounds {
    /* to fill in */
    const struct vv_redundancy *redundancy;
    const struct vv_redundant_file *own;
    const struct vv_parity_table *table;
    int file;       /* the file of this rank, open; -1: it has none */
    int block;      /* its parity file, open; -1: it has none */
    bool is_needed; /* something is rebuilt in its group; otherwise this rank
                       takes part in the rounds without sending data */
    /* to read */
    varve_status status; /* status of this rank: the first failure, described by
                            `error` */
    varve_error error;
    /* own */
    bool is_agreed; /* all ranks have agreed on `status` */
    unsigned char *all, *in, *out, *cell; /* buffers of one round each */
};

/* Allocates the buffers. Returns VARVE_NO_MEMORY on failure; then there is
 * nothing to end. */
varve_status vv_rounds_begin(
    struct vv_parity_rounds *rounds, varve_error *error);
void vv_rounds_end(struct vv_parity_rounds *rounds);

/* Records a failure of this rank, unless there was one before. */
void vv_rounds_fail(struct vv_parity_rounds *rounds, varve_status status,
    const varve_error *error);

/* Agrees on the result after the rounds, which ended with the status `talk`: if
 * one rank has failed, all fail, so that none publishes a file that was
 * computed from zeros. Collective. */
void vv_rounds_agree(struct vv_parity_rounds *rounds, varve_status talk,
    const varve_error *error);

/* Returns the final status, the same on all ranks. Collective. */
varve_status vv_rounds_outcome(
    struct vv_parity_rounds *rounds, varve_error *error);

/* Begins to write a file at `path`. The data, of at most `most` bytes, starts
 * at the offset `begin`, after a header. */
void vv_sink_begin(struct vv_parity_rounds *rounds, struct vv_parity_sink *sink,
    const char *path, uint64_t begin, uint64_t most);

/* Publishes the file of this rank if its digest is that of the table. */
void vv_sink_end_file(
    struct vv_parity_rounds *rounds, struct vv_parity_sink *sink);

/* Publishes the parity file of this rank; writes the header before the
 * block. */
void vv_sink_end_block(
    struct vv_parity_rounds *rounds, struct vv_parity_sink *sink);

/* The following functions are collective. They return an error only if
 * communication fails. A sink that is not open ignores the data. */

/* XOR: computes the block of each member. */
varve_status vv_rounds_make_blocks(struct vv_parity_rounds *rounds,
    struct vv_parity_sink *block, varve_error *error);

/* XOR: computes the file of the member `lost`, and its block. */
varve_status vv_rounds_make_file(struct vv_parity_rounds *rounds, uint32_t lost,
    struct vv_parity_sink *file, struct vv_parity_sink *block,
    varve_error *error);

/* PARTNER: sends files to the next members, for those members whose bit is set
 * in `whose`. */
varve_status vv_rounds_copy_on(struct vv_parity_rounds *rounds, uint64_t whose,
    struct vv_parity_sink *block, varve_error *error);

/* PARTNER: sends blocks back to the members whose files they are copies of. */
varve_status vv_rounds_copy_back(struct vv_parity_rounds *rounds,
    uint64_t whose, struct vv_parity_sink *file, varve_error *error);

#endif
