/* state.h - saving and loading what is not a tensor.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STATE_H
#define VV_STATE_H

#include <varve/variable.h>

#include "attachment.h"
#include "buffer.h"

struct varve_sink {
    /* to fill in */
    struct vv_buffer bytes;
};

/* Further calls of a state of the library. Each takes the guard, which is part
 * of a struct of the state's own, and the path of the state, for messages. */
struct vv_state_guard {
    /* to fill in */
    /* Whether `load` can take these bytes. Called before a restoration changes
     * anything. */
    varve_status (*check)(struct vv_state_guard *guard, const char *where,
        const void *bytes, size_t size, varve_error *error);
    /* Brings to disk what the bytes of the last `save` stand for. Called before
     * a durable checkpoint that has them is published. */
    varve_status (*sync)(
        struct vv_state_guard *guard, const char *where, varve_error *error);
    /* Releases the struct; the state is being freed. */
    void (*release)(
        struct vv_state_guard *guard, const varve_allocator *allocator);
    /* Why the last `save` or `load` failed; status VARVE_OK: unknown. */
    varve_error failure;
};

/* What a state calls for its bytes. */
struct vv_node_state {
    struct vv_attachment attachment;
    /* to fill in */
    varve_state_callbacks callbacks;
    void *self;
    struct vv_state_guard *guard; /* or NULL. It is loaded behind the others,
                                     for its `load` cannot be undone */
    bool is_plain; /* `save` only reads memory: it may be called at any time */
};

extern const struct vv_attachment_kind vv_state_kind;

/* That of a node, which has it if it is a state; or NULL. */
static inline struct vv_node_state *vv_state_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_state_kind);
}

/* A new state without edges and without a value; the graph's nil without
 * memory. */
varve_node *vv_state_new(
    varve_graph *graph, const varve_state_callbacks *callbacks, void *self);

/* Appends the bytes of a state to `bytes`. VARVE_CALLBACK, VARVE_NO_MEMORY or
 * the failure of its guard. `where` names it. */
varve_status vv_state_save(varve_node *node, const char *where,
    struct vv_buffer *bytes, varve_error *error);

varve_status vv_state_load(varve_node *node, const char *where,
    const void *bytes, size_t size, varve_error *error);

/* The calls of a guard; VARVE_OK for a node without one. */
varve_status vv_state_check(
    varve_node *node, const void *bytes, size_t size, varve_error *error);
varve_status vv_state_sync(varve_node *node, varve_error *error);

static inline bool vv_state_is_guarded(const varve_node *node)
{
    const struct vv_node_state *state = vv_state_of(node);
    return state && state->guard;
}

#endif
