/* fault.h - whether a call fails, and with what.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_FAULT_H
#define SIMULATE_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include "simulate/calls.h"

struct process;

/* Which of some kinds (bits) happens to the call at work; FAULT_KINDS: none. */
enum fault_kind fault_happens(struct process *process, unsigned kinds);

/* 0 or a negative errno for a call that reads, writes or creates. */
int fault_of_reading(struct process *process);
int fault_of_writing(struct process *process);
int fault_of_creating(struct process *process);

/* What a call answers whose work is done: 0, -EIO, or what a second try
 * finds. */
int fault_of_answer(struct process *process, int second);

/* Of a request to a store: 0: it is answered; 1: it is done, and its answer is
 * lost; else it arrives so many seconds after its sender has given up. */
unsigned fault_of_request(struct process *process);

/* For how many seconds a process stands still now; 0: not. */
unsigned fault_stop(const struct process *process);

/* After each how many names a listing is held up; 0: it is not. */
size_t fault_of_listing(struct process *process, size_t count);

/* The time of day of a node when the schedule began, or of MOST_NODES: the
 * server of the disks that all nodes have. */
int64_t fault_clock(unsigned node);
void fault_set_clock(unsigned node, int minutes);

/* A result as text, in static storage. */
const char *fault_result(int result);

#endif
