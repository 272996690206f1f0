/* pickle.h - a pickle of Python as a table of what it would make. Nothing of it
 * is ever made: a call is an item that says what would be called.
 *
 * An item is known by its number. What it is made of (a tuple's members, what a
 * call is given) has smaller numbers, but for what is added to lists, dicts,
 * sets and objects later: there may be cycles through these.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_H
#define VV_PICKLE_H

#include "buffer.h"

enum vv_pickle_kind {
    VV_PICKLE_NONE,
    VV_PICKLE_BOOL,
    VV_PICKLE_INTEGER,
    VV_PICKLE_LONG, /* an integer that 64 bits do not hold */
    VV_PICKLE_REAL,
    VV_PICKLE_TEXT, /* valid UTF-8 without NUL */
    VV_PICKLE_BYTES,
    VV_PICKLE_GLOBAL,    /* a function or class: texts of module and name */
    VV_PICKLE_EXTENSION, /* one that only Python's registry of codes knows */
    VV_PICKLE_TUPLE,
    VV_PICKLE_LIST,
    VV_PICKLE_DICT, /* members are a key, its value, the next key, ... */
    VV_PICKLE_SET,
    VV_PICKLE_CALL,   /* what a function or class makes of arguments */
    VV_PICKLE_OUTSIDE /* what a persistent id stands for */
};

/* The items that every pickle has. */
enum { VV_PICKLE_THE_NONE, VV_PICKLE_THE_FALSE, VV_PICKLE_THE_TRUE };

struct vv_pickle_item {
    /* to read */
    uint16_t kind;
    uint16_t holds; /* of a call: what kind of members it was given, or 0 */
    uint32_t a;     /* of a number: its low half; of text and bytes: where they
                       begin; of a global: its module; of a call: what is
                       called; of an outside: its id; of an extension: its
                       code */
    uint32_t b;     /* the high half; how many; its name; its arguments; of an
                       outside: which of several pickles it was in, or where
                       it has no id, what it is (torch_pieces.h) */
    uint32_t state; /* of a call: what it was built with; 0 (None): nothing */
    uint32_t first; /* of its members: a link; 0: it has none */
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
    uint32_t root;          /* the item that it makes */
    uint32_t used;          /* bytes up to its end */
    struct vv_buffer items; /* struct vv_pickle_item */
    struct vv_buffer links; /* struct vv_pickle_link; the first is none */
};

/* Adds the items and the link that every pickle has to one whose buffers have
 * begun. */
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

/* The value of an integer or a bool. */
static inline int64_t vv_pickle_integer(const struct vv_pickle_item *item)
{
    return (int64_t)((uint64_t)item->b << 32 | item->a);
}

double vv_pickle_real(const struct vv_pickle_item *item);

/* The bytes of a text or bytes. */
static inline const char *vv_pickle_bytes(
    const struct vv_pickle *p, const struct vv_pickle_item *item)
{
    return (const char *)p->bytes + item->a;
}

/* Whether it is this text. */
bool vv_pickle_is_text(
    const struct vv_pickle *pickle, uint32_t item, const char *text);

/* Whether it is the global of this name in this module. */
bool vv_pickle_is_global(const struct vv_pickle *pickle, uint32_t item,
    const char *module, const char *name);

/* The member of a tuple or list with this index; None where it has fewer. It
 * takes time for those before. */
uint32_t vv_pickle_nth(
    const struct vv_pickle *pickle, uint32_t item, unsigned index);

/* Whether an item has keys with values: a dict, or a call that was given such
 * or that makes an OrderedDict. */
bool vv_pickle_has_keys(const struct vv_pickle *pickle, uint32_t item);

/* What an item that has keys has under a text; None where it has nothing. It
 * takes time for all of its keys. */
uint32_t vv_pickle_look_up(
    const struct vv_pickle *pickle, uint32_t item, const char *text);

#endif
