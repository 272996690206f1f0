/* coroutine.h - Declares coroutines: functions with their own stacks, between
 * which the caller switches.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_COROUTINE_H
#define SIMULATE_COROUTINE_H

struct coroutine;

/* Creates a coroutine that has not started. It must end with coroutine_leave
 * and not return. */
struct coroutine *coroutine_new(void (*function)(void *), void *argument);

/* Frees the stack at any point. It must not be the running coroutine. */
void coroutine_free(struct coroutine *coroutine);

/* Runs a coroutine until it leaves. */
void coroutine_enter(struct coroutine *coroutine);

/* Called inside: returns to the caller of coroutine_enter. */
void coroutine_leave(struct coroutine *coroutine);

#endif
