/* stop_signals.c - Installs signal handlers that set a flag, and removes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "stop_signals.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = { SIGTERM, SIGINT };

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static atomic_bool is_taken;
static _Atomic(atomic_bool *) the_flag;

static void handle(int number)
{
    atomic_bool *flag = atomic_load(&the_flag);
    (void)number;
    if (flag)
        atomic_store(flag, true);
}

/* Returns the flags for sigaction. SIGTERM keeps its handler, because
 * supervisors can send it twice. A second SIGINT has the default action,
 * because a user who types ^C twice wants to end the process. */
static int flags_of(int number)
{
    return number == SIGINT
               ? (int)((unsigned)SA_RESTART | (unsigned)SA_RESETHAND)
               : (int)SA_RESTART;
}

bool vv_stop_signals_heed(atomic_bool *flag)
{
    if (atomic_exchange(&is_taken, true))
        return false;
    atomic_store(&the_flag, flag);
    for (size_t i = 0; i < NUMBERS; i++) {
        struct sigaction found, ours = { .sa_handler = handle };
        ours.sa_flags = flags_of(numbers[i]);
        sigemptyset(&ours.sa_mask);
        if (sigaction(numbers[i], NULL, &found) == 0 &&
            !((unsigned)found.sa_flags & (unsigned)SA_SIGINFO) &&
            found.sa_handler == SIG_DFL)
            sigaction(numbers[i], &ours, NULL);
    }
    return true;
}

void vv_stop_signals_leave(void)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        struct sigaction found, usual = { .sa_handler = SIG_DFL };
        sigemptyset(&usual.sa_mask);
        if (sigaction(numbers[i], NULL, &found) == 0 &&
            !((unsigned)found.sa_flags & (unsigned)SA_SIGINFO) &&
            found.sa_handler == handle)
            sigaction(numbers[i], &usual, NULL);
    }
    atomic_store(&the_flag, (atomic_bool *)NULL);
    atomic_store(&is_taken, false);
}
