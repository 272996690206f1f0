/* merge_rounds.h - Sends the shards in rounds if they are too many to be sent
 * at once.
 *
 * In each round rank 0 gets the shards of a few values from all ranks, merges
 * them, and writes the result to a spill file. So its memory use does not
 * depend on the number of values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MERGE_ROUNDS_H
#define VV_MERGE_ROUNDS_H

#include "buffer.h"
#include "index_out.h"
#include "layout.h"
#include "merge.h"
#include "temporary.h"

/* --- The spill file ------------------------------------------------------- */

/* Stores columns of an index that is merged in parts in a temporary file, so
 * that they need not fit in memory. */

enum { VV_SPILL_KEYS = VV_KEY_PIECE_BOXES + 1 };

struct vv_spill {
    /* to read */
    uint64_t sizes[VV_SPILL_KEYS]; /* sizes of columns, in bytes, by key */
    /* own */
    const struct vv_context *context;
    const char *path; /* for messages */
    struct vv_temporary temporary;
    uint64_t end; /* end of the file */
    unsigned char *block;
    struct vv_buffer extents;
};

/* Creates the temporary file next to `name`. If `is_private` only its owner has
 * access. On failure nothing is left. */
varve_status vv_spill_begin(struct vv_spill *spill,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error);

/* Appends the contents of `column` to the column with this key in the file, and
 * empties it. */
varve_status vv_spill_add(struct vv_spill *spill, enum vv_index_key key,
    struct vv_buffer *column, varve_error *error);

/* The function of a vv_column_source for a spill file. Returns VARVE_CORRUPT if
 * the bytes that are read differ from those written. */
varve_status vv_spill_give(void *spill, uint64_t key, vv_index_sink *sink,
    void *sink_user, varve_error *error);

void vv_spill_end(struct vv_spill *spill);

/* --- Rounds --------------------------------------------------------------- */

/* The limit for the bytes of a round. A single value may exceed it. */
enum { VV_MOST_AT_ONCE = 16 << 20 };

/* The shards of a round. The rounds are the same on all ranks, as they depend
 * only on replicated data. */
struct vv_rounds {
    /* to fill in */
    const struct vv_save_plan *save_plan;
    uint32_t ranks;
    uint64_t most;
    /* to read: the first shard of this round and the end of its shards; and the
     * end of its values */
    size_t begin, end;
    uint32_t value_end;
};

/* Returns true if more than one round is needed. Incremental and compressed
 * saves do not use rounds. Rank-local data is sent before the first round. */
bool vv_needs_rounds(const struct vv_rounds *rounds);

/* Begins the next round. Returns false after the last one. */
bool vv_rounds_next(struct vv_rounds *rounds);

/* Merges all shards in rounds. Collective: each rank calls it with its own
 * `status`, and all return the same. On rank 0 the merge must have begun and
 * have a spill file. */
varve_status vv_merge_by_rounds(struct vv_merge *merge, uint64_t most,
    varve_status status, varve_error *error);

#endif
