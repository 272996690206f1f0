/* levels.h - further directories of a manager, slower and safer ones, to which
 * its checkpoints are copied in the background.
 *
 *     const varve_level levels[] = {
 *         { .directory = "/shared/run", .every_steps = 1000, .keep_last = 3 },
 *         { .directory = "/archive/run", .every_seconds = 86400 } };
 *     varve_manager_options options = {
 *         .keep_last = 2, .levels = levels, .level_count = 2 };
 *
 * A save is over when its checkpoint is durable in the manager's own directory,
 * the fastest. From there a thread of each level makes one whole file of it, as
 * varve_repack does: of the same name, with the same metadata, durable, and
 * every value verified by its digest, without another look at the program's
 * memory. With `incremental` a checkpoint in layers is copied as one: only
 * layers that are not there yet are verified and written. So a level is a
 * directory of checkpoints as any other, for managers, varve_watch and the
 * command. It may be in a store, s3://bucket/run, once varve_remote_enable was
 * called (remote.h). Saves with `no_sync` are not copied.
 *
 * What waits for a level is kept from deletion by a lease (watch.h). A copy
 * that is cut short, by the end of the manager or of the process, is made anew
 * by the next manager of the directory, after its resume or first save: of what
 * is due and not there, so much as may wait.
 *
 * A level that is gone, full or slow fails no save and delays none. The failure
 * is in the state of the level, and in varve_manager_warning after each save
 * while it lasts. The copy is tried again with the next checkpoint.
 *
 * A checkpoint at a level is taken for a copy if it has the same identity
 * (manager.h). Another checkpoint of the same number is not replaced, unless it
 * is damaged or `number_by_step` is set: the level fails with VARVE_EXISTS, and
 * the message names both files, their runs and their steps.
 *
 * The manager takes the lock of a level's directory after its first copy there
 * and holds it until its end: another program opens that directory with
 * `read_only`. While another manager holds that lock nothing is deleted there.
 *
 * varve_manager_resume restores the newest that is good at any level, of equal
 * ones the fastest: varve_restoration_path returns its path. Damaged ones are
 * passed over and named. A level that cannot be listed is VARVE_IO, or another
 * status of its listing; with `may_resume_older` it is named as passed over,
 * and is the failure of the resume only where no checkpoint is good elsewhere
 * and the manager's directory was saved to before (manager.h).
 * The next save counts on from all that any level has. The other calls of a
 * manager (latest, count, at, prune, pin) are about its own directory: a
 * manager of the level's directory has those of the level.
 *
 * Of many processes rank 0 copies, whole files of what all have saved; all
 * resume from what it finds at the levels. With redundancy each rank copies its
 * own file, to DIRECTORY/rank-R, and a checkpoint is there when all ranks have
 * theirs: redundancy.h says how.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_LEVELS_H
#define VARVE_LEVELS_H

#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* All zero, but for the directory, is the safe default: every checkpoint is
 * copied, as fast as it goes, and none is deleted. Retention is a union, as
 * that of the manager; the newest good one stays, and what is pinned there, and
 * what was resumed from there, as manager.h says. */
typedef struct varve_level {
    const char *directory;  /* copied; made with the first copy */
    uint64_t every_steps;   /* at each multiple, or the first checkpoint after
                               it, and when the step went backwards */
    uint64_t every_seconds; /* or the first so much later */
    size_t keep_last;       /* as in varve_manager_options, with the metric */
    uint64_t keep_every_steps; /* of that */
    size_t keep_best;
    uint64_t bytes_per_second; /* at most, of values; 0: no bound */
    bool incremental;          /* copies of those in layers are in layers; not
                              in a store */
    size_t max_pending; /* besides the one that is copied: of more the oldest
                            is left out; 0: 1 */
    varve_reserved reserved;
} varve_level;

/* How far a level is. */
typedef struct varve_level_state {
    const char *directory;
    const char *latest;  /* the path of the newest there; NULL: none known of */
    int64_t step;        /* its; -1: unknown */
    size_t waiting;      /* that are due there, with the one being copied */
    uint64_t left_out;   /* as more waited than may */
    uint64_t copied;     /* bytes */
    const char *failure; /* what went wrong last, in one line; NULL: nothing
                            since a copy that went well */
    varve_reserved reserved;
} varve_level_state;

/* The state of a level by its place in the options; false past the end. Looks
 * at no directory; of many processes rank 0 knows it, and at others there is
 * the directory alone, but with redundancy each rank knows of its own files
 * there, and `latest` is of the newest that all ranks have. Strings are valid
 * until the next call of this for the same level. */
VARVE_API bool varve_manager_level_at(
    const varve_manager *manager, size_t index, varve_level_state *state);

/* Waits until each level has what is due there; what it failed with is tried
 * once more. Before the end of a program, or between a SIGTERM and the kill:
 * at most `seconds`, or as long as it takes where that is negative, besides a
 * save in the background, which is waited for first. VARVE_TIMEOUT names a
 * level and what it lacks; else what a copy failed with. The end of a run
 * (run.h) makes this call. Of many processes all call it, and wait for rank 0,
 * as long as that has said. After a fork the threads are the parent's:
 * VARVE_CANCELLED in the child, whose saves are not copied. */
VARVE_API varve_status varve_manager_drain(varve_manager *manager,
    double seconds, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
