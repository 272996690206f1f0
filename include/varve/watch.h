/* watch.h - for a program that reads the checkpoints another one is making:
 * wait for new ones, and keep those that are being read from being deleted.
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

/* Asked on the calling thread, at least as often as the directory is looked at.
 * True ends the waiting, after a last look: what was there when it said so is
 * given first. */
typedef bool varve_watch_done(void *user);

/* All zero is the safe default; NULL stands for that. */
typedef struct varve_watch_options {
    bool every;    /* each checkpoint, in the order of numbers; else the newest,
                      and those between are passed over */
    bool no_lease; /* nothing is opened: the file may be deleted or replaced
                      before it is read */
    uint64_t after; /* only higher numbers, as varve_watch_number of an earlier
                       watch; 0: all that are there */
    int64_t min_interval_ms; /* so long at least from one to the next */
    int64_t max_pause_ms;    /* between two looks at the directory; they begin
                                10 ms apart. 0: 1000 */
    varve_watch_done *done;  /* or NULL */
    void *done_user;
    const varve_allocator *allocator; /* or NULL; copied */
    varve_reserved reserved;
} varve_watch_options;

/* Watches for files `prefix-N.varve`, as varve_save and a manager name them:
 * "run/ckpt" is the prefix of the manager of "run". Looks at nothing yet; the
 * directory need not be there. By looking again and again, so it works on
 * network file systems as well. Used by one thread at a time. VARVE_BAD_NAME
 * for a prefix that ends in '/'.
 *
 * A watch goes by numbers, not by save counters: with `number_by_step`, after a
 * step back, it does not return checkpoints below the number that it has
 * returned last. varve_restore and leases of the prefix find the newest. */
VARVE_API varve_watch *varve_watch_new(const char *prefix,
    const varve_watch_options *options, varve_error *error) VARVE_MUST_CHECK;
VARVE_API void varve_watch_free(varve_watch *watch);

/* Waits for a checkpoint with a higher number than the last one given, and sets
 * *path to its path, which is valid, and leased, until the next call or the
 * end of the watch. A file that goes while it is looked at is passed over, and
 * one that a writer still holds is waited for. A number that is used again is
 * not new, nor is one below the last.
 *
 * Looks at least once; waits `timeout_ms` in all, or for ever if it is
 * negative. Then VARVE_TIMEOUT; after `done` said so, VARVE_CANCELLED; or what
 * the listing or the opening failed with. *path is untouched then, no number is
 * used up, and the watch may be asked again. Where the lease of the path that
 * was returned last has ended, the next call returns that failure once, with
 * the statuses of varve_lease_check: the file may have been deleted while it
 * was in use. */
VARVE_API varve_status varve_watch_next(varve_watch *watch, int64_t timeout_ms,
    const char **path, varve_error *error) VARVE_MUST_CHECK;

/* The number of the last one given; before, what `after` was. */
VARVE_API uint64_t varve_watch_number(const varve_watch *watch);

/* --- Leases ------------------------------------------------------------- */

/* Keeps a checkpoint from being deleted by a manager, in any process, until
 * varve_lease_free or the end of this process, however it ends (a child made by
 * fork holds it too). For whoever opens a file by its name, and more than once:
 * a reader or a restoration that is open already reads to its end all the same.
 *
 * `path` is what varve_restore takes: a file, with or without its suffix, or a
 * prefix, for its newest checkpoint; varve_lease_path says which it became.
 * `allocator` may be NULL. Waits while somebody has the file for himself, as to
 * delete it, and gives up after ten seconds with VARVE_TIMEOUT. VARVE_NOT_FOUND
 * where it is gone.
 *
 * It is a shared lock (flock) of the open file. Where the file system has no
 * locks, it is a file beside the checkpoint, which a thread of the lease writes
 * to every 10 seconds, so that the directory has to be writable; the lease
 * expires 60 seconds after the last write, as where the process was killed or
 * suspended. Each watch has such a lease as well. A path of a store is
 * VARVE_MISUSE. */
VARVE_API varve_lease *varve_lease_new(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;
VARVE_API void varve_lease_free(varve_lease *lease);

/* Checks that the lease still keeps the checkpoint; call it after the last use
 * of the path, before what was read is relied on. A lock does until the end of
 * the lease. Where there are no locks this renews the file of the lease.
 * VARVE_IO, or another status of a file, where that failed: the thread and the
 * next call try again. VARVE_TIMEOUT where the lease has expired: the
 * checkpoint may be deleted, and another may have its name. VARVE_MISUSE in a
 * child process. Any thread may call it. */
VARVE_API varve_status varve_lease_check(
    const varve_lease *lease, varve_error *error) VARVE_MUST_CHECK;

/* The path of the file that is leased. */
VARVE_API const char *varve_lease_path(const varve_lease *lease);

VARVE_END_DECLS

#endif
