/* parity_rounds.h - how blocks are made of files, and files of blocks: rounds
 * in which each member of each group passes a few bytes on to the next.
 *
 * XOR: of the k members of a group each file is cut into k - 1 segments, with
 * zeros behind a shorter one. Column c has the block of member c, and of each
 * other one a segment, of member c - 1 the first, of c - 2 the second: all k of
 * a column, XORed, are zero. So any one cell of it is made of the others, the
 * block in a save as the segment in a rebuild, while a partial sum goes once
 * around the group. PARTNER: the block of a member is the file of the one
 * before it.
 *
 * Rounds are the same at all ranks, whatever fails at one of them: it passes
 * zeros on then, and says so in the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PARITY_ROUNDS_H
#define VV_PARITY_ROUNDS_H

#include "parity_file.h"
#include "publish.h"

/* A file that is being made of what comes. */
struct vv_parity_sink {
    /* to read */
    bool is_open;
    struct vv_publication publication;
    struct vv_digester *digester; /* of what came; NULL: none */
    /* own */
    const char *path;
    uint64_t begin; /* of the file that is not summed: a head to come */
    uint64_t size;  /* of what has come */
    uint64_t most;  /* of what is taken of it */
};

/* The rounds of one set at one rank. */
struct vv_parity_rounds {
    /* to fill in */
    const struct vv_redundancy *redundancy;
    const struct vv_redundant_file *own;
    const struct vv_parity_table *table;
    int file;       /* of this rank, open; -1: it has none */
    int block;      /* its parity file, likewise */
    bool is_needed; /* of its group something is to be made; else it takes no
                       part, but is there */
    /* to read */
    varve_status status; /* of this rank: the first that failed, which `error`
                            says */
    varve_error error;
    /* own */
    bool is_told;                         /* it is that of all */
    unsigned char *all, *in, *out, *cell; /* of a round each */
};

/* VARVE_NO_MEMORY; then there is nothing to end. */
varve_status vv_rounds_begin(
    struct vv_parity_rounds *rounds, varve_error *error);
void vv_rounds_end(struct vv_parity_rounds *rounds);

/* What fails at this rank, unless something did before. */
void vv_rounds_fail(struct vv_parity_rounds *rounds, varve_status status,
    const varve_error *error);

/* Once the rounds are over, or failed with `talk`: what failed at one rank
 * fails at all, so that none publishes what it made of zeros. */
void vv_rounds_settle(struct vv_parity_rounds *rounds, varve_status talk,
    const varve_error *error);

/* How it ended, at all ranks. */
varve_status vv_rounds_outcome(
    struct vv_parity_rounds *rounds, varve_error *error);

/* A file at `path` of at most `most` bytes, behind `begin` of a head. */
void vv_sink_begin(struct vv_parity_rounds *rounds, struct vv_parity_sink *sink,
    const char *path, uint64_t begin, uint64_t most);

/* Publishes the file of this rank, if it is what the table says. */
void vv_sink_end_file(
    struct vv_parity_rounds *rounds, struct vv_parity_sink *sink);

/* Publishes its parity file, with the head before the block. */
void vv_sink_end_block(
    struct vv_parity_rounds *rounds, struct vv_parity_sink *sink);

/* Each of these is called by all ranks, and fails only where they cannot talk.
 * What is not open of the sinks takes nothing. */

/* XOR: each member gets its block. */
varve_status vv_rounds_make_blocks(struct vv_parity_rounds *rounds,
    struct vv_parity_sink *block, varve_error *error);

/* XOR: the file of one member, `lost`, and its block. */
varve_status vv_rounds_make_file(struct vv_parity_rounds *rounds, uint32_t lost,
    struct vv_parity_sink *file, struct vv_parity_sink *block,
    varve_error *error);

/* PARTNER: files go to the next, to those members whose bit is set. */
varve_status vv_rounds_copy_on(struct vv_parity_rounds *rounds, uint64_t whose,
    struct vv_parity_sink *block, varve_error *error);

/* PARTNER: blocks go back to those they are of. */
varve_status vv_rounds_copy_back(struct vv_parity_rounds *rounds,
    uint64_t whose, struct vv_parity_sink *file, varve_error *error);

#endif
