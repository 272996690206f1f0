/* states.h - every disk that a power cut at a given time may leave.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_STATES_H
#define CRASH_STATES_H

#include <stdint.h>

#include "crash/history.h"

struct crash_count {
    /* At most so many disks for each time. Below, all of them; above, the same
     * number of contents for each choice of names, by a fixed sequence; and
     * where there are more choices of names, every so manieth of them. */
    uint64_t most;
    /* Where more choices of names than this are possible they are drawn by a
     * fixed sequence, `most` of them, and contents with them; 0: never. */
    uint64_t most_names;
    long times;
    long states;
    long cut_times; /* at which not all could be looked at */
};

typedef void crash_look(void *user, struct memory *disk);

/* Calls `look` with each disk. */
void crash_states_at(const struct history *history, long time,
    crash_look *look, void *user, struct crash_count *count);

#endif
