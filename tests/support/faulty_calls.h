/* faulty_calls.h - Declares the interface between faulty_system.c, which
 * implements the functions of a system, and faulty_calls.c, which counts, logs
 * and decides.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_FAULTY_CALLS_H
#define SUPPORT_FAULTY_CALLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "support/faulty_system.h"
#include "system.h"

/* A resource that must be released. */
struct faulty_open {
    enum faulty_kind kind; /* the call that created it */
    uintptr_t handle;      /* a descriptor, an address or a thread */
};

struct faulty {
    struct vv_system system; /* its state points to this struct */
    const struct vv_system *under;
    struct faulty_plan plan;
    atomic_long count;
    atomic_bool hit, hit_second;

    pthread_mutex_t lock; /* protects the following members */
    struct faulty_call *log;
    size_t log_size, log_capacity;
    size_t log_hit;
    struct faulty_open *open;
    size_t open_size, open_capacity;
};

/* Ends the process if `holds` is false. Usable in tests of any kind. */
void faulty_must(bool holds, const char *what);

/* One call between its start and its end. */
struct faulty_turn {
    size_t place; /* index in the log */
    size_t size;  /* number of bytes that may be transferred */
    int error;    /* 0, or the negative errno to return */
};

/* Logs a call and decides its result. */
struct faulty_turn faulty_begin(struct faulty *f, struct faulty_call call);

/* Logs the result and returns it. */
int64_t faulty_end(
    struct faulty *f, const struct faulty_turn *turn, int64_t result);

/* Record a resource, return the kind of call that created it (0: unknown), and
 * remove it. */
void faulty_take(struct faulty *f, enum faulty_kind kind, uintptr_t handle);
enum faulty_kind faulty_giver(
    struct faulty *f, unsigned kinds, uintptr_t handle);
void faulty_give_back(struct faulty *f, unsigned kinds, uintptr_t handle);

#endif
