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
#include "ledger.h"
#include "numbered.h"
#include "retention.h"

/* Metadata of a checkpoint that names its maker. */
#define VV_MANAGER_KEY "varve.manager" /* the manager's prefix */
#define VV_STEP_KEY "step"
#define VV_TIME_KEY "time"
#define VV_RUN_KEY "varve.run" /* identity of its run */
#define VV_PARENT_KEY                                                          \
    "varve.parent" /* identity, run and number of the                          \
                      checkpoint that its run was resumed                      \
                      from: "%016x RUN NUMBER COUNTER %016x", the              \
                      last of which is its origin; and, where its              \
                      run has ancestors, a space and those, as                 \
                      vv_ancestry_print prints them */

struct vv_listing {
    const struct vv_context *context;
    char *directory; /* owned, as is what follows */
    char *prefix;
    char *metric;        /* NULL: not known yet */
    bool has_parity;     /* files have others beside them, which go with them */
    bool has_ledger;     /* the directory has one */
    bool is_unconfirmed; /* no two listings of the directory agreed */
    uint64_t noted; /* number of the newest that the ledger names; 0: none */
    struct vv_policy policy;  /* what the ledger is to say of it */
    struct vv_entry *entries; /* by counter, then number */
    size_t count;
    size_t capacity;
    uint64_t highest;      /* number of any name, also where that is no file */
    struct vv_buffer gone; /* names of files that were being deleted, or
                              written aside: each ends with a NUL */
    struct vv_buffer path; /* scratch */
};

/* The identity of a checkpoint: of the run that has saved it and its place
 * there, so that a copy has the same one. 0 where the run is unknown. */
uint64_t vv_checkpoint_identity(const char *run, uint64_t counter);

/* An empty listing; clear it also after a failure. `metric` may be NULL.
 * VARVE_NO_MEMORY. */
varve_status vv_listing_begin(struct vv_listing *listing,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error);
void vv_listing_clear(struct vv_listing *listing);

/* Adds what the ledger says of files that are not listed yet, for a refresh to
 * compare with the directory. `policy` (or NULL) becomes what it says is kept,
 * and the listing's metric, if it has none yet, the one that stands there;
 * where the two differ its entries are opened again. A ledger that is missing
 * or damaged says nothing. VARVE_NO_MEMORY; VARVE_IO where it cannot be read.
 */
varve_status vv_listing_read_ledger(
    struct vv_listing *listing, struct vv_policy *policy, varve_error *error);

/* Writes the ledger, with the listing's policy. */
varve_status vv_listing_write_ledger(
    struct vv_listing *listing, varve_error *error);

/* Whether a checkpoint descends from another one. */
enum vv_descent {
    VV_DESCENDS_NOT,
    VV_DESCENDS,
    VV_DESCENT_UNRECORDED, /* too many runs are between them */
    VV_DESCENT_UNKNOWN,    /* an older version has written one, and did not
                              record the ancestors of its run */
};

/* Returns whether `newer` descends from `older`: whether this was saved before
 * it by the same run, or by an ancestor of its run before the next run was
 * resumed. Ancestors that `newer` has not recorded are taken from entries of
 * the listing. Of a run that is unknown, as in checkpoints of older versions,
 * it is assumed. */
enum vv_descent vv_listing_descent(const struct vv_listing *listing,
    const struct vv_entry *older, const struct vv_entry *newer);

/* Returns whether it is certain that `newer` descends from `older`. */
bool vv_listing_is_before(const struct vv_listing *listing,
    const struct vv_entry *older, const struct vv_entry *newer);

/* Returns whether two files have the same values under the same paths, by their
 * digests: for checkpoints without an identity, as older versions wrote them.
 */
varve_status vv_checkpoint_compare(const struct vv_context *context,
    const char *path, const char *other, bool *is_same, varve_error *error);

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

/* The entry of a number, or NULL; of two with one number that whose name is not
 * padded. */
struct vv_entry *vv_listing_find(
    const struct vv_listing *listing, uint64_t number);

/* The entry of a file, or NULL. */
struct vv_entry *vv_listing_find_file(
    const struct vv_listing *listing, const struct vv_numbered *file);

/* Sets size and time of an entry's file. VARVE_NOT_FOUND where it is gone. */
varve_status vv_entry_look(
    struct vv_listing *listing, struct vv_entry *entry, varve_error *error);

/* Opens an entry's file for its metadata. One that cannot be opened for a
 * reason that may pass is unread, another one damaged, as far as can be said.
 * Sets *found where it was deleted meanwhile. VARVE_NO_MEMORY. */
varve_status vv_entry_read(struct vv_listing *listing, struct vv_entry *entry,
    bool *found, varve_error *error);

/* Sets the parent, the origin and the ancestors of an entry by the text of its
 * metadata. */
void vv_entry_take_parent(struct vv_entry *entry, const char *text);

/* Sets the run of an entry, whose counter is set, with what follows from it:
 * identity, origin, and the parent by its text, which is "" for a run that was
 * begun anew. */
void vv_entry_set_run(
    struct vv_entry *entry, const char run[VV_RUN_SIZE], const char *parent);

/* Makes an entry one that was not read. */
void vv_entry_forget(struct vv_entry *entry);

/* The highest number below one; 0: there is none. */
uint64_t vv_listing_below(const struct vv_listing *listing, uint64_t number);

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

/* The same of an entry, whose name may be padded. */
const char *vv_listing_entry_name(struct vv_listing *listing,
    const struct vv_entry *entry, const char *ending);
const char *vv_listing_entry_path(struct vv_listing *listing,
    const struct vv_entry *entry, const char *ending);

#endif
