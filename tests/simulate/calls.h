/* calls.h - the system of simulated processes, and what goes wrong in its
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
    FAULT_STALE,       /* ESTALE from the same, on a disk of all nodes */
    FAULT_WRITE,       /* EIO from writing, syncing, closing */
    FAULT_SPACE,       /* ENOSPC from writing and creating */
    FAULT_LOST,        /* a change of a directory is done, and its answer is
                          that of a second try, or EIO */
    FAULT_NO_THREAD,   /* EAGAIN from starting a thread */
    FAULT_KILL,        /* the process is killed before the call */
    FAULT_TORN,        /* a listing goes on after others have changed it */
    FAULT_KINDS
};

/* How often each happens, in 1024 calls. */
struct trouble {
    unsigned rates[FAULT_KINDS];
};

/* Of processes; its state is the struct process. */
extern const struct vv_system simulated_system;

void calls_begin(const struct schedule *schedule);

/* How often each fault has happened in this schedule, and calls in all. */
extern uint32_t calls_faults[FAULT_KINDS];
extern uint32_t calls_made;

const char *fault_name(enum fault_kind kind);

#endif
