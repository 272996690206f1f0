/* communicator.c - Implements collective calls: the last rank to arrive
 * executes the call for all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/communicator.h"

#include <string.h>

#include "simulate/arena.h"
#include "simulate/call.h"
#include "simulate/finding.h"
#include "simulate/process.h"
#include "simulate/task.h"

enum call_kind { AGREE, GATHER, GATHER_VARIED, BROADCAST, BARRIER, SHIFT,
    DUPLICATE };

static const char *const call_names[] = { "agree", "gather", "gather_varied",
    "broadcast", "barrier", "shift", "duplicate" };

/* The arguments of one rank. */
struct part {
    enum call_kind kind;
    const void *bytes;
    size_t size;
    void *to; /* destination of the result */
    const uint64_t *sizes;
    varve_shift shift;
};

/* A rank of a communicator. */
struct seat {
    struct meeting *meeting;
    varve_comm comm;
    struct process *process;
    struct part part;
    bool is_inside;
    struct seat *copy; /* of the last duplicate */
};

struct meeting {
    struct meeting *next;
    struct communicator_traits traits;
    struct seat seats[MOST_RANKS];
    uint32_t size;
    uint32_t here;   /* ranks that have arrived */
    uint64_t number; /* count of completed calls */
    bool is_broken;
};

static struct meeting *all;

void communicators_begin(void)
{
    all = NULL;
}

bool communicator_is_broken(const struct meeting *m)
{
    return m->is_broken;
}

void communicators_lose(const struct process *p)
{
    for (struct meeting *m = all; m; m = m->next)
        for (uint32_t i = 0; i < m->size; i++)
            if (m->seats[i].process == p) {
                m->is_broken = true;
                task_wake(m);
            }
}

/* --- Execution of a call ------------------------------------------------ */

static struct part *part_of(struct meeting *m, uint32_t rank)
{
    return &m->seats[rank].part;
}

static void agree_on_largest(struct meeting *m)
{
    uint64_t largest = 0, one;
    for (uint32_t i = 0; i < m->size; i++) {
        memcpy(&one, part_of(m, i)->to, sizeof one);
        largest = one > largest ? one : largest;
    }
    for (uint32_t i = 0; i < m->size; i++)
        memcpy(part_of(m, i)->to, &largest, sizeof largest);
}

static void gather_all(struct meeting *m)
{
    const struct part *first = part_of(m, 0);
    unsigned char *to = first->to;
    for (uint32_t i = 0; i < m->size; i++) {
        const struct part *p = part_of(m, i);
        size_t expected = first->kind == GATHER ? first->size
                                                : (size_t)first->sizes[i];
        if (p->size != expected)
            finding(FINDING_BROKEN,
                "rank %u gathers %zu bytes, and rank 0 expects %zu", i,
                p->size, expected);
        else if (p->size) {
            memcpy(to, p->bytes, p->size);
            to += p->size;
        }
    }
}

static void broadcast_all(struct meeting *m)
{
    const struct part *first = part_of(m, 0);
    for (uint32_t i = 1; i < m->size; i++) {
        if (part_of(m, i)->size != first->size)
            finding(FINDING_BROKEN,
                "rank %u expects %zu bytes of rank 0, which sends %zu", i,
                part_of(m, i)->size, first->size);
        else if (first->size)
            memcpy(part_of(m, i)->to, first->to, first->size);
    }
}

static void shift_all(struct meeting *m)
{
    for (uint32_t i = 0; i < m->size; i++) {
        const varve_shift *in = &part_of(m, i)->shift;
        if (in->in_size == 0)
            continue;
        const varve_shift *out = &part_of(m, in->from)->shift;
        if (out->to != i || out->out_size != in->in_size)
            finding(FINDING_BROKEN,
                "rank %u expects %zu bytes of rank %u, which sends %zu to "
                "rank %u",
                i, in->in_size, in->from, out->out_size, out->to);
        else
            memcpy(in->in, out->out, in->in_size);
    }
}

static struct meeting *make(struct process *const *processes, uint32_t size,
    struct communicator_traits traits);
static void release(void *self);

static void duplicate_all(struct meeting *m)
{
    struct process *processes[MOST_RANKS];
    for (uint32_t i = 0; i < m->size; i++)
        processes[i] = m->seats[i].process;
    struct meeting *made = make(processes, m->size, m->traits);
    for (uint32_t i = 0; i < m->size; i++) {
        made->seats[i].comm.release = release;
        m->seats[i].copy = &made->seats[i];
    }
}

