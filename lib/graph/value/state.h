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

/* What a state calls for its bytes. */
struct vv_node_state {
    struct vv_attachment attachment;
    /* to fill in */
    varve_state_callbacks callbacks;
    void *self;
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

/* Appends the bytes of a state to `bytes`. VARVE_CALLBACK or VARVE_NO_MEMORY on
 * failure. `where` names it. */
varve_status vv_state_save(varve_node *node, const char *where,
    struct vv_buffer *bytes, varve_error *error);

varve_status vv_state_load(varve_node *node, const char *where,
    const void *bytes, size_t size, varve_error *error);

#endif
