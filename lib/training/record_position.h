/* record_position.h - A position in the records of a source, and the batch that
 * follows it. A position consists of a few numbers, and each function here
 * depends only on its arguments. So a prefetching thread computes the same
 * batches as the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_POSITION_H
#define VV_RECORD_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "philox.h"

/* All members have the same type, so positions can be compared bytewise. */
struct vv_record_position {
    /* to read; all but `files` are variables in the graph */
    uint64_t epoch;
    uint64_t consumed; /* number of records of the epoch returned so far */
    uint64_t seed;
    uint64_t shuffle;
    uint64_t count; /* records in the epoch */
    uint64_t fingerprint[2];
    uint64_t files; /* number of files of a list that the epoch contains */
};

/* The data for a new epoch. */
struct vv_record_extent {
    /* to fill in */
    uint64_t count;
    uint64_t fingerprint[2];
    uint64_t files;
};

/* The options that determine the batches. */
struct vv_record_choice {
    /* to fill in */
    struct vv_record_extent whole;
    uint64_t epochs; /* 0: unlimited */
    size_t wanted;   /* records in a batch, above 0 */
    uint64_t drops;  /* 1: an incomplete last batch of an epoch is dropped */
};

/* A batch. */
struct vv_record_step {
    /* to read */
    struct vv_record_position from;  /* position of its first record */
    struct vv_record_position after; /* position after its last record */
    size_t count;                    /* 0: the data has ended */
    bool ends_epoch;
};

/* Adapts a position to the current extent. An epoch that has begun keeps its
 * records; one that has not begun uses the extent. */
void vv_record_position_fit(
    struct vv_record_position *position, const struct vv_record_extent *whole);

/* Returns the batch at a position whose count is above `consumed`, or 0. With
 * `drops` every epoch must have at least one complete batch. */
struct vv_record_step vv_record_step_at(
    const struct vv_record_position *position,
    const struct vv_record_choice *choice);

/* Returns true if no record follows a step. */
static inline bool vv_record_step_is_last(
    const struct vv_record_step *step, const struct vv_record_choice *choice)
{
    return choice->epochs > 0 && step->after.epoch >= choice->epochs;
}

/* Returns the order of the records in the epoch of a position. Without
 * `shuffle` only its count is set. */
struct vv_permutation vv_record_order(
    const struct vv_record_position *position);

/* Returns the number of the record that is `ahead` records after a position in
 * its epoch; `order` is that of the epoch. */
uint64_t vv_record_number(const struct vv_record_position *position,
    const struct vv_permutation *order, uint64_t ahead);

#endif
