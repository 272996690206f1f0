/* exchange.c - Exchanges values in parallel. Each worker processes all moves in
 * order, but only the stripes of memory that belong to it.
 *
 * So no byte of the program is accessed by two workers. Variables that share
 * memory are exchanged in the order of the moves, and undoing in reverse order
 * restores the previous bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "exchange.h"

#include <string.h>

#include "copy.h"
#include "shape.h"
#include "variable.h"
#include "worker.h"

enum {
    STRIPE = 256 << 10,
    BYTES_PER_WORKER = 2 << 20, /* fewer are not worth another thread */
};

struct turns {
    const struct vv_exchange *exchange;
    unsigned count;
    atomic_uint next;
};

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

/* Exchanges the bytes of a move that are in the stripes of one turn. */
static void exchange_one(
    const struct turns *turns, const struct vv_move *m, unsigned turn)
{
    const varve_tensor *tensor = &m->node->variable->tensor;
    unsigned char *place = tensor->data, *staged = m->target;
    size_t left = (size_t)vv_tensor_size(tensor);
    while (left > 0) {
        uintptr_t address = (uintptr_t)place;
        size_t size = STRIPE - address % STRIPE;
        if (size > left || turns->count == 1)
            size = left;
        if (turns->count > 1 && address / STRIPE % turns->count != turn)
            ;
        else if (turns->exchange->is_last)
            vv_copy_past_caches(place, staged, size);
        else
            swap_bytes(staged, place, size);
        place += size;
        staged += size;
        left -= size;
    }
}

static void exchange_work(void *user, unsigned worker)
{
    struct turns *turns = user;
    const struct vv_exchange *e = turns->exchange;
    unsigned turn;
    (void)worker;
    while ((turn = atomic_fetch_add(&turns->next, 1)) < turns->count) {
        for (size_t i = 0; i < e->count; i++) {
            const struct vv_move *m =
                &e->moves[e->is_undone ? e->count - 1 - i : i];
            if (m->is_staged && !m->is_elsewhere)
                exchange_one(turns, m, turn);
        }
    }
}

void vv_exchange(const struct vv_exchange *exchange)
{
    struct turns turns = {
        .exchange = exchange,
        .count = vv_worker_count_for(exchange->context, exchange->threads,
            1 + exchange->size / BYTES_PER_WORKER),
    };
    vv_run_workers(exchange->context, turns.count, exchange_work, &turns);
}
