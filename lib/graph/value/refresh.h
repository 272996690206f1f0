/* refresh.h - Updates nodes whose memory or children the program changes
 * without a call, before their values are accessed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REFRESH_H
#define VV_REFRESH_H

#include <varve/error.h>
#include <varve/memory.h>
#include <varve/refresh.h>

#include "node.h"

/* Makes a variable follow the pointer and the extents of `view->memory`, or no
 * pointer if it is NULL. Returns false if out of memory. */
bool vv_refresh_follow(varve_node *node, const varve_tensor *view);

/* Returns the view as it is now, without the pointer. `strides` is used for its
 * memory description. */
varve_tensor vv_refresh_view(const varve_tensor *view, varve_memory *strides);

/* Returns true if a view follows a pointer. */
static inline bool vv_is_followed(const varve_tensor *view)
{
    return view->memory && view->memory->pointer;
}

/* Updates the nodes below `root` and above it: binds variables to where their
 * pointers lead, and calls the callbacks. Called by all functions that save or
 * restore values. Returns the status of a callback, or VARVE_BAD_SHAPE or
 * VARVE_MISMATCH with the path of a variable with invalid extents. The graph
 * does not record the error. A NULL pointer is not an error here. */
varve_status vv_refresh(varve_node *root, varve_error *error);

#endif
