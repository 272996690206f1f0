/* thread_comm.c - ranks meet at a barrier, where the last to come wakes the
 * others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/thread_comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint32_t size;
    uint32_t here;   /* ranks that have come to the meeting */
    uint32_t ended;  /* ranks that come no more */
    uint64_t number; /* of meetings that are over */
    long calls;
    long most; /* of calls; negative: any number */
    bool is_broken;
    const void **given; /* by rank, for the time of a call */
    size_t *sizes;
};

struct rank {
    struct meeting *meeting;
    varve_comm comm;
    thread_comm_body *body;
    void *user;
    pthread_t thread;
};

/* Waits for all; false where somebody will not come. With the lock. */
static bool meet(struct meeting *m)
{
    uint64_t number = m->number;
    if (m->is_broken || m->ended > 0) {
        m->is_broken = true;
        pthread_cond_broadcast(&m->turn);
        return false;
    }
    if (++m->here == m->size) {
        m->here = 0;
        m->number++;
        pthread_cond_broadcast(&m->turn);
    }
    while (m->number == number && !m->is_broken)
        pthread_cond_wait(&m->turn, &m->lock);
    return m->number != number;
}

/* All have given; `take` is called while all of it is there. */
static varve_status exchange(struct rank *rank, const void *bytes, size_t size,
    void (*take)(struct rank *rank, void *to, const uint64_t *sizes), void *to,
    const uint64_t *sizes)
{
    struct meeting *m = rank->meeting;
    varve_status status = VARVE_DISCONNECTED;
    pthread_mutex_lock(&m->lock);
    if (m->most >= 0 && m->calls >= m->most)
        m->is_broken = true;
    m->calls++;
    m->given[rank->comm.rank] = bytes;
    m->sizes[rank->comm.rank] = size;
    if (meet(m)) {
        take(rank, to, sizes);
        if (meet(m))
            status = VARVE_OK;
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

static void take_largest(
    struct rank *rank, void *to, const uint64_t *sizes)
{
    (void)sizes;
    uint64_t largest = 0, one;
    for (uint32_t i = 0; i < rank->meeting->size; i++) {
        memcpy(&one, rank->meeting->given[i], sizeof one);
        largest = one > largest ? one : largest;
    }
    memcpy(to, &largest, sizeof largest);
}

static varve_status agree(void *self, uint64_t *value)
{
    uint64_t given = *value;
    return exchange(self, &given, sizeof given, take_largest, value, NULL);
}

static void take_all(struct rank *rank, void *to, const uint64_t *sizes)
{
    unsigned char *at = to;
    for (uint32_t i = 0; rank->comm.rank == 0 && i < rank->meeting->size;
         i++) {
        size_t size = rank->meeting->sizes[i];
        if (sizes && sizes[i] != size)
            abort(); /* rank 0 was told something else */
        if (size == 0)
            continue; /* of all together there may be nothing, nowhere */
        memcpy(at, rank->meeting->given[i], size);
        at += size;
    }
}

static varve_status gather(
    void *self, const void *bytes, size_t size, void *all)
{
    return exchange(self, bytes, size, take_all, all, NULL);
}

static varve_status gather_varied(void *self, const void *bytes, size_t size,
    void *all, const uint64_t *sizes)
{
    return exchange(self, bytes, size, take_all, all, sizes);
}

static void take_first(struct rank *rank, void *to, const uint64_t *sizes)
{
    (void)sizes;
    if (rank->comm.rank != 0 && rank->meeting->sizes[0] > 0)
        memcpy(to, rank->meeting->given[0], rank->meeting->sizes[0]);
}

static varve_status broadcast(void *self, void *bytes, size_t size)
{
    return exchange(self, bytes, size, take_first, bytes, NULL);
}

static void take_nothing(struct rank *rank, void *to, const uint64_t *sizes)
{
    (void)rank;
    (void)to;
    (void)sizes;
}

static varve_status barrier(void *self)
{
    return exchange(self, NULL, 0, take_nothing, NULL, NULL);
}

static void take_shifted(struct rank *rank, void *to, const uint64_t *sizes)
{
    const varve_shift *shift = to;
    (void)sizes;
    if (shift->in_size == 0)
        return;
    if (rank->meeting->sizes[shift->from] != shift->in_size)
        abort(); /* it sends something else */
    memcpy(shift->in, rank->meeting->given[shift->from], shift->in_size);
}

static varve_status shift_on(void *self, const varve_shift *shift)
{
    varve_shift own = *shift;
    return exchange(self, own.out, own.out_size, take_shifted, &own, NULL);
}

static void *run(void *argument)
{
    struct rank *rank = argument;
    rank->body(&rank->comm, rank->user);
    pthread_mutex_lock(&rank->meeting->lock);
    rank->meeting->ended++;
    if (rank->meeting->here > 0)
        rank->meeting->is_broken = true;
    pthread_cond_broadcast(&rank->meeting->turn);
    pthread_mutex_unlock(&rank->meeting->lock);
    return NULL;
}

long thread_comm_run(uint32_t size, uint32_t share, long calls,
    thread_comm_body *body, void *user)
{
    struct meeting m = { .size = size, .most = calls };
    struct rank *ranks = calloc(size, sizeof *ranks);
    m.given = calloc(size, sizeof *m.given);
    m.sizes = calloc(size, sizeof *m.sizes);
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.turn, NULL);
    for (uint32_t i = 0; i < size; i++) {
        ranks[i] = (struct rank){ .meeting = &m, .body = body, .user = user };
        ranks[i].comm = (varve_comm){ .rank = i,
            .size = size,
            .node = share ? i / share : 0,
            .self = &ranks[i],
            .agree = agree,
            .gather = gather,
            .gather_varied = gather_varied,
            .broadcast = broadcast,
            .barrier = barrier,
            .shift = shift_on };
        pthread_create(&ranks[i].thread, NULL, run, &ranks[i]);
    }
    for (uint32_t i = 0; i < size; i++)
        pthread_join(ranks[i].thread, NULL);
    pthread_cond_destroy(&m.turn);
    pthread_mutex_destroy(&m.lock);
    free(m.sizes);
    free(m.given);
    free(ranks);
    return m.calls;
}
