/* communicator.h - Declares a communicator of simulated processes. Other tasks
 * may run in each of its calls.
 *
 * If a rank is killed or ends, the calls of all others fail. A call in which
 * all ranks have arrived may still fail on ranks that return from it later.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_COMMUNICATOR_H
#define SIMULATE_COMMUNICATOR_H

#include <stdbool.h>

#include <varve/comm.h>

struct meeting;
struct process;

enum { MOST_RANKS = 4 };

/* Removes all communicators. */
void communicators_begin(void);

/* The optional functions of a communicator. */
struct communicator_traits {
    bool has_duplicate, has_shift;
};

/* Returns a communicator of `size` processes; each sets its node as `node`. */
struct meeting *communicator_new(struct process *const *processes,
    uint32_t size, struct communicator_traits traits);

const varve_comm *communicator_of(const struct meeting *meeting, uint32_t rank);

/* Returns true if a rank is gone. */
bool communicator_is_broken(const struct meeting *meeting);

/* Handles the end of a process. */
void communicators_lose(const struct process *process);

#endif
