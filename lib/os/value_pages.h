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

#include "allocator.h"

/* What there is: under a sanitizer, which knows the bounds of blocks but not of
 * what lies in pages, and on other systems than Linux, no `map`. */
const struct vv_pages *vv_value_pages(void);

#endif