static void exchange(struct meeting *m)
{
    for (uint32_t i = 1; i < m->size; i++)
        if (part_of(m, i)->kind != part_of(m, 0)->kind) {
            finding(FINDING_BROKEN, "rank 0 calls %s, and rank %u calls %s",
                call_names[part_of(m, 0)->kind], i,
                call_names[part_of(m, i)->kind]);
            return;
        }
    switch (part_of(m, 0)->kind) {
    case AGREE: agree_on_largest(m); break;
    case GATHER:
    case GATHER_VARIED: gather_all(m); break;
    case BROADCAST: broadcast_all(m); break;
    case SHIFT: shift_all(m); break;
    case DUPLICATE: duplicate_all(m); break;
    case BARRIER: break;
    }
}

/* --- Calls -------------------------------------------------------------- */

static bool meet(struct seat *s)
{
    struct meeting *m = s->meeting;
    const uint64_t number = m->number;
    if (m->is_broken)
        return false;
    if (++m->here == m->size) {
        exchange(m);
        m->here = 0;
        m->number++;
        task_wake(m);
    }
    while (m->number == number && !m->is_broken)
        task_wait(m, -1);
    return !m->is_broken;
}

static varve_status call(struct seat *s, struct part part)
{
    call_begins(s->process);
    if (s->is_inside)
        finding(FINDING_BROKEN, "two threads of rank %u call a communicator",
            s->comm.rank);
    s->is_inside = true;
    s->part = part;
    bool is_met = meet(s);
    s->is_inside = false;
    if (is_traced())
        trace("%s(%u of %u) = %s", call_names[part.kind], s->comm.rank,
            s->comm.size, is_met ? "0" : "DISCONNECTED");
    return is_met ? VARVE_OK : VARVE_DISCONNECTED;
}

static varve_status agree(void *self, uint64_t *value)
{
    return call(self, (struct part){ .kind = AGREE, .to = value });
}

static varve_status gather(
    void *self, const void *bytes, size_t size, void *to)
{
    return call(self,
        (struct part){
            .kind = GATHER, .bytes = bytes, .size = size, .to = to });
}

static varve_status gather_varied(void *self, const void *bytes, size_t size,
    void *to, const uint64_t *sizes)
{
    return call(self,
        (struct part){ .kind = GATHER_VARIED,
            .bytes = bytes,
            .size = size,
            .to = to,
            .sizes = sizes });
}

static varve_status broadcast(void *self, void *bytes, size_t size)
{
    return call(self,
        (struct part){ .kind = BROADCAST, .to = bytes, .size = size });
}

static varve_status barrier(void *self)
{
    return call(self, (struct part){ .kind = BARRIER });
}

static varve_status shift_on(void *self, const varve_shift *shift)
{
    return call(self, (struct part){ .kind = SHIFT, .shift = *shift });
}

static varve_status duplicate(void *self, varve_comm **copy)
{
    struct seat *s = self;
    varve_status status = call(s, (struct part){ .kind = DUPLICATE });
    if (!status)
        *copy = &s->copy->comm;
    return status;
}

static void release(void *self)
{
    const struct seat *s = self;
    if (s->is_inside)
        finding(FINDING_BROKEN, "rank %u releases a communicator in a call",
            s->comm.rank);
}

/* --- Communicators ------------------------------------------------------ */

static struct meeting *make(struct process *const *processes, uint32_t size,
    struct communicator_traits traits)
{
    struct meeting *m = arena_take(sizeof *m);
    *m = (struct meeting){ .next = all, .traits = traits, .size = size };
    for (uint32_t i = 0; i < size; i++) {
        struct seat *s = &m->seats[i];
        m->is_broken |= !processes[i]->is_alive;
        s->meeting = m;
        s->process = processes[i];
        s->comm = (varve_comm){ .rank = i,
            .size = size,
            .node = processes[i]->node,
            .self = s,
            .agree = agree,
            .gather = gather,
            .gather_varied = gather_varied,
            .broadcast = broadcast,
            .barrier = barrier,
            .shift = traits.has_shift ? shift_on : NULL,
            .duplicate = traits.has_duplicate ? duplicate : NULL };
    }
    all = m;
    return m;
}

struct meeting *communicator_new(struct process *const *processes,
    uint32_t size, struct communicator_traits traits)
{
    return make(processes, size, traits);
}

const varve_comm *communicator_of(const struct meeting *m, uint32_t rank)
{
    return &m->seats[rank].comm;
}
