/* redundancy.h - checkpoints in directories that each node has for itself,
 * which survive the loss of nodes.
 *
 *     const varve_redundancy redundancy = { .scheme = VARVE_XOR };
 *     varve_manager_options options = {
 *         .comm = comm, .redundancy = &redundancy, .keep_last = 2 };
 *     varve_manager *m = varve_manager_new(root, "/local/run", &options, &e);
 *
 * Each rank saves all of its graph into a directory of its own,
 * `DIRECTORY/rank-R`, that no other rank has to see: a checkpoint as one
 * process makes it, of the same number at all. Then ranks of different nodes,
 * in groups, keep for each other what a lost one needs: `PREFIX-N.parity`
 * beside each file. A save is over, and older ones may go, when all of that is
 * durable at every rank.
 *
 * varve_manager_resume takes the newest set of files that is whole, or that
 * those who are left can make whole: it is made so first, each file is what it
 * was by its digest, and each rank restores its own. A rank comes back to where
 * its directory is, or to an empty one. The number of ranks has to be the same.
 * What a lost rank kept for others, and of older sets, is made again while the
 * program goes on, or before where the communicator has no duplicate; the next
 * save, varve_manager_wait and varve_manager_free wait for that.
 * Of two sets of one number, as after the return of a node that was away while
 * another run saved, the set of the younger run is taken. A file of the older
 * one, in whose place one is rebuilt, is not overwritten: it gets the name
 * `PREFIX-N.MARK.varve` (or `.parity`), where MARK is 16 hex digits, and
 * varve_manager_warning has both names at its rank. No manager deletes it.
 * What could not be made whole is in varve_manager_skipped, with the ranks
 * that were lost. A file that cannot be read now counts as lost where the set
 * can be made whole without it. Where it cannot, the files are read again for a
 * moment, and then the resume is VARVE_IO, unless `may_resume_older` is set.
 *
 * With levels (levels.h) each rank's file is copied to LEVEL/rank-R, by a
 * thread of that rank. Rank 0 says what is due, as it has the clock. All ranks
 * are at work on one set at a time: the next is begun in the first save, or
 * drain, that finds the one before done at all. So one that is slow or fails
 * holds up what is copied, and no save; what is left out for it is left out by
 * all, and all keep the same. A resume takes the newest set that is good
 * anywhere: of one number that of the ranks' directories, rebuilt if need be,
 * before that of a level, which all ranks must have. A level that one rank
 * cannot list is none to the others, and nothing is deleted there.
 *
 * Ranks save and restore each for itself: a value that several have is in the
 * file of each, and of one that is spread over them (slice.h) each file has the
 * slice of its rank, which goes back to that slice and to no other. All are in
 * Varve's own format: `foreign` of the options of a read has no effect.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_REDUNDANCY_H
#define VARVE_REDUNDANCY_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

typedef enum varve_redundancy_scheme {
    /* The next node of a group has a copy: twice the bytes. Lost may be all of
     * which no two follow each other in a group. */
    VARVE_PARTNER = 1,
    /* Of a group of k nodes each has parity of parts of the others: k / (k - 1)
     * times the bytes. Lost may be one of each group. */
    VARVE_XOR = 2,
} varve_redundancy_scheme;

/* The same at all ranks, but for `domain`. */
typedef struct varve_redundancy {
    varve_redundancy_scheme scheme;
    uint32_t group_size; /* nodes, 2 to 32, or a few more where they do not come
                            out even; 0: 8. Fewer where there are fewer */
    uint32_t domain; /* of what fails together with this rank, such as a rack,
                        counted from 1; 0: what comm->node says */
    varve_reserved reserved;
} varve_redundancy;

VARVE_END_DECLS

#endif
