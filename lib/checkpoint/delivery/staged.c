/* staged.c - Moves staged values into the memory of their variables, and back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "staged.h"

#include <string.h>

#include "allocator.h"
#include "copy.h"
#include "failure.h"
#include "memory_table.h"
#include "try.h"
#include "typed_memory.h"
#include "value_bytes.h"
#include "variable.h"
#include "worker.h"

/* --- Memory that is written directly -------------------------------------- */

/* Exchanges values in parallel. Each worker processes all moves in order, but
 * only the stripes of memory that belong to it.
 *
 * So no byte of the program is accessed by two workers. Variables that share
 * memory are exchanged in the order of the moves, and undoing in reverse order
 * restores the previous bytes. */

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

/* --- Strided and device memory -------------------------------------------- */

/* Copies staged values into memory that cannot be written directly. Device
 * memory comes first, because only its copies can fail, and is restored last.
 */

static bool copy_in_is_put(const struct vv_move *m, bool is_far)
{
    return m->is_elsewhere && m->is_staged &&
           vv_is_far(&m->node->variable->tensor) == is_far;
}

static size_t copy_in_size_of(const struct vv_move *m)
{
    return (size_t)varve_tensor_size(&m->node->variable->tensor);
}

/* Restores the first `size` bytes. */
static void copy_in_put_back(struct vv_move *m, size_t size)
{
    if (vv_value_in(m->node, 0, m->target, size, NULL))
        m->is_touched = true;
}

static void put_back_before(struct vv_move *moves, size_t count, bool is_far)
{
    for (size_t i = count; i > 0; i--) {
        if (copy_in_is_put(&moves[i - 1], is_far))
            copy_in_put_back(&moves[i - 1], copy_in_size_of(&moves[i - 1]));
    }
}

/* Exchanges a range of a value with the staging. A failure restores the
 * complete value. */
static varve_status copy_in_swap(struct vv_move *m, size_t at, size_t size,
    unsigned char *room, varve_error *error)
{
    unsigned char *staged = (unsigned char *)m->target + at;
    varve_status status = vv_value_out(m->node, at, room, size, error);
    if (status) {
        copy_in_put_back(m, at);
        return status;
    }
    for (size_t i = 0, part; i < size; i += part) {
        unsigned char piece[4096];
        part = size - i < sizeof piece ? size - i : sizeof piece;
        memcpy(piece, staged + i, part);
        memcpy(staged + i, room + i, part);
        memcpy(room + i, piece, part);
    }
    status = vv_value_in(m->node, at, room, size, error);
    if (status)
        copy_in_put_back(m, at + size);
    return status;
}

static varve_status copy_in_put(
    struct vv_move *m, unsigned char *room, varve_error *error)
{
    size_t all = copy_in_size_of(m);
    for (size_t at = 0, size; at < all; at += size) {
        size = all - at < VV_RANGE_SIZE ? all - at : VV_RANGE_SIZE;
        VV_TRY(copy_in_swap(m, at, size, room, error));
    }
    return VARVE_OK;
}

static varve_status copy_in_put_far(
    const struct vv_copy_in *e, unsigned char *room, varve_error *error)
{
    for (size_t i = 0; i < e->count; i++) {
        struct vv_move *m = &e->moves[i];
        varve_status status =
            copy_in_is_put(m, true) ? copy_in_put(m, room, error) : VARVE_OK;
        if (status) {
            put_back_before(e->moves, i, true);
            return status;
        }
    }
    return VARVE_OK;
}

static void put_strided(const struct vv_copy_in *e, unsigned char *room)
{
    for (size_t i = 0; i < e->count; i++) {
        struct vv_move *m = &e->moves[i];
        if (copy_in_is_put(m, false) && e->is_last)
            vv_value_in(m->node, 0, m->target, copy_in_size_of(m), NULL);
        else if (copy_in_is_put(m, false))
            copy_in_put(m, room, NULL);
    }
}

varve_status vv_copy_in_put(const struct vv_copy_in *e,
    const varve_allocator *allocator, varve_error *error)
{
    unsigned char *room = vv_allocate(allocator, VV_RANGE_SIZE);
    if (!room)
        return vv_fail_memory(error, "bytes to copy in");
    varve_status status = copy_in_put_far(e, room, error);
    if (!status)
        put_strided(e, room);
    vv_release(allocator, room, VV_RANGE_SIZE);
    return status;
}

void vv_copy_in_put_back(struct vv_move *moves, size_t count)
{
    put_back_before(moves, count, false);
    put_back_before(moves, count, true);
}
