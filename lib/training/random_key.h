/* random_key.h - from seeds and names to the key of a stream, and from a place
 * in the graph to a stream there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RANDOM_KEY_H
#define VV_RANDOM_KEY_H

#include <stddef.h>
#include <stdint.h>

/* The XXH3-128 of up to two numbers, 8 bytes each, least significant first, and
 * of the XXH3-128 of a text: the lower half, then the upper one. */
void vv_random_key(
    uint64_t key[2], const uint64_t *numbers, size_t count, const char *text);

#endif
