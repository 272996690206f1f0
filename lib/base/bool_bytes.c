/* bool_bytes.c - finds bytes that no C bool can have, a block at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bool_bytes.h"

#include <stdint.h>
#include <string.h>

enum { WORDS = 8 }; /* of a block, which are tested together */

/* All bits but the lowest of each byte. */
#define MASK UINT64_C(0xfefefefefefefefe)

size_t vv_bool_bytes_find(const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    uint64_t block[WORDS];
    size_t at = 0;
    for (; size - at >= sizeof block; at += sizeof block) {
        uint64_t all = 0;
        memcpy(block, from + at, sizeof block);
        for (int i = 0; i < WORDS; i++)
            all |= block[i];
        if (all & MASK)
            break;
    }
    while (at < size && from[at] <= 1)
        at++;
    return at;
}
