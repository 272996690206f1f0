/* prune.h - Deletes checkpoints that no policy keeps.
 *
 * All deletions of numbered checkpoints use vv_delete_file. A file is renamed
 * before it is removed, so that its name never refers to a partly deleted file.
 * The next deletion removes files that a killed process left in between. Before
 * the rename, the exclusive lock of the file is taken: a reader with a lease
 * has a shared lock and prevents the deletion. With the lock, the pin is
 * checked and the metadata is read again. The files stay open until one sync of
 * the directory has made all deletions durable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRUNE_H
#define VV_PRUNE_H

#include "listing.h"
#include "retention.h"

/* The decision about a listing: facts[i] belongs to entry i. */
struct vv_decision {
    const varve_allocator *allocator;
    struct vv_fact *facts;
    size_t count;
    size_t capacity;
};

/* Makes a new decision. `newest_good` is a number or NULL. Returns
 * VARVE_NO_MEMORY without memory, and then the older decision is invalid. */
varve_status vv_decide_listing(struct vv_decision *decision,
    const struct vv_policy *policy, const struct vv_listing *listing,
    const uint64_t *newest_good, varve_error *error);
void vv_decision_clear(struct vv_decision *decision);

/* Returns true if vv_prune would change the directory. */
bool vv_prune_has_work(
    const struct vv_listing *listing, const struct vv_decision *decision);

/* Deletes all checkpoints without a reason to keep, the oldest first, from the
 * directory and the listing, and the files that an earlier deletion left. A
 * checkpoint that is leased, or was pinned since it was listed, is kept and
 * gets that reason. Continues after a failure, and returns the first one. */
varve_status vv_prune(struct vv_listing *listing, struct vv_decision *decision,
    varve_error *error);

/* Finds the checkpoints that vv_prune would delete, and deletes nothing. Takes
 * each lock for a moment. Checkpoints that would be kept get their reason.
 * Continues after a failure, and returns the first one. */
varve_status vv_prune_trial(struct vv_listing *listing,
    struct vv_decision *decision, varve_error *error);

/* A sequence of deletions in one directory. */
struct vv_deletion {
    /* to fill in */
    const struct vv_context *context;
    int directory;
    bool is_direct; /* removes without renaming, for callers that do not clean
                       up renamed files */
    /* own */
    bool is_unlocked; /* the current file has no lock */
    int held[32];     /* deleted files, open until the sync */
    size_t held_count;
};

/* The result of a deletion. */
enum vv_deletion_result { VV_DELETED, VV_LEFT_LEASED, VV_LEFT_PINNED };

/* Deletes a file by its name in the directory. `pin` is the name of its pin, or
 * NULL. `path` is used in messages. A file that does not exist counts as
 * deleted. The deletion is durable after vv_deletion_end. */
varve_status vv_delete_file(struct vv_deletion *deletion, const char *name,
    const char *pin, const char *path, enum vv_deletion_result *left,
    varve_error *error);

/* The steps of vv_delete_file. vv_deletion_begin opens and locks the file;
 * *file is -1 if it does not exist. Then call either vv_deletion_give_up, or
 * vv_deletion_carry_out, which renames the file, removes it and keeps it open.
 * Without locks, the file gets its name back if it was pinned or leased in
 * between. */
varve_status vv_deletion_begin(struct vv_deletion *deletion, const char *name,
    const char *pin, const char *path, int *file, enum vv_deletion_result *left,
    varve_error *error);
varve_status vv_deletion_carry_out(struct vv_deletion *deletion,
    const char *name, const char *pin, int file, enum vv_deletion_result *left,
    varve_error *error);
void vv_deletion_give_up(struct vv_deletion *deletion, int file);

/* Makes all deletions durable with one sync of the directory, if there were
 * any. */
varve_status vv_deletion_end(
    struct vv_deletion *deletion, const char *path, varve_error *error);

#endif
