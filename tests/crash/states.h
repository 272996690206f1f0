/* states.h - Generates every disk that a power failure at a given time may
 * leave.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_STATES_H
#define CRASH_STATES_H

#include <stdint.h>

#include "crash/history.h"

struct crash_count {
    /* Maximum number of disks for each time. Up to this number, all are
     * visited. Above it, each selection of names gets the same number of
     * contents, drawn from a fixed sequence. If there are more selections of
     * names than this, every n-th is used. */
    uint64_t most;
    /* If there are more selections of names than this, `most` of them are drawn
     * from a fixed sequence, with contents; 0: never. */
    uint64_t most_names;
    long times;
    long states;
    long cut_times; /* times at which not all disks were visited */
};

typedef void crash_look(void *user, struct memory *disk);

/* Calls `look` with each disk. */
void crash_states_at(const struct history *history, long time,
    crash_look *look, void *user, struct crash_count *count);

#endif
