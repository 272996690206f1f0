/* test_signals.c - Tests that many signals, handled without SA_RESTART, do not
 * disturb saves and restores.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "story.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

enum { COUNT = 1 << 20, ROUNDS = 20, EVERY_US = 50 };

static volatile sig_atomic_t signals;

static void on_alarm(int number)
{
    (void)number;
    signals++;
}

static void set_timer(int microseconds)
{
    struct itimerval every = {
        { 0, microseconds }, { 0, microseconds } };
    cr_assert_eq(setitimer(ITIMER_REAL, &every, NULL), 0);
}

TEST(signals, frequent_signals_do_not_affect_saves_and_restores)
{
    struct sigaction action = { .sa_handler = on_alarm }, found;
    sigset_t before, after;
    varve_error error;
    const char *path = test_path("a.varve");
    int32_t *values = malloc(COUNT * sizeof *values);
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "values", varve_array(values, COUNT));
    cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
    sigprocmask(SIG_SETMASK, NULL, &before);
    set_timer(EVERY_US);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = i ^ round;
        cr_assert_ok(varve_write(root, path, NULL, &error), error);
        values[COUNT / 2] = -1;
        varve_restoration *r = varve_read(root, path, NULL, &error);
        cr_assert(r, "%s", error.message);
        varve_restoration_free(r);
        cr_assert_eq(values[COUNT / 2], (COUNT / 2) ^ round);
    }
    set_timer(0);
    cr_assert_gt(signals, ROUNDS, "no storm");
    sigaction(SIGALRM, NULL, &found);
    cr_assert_eq(found.sa_handler, on_alarm, "the handler was changed");
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < SIGRTMAX; number++)
        cr_assert_eq(sigismember(&before, number),
            sigismember(&after, number), "signal %d: blocked?", number);
    varve_graph_free(graph);
    free(values);
}
