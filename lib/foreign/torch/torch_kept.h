/* torch_kept.h - what a file says beyond what a graph can hold: which objects
 * were dicts, lists or tuples, the order and the kinds of their keys, what was
 * None, and which values were Python's. Bytes of our own, in memory alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_KEPT_H
#define VV_TORCH_KEPT_H

#include "buffer.h"
#include "pickle.h"
#include "torch_key.h"

/* The tag of an object whose decimal names are integers, as Python's module of
 * ours has it too. */
#define VV_TORCH_INTEGERS "int keys"

enum vv_torch_was {
    VV_TORCH_WAS_NOTHING,
    VV_TORCH_WAS_DICT,
    VV_TORCH_WAS_ORDERED, /* an OrderedDict */
    VV_TORCH_WAS_LIST,    /* of a vector too */
    VV_TORCH_WAS_TUPLE,
    VV_TORCH_WAS_ONLY, /* a root whose one value was all that there was */
    VV_TORCH_WAS_NUMBER,
    VV_TORCH_WAS_LONG,
    VV_TORCH_WAS_BYTES,
    VV_TORCH_WAS_PARAMETER,
    VV_TORCH_WAS_ARRAY, /* of NumPy */
};

/* What an item is; one that is none of these, a list. */
enum vv_torch_was vv_torch_was(const struct vv_pickle *pickle, uint32_t item);

/* A key, in its order. */
struct vv_torch_kept_key {
    /* to read */
    enum vv_pickle_kind kind; /* of the key; of a position: None */
    bool is_none;             /* what is there, or an empty list or dict where
                                 `kind` says so; else `hash` counts: */
    uint64_t hash;            /* of the name of the edge */
    const char *name;         /* of None */
    size_t size;
};

static inline void vv_torch_kept_begin(
    struct vv_buffer *kept, enum vv_torch_was was)
{
    kept->size = 0;
    vv_buffer_add8(kept, (uint8_t)was);
}

/* A name that is long is not kept of what is None: it need not take as many
 * bytes in its file. */
void vv_torch_kept_add(struct vv_buffer *kept, enum vv_pickle_kind kind,
    const struct vv_torch_name *name, bool is_none);

static inline enum vv_torch_was vv_torch_kept_was(
    const unsigned char *kept, size_t size)
{
    return size ? (enum vv_torch_was)kept[0] : VV_TORCH_WAS_NOTHING;
}

/* Reads the key at *at, which begins at 1, and goes behind it. False at the
 * end. */
bool vv_torch_kept_next(const unsigned char *kept, size_t size, size_t *at,
    struct vv_torch_kept_key *key);

#endif
