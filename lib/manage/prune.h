/* prune.h - Deletes checkpoints that nothing keeps.
 *
 * All deletions of numbered checkpoints go through vv_delete_files. A file is
 * renamed away first and removed then, so that no name ever leads to half a
 * deletion; what a killed process left between the two is removed the next
 * time. Before either, its lock is taken: a reader with a lease has it, and
 * keeps the file. With the lock, its pin is looked for, and its own metadata is
 * read once more. The files stay open until a sync of the directory, of many
 * files one, has put the deletions on disk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRUNE_H
#define VV_PRUNE_H

#include "listing.h"
#include "retention.h"

/* What is decided about a listing: facts[i] is of its entry i. */
struct vv_decision {
    const varve_allocator *allocator;
    struct vv_fact *facts;
    size_t count;
    size_t capacity;
};

/* Decides anew. `newest_good` is a number or NULL. VARVE_NO_MEMORY; then the
 * older decision stands no more. */
varve_status vv_decide_listing(struct vv_decision *decision,
    const struct vv_policy *policy, const struct vv_listing *listing,
    const uint64_t *newest_good, varve_error *error);
void vv_decision_clear(struct vv_decision *decision);

/* Deletes what has no reason to stay, the oldest first, from the directory and
 * the listing; and what an earlier deletion left. What is leased, or was pinned
 * since it was listed, gets that as a reason. Goes on after a failure, and
 * returns the first. */
varve_status vv_prune(struct vv_listing *listing, struct vv_decision *decision,
    varve_error *error);

/* Finds what vv_prune would delete now, and deletes nothing: the fact of each
 * that would stay gets its reason. Takes each lock for a moment. Goes on after
 * a failure, and returns the first. */
varve_status vv_prune_trial(struct vv_listing *listing,
    struct vv_decision *decision, varve_error *error);

/* A directory in which files are deleted. */
struct vv_deletion {
    /* to fill in */
    const struct vv_context *context;
    int directory;
    bool is_direct; /* removes without renaming: for whoever does not remove the
                       renamed files that a killed process leaves */
    /* own */
    bool is_unlocked; /* there are no locks for the file at work */
    int held[32];     /* deleted, and open until that is on disk */
    size_t held_count;
};

/* Why a file was not deleted. */
enum vv_deletion_result { VV_DELETED, VV_LEFT_LEASED, VV_LEFT_PINNED };

/* Deletes the file of a name in the directory, with its pin's name given (NULL:
 * it can have none). `path` is for messages. A file that is gone is deleted.
 * The deletion is durable after vv_deletion_end. */
varve_status vv_delete_file(struct vv_deletion *deletion, const char *name,
    const char *pin, const char *path, enum vv_deletion_result *left,
    varve_error *error);

/* The same in steps: opens and locks the file, *file is -1 where it is gone;
 * then either vv_deletion_give_up, or vv_deletion_carry_out, which renames it
 * away, removes it and keeps it open. Where there are no locks a pin or a lease
 * may have come between: then it gets its name back. */
varve_status vv_deletion_begin(struct vv_deletion *deletion, const char *name,
    const char *pin, const char *path, int *file, enum vv_deletion_result *left,
    varve_error *error);
varve_status vv_deletion_carry_out(struct vv_deletion *deletion,
    const char *name, const char *pin, int file, enum vv_deletion_result *left,
    varve_error *error);
void vv_deletion_give_up(struct vv_deletion *deletion, int file);

/* Puts all deletions on disk by a sync of the directory, unless there were
 * none. */
varve_status vv_deletion_end(
    struct vv_deletion *deletion, const char *path, varve_error *error);

#endif
