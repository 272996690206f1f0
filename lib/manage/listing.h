/* listing.h - Lists the checkpoints of one prefix in a directory, with the
 * metadata of their files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LISTING_H
#define VV_LISTING_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "context.h"
#include "hash_table.h"
#include "ledger.h"
#include "numbered.h"
#include "retention.h"

/* Metadata that identifies the run and the parent of a checkpoint. */
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
    char *other_metric;  /* metric of the ledger; NULL: `metric` */
    bool has_parity;     /* each file has a parity file, deleted with it */
    bool has_ledger;     /* the directory has a ledger */
    bool is_unconfirmed; /* no two listings of the directory agreed */
    uint64_t noted; /* number of the newest that the ledger names; 0: none */
    struct vv_policy policy;  /* the policy to write to the ledger */
    struct vv_entry *entries; /* by counter, then number */
    size_t count;
    size_t capacity;
    uint64_t highest;      /* highest number of any name, even if it is not a
                              checkpoint */
    struct vv_buffer gone; /* names of partly deleted and temporary files, each
                              ends with a NUL */
    struct vv_buffer path; /* scratch */
    /* Between vv_listing_hold and vv_listing_let_go; see there. */
    bool is_held;
    int directory_file; /* the open directory; -1: not opened yet */
};

/* Returns the identity of a checkpoint: a hash of its run and its save counter,
 * so that copies have the same identity. Returns 0 if the run is unknown. */
uint64_t vv_checkpoint_identity(const char *run, uint64_t counter);

/* Initializes an empty listing. Call vv_listing_clear also after a failure.
 * `metric` may be NULL. Returns VARVE_NO_MEMORY without memory. */
varve_status vv_listing_begin(struct vv_listing *listing,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error);
void vv_listing_clear(struct vv_listing *listing);

/* Adds the files of the ledger that are not listed yet, so that a refresh can
 * compare them with the directory. Sets *policy (unless NULL) to the policy of
 * the ledger, and the metric of the listing if it has none. If the metrics
 * differ, the files are opened again. A missing or damaged ledger adds nothing.
 * Returns VARVE_NO_MEMORY, or VARVE_IO if the ledger cannot be read. */
varve_status vv_listing_read_ledger(
    struct vv_listing *listing, struct vv_policy *policy, varve_error *error);

/* Writes the ledger with the policy of the listing. */
varve_status vv_listing_write_ledger(
    struct vv_listing *listing, varve_error *error);

/* The result of vv_listing_descent. */
enum vv_descent {
    VV_DESCENDS_NOT,
    VV_DESCENDS,
    VV_DESCENT_UNRECORDED, /* too many runs in between */
    VV_DESCENT_UNKNOWN,    /* one is of an older version, which did not record
                              ancestors */
};

/* Returns VV_DESCENDS if `older` was saved before `newer` by the same run, or
 * by an ancestor of its run before the next run was resumed. Ancestors that
 * `newer` does not record are taken from other entries of the listing. If a run
 * is unknown, as in checkpoints of older versions, it is assumed to descend. */
enum vv_descent vv_listing_descent(const struct vv_listing *listing,
    const struct vv_entry *older, const struct vv_entry *newer);

/* Returns true if `newer` certainly descends from `older`. */
bool vv_listing_is_before(const struct vv_listing *listing,
    const struct vv_entry *older, const struct vv_entry *newer);

/* Sets *is_same if two files have the same values under the same paths, by
 * their checksums. Used for checkpoints of older versions, which have no
 * identity. */
varve_status vv_checkpoint_compare(const struct vv_context *context,
    const char *path, const char *other, bool *is_same, varve_error *error);

/* Adds an entry with known data. The next refresh corrects it. Returns false
 * without memory. */
bool vv_listing_add(struct vv_listing *listing, const struct vv_entry *entry);

/* Opens the file of an entry again before it is deleted. Returns true if it
 * belongs to this manager and has the step and the metric of the entry. */
bool vv_listing_confirm(
    struct vv_listing *listing, const struct vv_entry *entry);

/* Reads the file of an entry again. Returns true if it is damaged, and false if
 * it could only not be read, or is not a checkpoint. */
bool vv_listing_is_damaged(
    struct vv_listing *listing, const struct vv_entry *entry);

/* Returns the entry of a number, or NULL. If two files have the number, returns
 * the one whose name has no padding. */
struct vv_entry *vv_listing_find(
    const struct vv_listing *listing, uint64_t number);

/* Adds the entries from `begin` on to an index of the listing by file, which
 * begins as an empty map. Returns false without memory. */
bool vv_listing_index(
    const struct vv_listing *listing, size_t begin, struct vv_map *index);

/* Returns the entry of a file, or NULL. The listing must still have the entries
 * that were added to the index, at the same places. */
struct vv_entry *vv_listing_find_file(const struct vv_listing *listing,
    const struct vv_map *index, const struct vv_numbered *file);

/* Sets the size and time of an entry from its file. Returns VARVE_NOT_FOUND if
 * the file does not exist. */
varve_status vv_entry_look(
    struct vv_listing *listing, struct vv_entry *entry, varve_error *error);

/* Reads the metadata of an entry from its file. If the file cannot be opened,
 * the entry is marked as unread if the reason is temporary, and otherwise as
 * damaged. Sets *found to false if the file was deleted. Returns
 * VARVE_NO_MEMORY without memory. */
varve_status vv_entry_read(struct vv_listing *listing, struct vv_entry *entry,
    bool *found, varve_error *error);

/* Sets an entry, whose counter is set, from the metadata with which its file is
 * written. */
void vv_entry_take(struct vv_entry *entry, const struct vv_listing *listing,
    const varve_metadata *metadata, size_t count);

/* Sets the parent, the origin and the ancestors of an entry from the text of
 * its metadata. */
void vv_entry_take_parent(struct vv_entry *entry, const char *text);

/* Sets the run of an entry whose counter is set, with its identity, origin and
 * parent. `parent` is the text of the metadata, or "" for a run that was not
 * resumed. */
void vv_entry_set_run(
    struct vv_entry *entry, const char run[VV_RUN_SIZE], const char *parent);

/* Marks an entry as not read. */
void vv_entry_forget(struct vv_entry *entry);

/* Returns the highest number below `number`, or 0 if there is none. */
uint64_t vv_listing_below(const struct vv_listing *listing, uint64_t number);

/* Returns the highest save counter, or the highest of all counters and numbers
 * if `numbers_count`. */
uint64_t vv_listing_highest(
    const struct vv_listing *listing, bool numbers_count);

/* Returns the name, or the path, of a file of this prefix: "PREFIX-N" and
 * `ending`, or "PREFIX" and `ending` if `number` is NULL. Valid until the next
 * call; "" without memory. */
const char *vv_listing_name(
    struct vv_listing *listing, const uint64_t *number, const char *ending);
const char *vv_listing_path(
    struct vv_listing *listing, const uint64_t *number, const char *ending);

/* Like vv_listing_name and vv_listing_path, for an entry, whose name can be
 * padded. */
const char *vv_listing_entry_name(struct vv_listing *listing,
    const struct vv_entry *entry, const char *ending);
const char *vv_listing_entry_path(struct vv_listing *listing,
    const struct vv_entry *entry, const char *ending);

#endif
