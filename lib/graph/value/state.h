/* state.h - Saves and loads states, which are not tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STATE_H
#define VV_STATE_H

#include <varve/variable.h>

#include "buffer.h"
#include "node.h"

struct varve_sink {
    /* to fill in */
    struct vv_buffer bytes;
};

/* Further callbacks of a state that the library implements. Each takes the
 * guard, which is part of a larger struct, and the path of the state for
 * messages. */
struct vv_state_guard {
    /* to fill in */
    /* Checks that `load` accepts these bytes. Called before a restoration
     * changes anything. */
    varve_status (*check)(struct vv_state_guard *guard, const char *where,
        const void *bytes, size_t size, varve_error *error);
    /* Syncs the files that the bytes of the last `save` refer to. Called before
     * a durable checkpoint with these bytes is published. */
    varve_status (*sync)(
        struct vv_state_guard *guard, const char *where, varve_error *error);
    /* Frees the struct when the state is freed. */
    void (*release)(
        struct vv_state_guard *guard, const varve_allocator *allocator);
    /* why the last `save` or `load` failed; VARVE_OK: unknown */
    varve_error failure;
};

/* The callbacks of a state. */
struct vv_node_state {
    struct vv_attachment attachment;
    /* to fill in */
    varve_state_callbacks callbacks;
    void *self;
    struct vv_state_guard *guard; /* or NULL; a guarded state is loaded after
                                     the others, because its `load` cannot be
                                     undone */
    /* Describes why the last `save` failed, or, with bytes, why the last `load`
     * of them failed. NULL: the status is reported. */
    void (*explain)(const void *self, const char *where, const void *bytes,
        size_t size, varve_error *error);
    bool is_plain; /* `save` only reads memory and may be called at any time */
};

extern const struct vv_attachment_kind vv_state_kind;

/* Returns the callbacks of a state, or NULL for other nodes. */
static inline struct vv_node_state *vv_state_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_state_kind);
}

/* Makes a state without edges and without a value. Returns the nil node of the
 * graph if out of memory. */
varve_node *vv_state_new(
    varve_graph *graph, const varve_state_callbacks *callbacks, void *self);

/* Appends the bytes of a state to `bytes`. Returns VARVE_CALLBACK,
 * VARVE_NO_MEMORY or the failure of its guard. `where` is its path for
 * messages. */
varve_status vv_state_save(varve_node *node, const char *where,
    struct vv_buffer *bytes, varve_error *error);

/* Loads the bytes of a state. Returns VARVE_CALLBACK, VARVE_NO_MEMORY or the
 * failure of its guard. */
varve_status vv_state_load(varve_node *node, const char *where,
    const void *bytes, size_t size, varve_error *error);

/* Call the guard of a node. Return VARVE_OK for a node without one. */
varve_status vv_state_check(
    varve_node *node, const void *bytes, size_t size, varve_error *error);
varve_status vv_state_sync(varve_node *node, varve_error *error);

static inline bool vv_state_is_guarded(const varve_node *node)
{
    const struct vv_node_state *state = vv_state_of(node);
    return state && state->guard;
}

#endif
