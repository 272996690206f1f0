/* torch_kept.h - Encodes the information of a torch.save file that a graph
 * cannot contain: which objects were dicts, lists or tuples, the order and
 * types of their keys, which members were None, and which values were Python
 * values. The encoding is used in memory only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_KEPT_H
#define VV_TORCH_KEPT_H

#include "buffer.h"
#include "pickle.h"
#include "target.h"
#include "torch_key.h"

/* The tag of an object whose decimal names are integers. The Python module uses
 * the same tag. */
#define VV_TORCH_INTEGERS "int keys"

enum vv_torch_was {
    VV_TORCH_WAS_NOTHING,
    VV_TORCH_WAS_DICT,
    VV_TORCH_WAS_ORDERED, /* an OrderedDict */
    VV_TORCH_WAS_LIST,    /* also of a vector */
    VV_TORCH_WAS_TUPLE,
    VV_TORCH_WAS_ONLY, /* a root that was a single value */
    VV_TORCH_WAS_NUMBER,
    VV_TORCH_WAS_LONG,
    VV_TORCH_WAS_BYTES,
    VV_TORCH_WAS_PARAMETER,
    VV_TORCH_WAS_ARRAY, /* an array of NumPy */
};

/* Returns the type of an item; for other items VV_TORCH_WAS_LIST. */
enum vv_torch_was vv_torch_was(const struct vv_pickle *pickle, uint32_t item);

/* The key of a member. Keys are stored in order. */
struct vv_torch_kept_key {
    /* to read */
    enum vv_pickle_kind kind; /* of the key; of a position: None */
    bool is_none;  /* the member is None, or an empty list or dict if `kind` is
                      that; otherwise `hash` is used */
    uint64_t hash; /* of the name of the edge */
    const char *name; /* of a member that is None */
    size_t size;
};

static inline void vv_torch_kept_begin(
    struct vv_buffer *kept, enum vv_torch_was was)
{
    kept->size = 0;
    vv_buffer_add8(kept, (uint8_t)was);
}

/* Adds a key. A long name of a None member is not kept, because several keys of
 * a file can share the bytes of one name. */
void vv_torch_kept_add(struct vv_buffer *kept, enum vv_pickle_kind kind,
    const struct vv_torch_name *name, bool is_none);

static inline enum vv_torch_was vv_torch_kept_was(
    const unsigned char *kept, size_t size)
{
    return size ? (enum vv_torch_was)kept[0] : VV_TORCH_WAS_NOTHING;
}

/* Reads the key at *at, which is 1 at first, and advances *at. Returns false at
 * the end. */
bool vv_torch_kept_next(const unsigned char *kept, size_t size, size_t *at,
    struct vv_torch_kept_key *key);

/* --- Order of variables --------------------------------------------------- */

/* Finds the order in which PyTorch lists the variables of a model, from the
 * positions in an optimizer's state. */

/* Sets positions[node] to the position plus 1 for each variable whose slots are
 * in an entry of their owner's `state`, such as `state/3/exp_avg`. Other
 * entries stay 0. Returns VARVE_OK or VARVE_NO_MEMORY. */
varve_status vv_torch_order(
    const struct vv_target *target, uint32_t *positions, varve_error *error);

/* Returns the child of a node by name, or VV_NONE. */
uint32_t vv_torch_child(
    const struct vv_index *index, uint32_t node, const char *name);

#endif
