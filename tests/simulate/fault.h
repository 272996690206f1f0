/* fault.h - Declares which calls fail, and how.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_FAULT_H
#define SIMULATE_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include "simulate/calls.h"

struct process;

/* Returns the fault of the current call among a mask of kinds, or FAULT_KINDS
 * if there is none. */
enum fault_kind fault_happens(struct process *process, unsigned kinds);

/* Return 0 or a negative errno for a call that reads, writes or creates. */
int fault_of_reading(struct process *process);
int fault_of_writing(struct process *process);
int fault_of_creating(struct process *process);

/* Returns the result of a call that was executed: 0, -EIO, or that of a second
 * try. */
int fault_of_answer(struct process *process, int second);

/* Returns the fault of a request to a store. 0: answered; 1: executed, but the
 * answer is lost; otherwise the number of seconds after which it arrives, when
 * the sender has given up. */
unsigned fault_of_request(struct process *process);

/* Returns the number of seconds for which a process is suspended now, or 0. */
unsigned fault_stop(const struct process *process);

/* Returns the number of names after which a listing is interrupted, or 0. */
size_t fault_of_listing(struct process *process, size_t count);

/* Returns the time of day of a node at the start of the schedule; of the file
 * server for MOST_NODES. */
int64_t fault_clock(unsigned node);
void fault_set_clock(unsigned node, int minutes);

/* Returns a result as text, in static storage. */
const char *fault_result(int result);

#endif
