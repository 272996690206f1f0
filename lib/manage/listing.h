/* listing.h - the checkpoints of one prefix in a directory, as the files tell
 * of themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LISTING_H
#define VV_LISTING_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "context.h"
#include "retention.h"

/* What the metadata of a checkpoint says about who made it. */
#define VV_MANAGER_KEY "varve.manager" /* the manager's prefix */
#define VV_STEP_KEY "step"
#define VV_TIME_KEY "time"

/* One checkpoint: PREFIX-NUMBER.varve. */
struct vv_entry {
    uint64_t number;
    uint64_t counter;
    int64_t step;  /* -1: unknown */
    int64_t time;  /* seconds; -1: unknown */
    double metric; /* NaN: none */
    uint64_t size;
    uint64_t data;    /* bytes of layers that it takes beside that, where these
                         count (data_sizes.h); else 0 */
    int64_t modified; /* nanoseconds; with `size`, tells that it is the same */
    bool is_ours;
    bool is_pinned;
    bool is_read;    /* it was opened, so the above is known */
    bool is_damaged; /* it could not be opened, or did not verify */
    bool is_good;    /* it was written by this process, or verified by it */
    bool is_there;   /* scratch of a refresh */
};

struct vv_listing {
    const struct vv_context *context;
    char *directory; /* owned, as is what follows */
    char *prefix;
    char *metric;    /* NULL: not known yet */
    bool has_parity; /* files have others beside them, which go with them */
    struct vv_policy policy;  /* what the ledger is to say of it */
    struct vv_entry *entries; /* by counter, then number */
    size_t count;
    size_t capacity;
    uint64_t highest;      /* number of any name, also where that is no file */
    struct vv_buffer gone; /* names of files that were being deleted, or
                              written aside: each ends with a NUL */
    struct vv_buffer path; /* scratch */
};

/* An empty listing; clear it also after a failure. `metric` may be NULL.
 * VARVE_NO_MEMORY. */
varve_status vv_listing_begin(struct vv_listing *listing,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error);
void vv_listing_clear(struct vv_listing *listing);

/* Looks at the directory. A file that has the size and the time of one that is
 * listed already is taken for it and not opened. A directory that is not there
 * has nothing in it. On failure the listing is as it was. */
varve_status vv_listing_refresh(struct vv_listing *listing, varve_error *error);

/* Adds what is known of a file from elsewhere; what a refresh does not find as
 * it was told is corrected. False without memory. */
bool vv_listing_add(struct vv_listing *listing, const struct vv_entry *entry);

/* Opens the file of an entry again and says whether it is this manager's and
 * has the step and the metric that the entry has: before it is deleted. */
bool vv_listing_confirm(
    struct vv_listing *listing, const struct vv_entry *entry);

/* Reads the file of an entry again and says whether it is damaged: not if only
 * reading it failed, nor where it is no checkpoint at all. */
bool vv_listing_is_damaged(
    struct vv_listing *listing, const struct vv_entry *entry);

/* The entry of a number, or NULL. */
struct vv_entry *vv_listing_find(
    const struct vv_listing *listing, uint64_t number);

/* The highest counter, or, if they count as well, number. */
uint64_t vv_listing_highest(
    const struct vv_listing *listing, bool numbers_count);

void vv_listing_remove(struct vv_listing *listing, size_t index);

/* The bare name, or the path, of a file of this prefix: "PREFIX-N" and what
 * follows, or "PREFIX" alone where `number` is NULL. Valid until the next call;
 * "" without memory. */
const char *vv_listing_name(
    struct vv_listing *listing, const uint64_t *number, const char *ending);
const char *vv_listing_path(
    struct vv_listing *listing, const uint64_t *number, const char *ending);

#endif
