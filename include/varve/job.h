/* job.h - saving in the background: the program goes on while the disk works.
 *
 * What is saved is the state at the call, whatever the program does next. There
 * are two ways to hold it still. By default the call copies all values, on all
 * processors, into memory of the graph that is used again for the next save:
 * when it returns, values may change. Of an incremental save with
 * `increment.only_dirty` or `increment.track` it copies those pages that may
 * have changed since the checkpoint before, and opens that for the rest, unless
 * a save of the graph is in flight or all is verified (`verify_clean`).
 *
 * With `async.zero_copy` in the options it returns at once, and copies
 * behind the program's back: values must not change until
 * varve_job_wait_staged has returned, such as before the optimizer's step.
 * Strings, states and small values are copied at the call in either case, and
 * the `save` callbacks of states run there. Where the library itself would
 * change or free a value that is not copied yet (a restoration delivers, a
 * snapshot is restored, a node is removed, retyped, rebound or untracked, the
 * graph is freed), it waits for the copy first.
 *
 * One thread for each graph, from its first job to varve_graph_free, writes one
 * job after the other, in the order of the calls. All signals are blocked in
 * it. The progress and loss callbacks of the options run on it, and may
 * not touch the graph. A save of that graph that is none of the background
 * comes after all that are in flight; varve_graph_free waits for them. A read
 * finds what is in place by then.
 *
 * A failure is not lost: what no varve_job_wait has told, the next save of the
 * graph fails with, once and before it writes anything. What was cancelled is
 * no failure.
 *
 * The functions belong to the thread that has the graph, but for
 * varve_job_cancel and varve_job_progress, which any thread may call until
 * varve_job_free. In a child that a fork has made, what was in flight is the
 * parent's, and VARVE_CANCELLED; the files that it was writing stay open there
 * until the child ends, or becomes another program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_JOB_H
#define VARVE_JOB_H

#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* varve_write in the background. Mistakes, callbacks of states that fail, and
 * memory that is not there are told by the call: then it is NULL, and nothing
 * has changed. It waits while as many saves are in flight as the options allow
 * (`async.in_flight`), and where memory for another copy is lacking. Where
 * no thread can be started the file is written before it returns. Anything the
 * options point to is copied, but for what callbacks are handed. End with
 * varve_job_free. */
VARVE_API varve_job *varve_write_async(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* varve_save in the background. The number is found when its turn comes, so
 * that a failed save does not use one up. `root`'s save counter is set as soon
 * as the program looks: by varve_job_is_done, varve_job_wait,
 * varve_save_counter or the next save. */
VARVE_API varve_job *varve_save_async(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Whether it has come to its end, good or bad. */
VARVE_API bool varve_job_is_done(varve_job *job);

/* Waits for its end, and says what varve_write or varve_save would have. */
VARVE_API varve_status varve_job_wait(
    varve_job *job, varve_error *error) VARVE_MUST_CHECK;

/* Waits until values may change again. VARVE_OK also where the save has failed:
 * varve_job_wait says so. */
VARVE_API varve_status varve_job_wait_staged(
    varve_job *job, varve_error *error) VARVE_MUST_CHECK;

/* Asks it to end without a trace: it is VARVE_CANCELLED then, and an older file
 * is as it was. One that is being put in place comes to its ordinary end. */
VARVE_API void varve_job_cancel(varve_job *job);

/* Bytes written, and bytes in all. Either may be NULL. */
VARVE_API void varve_job_progress(
    const varve_job *job, uint64_t *done, uint64_t *total);

/* The path of what it wrote; NULL before its end, and where it failed. Valid
 * until the job is freed. */
VARVE_API const char *varve_job_path(varve_job *job);

/* Waits for its end. */
VARVE_API void varve_job_free(varve_job *job);

VARVE_END_DECLS

#endif
