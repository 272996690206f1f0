/* value_pages.h - memory of the system for large values, in huge pages.
 *
 * Touching 1 GiB for the first time takes 0.4 s with pages of 4 KiB and 0.13 s
 * with those of 2 MiB. A block of malloc has its size before it: that touches
 * its first page, and where it ends within a huge page as well the next block
 * keeps it from being one. So values lie side by side in regions that nobody
 * else has, and nothing is written there before their bytes come.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_PAGES_H
#define VV_VALUE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Not under a sanitizer, which knows the bounds of blocks but not of what lies
 * in pages, and on Linux only. */
bool vv_has_value_pages(void);

/* See struct vv_memory, in base/allocator.h. */
void *vv_value_map(size_t size);
void vv_value_unmap(void *value, size_t size);

/* A hint. */
void vv_ask_for_huge_pages(void *block, size_t size);

#endif
