/* run.h - Declares the execution of one schedule.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_RUN_H
#define SIMULATE_RUN_H

#include "simulate/choice.h"
#include "simulate/finding.h"
#include "simulate/schedule.h"

/* The result of a schedule. */
struct outcome {
    enum finding_kind found;
    uint32_t calls, points, good, failed, saves, resumes;
    uint32_t faults[FAULT_KINDS];
};

/* Runs a schedule with choices that were set before. finding_text returns the
 * finding. */
void run_schedule(const struct schedule *schedule, struct outcome *outcome);

#endif
