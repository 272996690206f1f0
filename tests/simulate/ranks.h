/* ranks.h - Declares programs of several cooperating processes, each with a
 * directory on its own node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_RANKS_H
#define SIMULATE_RANKS_H

#include "simulate/schedule.h"

struct process;

/* Removes all such programs. */
void ranks_begin(const struct schedule *schedule);

/* Starts a program of several ranks. */
void ranks_start(const struct program_plan *plan, unsigned number);

/* Handles a killed process: after the last one of a life, the next life
 * begins. */
void ranks_killed(const struct process *process);

/* Handles the loss of a node's disk. */
void ranks_lose(const struct disk *disk);

/* Returns true if all programs have ended. */
bool ranks_are_done(void);

/* Starts an undisturbed life of the first program. */
void ranks_look(void);

#endif
