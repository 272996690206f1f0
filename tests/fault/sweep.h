/* sweep.h - Injects faults into every allocation and system call of a scenario.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_SWEEP_H
#define FAULT_SWEEP_H

#include "fault/expect.h"

/* Runs a scenario with each allocation failing, once and permanently; with each
 * fault at each system call, once, permanently, and permanently for calls of
 * that kind; and with pairs of faults. The short version runs a part of this:
 * with large values the faults are used in rotation, and only every eighth of
 * the slowest attempts and a sample of the pairs are run. */
void try_all(const struct scenario *scenario);

/* The result of one attempt in a new world. */
struct outcome {
    bool was_hit, was_hit_second;
    varve_status status;
    int system_error;
    long calls; /* number of calls made */
};

struct outcome try_attempt(const struct attempt *attempt);

/* Injects pairs of faults, the second while the first is handled, and a fault
 * together with a failed allocation. Returns the number of pairs. */
long try_pairs(const struct scenario *scenario);

#endif
