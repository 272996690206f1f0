/* byte_shuffle.h - the bytes of elements put apart, the first ones of all to
 * one place, the second ones to another, and so on; and together again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PLANES_H
#define VV_PLANES_H

#include <stddef.h>
#include <stdint.h>

/* `planes` is 2, 4 or 8: bytes of an element, and places, which lie anywhere.
 * The memory does not overlap. */
void vv_planes_split(
    uint8_t *const *to, const uint8_t *from, size_t count, unsigned planes);
void vv_planes_join(
    uint8_t *to, const uint8_t *const *from, size_t count, unsigned planes);

#endif
