/* shrink.h - Declares the reduction of a failing schedule.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_SHRINK_H
#define SIMULATE_SHRINK_H

#include "simulate/run.h"

/* Runs a schedule in a child process and returns the finding. If `draws`,
 * the choices are drawn from a seed and recorded, else the existing ones are
 * used. */
enum finding_kind shrink_try(const struct schedule *schedule,
    struct choices *choices, bool draws, uint64_t seed, bool traces);

/* Reduces a schedule that fails with its own seed, and prints it with a
 * complete trace to standard error. */
void shrink_and_print(const struct schedule *schedule);

#endif
