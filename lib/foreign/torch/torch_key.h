/* torch_key.h - the keys of dicts of Python as names of edges. A name is there
 * once, however often it is used.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_KEY_H
#define VV_TORCH_KEY_H

#include "arena.h"
#include "map.h"
#include "pickle.h"

struct vv_torch_name {
    /* to read */
    const char *bytes; /* in the pickle, or in the arena of names */
    uint32_t size;
};

struct vv_torch_keys {
    /* own */
    const struct vv_pickle *p;
    struct vv_arena *kept; /* what is in it lives on */
    struct vv_arena arena;
    struct vv_map names, taken;
    const struct vv_torch_name **of_items; /* of texts, once they are asked */
    struct vv_buffer text;
};

/* False without memory. End with vv_torch_keys_clear all the same. `kept` is
 * for the bytes of names. */
bool vv_torch_keys_init(struct vv_torch_keys *keys,
    const struct vv_pickle *pickle, struct vv_arena *kept,
    const varve_allocator *allocator);
void vv_torch_keys_clear(struct vv_torch_keys *keys);

/* What a key is called: a text is itself, other keys as Python prints them: 3,
 * True, None, 0.5. One that has no such name, or none that an edge may have, is
 * <N> by its position in the dict. NULL without memory. */
const struct vv_torch_name *vv_torch_key(
    struct vv_torch_keys *keys, uint32_t key, uint64_t position);

/* The name of a position in a list, or of this text; of bytes that stay in the
 * pickle. NULL without memory. */
const struct vv_torch_name *vv_torch_position(
    struct vv_torch_keys *keys, uint64_t position);
const struct vv_torch_name *vv_torch_text(
    struct vv_torch_keys *keys, const char *text);
const struct vv_torch_name *vv_torch_name_of(
    struct vv_torch_keys *keys, const char *bytes, uint32_t size);

/* A name for one more member of a node: that of the key, or <N> where another
 * key is called so. *name is NULL for a key that the node has already. False
 * without memory. */
bool vv_torch_take_key(struct vv_torch_keys *keys, uint32_t node, uint32_t key,
    uint64_t position, const struct vv_torch_name **name);

/* Notes whether a key is an integer, or something else whose name looks like
 * one. */
void vv_torch_look_at_key(const struct vv_pickle *pickle, uint32_t key,
    const struct vv_torch_name *name, bool *has_integers, bool *has_others);

#endif
