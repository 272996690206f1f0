/* manager.h - a directory of checkpoints of one training run: numbers,
 * intervals, retention, resuming.
 *
 * The directory is the truth. Every checkpoint says itself which manager wrote
 * it, at which step and how good it was; `PREFIX.ledger` repeats that and what
 * is kept, and is made anew where it is bad. It may be renamed, or copied.
 *
 * Its order is that of the save counters in the files: what was saved last is
 * the latest, also after a step or a clock went backwards.
 *
 * Of many processes (`comm` in the options) each rank makes a manager, of the
 * same directory with the same options, and all make the calls in the same
 * order that look at it or change it: new, resume, save, wait, drain, refresh,
 * prune, pin, unpin. Each gets the same status, message and answers to what
 * there is. Rank 0 alone looks, locks, decides and deletes, data go as by
 * collective.h; or each all, for a directory of its own (redundancy.h).
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

/* Called by varve_manager_resume where there is nothing to resume from. */
typedef varve_status varve_manager_initialize(void *user);

/* All zero is the safe default: every save is due, and nothing is deleted.
 * Retention is a union: a checkpoint stays as long as one policy keeps it, and
 * for ever where none is set. Whatever the policies say, these stay: the newest
 * good one, pinned ones, those that somebody reads under a lease, damaged ones
 * (but for `keep_damaged`), what this manager has not written, and the one that
 * was resumed from, until each of its values was taken by the program, given up
 * (varve_drop_pending, varve_manager_finish_resume) or expected
 * (`read->expect`). */
typedef struct varve_manager_options {
    const char *prefix;          /* NULL: "ckpt"; copied */
    size_t keep_last;            /* so many of the newest */
    uint64_t keep_every_steps;   /* the first at or after each multiple */
    uint64_t keep_every_seconds; /* one at least so much later than the one
                                    kept before it; the time of each save is
                                    then in its file */
    size_t keep_best;            /* so many with the least `metric`; of equal
                                    ones the newer; never one that is NaN */
    bool best_is_larger;         /* the greatest instead */
    const char *metric;          /* its name in the files; NULL: "metric";
                                    copied */
    uint64_t keep_bytes;         /* the newest that together are no larger;
                                    layers count with `comm` only, each once */
    size_t keep_damaged;         /* so many of the newest that are damaged; 0:
                                    all. Older ones are looked at once more
                                    before they go */
    bool retention_from_ledger;  /* what is kept, and by which metric, is as the
                       last manager had it that saved there, by its
                       ledger; but for what is not zero here, and
                       where any of what is kept is said here, that
                       alone is kept. Not with `comm` */
    uint64_t interval_steps;     /* a save is due at each multiple, or at the
                                    first step after it; and when the step went
                                    backwards. Of 10: at 10, 20, 30, ... */
    uint64_t interval_seconds;   /* or so much later, by a clock that never
                                    jumps; alone, at the first call too */
    bool number_by_step;         /* PREFIX-STEP; a later save of the same step
                                    replaces it. Else by the save counter */
    bool record_time;            /* "time" is in every file */
    bool async;                  /* saves go on in the background (job.h); with
                                    a `comm` that can be duplicated (comm.h) */
    const varve_write_options *write; /* of every save, or NULL; borrowed, as is
                                         `read`, as long as the manager lives */
    const varve_read_options *read;   /* of the resume, or NULL; `salvage.on` is
                                         of use only where none is good */
    varve_manager_initialize *initialize; /* or NULL */
    void *initialize_user;
    const varve_comm *comm;    /* of many processes; NULL: this one alone.
                                  Borrowed as long as the manager lives */
    const varve_level *levels; /* for copies (levels.h), the fastest first; */
    size_t level_count;        /* copied */
    const varve_redundancy *redundancy; /* of nodes (redundancy.h); copied */

    /* Several programs at one directory. */
    bool read_only;        /* opens without the lock: no save and no prune
                              (VARVE_MISUSE); pins may be changed, and a resume
                              never begins anew */
    bool must_resume;      /* there has to be a checkpoint: VARVE_NOT_FOUND
                              otherwise, as where a directory is not mounted
                              yet. Then no directory is made */
    bool may_resume_older; /* a newer checkpoint, or a level, that cannot be
                              read now (VARVE_IO) is passed over. Without this
                              it is an error, for it may be good */
    bool strict;           /* after a resume the first save that is due, and
                              varve_manager_finish_resume, fail with
                              VARVE_UNMATCHED unless
                              varve_manager_assert_consumed holds; then nothing
                              is written. `read->expect` permits what
                              may be missing or unused */
    double lock_seconds;   /* how long varve_manager_new waits for the lock of
                              another manager; 0: not at all; below 0: for
                              ever */
    const char *run;       /* identity of this run in its checkpoints: up to 63
                              printable characters of ASCII without spaces;
                              copied. A program that resumes a run of this name
                              goes on with it, and gives the same bytes as one
                              that was never interrupted. NULL: 26 characters,
                              made of the time and 80 random bits, that sort by
                              time, and others after each resume */
    void *reserved[5];
} varve_manager_options;

