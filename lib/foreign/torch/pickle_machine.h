/* pickle_machine.h - Implements the stack, the marks and the memo that the
 * opcodes of a pickle use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_MACHINE_H
#define VV_PICKLE_MACHINE_H

#include <varve/error.h>

#include "pickle.h"

struct vv_machine {
    /* to fill in */
    struct vv_pickle *p; /* the result */
    const char *where;   /* prefix of error messages */
    varve_error *error;
    /* to read */
    struct vv_buffer stack,
        marks;             /* items; the depth of the stack at each mark */
    struct vv_buffer memo; /* items by number */
    uint32_t memorized;    /* number of entries in the memo */
    uint32_t at;           /* offset of the next byte */
    uint32_t code_at;      /* offset of the current opcode */
};

/* Returns VARVE_CORRUPT with the message "where: byte N: <problem>". */
varve_status vv_machine_fail(const struct vv_machine *m, const char *problem);
varve_status vv_machine_fail_memory(const struct vv_machine *m);

/* Sets *bytes to the next `size` bytes. Returns VARVE_TRUNCATED if there are
 * fewer. */
varve_status vv_machine_take(
    struct vv_machine *m, uint64_t size, const unsigned char **bytes);

/* Reads a little-endian number of `width` bytes, at most 8. */
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

/* Appends an item and sets *number to its number. */
varve_status vv_machine_add(
    struct vv_machine *m, struct vv_pickle_item item, uint32_t *number);

varve_status vv_machine_push(struct vv_machine *m, uint32_t number);

/* Appends an item and pushes it. */
varve_status vv_machine_push_new(
    struct vv_machine *m, struct vv_pickle_item item);

/* Returns the depth of the stack at the last mark. */
size_t vv_machine_floor_of(const struct vv_machine *m);

/* Returns the top of the stack above the last mark. vv_machine_pop removes it.
 */
varve_status vv_machine_pop(struct vv_machine *m, uint32_t *number);
varve_status vv_machine_top(struct vv_machine *m, uint32_t *number);

varve_status vv_machine_push_mark(struct vv_machine *m);

/* Removes the last mark and sets *begin to the depth of the stack there. The
 * items above it stay. */
varve_status vv_machine_pop_mark(struct vv_machine *m, size_t *begin);

/* Moves the stack from `begin` to the members of item `to`. */
varve_status vv_machine_append_from(
    struct vv_machine *m, uint32_t to, size_t begin);

/* vv_machine_memorize stores the top of the stack in the memo;
 * vv_machine_recall pushes an entry of the memo. */
varve_status vv_machine_memorize(struct vv_machine *m, uint64_t number);
varve_status vv_machine_recall(struct vv_machine *m, uint64_t number);

#endif
