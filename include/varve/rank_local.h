/* rank_local.h - what a process has for itself, among many that save together:
 * its random stream, its counters, its own list of things.
 *
 *     varve_node *mine = varve_add_rank_local(root, "worker", comm, NULL);
 *     varve_add_variable(mine, "steps", varve_scalar(&steps));
 *
 * In a file it is `worker/0/steps`, `worker/1/steps`, ...: an object with a
 * child for each process, named by its rank. What is below differs from one to
 * the next as it likes. docs/processes.md shows it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_PRIVATE_H
#define VARVE_PRIVATE_H

#include <varve/comm.h>
#include <varve/graph.h>
#include <varve/reader.h>

VARVE_BEGIN_DECLS

/* On the object whose children are the processes; tells people only. */
#define VARVE_TAG_RANK_LOCAL "private"

/* Called at each process where `count` others than there are now (with `always`
 * any number) have saved what was their own, at `path`/0 to `path`/`count - 1`:
 * reads of it what it likes and sets what is below `mine`, to which it may add.
 * The values of the restoration are there by then. A failure is that of the
 * restoration, and VARVE_PARTIALLY_RESTORED, as these values are new. */
typedef varve_status varve_merge(void *user, varve_node *mine,
    varve_reader *saved, const char *path, size_t count, varve_error *error);

/* What becomes of it where another number of processes has saved it. The
 * default is VARVE_MISMATCH, before anything changes. */
typedef struct varve_rank_local_options {
    varve_merge *merge;
    void *merge_user;
    bool drop;   /* nothing is restored below, and nothing missed */
    bool always; /* the fold is called where as many have saved it, too: no
                    value below comes by itself */
    varve_reserved reserved;
} varve_rank_local_options;

/* Adds an object `name`, tagged VARVE_TAG_RANK_LOCAL, and below it one whose
 * name is the rank of this process, which it returns. `comm` is that of the
 * saves, of which only rank and size are looked at; NULL: one process.
 * `options` may be NULL.
 *
 * As many processes as saved it get it back, each its own, whoever else reads.
 * What is below belongs to it alone: a save fails with VARVE_MISUSE where an
 * edge or slot leads in or out some other way, where there is a slice that is
 * not all of its value, a global name, or a private subtree in another; and a
 * save by one process where there are several. */
VARVE_API varve_node *varve_add_rank_local(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_rank_local_options *options);

VARVE_END_DECLS

#endif
