/* memory_table.h - views whose elements do not lie row-major: what is kept of
 * them. The only way to such values is value_bytes.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MEMORY_TABLE_H
#define VV_MEMORY_TABLE_H

#include <varve/memory.h>

#include "context.h"
#include "node.h"

/* Whether values have to be copied out and in, and whether by functions of the
 * program. */
static inline bool vv_needs_copy_in(const varve_tensor *tensor)
{
    return tensor->memory != NULL;
}

static inline bool vv_is_far(const varve_tensor *tensor)
{
    return tensor->memory && !tensor->memory->strides;
}

/* Whether nothing can be copied in: the library's own functions reach it. */
static inline bool vv_is_read_only(const varve_tensor *tensor)
{
    return vv_is_far(tensor) && !tensor->memory->copy_in;
}

/* Whether a view of the program's memory can be; else a mistake, and `where`
 * and `name` say of what. */
bool vv_memory_check(
    const varve_tensor *view, const varve_node *where, const char *name);

/* Lets `to`, of the same rank, keep a copy of what a view has; false without
 * memory. To be freed. */
bool vv_memory_keep(varve_tensor *to, const varve_tensor *view,
    const varve_allocator *allocator);
void vv_memory_free(varve_tensor *tensor, const varve_allocator *allocator);

#endif
