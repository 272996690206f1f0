/* pickle_machine.h - what a pickle's opcodes work on while it is read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_MACHINE_H
#define VV_PICKLE_MACHINE_H

#include <varve/error.h>

#include "pickle.h"

struct vv_machine {
    /* to fill in */
    struct vv_pickle *p; /* what is made */
    const char *where;   /* for messages */
    varve_error *error;
    /* to read */
    struct vv_buffer stack, marks; /* items; how many stood below each mark */
    struct vv_buffer memo;         /* items by number */
    uint32_t memorized;            /* how many of them there are */
    uint32_t at;                   /* the next byte */
    uint32_t code_at;              /* the opcode that is carried out */
};

/* Returns VARVE_CORRUPT with the message "where: byte N: <problem>". */
varve_status vv_machine_fail(const struct vv_machine *m, const char *problem);
varve_status vv_machine_fail_memory(const struct vv_machine *m);

/* The next bytes. VARVE_TRUNCATED where there are fewer. */
varve_status vv_machine_take(
    struct vv_machine *m, uint64_t size, const unsigned char **bytes);

/* A little-endian number of so many bytes, 8 at most. */
varve_status vv_machine_take_number(
    struct vv_machine *m, unsigned width, uint64_t *number);

static inline struct vv_pickle_item *vv_machine_item_at(
    struct vv_machine *m, uint32_t number)
{
    return (struct vv_pickle_item *)(void *)m->p->items.data + number;
}

static inline size_t vv_machine_depth_of(const struct vv_machine *m)
{
    return m->stack.size / sizeof(uint32_t);
}

static inline uint32_t *vv_machine_stack_of(const struct vv_machine *m)
{
    return (uint32_t *)(void *)m->stack.data;
}

/* A further item, and its number. */
varve_status vv_machine_add(
    struct vv_machine *m, struct vv_pickle_item item, uint32_t *number);

varve_status vv_machine_push(struct vv_machine *m, uint32_t number);

/* A further item, on top of the stack. */
varve_status vv_machine_push_new(
    struct vv_machine *m, struct vv_pickle_item item);

/* Where what is above the last mark begins in the stack. */
size_t vv_machine_floor_of(const struct vv_machine *m);

/* What is on top of the stack, above the last mark: taken off it, or left. */
varve_status vv_machine_pop(struct vv_machine *m, uint32_t *number);
varve_status vv_machine_top(struct vv_machine *m, uint32_t *number);

varve_status vv_machine_push_mark(struct vv_machine *m);

/* Takes the last mark away; where the items above it begin in the stack. */
varve_status vv_machine_pop_mark(struct vv_machine *m, size_t *begin);

/* Hangs what stands in the stack from `begin` on at an item, and cuts it
 * off. */
varve_status vv_machine_append_from(
    struct vv_machine *m, uint32_t to, size_t begin);

/* Gives what is on top a number in the memo, and pushes what has one. */
varve_status vv_machine_memorize(struct vv_machine *m, uint64_t number);
varve_status vv_machine_recall(struct vv_machine *m, uint64_t number);

#endif
