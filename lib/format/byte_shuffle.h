/* byte_shuffle.h - Shuffles the bytes of elements into planes: the first bytes
 * of all elements, then all second bytes, and so on. vv_planes_join reverses
 * this.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PLANES_H
#define VV_PLANES_H

#include <stddef.h>
#include <stdint.h>

/* Convert between `count` elements and their planes. `planes` is 2, 4 or 8, the
 * size of an element. Each plane can be at any address. Memory must not
 * overlap. */
void vv_planes_split(
    uint8_t *const *to, const uint8_t *from, size_t count, unsigned planes);
void vv_planes_join(
    uint8_t *to, const uint8_t *const *from, size_t count, unsigned planes);

#endif
