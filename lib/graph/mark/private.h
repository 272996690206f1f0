/* private.h - Rank-local nodes, each of whose children belongs to one process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRIVATE_H
#define VV_PRIVATE_H

#include <varve/rank_local.h>

#include "node.h"

struct vv_private {
    struct vv_attachment attachment;
    /* to read */
    uint32_t rank;
    uint32_t size;
    varve_rank_local_options options;
};

extern const struct vv_attachment_kind vv_private_kind;

/* Returns the attachment of a rank-local node; NULL: it is not rank-local. */
static inline const struct vv_private *vv_private_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_private_kind);
}

/* Returns true if a node is rank-local. Ends a walk of the replicated nodes. */
bool vv_is_private(const varve_node *node);

/* Returns the object of this process, or NULL if the program has removed it or
 * added others. */
varve_node *vv_private_mine(varve_node *node);

/* Do what varve_add_rank_local does, in two steps. vv_private_new returns the
 * object of this process, which is not yet below `parent`, or nil.
 * vv_private_attach adds it, or frees it and returns nil. */
varve_node *vv_private_new(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_rank_local_options *options);
varve_node *vv_private_attach(
    varve_node *parent, const char *name, varve_node *mine);

/* Makes the copy of a rank-local node rank-local, without a merge callback.
 * Returns false if out of memory. */
bool vv_private_copy(const varve_node *from, varve_node *to);

#endif
