/* run.h - one schedule from beginning to end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_RUN_H
#define SIMULATE_RUN_H

#include "simulate/choice.h"
#include "simulate/finding.h"
#include "simulate/schedule.h"

/* What a schedule came to. */
struct outcome {
    enum finding_kind found;
    uint32_t calls, points, good, failed, saves, resumes;
    uint32_t faults[FAULT_KINDS];
};

/* Runs it with choices that were begun before: finding_text has what was
 * found. */
void run_schedule(const struct schedule *schedule, struct outcome *outcome);

#endif
