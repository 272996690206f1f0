/* pickle.h - Represents a Python pickle as a table of the values it would
 * create. Nothing is executed: a call is an item that records the function and
 * its arguments.
 *
 * Items are identified by their numbers. The parts of an item (the members of a
 * tuple, the arguments of a call) have smaller numbers than the item. Members
 * added later to lists, dicts, sets and objects may have greater numbers and
 * can form cycles.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_H
#define VV_PICKLE_H

#include <varve/error.h>

#include "buffer.h"

/* --- Items ---------------------------------------------------------------- */

enum vv_pickle_kind {
    VV_PICKLE_NONE,
    VV_PICKLE_BOOL,
    VV_PICKLE_INTEGER,
    VV_PICKLE_LONG, /* an integer that does not fit in 64 bits */
    VV_PICKLE_REAL,
    VV_PICKLE_TEXT, /* valid UTF-8 without NUL */
    VV_PICKLE_BYTES,
    VV_PICKLE_GLOBAL,    /* a function or class: the texts of module and name */
    VV_PICKLE_EXTENSION, /* a global that is identified by a number in Python's
                            extension registry */
    VV_PICKLE_TUPLE,
    VV_PICKLE_LIST,
    VV_PICKLE_DICT, /* members alternate: a key, its value, the next key, ... */
    VV_PICKLE_SET,
    VV_PICKLE_CALL,   /* the result of calling a function or class */
    VV_PICKLE_OUTSIDE /* the object that a persistent id refers to */
};

/* Items that every pickle has. */
enum { VV_PICKLE_THE_NONE, VV_PICKLE_THE_FALSE, VV_PICKLE_THE_TRUE };

struct vv_pickle_item {
    /* to read */
    uint16_t kind;
    uint16_t holds; /* of a call: the kind of members it was given, or 0 */
    uint32_t a; /* number: the low half; text, bytes: the offset; global: the
                   module; call: the function; outside: the persistent id;
                   extension: the code */
    uint32_t b; /* number: the high half; text, bytes: the size; global: the
                   name; call: the arguments; outside: the number of the pickle
                   it comes from, or without an id, the number of a tensor in
                   pieces plus 1 (torch_pieces.h) */
    uint32_t state; /* of a call: the state given to BUILD; 0 (None): none */
    uint32_t first; /* the link of the first member; 0: no members */
    uint32_t last;
};

struct vv_pickle_link {
    /* to read */
    uint32_t item;
    uint32_t next; /* 0: none */
};

struct vv_pickle {
    /* to read */
    const unsigned char *bytes; /* borrowed */
    uint32_t size;
    uint32_t root;          /* the item that the pickle creates */
    uint32_t used;          /* bytes up to the end of the pickle */
    struct vv_buffer items; /* struct vv_pickle_item */
    struct vv_buffer links; /* struct vv_pickle_link; the first is unused */
};

/* Adds the items and the link that every pickle has. The buffers must be
 * initialized. */
void vv_pickle_begin(struct vv_pickle *pickle);

static inline const struct vv_pickle_item *vv_pickle_item(
    const struct vv_pickle *p, uint32_t number)
{
    return (const struct vv_pickle_item *)(const void *)p->items.data + number;
}

static inline uint32_t vv_pickle_count(const struct vv_pickle *p)
{
    return (uint32_t)(p->items.size / sizeof(struct vv_pickle_item));
}

static inline uint32_t vv_pickle_link_count(const struct vv_pickle *p)
{
    return (uint32_t)(p->links.size / sizeof(struct vv_pickle_link));
}

static inline struct vv_pickle_link vv_pickle_link(
    const struct vv_pickle *p, uint32_t link)
{
    return ((const struct vv_pickle_link *)(const void *)p->links.data)[link];
}

/* Returns the value of an integer or a bool. */
static inline int64_t vv_pickle_integer(const struct vv_pickle_item *item)
{
    return (int64_t)((uint64_t)item->b << 32 | item->a);
}

double vv_pickle_real(const struct vv_pickle_item *item);

/* Returns the bytes of a text or of bytes. */
static inline const char *vv_pickle_bytes(
    const struct vv_pickle *p, const struct vv_pickle_item *item)
{
    return (const char *)p->bytes + item->a;
}

/* Returns true if the item is this text. */
bool vv_pickle_is_text(
    const struct vv_pickle *pickle, uint32_t item, const char *text);

/* Returns true if the item is the global `name` of `module`. */
bool vv_pickle_is_global(const struct vv_pickle *pickle, uint32_t item,
    const char *module, const char *name);

/* Returns a member of a tuple or list by index, or None if there are fewer
 * members. Takes time proportional to the index. */
uint32_t vv_pickle_nth(
    const struct vv_pickle *pickle, uint32_t item, unsigned index);

/* Returns true if an item has keys and values: a dict, or a call that was given
 * key-value pairs or that creates an OrderedDict. */
bool vv_pickle_has_keys(const struct vv_pickle *pickle, uint32_t item);

/* Returns the value that an item has under a text key, or None. Takes time
 * proportional to the number of keys. */
uint32_t vv_pickle_look_up(
    const struct vv_pickle *pickle, uint32_t item, const char *text);

/* --- The stack and the memo ----------------------------------------------- */

/* Implements the stack, the marks and the memo that the opcodes of a pickle
 * use. */

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
