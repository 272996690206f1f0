/* interruption.c - Handles the signals that end the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "interruption.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Set before the file is made. */
static char *volatile half_written;

static volatile sig_atomic_t is_patient;
static volatile sig_atomic_t noted; /* number of the signal; 0: none */

/* Removes incomplete output. Also called if the program ends early, for example
 * because there is no memory. */
static void remove_half_written(void)
{
    if (half_written)
        unlink(half_written);
}

/* Ends by the signal itself, so that the parent process can detect it. */
static void end_by(int number)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    sigset_t only;
    remove_half_written();
    sigemptyset(&action.sa_mask);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigaction(number, &action, NULL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    _exit(128 + number);
}

static void on_signal(int number)
{
    if (is_patient && !noted)
        noted = number;
    else
        end_by(number);
}

void catch_interruption(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_handler = on_signal,
        .sa_flags = SA_RESTART };
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (sigaction(numbers[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    atexit(remove_half_written);
}

void interruption_removes(char *path)
{
    half_written = path;
}

void interruption_waits(bool waits)
{
    is_patient = waits;
    if (!waits && noted)
        end_by(noted);
}

bool interrupted(void)
{
    return noted != 0;
}
