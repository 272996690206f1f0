/* copy.h - copies of much that will not be read soon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_COPY_H
#define VV_COPY_H

#include <stddef.h>

/* As memcpy, but past the caches where the machine can: what is written is not
 * read from memory first. Less than 4096 bytes are copied as usual. */
void vv_copy_past_caches(void *to, const void *from, size_t size);

#endif
