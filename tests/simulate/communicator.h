/* communicator.h - a communicator of simulated processes, each call of which is
 * a point where other tasks may go on.
 *
 * A rank that is killed, or ends, makes the calls of all others fail. A call in
 * which all have met may still fail at those that return from it later.
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

/* Forgets all communicators. */
void communicators_begin(void);

/* Which functions one has that may be NULL. */
struct communicator_traits {
    bool has_duplicate, has_shift;
};

/* Of as many processes; each has its node as `node`. */
struct meeting *communicator_new(struct process *const *processes,
    uint32_t size, struct communicator_traits traits);

const varve_comm *communicator_of(const struct meeting *meeting, uint32_t rank);

/* Whether a rank is gone. */
bool communicator_is_broken(const struct meeting *meeting);

/* A process was killed or has ended. */
void communicators_lose(const struct process *process);

#endif
