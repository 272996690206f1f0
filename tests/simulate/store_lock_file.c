/* store_lock_file.c - Compiles the library's lock of a manager in a store with
 * the threads, clocks and memory of the simulation.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "simulate/store_threads.h"

#define calloc simulated_calloc
#define free simulated_free
#define clock_gettime simulated_clock
#define pthread_mutex_init simulated_mutex_init
#define pthread_mutex_destroy simulated_mutex_destroy
#define pthread_mutex_lock simulated_mutex_lock
#define pthread_mutex_unlock simulated_mutex_unlock
#define pthread_cond_init simulated_cond_init
#define pthread_cond_destroy simulated_cond_destroy
#define pthread_cond_signal simulated_cond_signal
#define pthread_cond_timedwait simulated_cond_timedwait

#include "remote_lock_file.c"
