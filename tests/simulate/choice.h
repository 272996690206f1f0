/* choice.h - what is decided while a schedule runs: which task goes on, which
 * call fails.
 *
 * A choice is named by its kind, the task, and how many calls that task has
 * made. Its value is a hash of the seed and that name, so that it does not
 * depend on what other tasks do. 0 is the quiet choice: the task goes on, the
 * call succeeds. A schedule that fails is run again with fewer of the choices
 * that were not quiet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_CHOICE_H
#define SIMULATE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum choice_kind {
    CHOOSE_SWITCH, /* to which task to switch */
    CHOOSE_PAUSE,  /* for how long a task stands still */
    CHOOSE_LEAP,   /* that the clock moves to the next timer */
    CHOOSE_KILL,
    CHOOSE_FAULT, /* which fault a call has */
    CHOOSE_STALE, /* how old what a node sees of a directory is */
    CHOOSE_NAME,  /* of how many names a page of a listing is */
    CHOOSE_CUT,   /* what a power cut leaves of a directory or a file */
    CHOOSE_AWAY,  /* that a disk goes away or comes back */
    CHOOSE_POWER, /* whose power is cut */
    CHOOSE_LOSS,  /* which node is lost */
    CHOOSE_CLOCK, /* to what a clock is set */
    CHOOSE_STOP,  /* for how long a process stands still */
    CHOOSE_SPARE, /* which rank of a life is on the spare node */
    CHOOSE_KINDS
};

struct choice {
    uint8_t kind;
    uint16_t task;
    uint32_t call;
    uint32_t value; /* not 0 */
};

enum { MOST_CHOICES = 1 << 17 };

/* In memory that child processes share, so that what one of them drew before it
 * died is there. */
struct choices {
    size_t count;
    struct choice all[MOST_CHOICES];
};

struct choices *choices_new(void);

/* From now on choices are drawn from a seed, and kept in `made`. */
void choices_draw(uint64_t seed, struct choices *made);

/* From now on only these choices are not quiet; they are sorted by this call.
 * The caller keeps them until the next call of either function. */
void choices_replay(struct choices *those);

/* A choice: 0 in all but `rate` of 1024 cases, else 1 to `most`. */
unsigned choose(enum choice_kind kind, unsigned task, uint32_t call,
    unsigned rate, unsigned most);

#endif
