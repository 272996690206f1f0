/* program.h - Declares the programs of a schedule, which use the public calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_PROGRAM_H
#define SIMULATE_PROGRAM_H

#include "simulate/schedule.h"

struct process;

/* Starts all programs. */
void programs_begin(const struct schedule *schedule);

/* Handles a killed process: if it belonged to a program, a new one
 * continues. */
void programs_killed(struct process *process);

/* Returns true if all programs have ended. */
bool programs_are_done(void);

/* Library calls that returned VARVE_OK, and others. */
extern uint32_t programs_good, programs_failed;

/* Runs in a separate task and checks what an undisturbed process finds. */
void programs_look(void *unused);

#endif
