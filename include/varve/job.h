/* job.h - Saves checkpoints asynchronously, while the program continues.
 *
 *     varve_job *job = varve_save_async(root, "run/ckpt", NULL, &error);
 *     if (!job)
 *         return fail(&error);
 *     train();
 *     varve_status status = varve_job_wait(job, &error);
 *     varve_job_free(job);
 *
 * An asynchronous save writes the values at the time of the call, even if the
 * program changes them afterwards. There are two ways to stage them:
 *
 * - By default the call copies all values to memory of the graph, with all
 *   processors. The values may change as soon as the call returns. The next
 *   save reuses the memory. An incremental save with `increment.only_dirty` or
 *   `increment.track` copies only the pages that may have changed, and opens
 *   the previous checkpoint to read the others. It copies all values if another
 *   save of the graph is pending, or with `increment.verify_clean`.
 * - With `async.zero_copy` the call returns before the values are copied. The
 *   values must not change until varve_job_wait_staged has returned; call that
 *   function before the next step of the optimizer, for example.
 *
 * In both cases strings, states and small values are copied during the call,
 * and the `save` callbacks of states run during the call. Before the library
 * itself changes or frees a value that is not copied yet, it waits for the
 * copy. Examples are a restore, a snapshot that is restored, a node that is
 * removed, retyped, rebound or untracked, and varve_graph_free.
 *
 * Each graph has one background thread, from its first job until
 * varve_graph_free. It writes the jobs in the order of the calls. All signals
 * are blocked in it. The progress and loss callbacks of the options run on it
 * and must not use the graph. A synchronous save of the graph and
 * varve_graph_free wait for all pending jobs. A read sees the files that are
 * complete at that time.
 *
 * A failure is never lost. If no varve_job_wait has returned it, the next save
 * of the graph returns it once, before it writes anything. A cancelled job is
 * not a failure.
 *
 * The functions must be called by the thread that uses the graph. Any thread
 * may call varve_job_cancel and varve_job_progress until varve_job_free. After
 * fork the jobs belong to the parent, and in the child their status is
 * VARVE_CANCELLED. The files that were being written stay open in the child
 * until it ends or calls exec.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_JOB_H
#define VARVE_JOB_H

#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Starts an asynchronous varve_write.
 *
 * Everything that the options point to is copied, except for the `user`
 * arguments of callbacks. The call waits while the maximum number of saves is
 * pending (`async.in_flight`), or while there is no memory for another copy of
 * the values. If no thread can be started, the file is written before the call
 * returns.
 *
 * Returns a job. Free it with varve_job_free. Returns NULL, and nothing has
 * changed, if the graph has an error, a callback of a state fails, or memory is
 * exhausted. Later errors are returned by varve_job_wait. */
VARVE_API varve_job *varve_write_async(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Starts an asynchronous varve_save.
 *
 * The number of the checkpoint is determined when its job begins, so that a
 * failed save does not use up a number. The save counter of `root` is updated
 * by the first call of varve_job_is_done, varve_job_wait, varve_save_counter or
 * another save after the job has ended. Otherwise the function is like
 * varve_write_async. */
VARVE_API varve_job *varve_save_async(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Returns true if the job has ended, successfully or not. */
VARVE_API bool varve_job_is_done(varve_job *job);

/* Waits until the job has ended. Returns the status that varve_write or
 * varve_save would have returned, or VARVE_CANCELLED. */
VARVE_API varve_status varve_job_wait(
    varve_job *job, varve_error *error) VARVE_MUST_CHECK;

/* Waits until the values are staged, so that the program may change them.
 *
 *     varve_job *job = varve_save_async(root, "run/ckpt",
 *         &(varve_write_options){ .async.zero_copy = true }, &error);
 *     read_values();
 *     if (varve_job_wait_staged(job, &error))
 *         ...
 *     change_values();
 *
 * Returns VARVE_OK even if the save has failed; varve_job_wait returns that
 * failure. */
VARVE_API varve_status varve_job_wait_staged(
    varve_job *job, varve_error *error) VARVE_MUST_CHECK;

/* Requests cancellation of a job.
 *
 * A cancelled job leaves an older file unchanged and no other file, and its
 * status is VARVE_CANCELLED. A job whose file is already being put in place
 * ends normally. Takes NULL. Any thread may call this. */
VARVE_API void varve_job_cancel(varve_job *job);

/* Gets the progress of a job: the bytes written so far, and the bytes in total.
 * `done` and `total` may be NULL. Any thread may call this. */
VARVE_API void varve_job_progress(
    const varve_job *job, uint64_t *done, uint64_t *total);

/* Returns the path of the file that the job has written. Returns NULL if the
 * job has not ended or has failed. The string is valid until the job is
 * freed. */
VARVE_API const char *varve_job_path(varve_job *job);

/* Waits until the job has ended, and frees it. Takes NULL. */
VARVE_API void varve_job_free(varve_job *job);

VARVE_END_DECLS

#endif
