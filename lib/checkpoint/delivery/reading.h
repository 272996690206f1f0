/* reading.h - one pass over a set of values in the file, on all cores.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READING_H
#define VV_READING_H

#include "division.h"
#include "move.h"

struct vv_reading {
    const struct vv_delivery *d;
    struct vv_move *moves; /* in order of their place in the file */
    size_t count;
    bool only_verify; /* deliver nothing; what is fixed is compared */
    const struct vv_division *division; /* of that with others; or NULL */
    bool only_fixed;                    /* the others, or these, */
    bool skips_fixed;                   /* come in another pass */
    bool is_verified; /* digests were checked, or are not wanted */
    bool is_final;    /* verified memory is being changed: no way back */
    bool has_far;     /* some may go to memory that functions copy in */
    uint64_t total;   /* for progress: bytes of all passes, and those of */
    uint64_t before;  /* the passes before this one */
    /* own */
    bool only_divided;        /* all others, or these, */
    bool skips_divided;       /* come in another pass */
    struct vv_monitor *turns; /* or NULL: there is one worker */
};

/* Bytes that a pass over the moves reads. */
uint64_t vv_reading_size(const struct vv_reading *reading);

/* Reads and verifies every value, or of those that are divided this process's
 * part, and delivers its pieces. The first failure
 * ends it. VARVE_CANCELLED if the progress callback says so. */
varve_status vv_read_moves(struct vv_reading *reading, varve_error *error);

#endif
