/* test_stop_signals.c - Tests the signal handlers for stopping.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <signal.h>

#include "stop_signals.h"

static void (*handler_of(int number))(int)
{
    struct sigaction found;
    cr_assert_eq(sigaction(number, NULL, &found), 0);
    return found.sa_handler;
}

static void own(int number)
{
    (void)number;
}

TEST(stop_signals, set_the_flag_and_reset_to_the_default)
{
    atomic_bool flag = false;
    cr_assert(vv_stop_signals_heed(&flag));
    raise(SIGTERM);
    cr_assert(atomic_load(&flag));
    raise(SIGTERM);
    atomic_store(&flag, false);
    raise(SIGINT);
    cr_assert(atomic_load(&flag));
    cr_assert_eq(handler_of(SIGINT), SIG_DFL, "a second one ends it");
    cr_assert_neq(handler_of(SIGTERM), SIG_DFL, "a second one is the same");
    vv_stop_signals_leave();
    cr_assert_eq(handler_of(SIGTERM), SIG_DFL);
}

TEST(stop_signals, support_one_flag_at_a_time)
{
    atomic_bool flag = false, other = false;
    cr_assert(vv_stop_signals_heed(&flag));
    cr_assert_not(vv_stop_signals_heed(&other));
    raise(SIGTERM);
    cr_assert(atomic_load(&flag) && !atomic_load(&other));
    vv_stop_signals_leave();
    cr_assert(vv_stop_signals_heed(&other));
    vv_stop_signals_leave();
}

TEST(stop_signals, keep_handlers_of_the_program)
{
    atomic_bool flag = false;
    signal(SIGTERM, own);
    signal(SIGINT, SIG_IGN);
    cr_assert(vv_stop_signals_heed(&flag));
    raise(SIGTERM);
    raise(SIGINT);
    cr_assert_not(atomic_load(&flag));
    vv_stop_signals_leave();
    cr_assert_eq(handler_of(SIGTERM), own);
    cr_assert_eq(handler_of(SIGINT), SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    cr_assert(vv_stop_signals_heed(&flag));
    signal(SIGTERM, own);
    vv_stop_signals_leave();
    cr_assert_eq(handler_of(SIGTERM), own, "of the program since");
}
