/* record_position.h - a position in the records of a source, and the batch that
 * follows it. A position is a few numbers, and each function here depends on
 * its arguments only, so that a thread that reads ahead computes the same
 * batches as the program does.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_POSITION_H
#define VV_RECORD_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "permutation.h"

/* All members have the same type, so that positions are compared bytewise. */
struct vv_record_position {
    /* to read; all but `files` are variables in the graph */
    uint64_t epoch;
    uint64_t consumed; /* records of the epoch that were given */
    uint64_t seed;
    uint64_t shuffle;
    uint64_t count; /* records in the epoch */
    uint64_t fingerprint[2];
    uint64_t files; /* of a list, those whose records the epoch has */
};

/* What a new epoch is made of. */
struct vv_record_extent {
    /* to fill in */
    uint64_t count;
    uint64_t fingerprint[2];
    uint64_t files;
};

/* Which batches a program takes. */
struct vv_record_choice {
    /* to fill in */
    struct vv_record_extent whole;
    uint64_t epochs; /* 0: without end */
    size_t wanted;   /* records in a batch, above 0 */
    uint64_t drops;  /* 1: an epoch ends before a batch that is smaller */
};

/* One batch. */
struct vv_record_step {
    /* to read */
    struct vv_record_position from;  /* of its first record */
    struct vv_record_position after; /* behind its last */
    size_t count;                    /* 0: the data has ended */
    bool ends_epoch;
};

/* An epoch that has begun keeps the records that it began with; one that has
 * not takes the extent. */
void vv_record_position_fit(
    struct vv_record_position *position, const struct vv_record_extent *whole);

/* The batch at a position whose count is above its `consumed`, or 0. With
 * `drops` no epoch is smaller than a batch. */
struct vv_record_step vv_record_step_at(
    const struct vv_record_position *position,
    const struct vv_record_choice *choice);

/* Whether no record follows a step. */
static inline bool vv_record_step_is_last(
    const struct vv_record_step *step, const struct vv_record_choice *choice)
{
    return choice->epochs > 0 && step->after.epoch >= choice->epochs;
}

/* The order of the records in the epoch of a position; without `shuffle` only
 * their count. */
struct vv_permutation vv_record_order(
    const struct vv_record_position *position);

/* The number in the source of the record that is `ahead` of a position in its
 * epoch; `order` is that of its epoch. */
uint64_t vv_record_number(const struct vv_record_position *position,
    const struct vv_permutation *order, uint64_t ahead);

#endif
