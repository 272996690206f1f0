/* exchange.c - workers take slices of the staging as they come free, and go
 * through the moves beside them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "exchange.h"

#include <string.h>

#include "copy.h"
#include "variable.h"
#include "worker.h"

enum { SLICE = 2 << 20 };

struct turns {
    const struct vv_exchange *exchange;
    atomic_size_t next; /* slice, as bytes of the staging */
};

static size_t begin_of(const struct vv_exchange *e, size_t move)
{
    return (size_t)((unsigned char *)e->moves[move].target - e->staging);
}

static size_t end_of(const struct vv_exchange *e, size_t move)
{
    return begin_of(e, move) +
           (size_t)varve_tensor_size(&e->moves[move].node->variable->tensor);
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t left)
{
    unsigned char piece[4096];
    while (left > 0) {
        size_t size = left < sizeof piece ? left : sizeof piece;
        memcpy(piece, a, size);
        memcpy(a, b, size);
        memcpy(b, piece, size);
        a += size;
        b += size;
        left -= size;
    }
}

/* The bytes of a move from `begin` to `end` of the staging. */
static void exchange_part(
    const struct vv_exchange *e, size_t move, size_t begin, size_t end)
{
    size_t first = begin_of(e, move);
    const struct vv_move *m = &e->moves[move];
    begin = begin > first ? begin - first : 0;
    end = end < end_of(e, move) ? end - first : end_of(e, move) - first;
    if (begin == end)
        return; /* a value without elements may have no memory either */
    unsigned char *staged = (unsigned char *)m->target + begin;
    unsigned char *place =
        (unsigned char *)m->node->variable->tensor.data + begin;
    if (e->is_last)
        vv_copy_past_caches(place, staged, end - begin);
    else
        swap_bytes(staged, place, end - begin);
}

/* Slices come in order, so that each worker goes through the moves once. */
static void work(void *user, unsigned worker)
{
    struct turns *turns = user;
    const struct vv_exchange *e = turns->exchange;
    size_t slice, first = 0;
    (void)worker;
    while ((slice = atomic_fetch_add(&turns->next, SLICE)) < e->size) {
        while (first < e->count &&
               (!e->moves[first].is_staged || end_of(e, first) <= slice))
            first++;
        for (size_t i = first; i < e->count; i++) {
            if (e->moves[i].is_staged && begin_of(e, i) >= slice + SLICE)
                break;
            if (e->moves[i].is_staged)
                exchange_part(e, i, slice, slice + SLICE);
        }
    }
}

void vv_exchange(const struct vv_exchange *exchange)
{
    struct turns turns = { .exchange = exchange };
    unsigned workers = vv_worker_count_for(
        exchange->context, exchange->threads, exchange->size / SLICE);
    vv_run_workers(exchange->context, workers, work, &turns);
}
