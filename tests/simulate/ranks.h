/* ranks.h - programs of several processes that act together, each with a
 * directory on its own node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_RANKS_H
#define SIMULATE_RANKS_H

#include "simulate/schedule.h"

struct process;

/* Forgets all such programs. */
void ranks_begin(const struct schedule *schedule);

/* Starts a program of ranks. */
void ranks_start(const struct program_plan *plan, unsigned number);

/* A process was killed: where it was the last of a life, another one begins. */
void ranks_killed(const struct process *process);

/* The disk of a node is lost. */
void ranks_lose(const struct disk *disk);

/* Whether each has come to its end. */
bool ranks_are_done(void);

/* Starts a life that nothing disturbs, of the first program. */
void ranks_look(void);

#endif
