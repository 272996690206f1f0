/* coroutine.h - functions with stacks of their own, which the caller enters and
 * which leave for the caller.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_COROUTINE_H
#define SIMULATE_COROUTINE_H

struct coroutine;

/* Makes one that has not begun. It must leave for the last time by
 * coroutine_leave, and not by returning. */
struct coroutine *coroutine_new(void (*function)(void *), void *argument);

/* Gives its stack back, wherever it stands. It must not be the one at work. */
void coroutine_free(struct coroutine *coroutine);

/* Runs one until it leaves. */
void coroutine_enter(struct coroutine *coroutine);

/* From inside: goes back to who entered it. */
void coroutine_leave(struct coroutine *coroutine);

#endif
