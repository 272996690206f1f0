/* store_threads.h - Declares the system functions of the library's lock in a
 * store, as functions of the simulation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_STORE_THREADS_H
#define SIMULATE_STORE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* Allocate memory that is freed at the end of the schedule. */
void *simulated_calloc(size_t count, size_t size);
void simulated_free(void *block);

/* Returns the virtual time for every clock. */
int simulated_clock(clockid_t clock, struct timespec *now);

/* Other tasks run while one waits. */
int simulated_mutex_init(pthread_mutex_t *mutex, const void *attributes);
int simulated_mutex_destroy(pthread_mutex_t *mutex);
int simulated_mutex_lock(pthread_mutex_t *mutex);
int simulated_mutex_unlock(pthread_mutex_t *mutex);
int simulated_cond_init(pthread_cond_t *cond, const void *attributes);
int simulated_cond_destroy(pthread_cond_t *cond);
int simulated_cond_signal(pthread_cond_t *cond);
int simulated_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
    const struct timespec *until);

#endif
