/* division.h - Divides the verification of values among the processes of a
 * machine, if all of them need the same values.
 *
 * They read the file in the same way, so a chunk that one process has
 * verified is also good for the others. The division follows from data that is
 * equal on all processes, so no messages about single values are needed. Each
 * process learns the results of the others when all exchange their status.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DIVISION_H
#define VV_DIVISION_H

#include <stddef.h>
#include <stdint.h>

#include <varve/error.h>

struct vv_delivery;
struct vv_move;

/* The sets of values whose verification a process can divide with others. */
enum vv_need {
    VV_NEEDS_WHOLE,  /* large values that are read completely */
    VV_NEEDS_COMMON, /* those of them that are not slices */
    VV_NEEDS         /* number of sets */
};

struct vv_division {
    /* to fill in */
    uint64_t numbers[VV_NEEDS]; /* by set: a hash of the values that this
                                   process needs; 0: none */
    enum vv_need need; /* the first set with the same hash on all processes;
                          VV_NEEDS: nothing is divided */
    uint32_t at;       /* the part that this process verifies, of `parts`
                          equal parts */
    uint32_t parts;
};

/* Sets `needs` of each move, and agrees with the other processes on the
 * division. A process calls `divide` at most once, before it exchanges its
 * status. */
varve_status vv_divide(const struct vv_delivery *d, struct vv_move *moves,
    size_t count, struct vv_division *division, varve_error *error);

#endif
