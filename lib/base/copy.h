/* copy.h - Copies large blocks that will not be read soon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COPY_H
#define VV_COPY_H

#include <stddef.h>

/* Like memcpy, with non-temporal stores if the machine has them: the
 * destination is not loaded into the caches. Less than 4096 bytes are copied as
 * usual. */
void vv_copy_past_caches(void *to, const void *from, size_t size);

#endif
