/* threads.h - Declares threads of a simulated process, which are tasks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_THREADS_H
#define SIMULATE_THREADS_H

#include <stdint.h>

/* The calls of a system. */
int threads_start(void *state, void *(*function)(void *), void *argument,
    uintptr_t *handle);
int threads_join(void *state, uintptr_t handle);

#endif
