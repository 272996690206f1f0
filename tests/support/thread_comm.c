/* thread_comm.c - Implements a communicator with a barrier, at which the last
 * rank wakes the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/thread_comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* State that all communicators of a run share. */
struct run {
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint32_t ended; /* ranks that have ended */
    long calls;
    long most; /* maximum number of calls; negative: no limit */
    struct meeting *newest;
};

struct meeting {
    struct run *run;
    struct meeting *older;
    uint32_t size;
    uint32_t here;   /* ranks that have arrived */
    uint64_t number; /* number of completed calls */
    bool is_broken;
    struct meeting *copy; /* the duplicate that is being created */
    uint32_t taken;       /* number of ranks that have got it */
    const void **given;   /* by rank, during a call */
    size_t *sizes;
};

struct rank {
    struct meeting *meeting;
    varve_comm comm;
    thread_comm_body *body;
    void *user;
    pthread_t thread;
};

/* Waits for all ranks, with the lock held. Returns false if one will not
 * arrive. */
static bool meet(struct meeting *m)
{
    uint64_t number = m->number;
    if (m->is_broken || m->run->ended > 0) {
        m->is_broken = true;
        pthread_cond_broadcast(&m->run->turn);
        return false;
    }
    if (++m->here == m->size) {
        m->here = 0;
        m->number++;
        pthread_cond_broadcast(&m->run->turn);
    }
    while (m->number == number && !m->is_broken)
        pthread_cond_wait(&m->run->turn, &m->run->lock);
    return m->number != number;
}

/* Calls `take` after all ranks have passed their data, while it is valid. */
static varve_status exchange(struct rank *rank, const void *bytes, size_t size,
    void (*take)(struct rank *rank, void *to, const uint64_t *sizes), void *to,
    const uint64_t *sizes)
{
    struct meeting *m = rank->meeting;
    struct run *run = m->run;
    varve_status status = VARVE_DISCONNECTED;
    pthread_mutex_lock(&run->lock);
    if (run->most >= 0 && run->calls >= run->most)
        m->is_broken = true;
    run->calls++;
    m->given[rank->comm.rank] = bytes;
    m->sizes[rank->comm.rank] = size;
    if (meet(m)) {
        take(rank, to, sizes);
        if (meet(m))
            status = VARVE_OK;
    }
    pthread_mutex_unlock(&run->lock);
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
            abort(); /* rank 0 got another size */
        if (size == 0)
            continue; /* NULL is allowed if all sizes are 0 */
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
        abort(); /* the sender sends another size */
    memcpy(shift->in, rank->meeting->given[shift->from], shift->in_size);
}

static varve_status shift_on(void *self, const varve_shift *shift)
{
    varve_shift own = *shift;
    return exchange(self, own.out, own.out_size, take_shifted, &own, NULL);
}

/* --- Communicators -------------------------------------------------------- */

static varve_status duplicate(void *self, varve_comm **copy);

static void release(void *self)
{
    free(self);
}

static void take_seat(
    struct rank *rank, struct meeting *m, uint32_t number, uint32_t node)
{
    rank->meeting = m;
    rank->comm = (varve_comm){ .rank = number,
        .size = m->size,
        .node = node,
        .self = rank,
        .agree = agree,
        .gather = gather,
        .gather_varied = gather_varied,
        .broadcast = broadcast,
        .barrier = barrier,
        .shift = shift_on,
        .duplicate = duplicate };
}

static struct meeting *new_meeting(struct run *run, uint32_t size)
{
    struct meeting *m = calloc(1, sizeof *m);
    m->run = run;
    m->size = size;
    m->given = calloc(size, sizeof *m->given);
    m->sizes = calloc(size, sizeof *m->sizes);
    m->older = run->newest;
    run->newest = m;
    return m;
}

static void free_meetings(struct run *run)
{
    while (run->newest) {
        struct meeting *m = run->newest;
        run->newest = m->older;
        free(m->sizes);
        free(m->given);
        free(m);
    }
}

/* The first rank creates the duplicate, and all ranks wait until all have
 * it. */
static varve_status duplicate(void *self, varve_comm **copy)
{
    struct rank *rank = self;
    struct meeting *m = rank->meeting;
    varve_status status = barrier(rank);
    if (status)
        return status;
    struct rank *made = calloc(1, sizeof *made);
    pthread_mutex_lock(&m->run->lock);
    if (!m->copy)
        m->copy = new_meeting(m->run, m->size);
    take_seat(made, m->copy, rank->comm.rank, rank->comm.node);
    if (++m->taken == m->size) {
        m->taken = 0;
        m->copy = NULL;
    }
    pthread_mutex_unlock(&m->run->lock);
    status = barrier(rank);
    if (status) {
        free(made);
        return status;
    }
    made->comm.release = release;
    *copy = &made->comm;
    return VARVE_OK;
}

static void *run_body(void *argument)
{
    struct rank *rank = argument;
    struct run *run = rank->meeting->run;
    rank->body(&rank->comm, rank->user);
    pthread_mutex_lock(&run->lock);
    run->ended++;
    for (struct meeting *m = run->newest; m; m = m->older)
        if (m->here > 0)
            m->is_broken = true;
    pthread_cond_broadcast(&run->turn);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

long thread_comm_run(uint32_t size, uint32_t share, long calls,
    thread_comm_body *body, void *user)
{
    struct run run = { .most = calls };
    struct rank *ranks = calloc(size, sizeof *ranks);
    struct meeting *m = new_meeting(&run, size);
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.turn, NULL);
    for (uint32_t i = 0; i < size; i++) {
        ranks[i] = (struct rank){ .body = body, .user = user };
        take_seat(&ranks[i], m, i, share ? i / share : 0);
        pthread_create(&ranks[i].thread, NULL, run_body, &ranks[i]);
    }
    for (uint32_t i = 0; i < size; i++)
        pthread_join(ranks[i].thread, NULL);
    pthread_cond_destroy(&run.turn);
    pthread_mutex_destroy(&run.lock);
    free_meetings(&run);
    free(ranks);
    return run.calls;
}
