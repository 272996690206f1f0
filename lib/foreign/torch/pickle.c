/* pickle.c - Accesses the items of a parsed pickle, and implements the stack,
 * the marks and the memo.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pickle.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "try.h"

/* --- Items ---------------------------------------------------------------- */

void vv_pickle_begin(struct vv_pickle *p)
{
    static const struct vv_pickle_item begin[] = {
        [VV_PICKLE_THE_NONE] = { .kind = VV_PICKLE_NONE },
        [VV_PICKLE_THE_FALSE] = { .kind = VV_PICKLE_BOOL },
        [VV_PICKLE_THE_TRUE] = { .kind = VV_PICKLE_BOOL, .a = 1 },
    };
    static const struct vv_pickle_link none = { 0 };
    vv_buffer_add(&p->items, begin, sizeof begin);
    vv_buffer_add(&p->links, &none, sizeof none);
}

double vv_pickle_real(const struct vv_pickle_item *item)
{
    return vv_real_of((uint64_t)item->b << 32 | item->a);
}

bool vv_pickle_is_text(
    const struct vv_pickle *p, uint32_t item, const char *text)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    size_t size = strlen(text);
    return i->kind == VV_PICKLE_TEXT && i->b == size &&
           memcmp(vv_pickle_bytes(p, i), text, size) == 0;
}

bool vv_pickle_is_global(const struct vv_pickle *p, uint32_t item,
    const char *module, const char *name)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    return i->kind == VV_PICKLE_GLOBAL && vv_pickle_is_text(p, i->a, module) &&
           vv_pickle_is_text(p, i->b, name);
}

uint32_t vv_pickle_nth(const struct vv_pickle *p, uint32_t item, unsigned index)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    if (i->kind != VV_PICKLE_TUPLE && i->kind != VV_PICKLE_LIST)
        return VV_PICKLE_THE_NONE;
    uint32_t link = i->first;
    while (link && index-- > 0)
        link = vv_pickle_link(p, link).next;
    return link ? vv_pickle_link(p, link).item : VV_PICKLE_THE_NONE;
}

bool vv_pickle_has_keys(const struct vv_pickle *p, uint32_t item)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    return i->kind == VV_PICKLE_DICT ||
           (i->kind == VV_PICKLE_CALL &&
               (i->holds == VV_PICKLE_DICT ||
                   vv_pickle_is_global(p, i->a, "collections", "OrderedDict")));
}

uint32_t vv_pickle_look_up(
    const struct vv_pickle *p, uint32_t item, const char *text)
{
    uint32_t found = VV_PICKLE_THE_NONE;
    if (!vv_pickle_has_keys(p, item))
        return found;
    for (uint32_t at = vv_pickle_item(p, item)->first; at;) {
        struct vv_pickle_link key = vv_pickle_link(p, at);
        struct vv_pickle_link value = vv_pickle_link(p, key.next);
        if (vv_pickle_is_text(p, key.item, text))
            found = value.item;
        at = value.next;
    }
    return found;
}

/* --- The stack and the memo ----------------------------------------------- */

#define NOTHING UINT32_MAX /* an unused entry of the memo */

/* --- Failures ------------------------------------------------------------- */

varve_status vv_machine_fail(const struct vv_machine *m, const char *problem)
{
    return vv_fail(m->error, VARVE_CORRUPT, "%s: byte %" PRIu32 ": %s",
        m->where, m->code_at, problem);
}

static varve_status pickle_machine_fail_memory(const struct vv_machine *m)
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
    return m->stack.failed ? pickle_machine_fail_memory(m) : VARVE_OK;
}

varve_status vv_machine_add(
    struct vv_machine *m, struct vv_pickle_item item, uint32_t *number)
{
    *number = vv_pickle_count(m->p);
    vv_buffer_add(&m->p->items, &item, sizeof item);
    return m->p->items.failed ? pickle_machine_fail_memory(m) : VARVE_OK;
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
        return pickle_machine_fail_memory(m);
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
    return m->marks.failed ? pickle_machine_fail_memory(m) : VARVE_OK;
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
            return pickle_machine_fail_memory(m);
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
