/* store_threads.c - Implements mutexes and condition variables for tasks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/store_threads.h"

#include <errno.h>
#include <string.h>

#include "simulate/arena.h"
#include "simulate/finding.h"
#include "simulate/task.h"

#define A_SECOND INT64_C(1000000000)

void *simulated_calloc(size_t count, size_t size)
{
    return arena_take(count * size);
}

void simulated_free(void *block)
{
    (void)block;
}

int simulated_clock(clockid_t clock, struct timespec *now)
{
    (void)clock;
    now->tv_sec = (time_t)(task_uptime() / A_SECOND);
    now->tv_nsec = (long)(task_uptime() % A_SECOND);
    return 0;
}

/* --- Mutexes ------------------------------------------------------------ */

/* The memory of a mutex contains its owner. */
static const struct task *owner_of(const pthread_mutex_t *mutex)
{
    const struct task *owner;
    memcpy(&owner, mutex, sizeof owner);
    return owner;
}

static void set_owner(pthread_mutex_t *mutex, const struct task *owner)
{
    memcpy(mutex, &owner, sizeof owner);
}

int simulated_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)attributes;
    set_owner(mutex, NULL);
    return 0;
}

int simulated_mutex_destroy(pthread_mutex_t *mutex)
{
    if (owner_of(mutex))
        finding(FINDING_BROKEN, "a locked mutex is destroyed");
    return 0;
}

int simulated_mutex_lock(pthread_mutex_t *mutex)
{
    if (owner_of(mutex) == task_current())
        finding(FINDING_BROKEN, "a thread takes a mutex twice");
    while (owner_of(mutex))
        task_wait(mutex, -1);
    set_owner(mutex, task_current());
    return 0;
}

int simulated_mutex_unlock(pthread_mutex_t *mutex)
{
    if (owner_of(mutex) != task_current())
        finding(FINDING_BROKEN, "a thread unlocks a mutex of another one");
    set_owner(mutex, NULL);
    task_wake(mutex);
    return 0;
}

/* --- Condition variables ------------------------------------------------ */

int simulated_cond_init(pthread_cond_t *cond, const void *attributes)
{
    (void)cond;
    (void)attributes;
    return 0;
}

int simulated_cond_destroy(pthread_cond_t *cond)
{
    (void)cond;
    return 0;
}

int simulated_cond_signal(pthread_cond_t *cond)
{
    task_wake(cond);
    return 0;
}

int simulated_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
    const struct timespec *until)
{
    simulated_mutex_unlock(mutex);
    bool is_woken =
        task_wait(cond, (int64_t)until->tv_sec * A_SECOND + until->tv_nsec);
    simulated_mutex_lock(mutex);
    return is_woken ? 0 : ETIMEDOUT;
}
