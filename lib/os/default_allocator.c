/* default_allocator.c - blocks of malloc, and pages for what is large.
 *
 * SPDX-License-Identifier: MIT
 */
#include "default_allocator.h"

#include "allocator.h"
#include "value_pages.h"

varve_allocator vv_allocator_or_default(const varve_allocator *allocator)
{
    if (allocator && allocator->function)
        return *allocator;
    return (varve_allocator){ .function = vv_allocate_own,
        .user = (void *)vv_value_pages() };
}
