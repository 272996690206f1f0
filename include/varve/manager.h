/* manager.h - Manages the checkpoints of a training run in a directory.
 *
 *     varve_manager *m = varve_manager_new(root, "run",
 *         &(varve_manager_options){ .interval_steps = 100, .keep_last = 3 },
 *         &error);
 *     varve_status status = varve_manager_resume(m, &error);
 *     while (!status && step < last) {
 *         train();
 *         status = varve_manager_save(m, ++step, &error);
 *     }
 *     varve_manager_free(m);
 *
 * A manager numbers checkpoints, saves at intervals, deletes old checkpoints
 * and resumes from the newest intact one. Every checkpoint file records its
 * manager, its step and its metric. `PREFIX.ledger` repeats that and lists what
 * is kept; it is rebuilt from the files if it is damaged. The directory may be
 * renamed or copied.
 *
 * Checkpoints are ordered by the save counters in their files. The latest one
 * is the one that was saved last, even if the step or the clock went backwards.
 *
 * A manager belongs to the thread that uses its graph.
 *
 * With several processes (`comm` in the options) each rank creates a manager of
 * the same directory with the same options. Functions that read or change the
 * directory are collective: all ranks call them in the same order and get the
 * same status, message and list. Rank 0 alone lists, locks and deletes. Data is
 * written as in collective.h. With redundancy each rank has its own directory
 * instead (redundancy.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MANAGER_H
#define VARVE_MANAGER_H

#include <varve/checkpoint.h>
#include <varve/comm.h>
#include <varve/error.h>
#include <varve/levels.h>
#include <varve/redundancy.h>

VARVE_BEGIN_DECLS

/* --- Options ------------------------------------------------------------ */

/* Called by varve_manager_resume if there is no checkpoint. */
typedef varve_status varve_manager_initialize(void *user);

/* Options of a manager. All zero is the safe default, and NULL is the same:
 * every save is due, and nothing is deleted.
 *
 * A checkpoint is kept as long as at least one retention policy (`keep_...`)
 * keeps it. If no policy is set, all are kept. These checkpoints are always
 * kept:
 *
 * - the newest intact one,
 * - pinned ones,
 * - those that have a lease (watch.h),
 * - damaged ones, unless `keep_damaged` is set,
 * - those that this manager has not written,
 * - the one that was resumed from, until each of its values was restored,
 *   dropped (varve_drop_pending, varve_manager_finish_resume) or expected
 *   (`read->expect`). */
typedef struct varve_manager_options {
    const char *prefix;        /* prefix of file names; NULL: "ckpt"; copied */
    size_t keep_last;          /* keep the N newest */
    uint64_t keep_every_steps; /* keep the first at or after each multiple of
                                  N steps */
    uint64_t keep_every_seconds; /* keep one that is at least N seconds newer
                                    than the last that was kept so; stores the
                                    time of each save in its file */
    size_t keep_best;            /* keep the N with the smallest metric, the
                                    newer of equal ones; never one whose metric
                                    is NaN */
    bool best_is_larger;         /* the best metric is the largest one */
    const char *metric;          /* name of the metric in the files; NULL:
                                    "metric"; copied */
    uint64_t keep_bytes;         /* keep the newest, up to N bytes in total.
                                    Data files count only with `comm`, each of
                                    them once */
    size_t keep_damaged;         /* keep the N newest damaged ones; 0: all.
                                    Older ones are verified again before they
                                    are deleted */
    /* Use the metric and the retention policies in the ledger, those of the
     * last manager that saved there. A metric or policies that are set here
     * take precedence. VARVE_MISUSE with `comm`. */
    bool retention_from_ledger;
    uint64_t interval_steps;   /* a save is due at each multiple of N steps, or
                                  the first step after it, and if the step went
                                  backwards; 10: at 10, 20, 30, ... */
    uint64_t interval_seconds; /* a save is also due N seconds after the last,
                                  by a monotonic clock; without
                                  `interval_steps` also at the first call */
    bool number_by_step;       /* name files PREFIX-STEP; a later save of the
                                  same step replaces the file. Otherwise files
                                  are numbered by the save counter */
    bool record_time;          /* store the time ("time") in every file */
    bool async;                /* save asynchronously (job.h); with `comm` this
                                  needs its `duplicate` */
    const varve_write_options *write; /* options of every save; NULL: default;
                                         borrowed until varve_manager_free */
    const varve_read_options *read;   /* options of the resume; NULL: default;
                                         borrowed until varve_manager_free */
    varve_manager_initialize *initialize; /* may be NULL */
    void *initialize_user;                /* argument of `initialize` */
    const varve_comm *comm;    /* communicator; NULL: this process alone;
                                  borrowed until varve_manager_free */
    const varve_level *levels; /* storage levels for copies, the fastest first
                                  (levels.h); copied */
    size_t level_count;        /* number of elements of `levels` */
    const varve_redundancy *redundancy; /* redundancy between nodes
                                           (redundancy.h); NULL: none; copied */

    /* Open without the lock, beside another manager. Saves and prunes fail with
     * VARVE_MISUSE; pins may be changed. A resume needs a checkpoint. */
    bool read_only;
    /* Fail with VARVE_NOT_FOUND if there is no checkpoint, for example because
     * the directory is not mounted yet. No directory is created. */
    bool must_resume;
    /* Skip a checkpoint or level that cannot be read at present, and start from
     * the beginning if all checkpoints are damaged. */
    bool may_resume_older;
    /* After a resume, check varve_manager_assert_consumed in the first save
     * that is due and in varve_manager_finish_resume. If it fails, these return
     * VARVE_UNMATCHED and write nothing. */
    bool strict;
    /* Permit saves without a resume beside checkpoints of an earlier run, which
     * are then kept and not counted by the policies; a later resume uses the
     * newest checkpoint. By default the first save fails with VARVE_EXISTS. */
    bool may_start_new_run;
    /* Permit keep_best by another metric or direction than that in the ledger.
     * By default varve_manager_new fails: the best would be deleted. */
    bool may_change_metric;
    /* Seconds that varve_manager_new waits for the lock of another manager;
     * 0: it does not wait; negative: without limit. */
    double lock_seconds;
    /* Identity of this run, stored in its checkpoints: up to 63 printable ASCII
     * characters without spaces; copied. A resume of a run of the same name
     * continues it, and writes the same bytes as an uninterrupted run. NULL: a
     * new identity for each run and resume: 26 characters that sort by time. */
    const char *run;
    void *reserved[5];
} varve_manager_options;

