/* default_allocator.h - Provides the default allocator, and the pages of large
 * values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DEFAULT_ALLOCATOR_H
#define VV_DEFAULT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

#include <varve/allocator.h>

/* --- Pages of values ------------------------------------------------------ */

/* Allocates large values directly from the system, in huge pages.
 *
 * The first access to 1 GiB takes 0.4 s with pages of 4 KiB and 0.13 s with
 * pages of 2 MiB. malloc writes the size before a block, which touches its
 * first page; if the block ends within a huge page, the next block prevents
 * that page from becoming one. So values are placed side by side in regions of
 * their own, and nothing is written there before their bytes. */

/* Returns true on Linux without sanitizers. These can check the bounds of
 * malloc blocks only. */
bool vv_has_value_pages(void);

/* See struct vv_memory in base/allocator.h. */
void *vv_value_map(size_t size);
void vv_value_unmap(void *value, size_t size);

/* Advises the system to use huge pages. */
void vv_advise_huge_pages(void *block, size_t size);

/* --- The allocator -------------------------------------------------------- */

/* Provides the default allocator. */

/* Returns the caller's allocator, or one with vv_allocate_own if `allocator` is
 * NULL. */
varve_allocator vv_allocator_or_default(const varve_allocator *allocator);

#endif
