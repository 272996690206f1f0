/* schedule_nodes.h - schedules of programs of ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_SCHEDULE_NODES_H
#define SIMULATE_SCHEDULE_NODES_H

#include "simulate/schedule.h"

/* Kinds of schedules, which have a job already. */
void draw_nodes(struct schedule *schedule, uint64_t *state);

#endif
