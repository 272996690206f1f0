/* schedule_nodes.h - Declares schedules of programs with several ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_SCHEDULE_NODES_H
#define SIMULATE_SCHEDULE_NODES_H

#include "simulate/schedule.h"

/* Draw schedules of a kind, whose job plan was set before. */
void draw_nodes(struct schedule *schedule, uint64_t *state);

#endif