/* --- The manager -------------------------------------------------------- */

/* Opens the checkpoints `directory/PREFIX-N.varve` of the graph below `root`.
 * `directory` is created if it is missing, and may be s3://BUCKET/PREFIX
 * (remote.h). `options` may be NULL.
 *
 * Takes the lock of the prefix, an exclusive flock of `.PREFIX.lock`, and holds
 * it until varve_manager_free. The lock is released there even if a child
 * process has inherited the descriptor. VARVE_EXISTS names the host, process
 * and run of another manager that holds it. Where the file system has no locks
 * varve_manager_warning says so. In a store the lock is an object that is
 * written with conditions and renewed.
 *
 * VARVE_BAD_NAME for a prefix with a '/'; VARVE_MISUSE where ranks have other
 * names or options; the status of a failed listing of the directory. */
VARVE_API varve_manager *varve_manager_new(varve_node *root,
    const char *directory, const varve_manager_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Waits for a save in flight, releases the lock, and frees the manager and the
 * restoration of its resume. A failure of that save that was not returned yet
 * is returned by the next save of the graph; where there is none, call
 * varve_manager_wait before. The graph may be gone already. */
VARVE_API void varve_manager_free(varve_manager *manager);

/* --- Resuming ----------------------------------------------------------- */

/* Restores the newest checkpoint, at any level, of which every value verifies;
 * damaged ones are passed over. Without any, calls `initialize`, at every rank,
 * unless the ledger names a checkpoint and the directory has none, or the
 * ledger cannot be read: VARVE_IO. Nothing is written. What is built later is
 * filled. One process verifies as it reads where each older file has the same
 * graph, and so brings again what a damaged one changed; else, and a share by
 * each of many processes, before. Where none is good, what is larger than the
 * read's staging may have changed: VARVE_PARTIALLY_RESTORED, without
 * `initialize`, names it. Fails, and does not look at older ones, where the
 * newest good one does not fit the program (VARVE_MISMATCH), is too new, or
 * cannot be read for a reason that is not its own (permissions, memory). One
 * that cannot be read now, and a level that cannot be listed, is tried again
 * for a moment and is VARVE_IO then, unless `may_resume_older` is set. With
 * that option and no good one elsewhere, a file that cannot be read is the
 * failure still, and a level that cannot be listed is it too, unless the
 * directory shows that nothing was saved there: it has no checkpoint and no
 * ledger, two listings agree about that, and the lock is this manager's; not
 * with redundancy, where nodes may have lost their disks. Then the run begins
 * anew, and varve_manager_warning names the level. With `salvage.on` among the
 * options of its read an older good one is preferred all the same; where none
 * is good, what is left of the newest damaged one that can be opened is
 * restored, and the report names what was lost. `no_verify` has no effect. A
 * file whose name ends in .varve is only read as Varve's own format, so that
 * `foreign.dots` and `foreign.no_hdf5` have no effect. */
VARVE_API varve_status varve_manager_resume(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* The restoration of the last resume, for assertions and its report; NULL:
 * none. The manager's: valid until the next resume or the end of the manager,
 * and varve_restoration_free does nothing to it. */
VARVE_API varve_restoration *varve_manager_restoration(
    const varve_manager *manager);

/* varve_assert_consumed of that restoration. Of many processes all make this
 * call, and where it fails at one it fails at all with the same message.
 * VARVE_OK where nothing was resumed. */
VARVE_API varve_status varve_manager_assert_consumed(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Ends the waiting of that restoration, as once all is built: what waits is
 * given up (varve_drop_pending), and what is added to the graph from now on is
 * nothing to it. Its report and assertions go on. Nothing was resumed: nothing
 * happens. With `strict` it fails as varve_manager_assert_consumed does, and
 * then nothing is given up; of many processes all make the call then.
 * VARVE_NO_MEMORY. */
VARVE_API varve_status varve_manager_finish_resume(
    varve_manager *manager, varve_error *error);

/* The files that the last resume passed over, newest first: a line that names
 * the file and its fault; NULL past the end. */
VARVE_API const char *varve_manager_skipped(
    const varve_manager *manager, size_t index);

/* --- Saving ------------------------------------------------------------- */

/* All zero is the safe default. */
typedef struct varve_manager_save_options {
    bool has_metric;
    double metric; /* how good it is; kept in the file under its name. As
                      `number` and `pin`, that of rank 0 */
    const varve_metadata *metadata; /* beside that of the manager's options */
    size_t metadata_count;
    uint64_t number; /* of the name, which must be free; 0: as usual */
    bool force;      /* due, whatever the interval says; at any rank */
    bool pin;        /* never deleted, until it is unpinned: it is pinned before
                        it is there, and without its pin it is not saved */
    varve_reserved reserved;
} varve_manager_save_options;

/* Saves if a save is due, and then deletes what no policy keeps: first the
 * checkpoint is durable, then others go, then the ledger is written. A save
 * with no_sync deletes nothing; the next that is synced does. A save that is
 * not due is VARVE_OK and does nothing: varve_manager_saved tells. One that
 * failed does not count for the interval.
 *
 * Ranks save where rank 0 finds it due or any of them was asked for it, which
 * costs one agreement at each call; the step must be the same everywhere.
 *
 * Fails as varve_save does, with VARVE_UNMATCHED as `strict` says, and with
 * VARVE_EXISTS while another manager of the
 * same prefix holds the lock of a directory that was made anew meanwhile. What
 * goes wrong after the checkpoint is durable is not a failure but a warning,
 * and is tried again after the next save. */
VARVE_API varve_status varve_manager_save(
    varve_manager *manager, int64_t step, varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_status varve_manager_save_with(varve_manager *manager,
    int64_t step, const varve_manager_save_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* With `async` a save returns as soon as the values are copied (whatever
 * `async.zero_copy` says). One is in flight at a time: the next that is due
 * waits for it, as do resume, refresh, prune, pin, unpin and the end of the
 * manager; then varve_manager_saved has its path, others are deleted and the
 * ledger is written. One that failed is told by the next call of save, or by
 * this: waits for what is in flight. VARVE_OK too where nothing was. */
VARVE_API varve_status varve_manager_wait(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Makes the next save due, of all ranks. Async-signal-safe: for the handler of
 * a SIGTERM, whichever process it comes to. */
VARVE_API void varve_manager_request_save(varve_manager *manager);

/* Returns whether a save of this step would be made now; of many processes, as
 * far as this one knows: it asks no other. */
VARVE_API bool varve_manager_is_due(const varve_manager *manager, int64_t step);

/* The path of what the last call of save wrote; NULL if it wrote nothing. */
VARVE_API const char *varve_manager_saved(const varve_manager *manager);

/* The failure beside the last resume, save or prune, in one line; or NULL. */
VARVE_API const char *varve_manager_warning(const varve_manager *manager);

/* --- What there is ------------------------------------------------------ */

/* A checkpoint of the directory. */
typedef struct varve_checkpoint_info {
    const char *path;
    uint64_t number;  /* in its name */
    uint64_t counter; /* its place in the order of saves */
    int64_t step;     /* -1: unknown */
    int64_t time;     /* seconds since 1970-01-01 UTC; -1: not recorded */
    double metric;    /* NaN: none */
    uint64_t size;    /* bytes of the file */
    const char *kept; /* why: "last 3, pinned"; NULL: the next prune deletes */
    bool is_ours;     /* written by a manager of this prefix */
    bool is_pinned;
    bool is_damaged; /* as far as the manager has found out */
    bool is_leased;  /* found by the last save or prune that was to delete it */
    const char *run; /* identity of the run that has saved it; NULL: unknown */
    uint64_t identity; /* the same for its copies at levels, and for no other
                          checkpoint; 0: unknown, of an older version */
    uint64_t parent;   /* identity of the checkpoint that its run was resumed
                          from; 0: none, or unknown */
    void *reserved[5];
} varve_checkpoint_info;

/* The path of the newest, or NULL. Only a resume checks that it is good. */
VARVE_API const char *varve_manager_latest(const varve_manager *manager);

/* The identity of this run, which its checkpoints have as the metadata
 * "varve.run". A run that was resumed has "varve.parent" besides: identity,
 * run, number and save counter of the checkpoint that it was resumed from, and
 * a hash of the run that began this lineage. Each resume that restores a
 * checkpoint begins another run, unless the options name it. */
VARVE_API const char *varve_manager_run(const varve_manager *manager);

/* The name of its metric in the files. */
VARVE_API const char *varve_manager_metric(const varve_manager *manager);

/* How many there are, and each, oldest first; false past the end. As of the
 * last call that looked at the directory: new, resume, save, prune, refresh.
 * Strings are valid until the next such call, or the next one of this. */
VARVE_API size_t varve_manager_count(const varve_manager *manager);
VARVE_API bool varve_manager_at(
    const varve_manager *manager, size_t index, varve_checkpoint_info *managed);

/* Looks at the directory anew. */
VARVE_API varve_status varve_manager_refresh(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Deletes now what no policy keeps. Where it is not known that the newest is
 * good, finds the newest that is first. VARVE_OK also with a warning. */
VARVE_API varve_status varve_manager_prune(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* Keeps a checkpoint for ever, or no longer: an empty file PREFIX-N.pin beside
 * it. VARVE_NOT_FOUND where there is no checkpoint of this number. A pin is
 * synced before the call returns, unless the options of the manager say
 * `no_sync`. Taking one away is not synced: after a power cut the checkpoint
 * may be pinned still, and no retention deletes it until it is unpinned again.
 */
VARVE_API varve_status varve_manager_pin(varve_manager *manager,
    uint64_t number, varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_status varve_manager_unpin(varve_manager *manager,
    uint64_t number, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
