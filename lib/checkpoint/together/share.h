/* share.h - Computes which bytes of a checkpoint a process writes, and where.
 *
 * Each process writes its own shards and its rank-local data. Replicated data
 * is divided evenly: all chunks in a row are divided into as many ranges as
 * there are processes. The result depends only on the metadata, which is the
 * same on all ranks, so no communication is needed. The bytes that a process
 * writes are contiguous: its *region* of a layer. A region begins at a page
 * boundary.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHARE_H
#define VV_SHARE_H

#include <varve/comm.h>

#include "save_plan.h"

/* --- Rank-local subtrees -------------------------------------------------- */

/* Gathers a save plan for each rank-local subtree (varve/rank_local.h) of this
 * process. */

struct vv_private_part {
    /* to read */
    uint32_t place; /* number of the rank-local node in the save plan of all
                       ranks */
    struct vv_save_plan save_plan;
    /* to fill in: by the share */
    uint64_t begin; /* the values are at this distance after their own
                       offsets in the region */
};

struct vv_private_parts {
    /* to read */
    struct vv_private_part *all; /* in the order of `place` */
    size_t count;
    /* own */
    const varve_allocator *allocator;
    size_t room;
};

/* Gathers the rank-local subtrees of a save plan, which was gathered from
 * `root` with slices. Returns VARVE_MISUSE if an edge or slot leads into or out
 * of a subtree other than through its rank-local node, or if a rank-local node
 * belongs to another communicator. On failure there is nothing to clear. */
varve_status vv_private_parts_gather(struct vv_private_parts *parts,
    varve_node *root, const struct vv_save_plan *save_plan,
    const varve_comm *comm, varve_error *error);

/* Computes the digests of the subtrees (save_plan_digests.h), without accessing
 * the graph. May return VARVE_NO_MEMORY. */
varve_status vv_private_parts_digest(
    struct vv_private_parts *parts, varve_error *error);
void vv_private_parts_clear(struct vv_private_parts *parts);

/* --- Shares --------------------------------------------------------------- */

/* A range of bytes of a value. */
struct vv_part {
    /* to read */
    const struct vv_save_plan *save_plan; /* to which the value belongs */
    uint32_t value;
    uint64_t begin; /* in the value; 0 for shards and rank-local values */
    uint64_t size;
    uint64_t offset; /* in the region */
};

/* A range that is contiguous in the data and in the region, including
 * padding. */
struct vv_stretch {
    /* to read */
    uint64_t place; /* offset in the data */
    uint64_t size;
    uint64_t offset; /* in the region */
};

struct vv_share {
    /* to read */
    struct vv_buffer offsets; /* offsets of values in the data, as a column */
    struct vv_buffer sizes;   /* sizes of whole values, as a column */
    uint64_t end;             /* end of the data */
    struct vv_buffer parts;   /* vv_part, in order; rank-local ones are last */
    struct vv_buffer stretches; /* vv_stretch; only replicated data */
    const struct vv_private_parts *privates; /* or NULL */
    uint64_t size;                           /* size of the region */
};

/* Computes the share of this rank. The save plan must be gathered with slices.
 * `privates` (or NULL) are the rank-local subtrees; their `begin` is set. */
varve_status vv_share_make(struct vv_share *share,
    const struct vv_save_plan *save_plan, struct vv_private_parts *privates,
    const varve_comm *comm, varve_error *error);
void vv_share_clear(struct vv_share *share);

/* Sets the offsets and sizes of an index of this process to those in the data
 * of the checkpoint, without rank-local data. */
static inline void vv_share_lay_out(
    const struct vv_share *share, struct vv_index *index)
{
    index->value_offsets = share->offsets.data;
    index->value_sizes = share->sizes.data;
}

static inline const struct vv_part *vv_parts(
    const struct vv_share *share, size_t *count)
{
    *count = share->parts.size / sizeof(struct vv_part);
    return (const struct vv_part *)(const void *)share->parts.data;
}

/* --- Chunks of a share ---------------------------------------------------- */

/* Iterates over the chunks of a share, and sends them to rank 0.
 *
 * They are used in saves that compress chunks or leave some out. Rank 0 decides
 * which chunks must be written and where. */

struct vv_share_chunk {
    /* to read */
    const struct vv_part *part; /* the part it belongs to; NULL in a message */
    uint64_t begin;             /* in the part */
    uint64_t offset;            /* in the region */
    uint32_t size;
    unsigned planes; /* for compression */
    const uint8_t *digest;
};

/* An iterator over the chunks in the order of the region. */
struct vv_share_walk {
    /* own */
    const struct vv_part *part;
    const struct vv_part *end;
    uint64_t at; /* in the part */
    const struct vv_save_plan *save_plan;
    uint32_t value;
    const uint8_t *digests; /* digests of the current value */
};

struct vv_share_walk vv_share_begin(const struct vv_share *share);
bool vv_share_next(struct vv_share_walk *walk, struct vv_share_chunk *chunk);

/* Returns true if chunks of a save are compressed or left out individually.
 * Otherwise each region is written as a whole. */
static inline bool vv_writes_by_chunks(const struct vv_save_plan *save_plan)
{
    return save_plan->options.incremental || save_plan->options.compress;
}

/* --- Messages ------------------------------------------------------------- */

enum { VV_CHUNK_MESSAGE_SIZE = 8 + 4 + 4 + VV_DIGEST_SIZE };

void vv_share_chunks_encode(
    struct vv_buffer *bytes, const struct vv_share *share);

struct vv_share_chunk vv_share_chunk_of_message(
    const uint8_t *message, size_t number);

#endif
