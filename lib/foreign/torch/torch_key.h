/* torch_key.h - Converts the keys of Python dicts to names of edges. Each
 * distinct name is stored once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_KEY_H
#define VV_TORCH_KEY_H

#include "allocator.h"
#include "hash_table.h"
#include "pickle.h"

struct vv_torch_name {
    /* to read */
    const char *bytes; /* in the pickle or in the arena of names */
    uint32_t size;
};

struct vv_torch_keys {
    /* own */
    const struct vv_pickle *p;
    struct vv_arena *kept; /* an arena that lives longer than the keys */
    struct vv_arena arena;
    struct vv_map names, taken;
    const struct vv_torch_name **of_items; /* by item; NULL: not named yet */
    struct vv_buffer text;
};

/* Returns false without memory; vv_torch_keys_clear must be called even then.
 * `kept` receives the bytes of names. */
bool vv_torch_keys_init(struct vv_torch_keys *keys,
    const struct vv_pickle *pickle, struct vv_arena *kept,
    const varve_allocator *allocator);
void vv_torch_keys_clear(struct vv_torch_keys *keys);

/* Returns the name of a key. A text is its own name; other keys are named as
 * Python prints them: 3, True, None, 0.5. A key without such a name, or whose
 * name is not valid for an edge, is named <N> after its position in the dict.
 * Returns NULL without memory. */
const struct vv_torch_name *vv_torch_key(
    struct vv_torch_keys *keys, uint32_t key, uint64_t position);

/* Return the name of a list position, of a text, and of bytes that stay in the
 * pickle. They return NULL without memory. */
const struct vv_torch_name *vv_torch_position(
    struct vv_torch_keys *keys, uint64_t position);
const struct vv_torch_name *vv_torch_text(
    struct vv_torch_keys *keys, const char *text);
const struct vv_torch_name *vv_torch_name_of(
    struct vv_torch_keys *keys, const char *bytes, uint32_t size);

/* Sets *name to the name of a further member of a node: that of the key, or <N>
 * if another key has that name. Sets it to NULL if the node has the key
 * already. Returns false without memory. */
bool vv_torch_take_key(struct vv_torch_keys *keys, uint32_t node, uint32_t key,
    uint64_t position, const struct vv_torch_name **name);

/* Sets *has_integers if the key is an integer, and *has_others if it is another
 * key whose name looks like an integer. */
void vv_torch_look_at_key(const struct vv_pickle *pickle, uint32_t key,
    const struct vv_torch_name *name, bool *has_integers, bool *has_others);

#endif
