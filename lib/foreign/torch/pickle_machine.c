/* pickle_machine.c - Implements the stack, the marks and the memo.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pickle_machine.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "try.h"

#define NOTHING UINT32_MAX /* an unused entry of the memo */

/* --- Failures ------------------------------------------------------------- */

varve_status vv_machine_fail(const struct vv_machine *m, const char *problem)
{
    return vv_fail(m->error, VARVE_CORRUPT, "%s: byte %" PRIu32 ": %s",
        m->where, m->code_at, problem);
}

varve_status vv_machine_fail_memory(const struct vv_machine *m)
{
    return vv_fail_memory(m->error, "a pickle");
}

/* --- Bytes ---------------------------------------------------------------- */

varve_status vv_machine_take(
    struct vv_machine *m, uint64_t size, const unsigned char **bytes)
{
    if (size > m->p->size - m->at)
        return vv_fail(m->error, VARVE_TRUNCATED,
            "%s: byte %" PRIu32 ": the pickle ends before the next %" PRIu64
            " bytes",
            m->where, m->code_at, size);
    *bytes = m->p->bytes + m->at;
    m->at += (uint32_t)size;
    return VARVE_OK;
}

varve_status vv_machine_take_number(
    struct vv_machine *m, unsigned width, uint64_t *number)
{
    const unsigned char *bytes = NULL;
    VV_TRY(vv_machine_take(m, width, &bytes));
    *number = 0;
    for (unsigned i = 0; i < width; i++)
        *number |= (uint64_t)bytes[i] << 8 * i;
    return VARVE_OK;
}

/* --- Items ---------------------------------------------------------------- */

varve_status vv_machine_push(struct vv_machine *m, uint32_t number)
{
    vv_buffer_add(&m->stack, &number, sizeof number);
    return m->stack.failed ? vv_machine_fail_memory(m) : VARVE_OK;
}

varve_status vv_machine_add(
    struct vv_machine *m, struct vv_pickle_item item, uint32_t *number)
{
    *number = vv_pickle_count(m->p);
    vv_buffer_add(&m->p->items, &item, sizeof item);
    return m->p->items.failed ? vv_machine_fail_memory(m) : VARVE_OK;
}

varve_status vv_machine_push_new(
    struct vv_machine *m, struct vv_pickle_item item)
{
    uint32_t number = 0;
    VV_TRY(vv_machine_add(m, item, &number));
    return vv_machine_push(m, number);
}

size_t vv_machine_floor_of(const struct vv_machine *m)
{
    size_t marks = m->marks.size / sizeof(uint32_t);
    return marks ? ((uint32_t *)(void *)m->marks.data)[marks - 1] : 0;
}

varve_status vv_machine_pop(struct vv_machine *m, uint32_t *number)
{
    if (vv_machine_depth_of(m) <= vv_machine_floor_of(m))
        return vv_machine_fail(m, "the stack is empty");
    *number = vv_machine_stack_of(m)[vv_machine_depth_of(m) - 1];
    m->stack.size -= sizeof(uint32_t);
    return VARVE_OK;
}

varve_status vv_machine_top(struct vv_machine *m, uint32_t *number)
{
    VV_TRY(vv_machine_pop(m, number));
    m->stack.size += sizeof(uint32_t);
    return VARVE_OK;
}

varve_status vv_machine_pop_mark(struct vv_machine *m, size_t *begin)
{
    if (m->marks.size == 0)
        return vv_machine_fail(m, "the stack has no mark");
    m->marks.size -= sizeof(uint32_t);
    *begin = *(uint32_t *)(void *)(m->marks.data + m->marks.size);
    return VARVE_OK;
}

static varve_status pickle_machine_append(
    struct vv_machine *m, uint32_t to, uint32_t member)
{
    struct vv_pickle_link link = { .item = member };
    uint32_t number =
        (uint32_t)(m->p->links.size / sizeof(struct vv_pickle_link));
    vv_buffer_add(&m->p->links, &link, sizeof link);
    if (m->p->links.failed)
        return vv_machine_fail_memory(m);
    struct vv_pickle_item *item = vv_machine_item_at(m, to);
    if (item->last)
        ((struct vv_pickle_link *)(void *)m->p->links.data)[item->last].next =
            number;
    else
        item->first = number;
    item->last = number;
    return VARVE_OK;
}

varve_status vv_machine_append_from(
    struct vv_machine *m, uint32_t to, size_t begin)
{
    size_t end = vv_machine_depth_of(m);
    for (size_t i = begin; i < end; i++)
        VV_TRY(pickle_machine_append(m, to, vv_machine_stack_of(m)[i]));
    m->stack.size = begin * sizeof(uint32_t);
    return VARVE_OK;
}

varve_status vv_machine_push_mark(struct vv_machine *m)
{
    uint32_t depth = (uint32_t)vv_machine_depth_of(m);
    vv_buffer_add(&m->marks, &depth, sizeof depth);
    return m->marks.failed ? vv_machine_fail_memory(m) : VARVE_OK;
}

/* A number is at most the size of the pickle, so the memo is not larger. */
varve_status vv_machine_memorize(struct vv_machine *m, uint64_t number)
{
    uint32_t item = 0;
    VV_TRY(vv_machine_top(m, &item));
    if (number > m->p->size)
        return vv_machine_fail(
            m, "the number of a memo entry is larger than the pickle");
    size_t count = m->memo.size / sizeof(uint32_t);
    if (number >= count) {
        size_t more = ((size_t)number + 1 - count) * sizeof(uint32_t);
        void *room = vv_buffer_extend(&m->memo, more);
        if (!room)
            return vv_machine_fail_memory(m);
        memset(room, 0xff, more);
    }
    uint32_t *place = (uint32_t *)(void *)m->memo.data + number;
    m->memorized += *place == NOTHING;
    *place = item;
    return VARVE_OK;
}

varve_status vv_machine_recall(struct vv_machine *m, uint64_t number)
{
    uint32_t item = NOTHING;
    if (number < m->memo.size / sizeof item)
        item = ((uint32_t *)(void *)m->memo.data)[number];
    if (item == NOTHING)
        return vv_machine_fail(m, "the memo has no entry of this number");
    return vv_machine_push(m, item);
}
