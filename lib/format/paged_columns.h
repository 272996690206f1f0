/* paged_columns.h - columns of an index that stay in the file. There is a sum
 * of every 4 KiB of them; what is wanted is read again, and compared with that.
 *
 * Digests and what is known of pieces grow with the number of processes that
 * have saved, and each that restores needs few of them.
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
    VV_FAR_BLOCK = 4096, /* of a column, with a sum of its own */
    VV_FAR_COLUMNS = 29, /* by key; those behind are always at hand */
    VV_FAR_PLACES = 512, /* of a block, by where they begin */
};

struct vv_paged_column {
    /* to fill in */
    uint64_t offset; /* in the file */
    uint64_t size;   /* in bytes; 0: it is at hand, or empty */
    uint64_t *sums;
};

struct vv_paged_columns {
    /* to fill in */
    const struct vv_context *context;
    int file;
    const char *path;
    struct vv_paged_column columns[VV_FAR_COLUMNS];
    uint64_t *place_firsts;    /* where the first place of a block begins */
    struct vv_piece_runs runs; /* where boxes stay */
    uint64_t *words;           /* owned: all that is pointed to above */
    size_t word_count;
    bool is_checked; /* somebody has looked whether they obey their rules, and
                        the runs are made */
    /* own */
    struct vv_monitor *monitor;
    struct vv_paged_block *blocks; /* those that were read last */
    atomic_bool has_failed;
    varve_error failure;
};

/* With room for so many words; NULL without memory. */
struct vv_paged_columns *vv_paged_columns_new(
    const struct vv_context *context, size_t word_count);

/* Takes NULL. */
void vv_paged_columns_free(struct vv_paged_columns *far);

/* Points to what the words are, once the sizes of columns and the counts of
 * runs are known; vv_paged_words says how many these are. */
size_t vv_paged_words(const struct vv_paged_columns *far);
void vv_paged_columns_point(struct vv_paged_columns *far);

static inline bool vv_is_in_file(const struct vv_index *index, uint64_t key)
{
    return index->far && index->far->columns[key].size > 0;
}

/* Whether its rules need not be looked at. */
static inline bool vv_is_checked(const struct vv_index *index, uint64_t key)
{
    return vv_is_in_file(index, key) && index->far->is_checked;
}

/* Reads bytes of a column, that it has. VARVE_CORRUPT where they are not what
 * was summed. May be called from several threads at once. */
varve_status vv_paged_read(struct vv_paged_columns *far, uint64_t key,
    uint64_t at, void *bytes, size_t size, varve_error *error);

/* The same for who cannot fail: zeros then, and from there on the index has
 * failed, which whoever uses it comes to see before he relies on it. */
void vv_paged_get(const struct vv_index *index, uint64_t key, uint64_t at,
    void *bytes, size_t size);

static inline bool vv_index_has_failed(const struct vv_index *index)
{
    return index->far && atomic_load(&index->far->has_failed);
}

/* A number that follows from some bytes of a column, and those around them. */
uint64_t vv_paged_seed(const struct vv_paged_columns *far, uint64_t key,
    uint64_t at, uint64_t size);

/* VARVE_OK as long as nothing has failed for who cannot. */
varve_status vv_index_failure(const struct vv_index *index, varve_error *error);

/* That was told; the next try may find the file mended. Nobody else uses the
 * index meanwhile. */
static inline void vv_index_recover(const struct vv_index *index)
{
    if (index->far)
        atomic_store(&index->far->has_failed, false);
}

/* --- Digests -------------------------------------------------------------- */

varve_status vv_paged_digest(struct vv_paged_columns *far, uint64_t number,
    struct vv_digest *digest, varve_error *error);

/* The digest of so many of them from a number on; zero where they cannot be
 * had. */
struct vv_digest vv_paged_digest_of(
    struct vv_paged_columns *far, uint64_t first, uint64_t count);

#endif
