/* watch.h - Waits for checkpoints of another process and protects them while
 * they are read.
 *
 *     varve_watch *watch = varve_watch_new("run/ckpt", NULL, &error);
 *     while (!varve_watch_next(watch, 60000, &path, &error))
 *         evaluate(path);
 *     varve_watch_free(watch);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_WATCH_H
#define VARVE_WATCH_H

#include <varve/allocator.h>
#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* --- Watches ------------------------------------------------------------ */

/* Called by a watch to find out if the wait must end. It runs on the calling
 * thread, at least each time the directory is listed.
 *
 * Return true to end the wait. The directory is listed once more, and
 * checkpoints that exist at that time are returned first. */
typedef bool varve_watch_done(void *user);

/* Options of a watch. All zero is the safe default, and NULL is the same. */
typedef struct varve_watch_options {
    bool every;              /* return each checkpoint, in the order of numbers;
                                otherwise only the newest, and those between are
                                skipped */
    bool no_lease;           /* take no lease and open nothing: the file may be
                                deleted or replaced before it is read */
    uint64_t after;          /* return only higher numbers, for example the
                                varve_watch_number of an earlier watch; 0:
                                all */
    int64_t min_interval_ms; /* minimum time between two checkpoints, in
                                milliseconds; 0: none */
    int64_t max_pause_ms;    /* maximum time between two listings of the
                                directory, in milliseconds; the first are 10 ms
                                apart; 0: 1000 */
    varve_watch_done *done;  /* ends the wait if it returns true; may be NULL */
    void *done_user;         /* argument of `done` */
    const varve_allocator *allocator; /* NULL: default allocator; copied */
    varve_reserved reserved;
} varve_watch_options;

/* Creates a watch for files `prefix-N.varve`, which varve_save and managers
 * write.
 *
 * The prefix of a manager of "run" is "run/ckpt". `options` may be NULL. The
 * directory need not exist yet. The watch lists it repeatedly, so that it works
 * on network file systems too. Only one thread may use a watch at a time.
 *
 * A watch uses the numbers in the file names, not save counters. If the step of
 * a manager with `number_by_step` goes backwards, the watch does not return
 * checkpoints with smaller numbers than the last one. varve_restore and leases
 * find the newest checkpoint in that case.
 *
 * Free the result with varve_watch_free. Returns NULL on failure.
 *
 * - Fails with VARVE_BAD_NAME if the prefix ends in '/'. */
VARVE_API varve_watch *varve_watch_new(const char *prefix,
    const varve_watch_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Frees a watch and its lease. Takes NULL. */
VARVE_API void varve_watch_free(varve_watch *watch);

/* Waits for a checkpoint with a higher number than the last one.
 *
 * `*path` is set to its path. The string is valid, and the file has a lease,
 * until the next call or varve_watch_free. A file that disappears is skipped;
 * the function waits for a file that is locked by a writer. A number that is
 * used again is not new.
 *
 * `timeout_ms` is the maximum wait in milliseconds; negative: no limit. The
 * directory is listed at least once.
 *
 * On failure `*path` is unchanged, and the function can be called again without
 * missing a checkpoint.
 *
 * - Returns VARVE_TIMEOUT if there was no new checkpoint in time.
 * - Returns VARVE_CANCELLED if `done` has returned true.
 * - Returns an error of varve_lease_check, once, if the lease of the previous
 *   checkpoint has ended early. That file may have been deleted while it was in
 *   use.
 * - Fails with the error of listing the directory or opening a file. */
VARVE_API varve_status varve_watch_next(varve_watch *watch, int64_t timeout_ms,
    const char **path, varve_error *error) VARVE_MUST_CHECK;

/* Returns the number of the last checkpoint that was returned; before the first
 * one, the value of `after`. */
VARVE_API uint64_t varve_watch_number(const varve_watch *watch);

/* --- Leases ------------------------------------------------------------- */

/* Takes a lease, so that no manager of any process deletes a checkpoint.
 *
 *     varve_lease *lease = varve_lease_new("run/ckpt", NULL, &error);
 *     if (lease)
 *         evaluate(varve_lease_path(lease));
 *     varve_status status = varve_lease_check(lease, &error);
 *     varve_lease_free(lease);
 *
 * Use it for programs that open a file by its name several times. Open readers
 * and restorations need no lease: they can read their file even if it is
 * deleted.
 *
 * `path` is a file, with or without its suffix, or a prefix, for its newest
 * checkpoint, as in varve_restore. `allocator` may be NULL.
 *
 * The lease ends with varve_lease_free or when the process ends. A child
 * process shares it after fork. It is a shared lock (flock) of the open file.
 * If the file system does not support locks, the lease is a file beside the
 * checkpoint:
 *
 * - A thread writes to it every 10 seconds, so that the directory must be
 *   writable.
 * - It expires 60 seconds after the last write, for example if the process was
 *   killed or suspended.
 *
 * Free the result with varve_lease_free. Returns NULL on failure.
 *
 * - Fails with VARVE_TIMEOUT if another process has the file locked, for
 *   example to delete it, for ten seconds.
 * - Fails with VARVE_NOT_FOUND if there is no such file.
 * - Fails with VARVE_MISUSE if `path` is in a store. */
VARVE_API varve_lease *varve_lease_new(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;

/* Ends a lease and frees it. Takes NULL. */
VARVE_API void varve_lease_free(varve_lease *lease);

/* Checks that the lease still protects the checkpoint.
 *
 * Call it after the last use of the path, before you rely on the data. A lock
 * is always valid until the lease ends. Without locks the function renews the
 * file of the lease. Any thread may call it.
 *
 * - Returns VARVE_TIMEOUT if the lease has expired. The checkpoint may have
 *   been deleted, and another file may have its name.
 * - Returns VARVE_IO or another file error if the lease could not be renewed.
 *   The thread and the next call try again.
 * - Returns VARVE_MISUSE in a child process. */
VARVE_API varve_status varve_lease_check(
    const varve_lease *lease, varve_error *error) VARVE_MUST_CHECK;

/* Returns the path of the file that has the lease. */
VARVE_API const char *varve_lease_path(const varve_lease *lease);

VARVE_END_DECLS

#endif
