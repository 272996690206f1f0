/* faulty_calls.h - between faulty_system.c, which knows the functions of a
 * system, and faulty_calls.c, which counts, writes down and decides.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_FAULTY_CALLS_H
#define SUPPORT_FAULTY_CALLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "support/faulty_system.h"
#include "system.h"

/* Something that has to be given back. */
struct faulty_open {
    enum faulty_kind kind; /* the call that gave it */
    uintptr_t handle;      /* a descriptor, an address or a thread */
};

struct faulty {
    struct vv_system system; /* its state points back here */
    const struct vv_system *under;
    struct faulty_plan plan;
    atomic_long count;
    atomic_bool hit, hit_second;

    pthread_mutex_t lock; /* for what follows */
    struct faulty_call *log;
    size_t log_size, log_capacity;
    size_t log_hit;
    struct faulty_open *open;
    size_t open_size, open_capacity;
};

/* Ends the process where it does not hold: for tests of any kind. */
void faulty_must(bool holds, const char *what);

/* One call between its beginning and its end. */
struct faulty_turn {
    size_t place; /* in the log */
    size_t size;  /* what may be moved of the size that was asked for */
    int error;    /* 0, or the negative errno to give */
};

/* Writes a call down, and says what is to become of it. */
struct faulty_turn faulty_begin(struct faulty *f, struct faulty_call call);

/* Writes its result down and returns it. */
int64_t faulty_end(
    struct faulty *f, const struct faulty_turn *turn, int64_t result);

/* Remembers what a call gave, says which kind of call gave it (0: none of
 * these), and forgets it. */
void faulty_take(struct faulty *f, enum faulty_kind kind, uintptr_t handle);
enum faulty_kind faulty_giver(
    struct faulty *f, unsigned kinds, uintptr_t handle);
void faulty_give_back(struct faulty *f, unsigned kinds, uintptr_t handle);

#endif
