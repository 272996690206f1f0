/* look.h - what of a process a host minds, before a call and after it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GUEST_LOOK_H
#define GUEST_LOOK_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOOK_SIGNALS = 65, LOOK_TEXT = 400 };

struct look {
    bool is_in_use; /* the upper halves of vector registers */
    unsigned modes; /* of SSE: rounding, denormals, what is masked */
    unsigned short x87;
    int rounding;      /* as fegetround says */
    int threads;       /* -1: this machine does not tell */
    int passed_on;     /* open files that another program would have */
    int files;         /* open ones, likewise */
    uint64_t parts[6]; /* mask, handlers, umask, directory, locale and
                          environment */
};

/* Takes it as it is now; vector registers first, as it uses some itself. */
void look_at(struct look *look);

/* The first thing that differs, in words; an empty text: nothing. */
void look_differs(
    const struct look *before, const struct look *after, char text[LOOK_TEXT]);

/* KiB of this process that are resident; -1 where the machine does not tell. */
long look_resident(void);

#endif
