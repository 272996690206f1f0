/* guarded_comm.h - Wraps a communicator that only the program's thread may
 * call, and records calls by other threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_GUARDED_COMM_H
#define UNIT_GUARDED_COMM_H

#include <pthread.h>
#include <stdbool.h>

#include <varve/comm.h>

struct guarded {
    varve_comm comm;
    const varve_comm *under;
    pthread_t owner;
    bool is_wrong;
};

static inline const varve_comm *enter(void *self)
{
    struct guarded *g = self;
    g->is_wrong |= !pthread_equal(g->owner, pthread_self());
    return g->under;
}

static varve_status guarded_agree(void *self, uint64_t *value)
{
    const varve_comm *under = enter(self);
    return under->agree(under->self, value);
}

static varve_status guarded_gather(
    void *self, const void *bytes, size_t size, void *all)
{
    const varve_comm *under = enter(self);
    return under->gather(under->self, bytes, size, all);
}

static varve_status guarded_gather_varied(void *self, const void *bytes,
    size_t size, void *all, const uint64_t *sizes)
{
    const varve_comm *under = enter(self);
    return under->gather_varied(under->self, bytes, size, all, sizes);
}

static varve_status guarded_broadcast(void *self, void *bytes, size_t size)
{
    const varve_comm *under = enter(self);
    return under->broadcast(under->self, bytes, size);
}

static varve_status guarded_barrier(void *self)
{
    const varve_comm *under = enter(self);
    return under->barrier(under->self);
}

static varve_status guarded_duplicate(void *self, varve_comm **copy)
{
    const varve_comm *under = enter(self);
    return under->duplicate(under->self, copy);
}

static inline void guard(struct guarded *g, const varve_comm *under)
{
    *g = (struct guarded){ .under = under, .owner = pthread_self() };
    g->comm = (varve_comm){ .rank = under->rank,
        .size = under->size,
        .node = under->node,
        .self = g,
        .agree = guarded_agree,
        .gather = guarded_gather,
        .gather_varied = guarded_gather_varied,
        .broadcast = guarded_broadcast,
        .barrier = guarded_barrier,
        .duplicate = guarded_duplicate };
}

#endif
