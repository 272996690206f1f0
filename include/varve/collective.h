/* collective.h - many processes, one checkpoint: calls that all ranks of a
 * communicator (comm.h) make together, in the same order.
 *
 *     varve_add_slice(root, "temperature", varve_array(mine, rows, 512),
 *         VARVE_SHAPE(4096, 512), (uint64_t[]){ first, 0 });
 *     ...
 *     varve_write_all(comm, root, "run/heat", NULL, &error);
 *
 * Each rank has a graph of its own, and all of them are alike: the same nodes,
 * names, types and shapes. A variable that is a slice (slice.h) has a part of
 * its value at each rank, and together they are all of it; the others and
 * states have the same value everywhere, which is written once, a piece of it
 * by each rank.
 *
 * All ranks get the same status, and the same message, which names the lowest
 * rank on which something went wrong: none waits for another that has given up.
 * Where a process is gone it is VARVE_DISCONNECTED.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TOGETHER_H
#define VARVE_TOGETHER_H

#include <varve/checkpoint.h>
#include <varve/comm.h>
#include <varve/job.h>

VARVE_BEGIN_DECLS

/* Saves as varve_write does. The checkpoint is an index, and data in files of
 * the folder `layers` beside it, one for each machine or as many as
 * `collective.files` says, which all ranks fill at the same time; all of them
 * see the same directory. The index appears last: killed at any moment, of
 * whatever rank, a save leaves the older checkpoint, and files that the next
 * one sweeps up.
 *
 * With `incremental` the chunks are shared that the checkpoint before has, by
 * rank 0's `increment.base`: it does not matter whose they were, nor of how
 * many ranks. With `compress` each rank packs what it writes; where it goes is
 * agreed on every 4 MiB of a rank, by their sizes alone.
 *
 * With `increment.only_dirty` or `increment.track` a rank does not look at the
 * chunks of 1 MiB that it knows to be as its last such save of this graph has
 * summed them, whoever writes them. What all have must be touched at all ranks,
 * as it must be the same at all. Where a save finds that it is not, or a chunk
 * that no checkpoint before has to be another one, all ranks look at all values
 * once more; one in the background fails, VARVE_MISUSE, and the next looks at
 * all. `increment.verify_clean` fails at all, with what one rank has found.
 *
 * Paths, options and metadata must be the same everywhere, but for progress,
 * which is called at each rank with its own share. VARVE_MISUSE, before a byte
 * is written: graphs, options or values differ (the message names path and
 * ranks), slices overlap or leave a gap; or another format. */
VARVE_API varve_status varve_write_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Saves under the next number of a prefix, as varve_save does. */
VARVE_API varve_status varve_save_all(const varve_comm *comm, varve_node *root,
    const char *prefix, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* The same two in the background, as varve_write_async and varve_save_async
 * (job.h): all ranks come to the call, which holds still what each has of the
 * values, and is NULL at all where one cannot. The rest is done by a thread of
 * each rank, over a duplicate of the communicator (comm.h), which the graph
 * keeps: VARVE_MISUSE where there is none. How ranks differ is found there too.
 *
 * What fails at one fails the job at all, with the same message; and what one
 * cancels. A job is a rank's own, and so are the calls of job.h, but all tell
 * of a failure that one was not told: wait for it at all ranks, or at none. */
VARVE_API varve_job *varve_write_all_async(const varve_comm *comm,
    varve_node *root, const char *path, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_job *varve_save_all_async(const varve_comm *comm,
    varve_node *root, const char *prefix, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Restores as varve_read and varve_restore do, at every rank its part, whoever
 * saved it: one process or many, more or fewer than now, in any format. Every
 * rank opens the same file, and reads the chunks that meet its slices and all
 * that is no slice. No rank changes anything before all of them, or others of
 * their machine, have read and verified what they need; each verifies again
 * what it puts into place. Where each of them asks for VARVE_ONE_PASS, or for
 * nothing in its first restoration, values too large for staging (4 MiB at each
 * then) are read once: where one fails, all have half restored. A status other
 * than VARVE_OK is NULL at every rank; VARVE_MISMATCH also where the file was
 * replaced while they opened it.
 *
 * What is built later is restored by each rank for itself. */
VARVE_API varve_restoration *varve_read_all(const varve_comm *comm,
    varve_node *root, const char *path, const varve_read_options *options,
    varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_restoration *varve_restore_all(const varve_comm *comm,
    varve_node *root, const char *path, const varve_read_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* The status and message of the lowest rank that comes with a failure, at every
 * rank: for assertions about a restoration, and for a program's own steps,
 *
 *     varve_status status = varve_assert_consumed(restoration, &error);
 *     if (varve_agree(comm, status, &error)) ...
 */
VARVE_API varve_status varve_agree(const varve_comm *comm, varve_status status,
    varve_error *error) VARVE_MUST_CHECK;

/* Whether somebody wants it: a signal that came to one process makes all of
 * them save the same step. A process that is gone counts as wanting it. */
VARVE_API bool varve_any(const varve_comm *comm, bool wanted);

VARVE_END_DECLS

#endif
