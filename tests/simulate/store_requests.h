/* store_requests.h - the conditional requests of a simulated store: what the
 * library's lock of a manager is made of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_STORE_REQUESTS_H
#define SIMULATE_STORE_REQUESTS_H

#include <stdbool.h>

struct process;

/* Forgets all locks. `has_conditions`: the store evaluates conditions; else it
 * does what it is asked all the same. */
void store_requests_begin(bool has_conditions);

/* Whether a lock was taken from an owner that still lived: who is paused for
 * longer than a term, or gets no answer for so long, has lost it. */
bool store_lock_was_overtaken(void);

/* Opens the lock of a manager: a descriptor, or a negative errno. */
int store_lock_open(struct process *process, const char *path);

/* Whether a descriptor is one of a lock; the calls of a system about it. */
bool store_lock_is(const struct process *process, int number);
int store_lock_take(const struct process *process, int number);
void store_lock_release(const struct process *process, int number);
void store_lock_set_run(const struct process *process, int number,
    const char *run, unsigned long size);
void store_lock_close(const struct process *process, int number);

#endif
