/* memory_table.h - Describes views that are not contiguous. Their values are
 * accessed only through value_bytes.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MEMORY_TABLE_H
#define VV_MEMORY_TABLE_H

#include <varve/memory.h>

#include "context.h"
#include "node.h"

/* Return true if values must be copied in and out, and if functions of the
 * program must do so. */
static inline bool vv_needs_copy_in(const varve_tensor *tensor)
{
    return tensor->memory != NULL;
}

static inline bool vv_is_far(const varve_tensor *tensor)
{
    return tensor->memory && !tensor->memory->strides;
}

/* Returns true if values cannot be copied in, because they are only accessible
 * to functions of the library. */
static inline bool vv_is_read_only(const varve_tensor *tensor)
{
    return vv_is_far(tensor) && !tensor->memory->copy_in;
}

/* Returns true if a view of memory of the program is valid. Otherwise records
 * an error, with `where` and `name`. */
bool vv_memory_check(
    const varve_tensor *view, const varve_node *where, const char *name);

/* Copies the memory description of a view into `to`, which must have the same
 * rank. vv_memory_free frees the copy. Returns false if out of memory. */
bool vv_memory_keep(varve_tensor *to, const varve_tensor *view,
    const varve_allocator *allocator);
void vv_memory_free(varve_tensor *tensor, const varve_allocator *allocator);

#endif
