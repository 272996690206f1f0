/* refresh.h - nodes whose memory or children the program changes without a
 * call: what is read or called before values are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REFRESH_H
#define VV_REFRESH_H

#include <varve/error.h>
#include <varve/memory.h>
#include <varve/refresh.h>

#include "node.h"

/* Lets a variable follow the pointer and the extents of `view->memory`. NULL:
 * it follows none any more. False without memory. */
bool vv_refresh_follow(varve_node *node, const varve_tensor *view);

/* The view without what it is followed by: as it is at this moment. `strides`
 * is room for its memory. */
varve_tensor vv_refresh_view(const varve_tensor *view, varve_memory *strides);

/* Whether a view is through a pointer. */
static inline bool vv_is_followed(const varve_tensor *view)
{
    return view->memory && view->memory->pointer;
}

/* Brings the nodes below `root`, and those above it, up to date: variables to
 * where their pointers lead, and what callbacks are for. Called by all that
 * save, plan, take or restore values of a program. What a callback returns, and
 * VARVE_BAD_SHAPE or VARVE_MISMATCH with the path of a variable whose extents
 * cannot be; the graph has no mistake of it. A pointer that is NULL is no
 * failure yet. */
varve_status vv_refresh(varve_node *root, varve_error *error);

#endif
