/* retention.h - Decides when a checkpoint is due, which ones to keep, and why.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RETENTION_H
#define VV_RETENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <varve/error.h>

#include "buffer.h"
#include "ledger.h"
#include "system.h"

/* --- Intervals ------------------------------------------------------------ */

/* Decides when an action is due again, after a number of steps or an amount of
 * time. */

#define VV_SECOND INT64_C(1000000000)

struct vv_interval {
    uint64_t steps;   /* at each multiple of it, or at the next step */
    uint64_t seconds; /* or after this time; both 0: always due */
    bool has_last;    /* the action was done before */
    int64_t last_step;
    int64_t last_uptime; /* nanoseconds */
};

/* Fails if an option is larger than INT64_MAX: the program has set it to a
 * negative number. */
varve_status vv_interval_check(const char *directory, const char *option,
    uint64_t value, varve_error *error);

/* Returns true if the action is due at a step. If the step is lower than the
 * last one, or if there is no last one, steps count from 0, and an interval
 * with only `seconds` is due. */
bool vv_interval_is_over(const struct vv_interval *interval, int64_t step,
    const struct vv_system *system);

/* Records that the action was done at a step, now. */
void vv_interval_begin(
    struct vv_interval *interval, int64_t step, const struct vv_system *system);

/* --- Retention ------------------------------------------------------------ */

/* Decides which checkpoints to keep, and why. It depends only on its arguments.
 */

/* The reasons to keep a checkpoint, as bits. */
enum vv_reason {
    VV_KEPT_ALL = 1, /* there is no policy */
    VV_KEPT_LAST = 2,
    VV_KEPT_STEPS = 4,
    VV_KEPT_SECONDS = 8,
    VV_KEPT_BEST = 16,
    VV_KEPT_BYTES = 32,
    VV_KEPT_PINNED = 64,
    VV_KEPT_NEWEST_GOOD = 128,
    VV_KEPT_FOREIGN = 256,
    VV_KEPT_DAMAGED = 512,
    /* Set by a deletion: */
    VV_KEPT_LEASED = 1024,
    VV_KEPT_UNREADABLE = 2048, /* its file cannot be opened */
    /* Set by the manager that has resumed from it: */
    VV_KEPT_RESUMED = 4096, /* not all values were used */
};

/* The properties of a checkpoint, and the decision about it. */
struct vv_fact {
    int64_t step;  /* below 0: unknown */
    int64_t time;  /* likewise */
    double metric; /* NaN: none */
    uint64_t size;
    bool is_ours;
    bool is_pinned;
    bool is_damaged;
    bool is_newest_good;
    unsigned reasons;  /* out: of vv_reason; 0: can be deleted */
    size_t place;      /* out: position among the last, from 1 */
    size_t best_place; /* out: position among the best, from 1 */
};

/* Returns the index of the interval of `every` steps that contains a step. Each
 * multiple begins an interval. */
int64_t vv_stretch(int64_t step, uint64_t every);

/* Decides about checkpoints, in the order in which they were saved. Checkpoints
 * of other programs and damaged ones are kept and do not count. */
void vv_retention_decide(
    const struct vv_policy *policy, struct vv_fact *facts, size_t count);

/* Appends the reasons of a fact as text, such as "last 2, best 1 (loss 0.25)".
 * Appends nothing if there is none. */
void vv_retention_describe(const struct vv_policy *policy,
    const struct vv_fact *fact, const char *metric, struct vv_buffer *text);

#endif
