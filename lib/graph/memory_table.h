/* memory_table.h - variables whose elements do not lie row-major: what they
 * keep of it, and the only way to their values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MEMORY_TABLE_H
#define VV_MEMORY_TABLE_H

#include <varve/memory.h>

#include "context.h"
#include "variable.h"

enum { VV_RANGE_SIZE = 1 << 20 }; /* of far memory, at once */

/* Whether values have to be copied out and in, and whether by functions of the
 * program. */
static inline bool vv_lies_elsewhere(const varve_tensor *tensor)
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

/* Copies whole elements of the value of a variable, from `offset` on: of any
 * but strings, wherever it lies. Several threads may copy at once what is not
 * far. VARVE_CALLBACK or VARVE_NO_MEMORY where a function of the program
 * fails; it may have copied some. */
varve_status vv_value_out(const varve_node *node, uint64_t offset, void *bytes,
    size_t size, varve_error *error);
varve_status vv_value_in(const varve_node *node, uint64_t offset,
    const void *bytes, size_t size, varve_error *error);

#endif
