/* choice.h - Declares the choices of a schedule: which task runs next, which
 * call fails.
 *
 * A choice is identified by its kind, the task, and the number of calls of that
 * task. Its value is a hash of the seed and these, so that it does not depend
 * on other tasks. 0 is the default: the same task continues, the call succeeds.
 * A failing schedule is run again with fewer choices other than 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_CHOICE_H
#define SIMULATE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum choice_kind {
    CHOOSE_SWITCH, /* the task to switch to */
    CHOOSE_PAUSE,  /* the duration of a pause of a task */
    CHOOSE_LEAP,   /* whether the clock moves to the next timer */
    CHOOSE_KILL,
    CHOOSE_FAULT, /* the fault of a call */
    CHOOSE_STALE, /* the age of a directory as seen by a node */
    CHOOSE_NAME,  /* the number of names in a page of a listing */
    /* the part of a directory or file that survives a power failure */
    CHOOSE_CUT,
    CHOOSE_AWAY,  /* whether a disk goes away or comes back */
    CHOOSE_POWER, /* the node whose power fails */
    CHOOSE_LOSS,  /* the node that is lost */
    CHOOSE_CLOCK, /* the new time of a clock */
    CHOOSE_STOP,  /* the duration for which a process is suspended */
    CHOOSE_SPARE, /* the rank that runs on the spare node */
    CHOOSE_KINDS
};

struct choice {
    uint8_t kind;
    uint16_t task;
    uint32_t call;
    uint32_t value; /* not 0 */
};

enum { MOST_CHOICES = 1 << 17 };

/* Stored in memory that child processes share, so that the choices of a crashed
 * child are preserved. */
struct choices {
    size_t count;
    struct choice all[MOST_CHOICES];
};

struct choices *choices_new(void);

/* From now on choices are drawn from a seed and recorded in `made`. */
void choices_draw(uint64_t seed, struct choices *made);

/* From now on all choices except these are 0. The function sorts them. They
 * must remain valid until the next call of either function. */
void choices_replay(struct choices *those);

/* Returns a choice: 0 in all but `rate` of 1024 cases, else 1 to `most`. */
unsigned choose(enum choice_kind kind, unsigned task, uint32_t call,
    unsigned rate, unsigned most);

#endif
