/* private.h - nodes whose children belong to one process each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRIVATE_H
#define VV_PRIVATE_H

#include <varve/rank_local.h>

#include "attachment.h"

struct vv_private {
    struct vv_attachment attachment;
    /* to read */
    uint32_t rank;
    uint32_t size;
    varve_rank_local_options options;
};

extern const struct vv_attachment_kind vv_private_kind;

/* What makes a node private; NULL: it is not. */
static inline const struct vv_private *vv_private_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_private_kind);
}

/* Whether it is; for a walk of what all processes have. */
bool vv_is_private(const varve_node *node);

/* The object of this process; NULL where the program took it away, or added
 * others. */
varve_node *vv_private_mine(varve_node *node);

/* varve_add_rank_local in two steps: what is at this process, not yet below
 * `parent`, or nil; then there, or nil and it is gone. */
varve_node *vv_private_new(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_rank_local_options *options);
varve_node *vv_private_attach(
    varve_node *parent, const char *name, varve_node *mine);

/* Makes a copy of a private node one, without a callback to fold it. False
 * without memory. */
bool vv_private_copy(const varve_node *from, varve_node *to);

#endif
