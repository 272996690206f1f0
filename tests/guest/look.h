/* look.h - Declares the process state that is compared before and after a call.
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
    bool is_in_use; /* upper halves of vector registers are in use */
    unsigned modes; /* SSE: rounding, denormals, exception masks */
    unsigned short x87;
    int rounding;      /* as returned by fegetround */
    int threads;       /* -1: not available on this system */
    int passed_on;     /* files that an executed program would inherit */
    int files;         /* open files, or -1 */
    /* hashes of mask, handlers, umask, directory, locale and environment */
    uint64_t parts[6];
};

/* Captures the current state, vector registers first because the function uses
 * some itself. */
void look_at(struct look *look);

/* Writes a description of the first difference; an empty text if there is
 * none. */
void look_differs(
    const struct look *before, const struct look *after, char text[LOOK_TEXT]);

/* Returns the resident memory of this process in KiB; -1 if it is not
 * available. */
long look_resident(void);

#endif
