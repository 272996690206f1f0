/* collective.h - Saves and restores one checkpoint with several processes.
 *
 *     varve_add_slice(root, "temperature", varve_array(mine, rows, 512),
 *         VARVE_SHAPE(4096, 512), (uint64_t[]){ first, 0 });
 *     if (varve_write_all(comm, root, "run/heat", NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * All functions of this header are collective: all ranks of a communicator
 * (comm.h) call them in the same order. Each rank has its own graph, with the
 * same nodes, names, types and shapes on all ranks.
 *
 * - A sharded variable is a slice (slice.h): each rank has a part of the value,
 *   and the parts of all ranks are the whole value.
 * - All other variables and states are replicated. A replicated value is the
 *   same on all ranks and is written once; each rank writes a part of it.
 * - Rank-local nodes are described in rank_local.h.
 *
 * All ranks get the same status and the same message, which names the lowest
 * rank that failed. If a process has ended, the functions return
 * VARVE_DISCONNECTED; no rank waits forever.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_COLLECTIVE_H
#define VARVE_COLLECTIVE_H

#include <varve/checkpoint.h>
#include <varve/comm.h>
#include <varve/job.h>

VARVE_BEGIN_DECLS

/* Saves a checkpoint of all ranks, as varve_write does for one process.
 *
 * The checkpoint is an index file, and data files in the folder `layers` beside
 * it: one for each machine, or as many as `collective.files`. All ranks write
 * them at the same time and must see the same directory. The index is put in
 * place last. If any rank is killed, the older checkpoint stays, and the next
 * save removes the incomplete files.
 *
 * Options:
 *
 * - Paths, options and metadata must be the same on all ranks, except for
 *   `progress`, which is called on each rank for its own part.
 * - With `incremental` the chunks of the base checkpoint are shared, even if
 *   another rank or a different number of ranks wrote them. The base is that of
 *   rank 0.
 * - With `compress` each rank compresses what it writes. The ranks exchange the
 *   compressed sizes every 4 MiB.
 * - With `increment.only_dirty` or `increment.track` a rank skips the chunks of
 *   1 MiB that have not changed since its last such save of this graph. Mark a
 *   replicated variable as dirty on all ranks. If one was marked on some ranks
 *   only, or if a chunk that must be written was not marked, all ranks checksum
 *   all values once more. An asynchronous save fails with VARVE_MISUSE in that
 *   case, and the next one checksums all values.
 * - With `increment.verify_clean` the save fails on all ranks if one rank finds
 *   a changed variable that was not marked dirty.
 *
 * Errors are those of varve_write, and:
 *
 * - Returns VARVE_MISUSE, and writes nothing, if graphs, options or replicated
 *   values differ, if slices overlap or leave a gap, or if the format is not
 *   Varve's own. The message names the path and the ranks. */
VARVE_API varve_status varve_write_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Saves a checkpoint of all ranks under the next number of a prefix, as
 * varve_save does for one process. Otherwise it is like varve_write_all. */
VARVE_API varve_status varve_save_all(const varve_comm *comm, varve_node *root,
    const char *prefix, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Starts an asynchronous varve_write_all or varve_save_all.
 *
 * The functions are collective versions of varve_write_async and
 * varve_save_async (job.h). The call stages the values of each rank. A thread
 * of each rank does the rest with a duplicate of the communicator, which the
 * graph keeps.
 *
 * Each rank gets its own job and calls the functions of job.h for it. If one
 * rank fails or cancels its job, the jobs of all ranks fail with the same
 * message. They also fail if the ranks pass different graphs or options. Call
 * varve_job_wait on all ranks or on none, because all ranks return a failure
 * that one of them has not returned yet.
 *
 * Returns NULL on all ranks if one rank cannot stage its values.
 *
 * - Fails with VARVE_MISUSE if the communicator cannot be duplicated
 *   (comm.h). */
VARVE_API varve_job *varve_write_all_async(const varve_comm *comm,
    varve_node *root, const char *path, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_job *varve_save_all_async(const varve_comm *comm,
    varve_node *root, const char *prefix, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Restores a checkpoint on all ranks, as varve_read and varve_restore do for
 * one process.
 *
 *     varve_restoration *r = varve_restore_all(
 *         comm, root, "run/heat", NULL, &error);
 *     varve_status status = varve_assert_consumed(r, &error);
 *     status = varve_agree(comm, status, &error);
 *     varve_restoration_free(r);
 *
 * The checkpoint may have any format and may have been saved by any number of
 * processes. Each rank reads all replicated values and the chunks that contain
 * its slices. All ranks must be able to open the same file.
 *
 * By default no rank changes anything before all values are verified, by the
 * rank itself or by other ranks of its machine. Each rank verifies values again
 * when it restores them. Values that are too large for staging are read only
 * once if each rank either sets VARVE_ONE_PASS, or leaves `passes` 0 and
 * restores its graph for the first time. The staging buffer then has 4 MiB per
 * rank. If such a restore fails on one rank, all ranks are partially restored.
 *
 * Variables that are added later are restored by each rank alone.
 *
 * Each rank gets its own restoration. Returns NULL on all ranks if one of them
 * fails. Errors are those of varve_read and varve_restore, and:
 *
 * - Fails with VARVE_MISMATCH also if the file was replaced while the ranks
 *   opened it. */
VARVE_API varve_restoration *varve_read_all(const varve_comm *comm,
    varve_node *root, const char *path, const varve_read_options *options,
    varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_restoration *varve_restore_all(const varve_comm *comm,
    varve_node *root, const char *path, const varve_read_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Returns the status and message of the lowest rank that passes an error, on
 * all ranks. Returns VARVE_OK if all ranks pass VARVE_OK.
 *
 * Use it for assertions and for steps of the program that may fail on one rank:
 *
 *     varve_status status = varve_assert_consumed(restoration, &error);
 *     if (varve_agree(comm, status, &error))
 *         return fail(&error); */
VARVE_API varve_status varve_agree(const varve_comm *comm, varve_status status,
    varve_error *error) VARVE_MUST_CHECK;

/* Returns true on all ranks if any rank passes true.
 *
 * For example, a signal that one process has received can make all of them save
 * after the same step. A process that has ended counts as true. */
VARVE_API bool varve_any(const varve_comm *comm, bool wanted);

VARVE_END_DECLS

#endif
