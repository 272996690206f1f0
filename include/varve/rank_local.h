/* rank_local.h - Adds state that differs between the ranks of a group of
 * processes.
 *
 *     varve_node *mine = varve_add_rank_local(root, "worker", comm, NULL);
 *     varve_add_variable(mine, "steps", varve_scalar(&steps));
 *
 * Examples are a random stream, counters, or a list whose length differs. The
 * file contains `worker/0/steps`, `worker/1/steps` and so on: an object with a
 * child for each rank. The nodes below may differ between ranks.
 * docs/processes.md explains it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RANK_LOCAL_H
#define VARVE_RANK_LOCAL_H

#include <varve/comm.h>
#include <varve/graph.h>
#include <varve/reader.h>

VARVE_BEGIN_DECLS

/* The tag of an object whose children are the ranks. It is for information
 * only. */
#define VARVE_TAG_RANK_LOCAL "private"

/* Called on each rank if a different number of processes has saved the
 * checkpoint (with `always`: any number).
 *
 * The argument `saved` is a reader of the file. `path` is the path of the
 * subtree in it, and `count` the number of ranks that saved. The values of rank
 * r are at `path`/r. The callback may read any of them, and sets the values
 * below `mine`, where it may add nodes. All other values are restored before it
 * is called.
 *
 * Return VARVE_OK, or an error to fail the restore. The restore then fails with
 * VARVE_PARTIALLY_RESTORED, because the other values have changed. */
typedef varve_status varve_merge(void *user, varve_node *mine,
    varve_reader *saved, const char *path, size_t count, varve_error *error);

/* Options for a restore by a different number of processes. All zero is the
 * default: such a restore fails with VARVE_MISMATCH before anything changes. */
typedef struct varve_rank_local_options {
    varve_merge *merge; /* merges the values of all ranks; NULL: none */
    void *merge_user;   /* first argument of `merge` */
    bool drop;          /* restore nothing below the node, and report nothing as
                           missing */
    bool always; /* call `merge` also for the same number of processes; no
                    value below the node is restored automatically */
    varve_reserved reserved;
} varve_rank_local_options;

/* Adds an object `name`, tagged VARVE_TAG_RANK_LOCAL, with a child for this
 * rank, and returns that child.
 *
 * `comm` is the communicator of the saves; only its rank and size are used.
 * NULL means a single process. `options` may be NULL. The result belongs to the
 * graph. Not collective.
 *
 * With the same number of processes each rank gets its own values back. The
 * nodes below must be independent of other ranks. A save fails with
 * VARVE_MISUSE:
 *
 * - if another edge or slot connects them with nodes outside,
 * - if they contain a slice that is smaller than its value, a global name, or
 *   another rank-local object,
 * - if one process saves alone and `comm` has several. */
VARVE_API varve_node *varve_add_rank_local(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_rank_local_options *options);

VARVE_END_DECLS

#endif
