/* crowd.h - Declares the execution of many schedules in several processes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_CROWD_H
#define SIMULATE_CROWD_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_JOBS = 64 };

struct crowd {
    uint64_t seed, count; /* first seed, number of seeds */
    unsigned jobs;
    /* maximum number of failures that are reduced and printed */
    unsigned shown;
    const char *kind; /* NULL: any */
    bool is_long;
};

/* Runs the schedules and prints the results. Returns 0 if all passed, else
 * 1. */
int crowd_run(const struct crowd *crowd);

#endif
