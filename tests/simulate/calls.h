/* calls.h - Declares the system of simulated processes and the faults of its
 * calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_CALLS_H
#define SIMULATE_CALLS_H

#include <stdint.h>

#include "system.h"

struct schedule;

enum fault_kind {
    FAULT_INTERRUPTED, /* EINTR from opening, reading, writing */
    FAULT_IO,          /* EIO from opening, reading, listing */
    FAULT_STALE,       /* ESTALE from the same calls, on a shared disk */
    FAULT_WRITE,       /* EIO from writing, syncing, closing */
    FAULT_SPACE,       /* ENOSPC from writing and creating */
    /* a directory change is done, but the call returns EIO or the result of a
     * second try */
    FAULT_LOST,
    FAULT_NO_THREAD, /* EAGAIN from starting a thread */
    FAULT_KILL,      /* the process is killed before the call */
    FAULT_TORN,      /* a directory changes during a listing */
    FAULT_KINDS
};

/* The rate of each fault, per 1024 calls. */
struct trouble {
    unsigned rates[FAULT_KINDS];
};

/* The system of processes; its state is the struct process. */
extern const struct vv_system simulated_system;

void calls_begin(const struct schedule *schedule);

/* The number of faults of each kind in this schedule, and the total number of
 * calls. */
extern uint32_t calls_faults[FAULT_KINDS];
extern uint32_t calls_made;

const char *fault_name(enum fault_kind kind);

#endif
