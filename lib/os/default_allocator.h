/* default_allocator.h - the memory of a program that brings no allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DEFAULT_ALLOCATOR_H
#define VV_DEFAULT_ALLOCATOR_H

#include <varve/allocator.h>

/* The caller's allocator, or vv_allocate_own where it gave none. */
varve_allocator vv_allocator_or_default(const varve_allocator *allocator);

#endif
