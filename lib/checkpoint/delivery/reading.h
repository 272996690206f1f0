/* reading.h - Reads a set of values from the file in one pass, on all
 * processors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READING_H
#define VV_READING_H

#include "division.h"
#include "move.h"

struct vv_reading {
    const struct vv_delivery *d;
    struct vv_move *moves; /* sorted by offset in the file */
    size_t count;
    bool only_verify; /* deliver nothing, only verify; fixed values are
                         compared */
    const struct vv_division *division; /* how the verification is divided
                                           with other processes; or NULL */
    bool is_verified; /* digests have been verified, or are not wanted */
    bool is_final;    /* memory of the program is being changed: the read
                         cannot be cancelled */
    bool has_far;     /* some values may be copied by functions of the
                         program */
    uint64_t total;   /* for progress: bytes of all passes */
    uint64_t before;  /* bytes of the passes before this one */
    /* bits, so that one comparison finds that all are 0 */
    bool only_fixed : 1;  /* read only fixed values */
    bool skips_fixed : 1; /* do not read fixed values */
    /* own */
    bool only_divided : 1;    /* read only values that are divided */
    bool skips_divided : 1;   /* do not read values that are divided */
    struct vv_monitor *turns; /* serializes the functions of the program;
                                 NULL: there is only one worker */
};

/* Returns the number of bytes that a pass over the moves reads. */
uint64_t vv_reading_size(const struct vv_reading *reading);

/* Reads, verifies and delivers every value. If a value is divided, it verifies
 * only the part of this process. Stops at the first failure. Returns
 * VARVE_CANCELLED if the progress callback requests it. */
varve_status vv_read_moves(struct vv_reading *reading, varve_error *error);

#endif
