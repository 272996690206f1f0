/* program.h - the programs of a schedule, through the public calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_PROGRAM_H
#define SIMULATE_PROGRAM_H

#include "simulate/schedule.h"

struct process;

/* Starts them all. */
void programs_begin(const struct schedule *schedule);

/* A process was killed: where it was one of a program, another one goes on. */
void programs_killed(struct process *process);

/* Whether each has come to its end. */
bool programs_are_done(void);

/* Calls of the library that returned VARVE_OK, and others. */
extern uint32_t programs_good, programs_failed;

/* In a task of its own: what a process that nothing disturbs finds. */
void programs_look(void *unused);

#endif
