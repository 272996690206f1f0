/* store_requests.h - Declares the conditional requests of a simulated store,
 * which implement the library's lock of a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_STORE_REQUESTS_H
#define SIMULATE_STORE_REQUESTS_H

#include <stdbool.h>

struct process;

/* Removes all locks. If `has_conditions` is false, the store ignores conditions
 * of requests. */
void store_requests_begin(bool has_conditions);

/* Returns true if a lock was taken from a live owner, which was suspended or
 * got no answer for longer than a term. */
bool store_lock_was_overtaken(void);

/* Opens the lock of a manager. Returns a descriptor or a negative errno. */
int store_lock_open(struct process *process, const char *path);

/* Returns true if a descriptor is one of a lock. The other functions are its
 * system calls. */
bool store_lock_is(const struct process *process, int number);
int store_lock_take(const struct process *process, int number);
void store_lock_release(const struct process *process, int number);
void store_lock_set_run(const struct process *process, int number,
    const char *run, unsigned long size);
void store_lock_close(const struct process *process, int number);

#endif
