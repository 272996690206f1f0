/* sweep.h - a scenario broken everywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_SWEEP_H
#define FAULT_SWEEP_H

#include "fault/expect.h"

/* Each allocation, once and from then on; each call by each fault, once, from
 * then on, and from then on for calls of its kind alone; two faults in one
 * call. In the usual version a part of that: with large values the faults go
 * round, of the slowest ones every eighth is made, of many pairs some. */
void try_all(const struct scenario *scenario);

/* One attempt in a new world, with all that is looked at afterwards. */
struct outcome {
    bool was_hit, was_hit_second;
    varve_status status;
    int system_error;
    long calls; /* that were made in all */
};

struct outcome try_attempt(const struct attempt *attempt);

/* Two faults in one call, the second while the first is dealt with; a fault and
 * an allocation that fails. How many there were. */
long try_pairs(const struct scenario *scenario);

#endif
