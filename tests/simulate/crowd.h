/* crowd.h - many schedules in several processes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_CROWD_H
#define SIMULATE_CROWD_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_JOBS = 64 };

struct crowd {
    uint64_t seed, count; /* of the first, and how many */
    unsigned jobs;
    unsigned shown;   /* so many failures are made smaller and printed */
    const char *kind; /* NULL: any */
    bool is_long;
};

/* Runs them and prints what they came to; 0 where all passed, else 1. */
int crowd_run(const struct crowd *crowd);

#endif
