/* division.h - bytes that all who restore together need are verified ahead by
 * one of each machine.
 *
 * Who verifies which follows from what is the same everywhere, so nobody is
 * asked about single values: it is enough that all need the same. The verdict
 * of each is told when all ask each other whether to go on.
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

/* What of all that it verifies ahead a process may divide with others. */
enum vv_need {
    VV_NEEDS_WHOLE,  /* large values of which it reads every chunk, */
    VV_NEEDS_COMMON, /* of these all that are no slices */
    VV_NEEDS         /* how many there are */
};

struct vv_division {
    /* to fill in */
    uint64_t numbers[VV_NEEDS]; /* of what this process needs; 0: of nothing */
    enum vv_need need; /* the first whose number is the same at all; with
                          VV_NEEDS nothing is divided */
    uint32_t at;       /* of so many parts that are alike this process verifies
                          the one of this number */
    uint32_t parts;
};

/* Notes in each move what it needs, and settles with the others how that is
 * divided. Each process comes to it once at most, before it asks the others
 * whether to go on. */
varve_status vv_divide(const struct vv_delivery *d, struct vv_move *moves,
    size_t count, struct vv_division *division, varve_error *error);

#endif
