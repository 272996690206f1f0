/* paged_columns.h - Columns of an index that remain in the file. A checksum of
 * every 4 KiB of them is in memory; blocks are read when needed and compared
 * with it.
 *
 * Digests and pieces grow with the number of processes that saved, and each
 * restoring process needs few of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FAR_COLUMNS_H
#define VV_FAR_COLUMNS_H

#include <stdatomic.h>

#include <varve/error.h>

#include "context.h"
#include "index.h"
#include "piece_runs.h"

enum {
    /* size of a block of a column, which has its own checksum */
    VV_FAR_BLOCK = 4096,
    /* by key; columns with larger keys are always in memory */
    VV_FAR_COLUMNS = 29,
    VV_FAR_PLACES = 512, /* number of places in a block of place starts */
};

struct vv_paged_column {
    /* to fill in */
    uint64_t offset; /* in the file */
    uint64_t size;   /* in bytes; 0: in memory, or empty */
    uint64_t *sums;
};

struct vv_paged_columns {
    /* to fill in */
    const struct vv_context *context;
    int file;
    const char *path;
    struct vv_paged_column columns[VV_FAR_COLUMNS];
    uint64_t *place_firsts;    /* start of the first place of each block */
    struct vv_piece_runs runs; /* used if the boxes are in the file */
    uint64_t *words;           /* owned; contains all arrays above */
    size_t word_count;
    bool is_checked; /* the rules were checked, and the runs exist */
    /* own */
    struct vv_monitor *monitor;
    /* Cache of the blocks read last. Guarded by `monitor`, as is `failure`
     * while has_failed is being set. */
    struct vv_paged_block *blocks;
    atomic_bool has_failed;
    varve_error failure;
};

/* Allocates columns with `word_count` words. Returns NULL if there is no
 * memory. */
struct vv_paged_columns *vv_paged_columns_new(
    const struct vv_context *context, size_t word_count);

/* Frees the columns; accepts NULL. */
void vv_paged_columns_free(struct vv_paged_columns *far);

/* vv_paged_columns_point sets the pointers into the words. The sizes of columns
 * and the counts of runs must be set. vv_paged_words returns the number of
 * words. */
size_t vv_paged_words(const struct vv_paged_columns *far);
void vv_paged_columns_point(struct vv_paged_columns *far);

static inline bool vv_is_in_file(const struct vv_index *index, uint64_t key)
{
    return index->far && index->far->columns[key].size > 0;
}

/* Returns true if the rules of this column need not be checked. */
static inline bool vv_is_checked(const struct vv_index *index, uint64_t key)
{
    return vv_is_in_file(index, key) && index->far->is_checked;
}

/* Reads bytes of a column. Returns VARVE_CORRUPT if their checksum is wrong.
 * Can be called from several threads at the same time. */
varve_status vv_paged_read(struct vv_paged_columns *far, uint64_t key,
    uint64_t at, void *bytes, size_t size, varve_error *error);

/* Like vv_paged_read, for callers that cannot fail. On failure sets the bytes
 * to zero and marks the index as failed. Users of the index must check this
 * (vv_index_failure) before they rely on its contents. */
void vv_paged_get(const struct vv_index *index, uint64_t key, uint64_t at,
    void *bytes, size_t size);

static inline bool vv_index_has_failed(const struct vv_index *index)
{
    return index->far && atomic_load(&index->far->has_failed);
}

/* Returns a number that depends on the given bytes of a column and on those
 * around them. */
uint64_t vv_paged_seed(const struct vv_paged_columns *far, uint64_t key,
    uint64_t at, uint64_t size);

/* Returns the first failure of vv_paged_get, or VARVE_OK. */
varve_status vv_index_failure(const struct vv_index *index, varve_error *error);

/* Clears the failure after it was reported, because a later read may succeed.
 * No other thread may use the index at this time. */
static inline void vv_index_recover(const struct vv_index *index)
{
    if (index->far)
        atomic_store(&index->far->has_failed, false);
}

/* --- Digests -------------------------------------------------------------- */

varve_status vv_paged_digest(struct vv_paged_columns *far, uint64_t number,
    struct vv_digest *digest, varve_error *error);

/* Returns the digest of `count` concatenated digests, or zero if they cannot be
 * read. */
struct vv_digest vv_paged_digest_of(
    struct vv_paged_columns *far, uint64_t first, uint64_t count);

#endif
