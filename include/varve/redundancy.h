/* redundancy.h - Keeps checkpoints in per-node directories that survive the
 * loss of nodes.
 *
 *     const varve_redundancy redundancy = { .scheme = VARVE_XOR };
 *     varve_manager_options options = {
 *         .comm = comm, .redundancy = &redundancy, .keep_last = 2 };
 *     varve_manager *m = varve_manager_new(root, "/local/run", &options, &e);
 *
 * Saving:
 *
 * - Each rank saves its whole graph to a directory of its own,
 *   `DIRECTORY/rank-R`, which other ranks need not be able to read. The file is
 *   an ordinary checkpoint of one process, with the same number on all ranks.
 *   The files with the same number are a set.
 * - Ranks of different nodes form groups. They store redundant data for each
 *   other in `PREFIX-N.parity` beside each file.
 * - A save is complete, and older checkpoints may be deleted, when all files
 *   are durable on every rank.
 * - Ranks save and restore independently. A replicated value is in the file of
 *   each rank. The file of a rank contains its slice of a sharded value
 *   (slice.h), which can be restored only to the same slice. All files have
 *   Varve's own format: `foreign` of the options of a read has no effect.
 *
 * Resuming:
 *
 * - varve_manager_resume restores the newest set that is complete, or that the
 *   remaining ranks can rebuild. Lost files are rebuilt first and verified by
 *   their checksums; then each rank restores its own file.
 * - The number of ranks must be the same. A rank may start with an empty
 *   directory.
 * - The redundant data of a lost rank, and older sets, are rebuilt in the
 *   background, or before the resume returns if the communicator has no
 *   `duplicate`. The next save, varve_manager_wait and varve_manager_free wait
 *   for that.
 * - varve_manager_skipped lists sets that could not be rebuilt, with the ranks
 *   that were lost.
 * - A file that cannot be read at present counts as lost if the set can be
 *   rebuilt without it. Otherwise the read is tried again several times, and
 *   then the resume fails with VARVE_IO, unless `may_resume_older` is set.
 * - Two sets may have the same number, for example if a node returns that was
 *   absent while another run saved. The set of the younger run is used. A file
 *   of the older set is not overwritten by a rebuilt file: it is renamed to
 *   `PREFIX-N.MARK.varve` (or `.parity`), where MARK is 16 hex digits.
 *   varve_manager_warning has both names on its rank. No manager deletes it.
 *
 * With storage levels (levels.h):
 *
 * - A thread of each rank copies its file to LEVEL/rank-R. Rank 0 determines
 *   which sets are due.
 * - All ranks copy the same set at a time. After all ranks have copied a set,
 *   the next save or drain starts the copy of the next one. A slow or failing
 *   rank delays copies, but no save. If more than `max_pending` sets are
 *   pending, all ranks skip the copy of the same sets.
 * - A resume uses the newest set that is complete anywhere. If sets of the same
 *   number are in the directories of the ranks and at a level, the former is
 *   preferred, even if it must be rebuilt. A set at a level is never rebuilt.
 * - If one rank cannot list a level, no rank uses the level, and nothing is
 *   deleted there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_REDUNDANCY_H
#define VARVE_REDUNDANCY_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The methods of storing redundant data in a group of nodes. */
typedef enum varve_redundancy_scheme {
    /* The next node of the group has a copy: twice the bytes. Survives the loss
     * of several nodes, unless two of them are neighbors in a group. */
    VARVE_PARTNER = 1,
    /* Each of the k nodes of a group has the parity of parts of the others:
     * k / (k - 1) times the bytes. Survives the loss of one node per group. */
    VARVE_XOR = 2,
} varve_redundancy_scheme;

/* Options of redundancy. They must be the same on all ranks, except for
 * `domain`. */
typedef struct varve_redundancy {
    varve_redundancy_scheme scheme; /* how redundant data is stored; required */
    uint32_t group_size; /* nodes per group, 2 to 32; 0: 8. Groups are larger if
                            the number of nodes is not a multiple of it, and
                            smaller if there are fewer nodes */
    uint32_t domain;     /* failure domain of this rank, such as the number of
                            its rack, counted from 1; 0: its node, by
                            comm->node */
    varve_reserved reserved;
} varve_redundancy;

VARVE_END_DECLS

#endif
