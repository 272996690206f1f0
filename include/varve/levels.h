/* levels.h - Copies checkpoints of a manager to further storage levels in the
 * background.
 *
 *     const varve_level levels[] = {
 *         { .directory = "/shared/run", .every_steps = 1000, .keep_last = 3 },
 *         { .directory = "/archive/run", .every_seconds = 86400 } };
 *     varve_manager_options options = {
 *         .keep_last = 2, .levels = levels, .level_count = 2 };
 *
 * This is multi-level checkpointing: the directory of the manager is the
 * fastest level, and slower, safer directories get copies.
 *
 * Copies:
 *
 * - A save is complete when its checkpoint is durable in the directory of the
 *   manager. A thread for each level then copies it. The copy is a single
 *   durable file with the same name and metadata, and every value is verified
 *   by its checksum. The copy does not read the memory of the program.
 * - With `incremental` an incremental checkpoint stays incremental: only data
 *   files that the level lacks are verified and written.
 * - A level is an ordinary directory of checkpoints that managers, varve_watch
 *   and the command `varve` can use. It may be in a store, such as
 *   s3://bucket/run, after varve_remote_enable (remote.h).
 * - Saves with `no_sync` are not copied.
 * - A lease (watch.h) protects a checkpoint until it is copied.
 * - If the end of the manager or the process interrupts a copy, the next
 *   manager of the directory copies the checkpoints that are due and missing,
 *   up to `max_pending`. It does so after its resume or first save.
 *
 * Errors: a level that is missing, full or slow does not fail or delay a save.
 * The error is in the state of the level, and varve_manager_warning returns it
 * after each save as long as it lasts. The copy is tried again with the next
 * checkpoint.
 *
 * Existing files: a checkpoint at a level is a copy if it has the same identity
 * (manager.h). Another checkpoint with the same number is replaced only if it
 * is damaged or `number_by_step` is set. Otherwise the level fails with
 * VARVE_EXISTS, and the message has both files, their runs and their steps.
 *
 * Locks: the manager locks the directory of a level after its first copy to it,
 * until varve_manager_free. Other programs open the directory with `read_only`.
 * If another manager has the lock, nothing is deleted at the level.
 *
 * Resuming:
 *
 * - varve_manager_resume restores the newest intact checkpoint of all levels.
 *   If several levels have it, the fastest is used. varve_restoration_path
 *   returns its path. Damaged checkpoints are skipped and listed.
 * - A level that cannot be listed is an error, such as VARVE_IO. With
 *   `may_resume_older` it is skipped. Then it is an error only if no other
 *   checkpoint is intact and the directory of the manager has been used before
 *   (manager.h).
 * - The number of the next save is higher than those of all levels.
 * - The functions latest, count, at, prune and pin of a manager use only its
 * own directory. To use them for a level, create a manager of its directory.
 *
 * With several processes rank 0 copies checkpoints as single files, and all
 * ranks resume from the level that it selects. With redundancy each rank copies
 * its own file to DIRECTORY/rank-R (redundancy.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_LEVELS_H
#define VARVE_LEVELS_H

#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* A storage level. All zero, except for `directory`, is the safe default: every
 * checkpoint is copied, without a speed limit, and none is deleted.
 *
 * A checkpoint is kept as long as at least one retention policy keeps it. The
 * newest intact one, pinned ones and the one that was resumed from are always
 * kept, as in the directory of the manager (manager.h). */
typedef struct varve_level {
    const char *directory;     /* path; created with the first copy; copied */
    uint64_t every_steps;      /* copy the checkpoint at each multiple of N
                                  steps, or the first after it, and if the step
                                  went backwards */
    uint64_t every_seconds;    /* also copy one N seconds after the last */
    size_t keep_last;          /* retention, as in varve_manager_options */
    uint64_t keep_every_steps; /* retention, likewise */
    size_t keep_best;          /* retention, likewise; by the metric of the
                                  manager */
    uint64_t bytes_per_second; /* speed limit for values; 0: none */
    bool incremental;          /* copies of incremental checkpoints are
                                  incremental; not supported in a store */
    size_t max_pending;        /* maximum number of checkpoints that wait for
                                  the one that is being copied. The oldest is
                                  left out if there are more; 0: 1 */
    varve_reserved reserved;
} varve_level;

/* The state of a storage level. */
typedef struct varve_level_state {
    const char *directory; /* path of the level */
    const char *latest;    /* path of the newest checkpoint; NULL: unknown */
    int64_t step;          /* step of that checkpoint; -1: unknown */
    size_t waiting;        /* number of checkpoints that are due, including the
                              one that is being copied */
    uint64_t left_out;     /* number of checkpoints left out because of
                              `max_pending` */
    uint64_t copied;       /* bytes copied */
    const char *failure;   /* last error, in one line; NULL: none since the last
                              successful copy */
    varve_reserved reserved;
} varve_level_state;

/* Gets the state of a level.
 *
 * `index` is the position in the options of the manager. No directory is read.
 * Strings are valid until the next call for the same level. Returns false if
 * `index` is past the end.
 *
 * With several processes only rank 0 has the state; on other ranks only
 * `directory` is set. With redundancy each rank has the state of its own files,
 * and `latest` is the newest checkpoint that all ranks have copied. */
VARVE_API bool varve_manager_level_at(
    const varve_manager *manager, size_t index, varve_level_state *state);

/* Waits until each level has all checkpoints that are due.
 *
 *     if (varve_manager_drain(manager, 30, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * Copies that have failed are tried once more. Call it at the end of a program,
 * or after SIGTERM; varve_run_end calls it. The function first waits for a
 * pending asynchronous save, and then at most `seconds`; negative: no limit.
 * Collective: all ranks wait for rank 0, with its limit.
 *
 * - Returns VARVE_TIMEOUT if the time was too short. The message has a level
 *   and the checkpoint that it lacks.
 * - Returns VARVE_CANCELLED in a child process after fork. The threads belong
 *   to the parent, and saves of the child are not copied.
 * - Returns the error of a copy that has failed. */
VARVE_API varve_status varve_manager_drain(varve_manager *manager,
    double seconds, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
