/* copy.h - Copies large blocks that will not be read soon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COPY_H
#define VV_COPY_H

#include <stddef.h>
#include <string.h>

/* The least number of bytes that are not copied as usual. */
enum { VV_LEAST_PAST_CACHES = 4096 };

/* Implements vv_copy_past_caches for at least so many bytes. */
void vv_copy_large_past_caches(void *to, const void *from, size_t size);

/* Like memcpy, with non-temporal stores if the machine has them: the
 * destination is not loaded into the caches. Less than 4096 bytes are copied as
 * usual. */
static inline void vv_copy_past_caches(void *to, const void *from, size_t size)
{
    if (size < VV_LEAST_PAST_CACHES)
        memcpy(to, from, size);
    else
        vv_copy_large_past_caches(to, from, size);
}

#endif
