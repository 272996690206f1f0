/* planes.h - the bytes of elements put apart, the first ones of all, then the
 * second ones, and so on; and together again. What does not make up a whole
 * element stands behind them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PLANES_H
#define VV_PLANES_H

#include <stddef.h>
#include <stdint.h>

/* `planes` is 2, 4 or 8: bytes of an element. The memory does not overlap. */
void vv_planes_split(
    uint8_t *to, const uint8_t *from, size_t size, unsigned planes);
void vv_planes_join(
    uint8_t *to, const uint8_t *from, size_t size, unsigned planes);

#endif