/* --- The manager -------------------------------------------------------- */

/* Creates a manager of the checkpoints `directory/PREFIX-N.varve` of the graph
 * below `root`.
 *
 * `directory` is created if it is missing. It may be s3://BUCKET/PREFIX
 * (remote.h). `options` may be NULL.
 *
 * The manager locks the prefix with an exclusive flock of `.PREFIX.lock`, until
 * varve_manager_free, even if a child process has inherited the descriptor.
 * Without support for locks, varve_manager_warning returns a warning. In a
 * store the lock is an object that is renewed.
 *
 * Free the result with varve_manager_free. Returns NULL on failure. Collective.
 *
 * - Fails with VARVE_EXISTS if another manager has the lock. The message names
 *   its host, process and run.
 * - Fails with VARVE_BAD_NAME if the prefix contains a '/', and with
 *   VARVE_MISUSE if other options (also `write`, `read`) are invalid or differ.
 * - Fails with the error of listing the directory. */
VARVE_API varve_manager *varve_manager_new(varve_node *root,
    const char *directory, const varve_manager_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Frees a manager and its restoration, and releases the lock.
 *
 * Waits for a pending save. The next save of the graph returns its failure, as
 * varve_manager_wait does. The graph may be freed. Takes NULL. */
VARVE_API void varve_manager_free(varve_manager *manager);

/* --- Resuming ----------------------------------------------------------- */

/* Restores the newest intact checkpoint of the directory and all levels.
 *
 * - A checkpoint is intact if all its values pass verification. Damaged ones
 *   are skipped; varve_manager_skipped lists them.
 * - If there is no checkpoint, the function calls `initialize` on every rank.
 * - Values of variables that the program adds later are delivered then.
 * - Nothing is written. Collective.
 *
 * The function fails, instead of using an older checkpoint, if the newest
 * intact one does not match the program, is too new, or cannot be read for a
 * reason outside the file, such as permissions or memory.
 *
 * - Returns VARVE_MISMATCH if the checkpoint does not match the program.
 * - Returns VARVE_TOO_NEW if it needs a later version of Varve.
 * - Returns VARVE_CORRUPT if all checkpoints are damaged, and
 *   VARVE_PARTIALLY_RESTORED if values that are larger than the staging memory
 *   have changed then. The message names them.
 * - Returns VARVE_IO if a checkpoint cannot be read or a level cannot be listed
 *   after several attempts; see below for `may_resume_older`.
 * - Returns VARVE_IO if the ledger cannot be read, or names a checkpoint while
 *   the directory contains none.
 * - Returns VARVE_NOT_FOUND if there is no checkpoint and `must_resume` is set.
 *
 * With `may_resume_older`, a checkpoint that cannot be read and a level that
 * cannot be listed are skipped if another checkpoint is intact. If none is:
 *
 * - If all are damaged, the run starts from the beginning, unless values have
 *   changed and `initialize` is not set.
 * - A checkpoint that cannot be read is still an error.
 * - A level that cannot be listed is still an error, unless the directory
 *   proves that nothing was saved there: it contains no checkpoint and no
 *   ledger, two listings agree, and this manager has the lock. Then the run
 *   starts from the beginning, and varve_manager_warning names the level.
 *   With redundancy it is an error: nodes may have lost their disks.
 *
 * With `salvage.on` in `read` an older intact checkpoint is still preferred. If
 * none is intact, the intact values of the newest damaged checkpoint that can
 * be opened are restored, and the report lists the others. `no_verify` has no
 * effect. `foreign.dots` and `foreign.no_hdf5` have no effect: files named
 * *.varve are only read in Varve's own format. */
VARVE_API varve_status varve_manager_resume(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Returns the restoration of the last resume, for assertions and reports, or
 * NULL if nothing was resumed.
 *
 * The manager owns it: it is valid until the next resume or varve_manager_free,
 * and varve_restoration_free has no effect on it. */
VARVE_API varve_restoration *varve_manager_restoration(
    const varve_manager *manager);

/* Checks that the last resume has matched the program completely, as
 * varve_assert_consumed does.
 *
 * Returns VARVE_OK if nothing was resumed. Collective: if the check fails on
 * one rank, it fails on all ranks with the same message. */
VARVE_API varve_status varve_manager_assert_consumed(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Drops all pending values of the last resume, so that variables that are added
 * later are not restored. Call it when the graph is complete. The report and
 * assertions remain usable. The call has no effect if nothing was resumed.
 *
 * With `strict` the function is collective and fails as
 * varve_manager_assert_consumed does; then nothing is dropped. Otherwise the
 * only error is VARVE_NO_MEMORY. */
VARVE_API varve_status varve_manager_finish_resume(
    varve_manager *manager, varve_error *error);

/* Returns a line for a file that the last resume has skipped, with its name and
 * error, or NULL if `index` is past the end. Index 0 is the newest file. */
VARVE_API const char *varve_manager_skipped(
    const varve_manager *manager, size_t index);

/* --- Saving ------------------------------------------------------------- */

/* Options of a single save. All zero, or NULL, is the safe default. */
typedef struct varve_manager_save_options {
    bool has_metric;                /* `metric` is set */
    double metric;                  /* quality of the checkpoint, stored in the
                                       file; that of rank 0 is used */
    const varve_metadata *metadata; /* stored in addition to the metadata of
                                       `write` in the manager's options */
    size_t metadata_count;          /* number of elements of `metadata` */
    uint64_t number; /* number in the file name, which must not exist yet; 0:
                        the next number; that of rank 0 is used */
    bool force;      /* save even if no save is due; any rank may set it */
    bool pin;        /* keep the checkpoint until it is unpinned; the save fails
                        if the pin does; that of rank 0 is used */
    varve_reserved reserved;
} varve_manager_save_options;

/* Saves a checkpoint if one is due for this step, and deletes old ones.
 *
 * `options` may be NULL. Returns VARVE_OK if no save is due. A failed save does
 * not count for the interval.
 *
 * The new checkpoint is durable before others are deleted; then the ledger is
 * written. After a save with `no_sync` nothing is deleted until the next synced
 * one. An error after that is only a warning (varve_manager_warning); the
 * operation is repeated after the next save.
 *
 * Collective: the step must be the same on all ranks. All ranks save if rank 0
 * finds that a save is due, or if any rank has requested one. Each call costs
 * one collective operation, even if no save is due.
 *
 * - Returns VARVE_UNMATCHED if `strict` is set and the resume is not complete.
 * - Returns VARVE_EXISTS without a resume beside checkpoints of an earlier run,
 *   unless `may_start_new_run` is set.
 * - Returns VARVE_EXISTS if the directory was created again since, and another
 *   manager of the same prefix has locked it, or if another manager has
 *   resumed or saved without a lock that all nodes share.
 * - Fails otherwise as varve_save does. */
VARVE_API varve_status varve_manager_save(
    varve_manager *manager, int64_t step, varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_status varve_manager_save_with(varve_manager *manager,
    int64_t step, const varve_manager_save_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Waits for the pending asynchronous save.
 *
 * With `async` a save returns as soon as the values are copied;
 * `async.zero_copy` has no effect. At most one save is pending: the next save
 * that is due waits for it, as do resume, refresh, prune, pin, unpin and
 * varve_manager_free. After that varve_manager_saved returns its path, old
 * checkpoints are deleted and the ledger is written.
 *
 * Returns the error of the pending save, which otherwise the next save returns.
 * Returns VARVE_OK if no save is pending. Collective. */
VARVE_API varve_status varve_manager_wait(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Makes the next save due, on all ranks. Call it on any rank, for example in a
 * handler of SIGTERM: it is async-signal-safe. */
VARVE_API void varve_manager_request_save(varve_manager *manager);

/* Returns true if a save of this step is due. The function is not collective:
 * the result does not include requests of other ranks. */
VARVE_API bool varve_manager_is_due(const varve_manager *manager, int64_t step);

/* Returns the path of the checkpoint that the last save wrote, or NULL. */
VARVE_API const char *varve_manager_saved(const varve_manager *manager);

/* Returns a warning of the last resume, save or prune, in one line, or NULL. */
VARVE_API const char *varve_manager_warning(const varve_manager *manager);

/* --- Listing checkpoints ------------------------------------------------ */

/* A checkpoint of the directory. */
typedef struct varve_checkpoint_info {
    const char *path; /* path of the file */
    uint64_t number;  /* number in the file name */
    uint64_t counter; /* save counter, which determines the order */
    int64_t step;     /* step; -1: unknown */
    int64_t time;     /* seconds since 1970-01-01 UTC; -1: not recorded */
    double metric;    /* metric; NaN: none */
    uint64_t size;    /* bytes of the file */
    const char *kept; /* reasons why it is kept, such as "last 3, pinned";
                         NULL: the next prune deletes it */
    bool is_ours;     /* written by a manager of this prefix */
    bool is_pinned;   /* pinned by varve_manager_pin or `pin` */
    bool is_damaged;  /* the manager has found damage */
    bool is_leased;   /* a lease kept it from the last deletion */
    const char *run;  /* identity of the run that has saved it; NULL: unknown */
    uint64_t identity; /* identity of the checkpoint, shared only with its
                          copies at levels; 0: unknown (old version) */
    uint64_t parent;   /* identity of the checkpoint that its run was resumed
                          from; 0: none or unknown */
    void *reserved[5];
} varve_checkpoint_info;

/* Returns the path of the newest checkpoint, or NULL if there is none. The file
 * is not verified; varve_manager_resume does that. */
VARVE_API const char *varve_manager_latest(const varve_manager *manager);

/* Returns the identity of this run.
 *
 * Its checkpoints contain it as the metadata "varve.run". The checkpoints of a
 * resumed run also contain "varve.parent": the identity, run, number and save
 * counter of the checkpoint that it was resumed from, and a hash of the first
 * run of this lineage. Each resume that restores a checkpoint begins a new run,
 * unless the option `run` is set. */
VARVE_API const char *varve_manager_run(const varve_manager *manager);

/* Returns the name of the metric in the files, such as "metric". */
VARVE_API const char *varve_manager_metric(const varve_manager *manager);

/* Gets the number of checkpoints in the directory, and the description of one,
 * at the time of the last new, resume, save, prune or refresh.
 *
 *     varve_checkpoint_info info;
 *     for (size_t i = 0; varve_manager_at(manager, i, &info); i++)
 *         printf("%s %s\n", info.path, info.kept ? info.kept : "");
 *
 * `index` counts from 0, the oldest checkpoint; past the end the result is
 * false. Strings are valid until the next such call or one of those above. */
VARVE_API size_t varve_manager_count(const varve_manager *manager);
VARVE_API bool varve_manager_at(
    const varve_manager *manager, size_t index, varve_checkpoint_info *managed);

/* Lists the directory again. Collective. */
VARVE_API varve_status varve_manager_refresh(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Deletes the checkpoints that no policy keeps, after it has found the newest
 * intact one. Returns VARVE_NOT_FOUND and deletes nothing if `keep_best` is set
 * and none has the metric; VARVE_OK even with a warning. Collective. */
VARVE_API varve_status varve_manager_prune(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Pins a checkpoint, so that it is kept until it is unpinned; or unpins it.
 *
 * The pin is an empty file PREFIX-N.pin beside the checkpoint. It is synced
 * before the call returns, unless `write->no_sync` is set. Its removal is not
 * synced: after a power cut the checkpoint may still be pinned. Collective.
 * Returns VARVE_NOT_FOUND if there is no checkpoint with this number. */
VARVE_API varve_status varve_manager_pin(varve_manager *manager,
    uint64_t number, varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_status varve_manager_unpin(varve_manager *manager,
    uint64_t number, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
