/* random_key.h - Derives the key of a random stream from seeds and names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RANDOM_KEY_H
#define VV_RANDOM_KEY_H

#include <stddef.h>
#include <stdint.h>

/* Sets the key to the XXH3-128, lower half first, of up to two numbers (8 bytes
 * each, little-endian) and the XXH3-128 of a text. */
void vv_random_key(
    uint64_t key[2], const uint64_t *numbers, size_t count, const char *text);

#endif
