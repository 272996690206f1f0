/* default_allocator.h - Provides the default allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DEFAULT_ALLOCATOR_H
#define VV_DEFAULT_ALLOCATOR_H

#include <varve/allocator.h>

/* Returns the caller's allocator, or one with vv_allocate_own if `allocator` is
 * NULL. */
varve_allocator vv_allocator_or_default(const varve_allocator *allocator);

#endif
