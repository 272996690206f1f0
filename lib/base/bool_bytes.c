/* bool_bytes.c - Tests bytes block by block.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bool_bytes.h"

#include <stdint.h>
#include <string.h>

size_t vv_bool_bytes_find(const void *bytes, size_t size)
{
    /* all bits except the lowest of each byte */
    const uint64_t wrong = UINT64_C(0xfefefefefefefefe);
    const unsigned char *from = bytes;
    uint64_t block[8]; /* tested together */
    size_t at = 0;
    for (; size - at >= sizeof block; at += sizeof block) {
        uint64_t all = 0;
        memcpy(block, from + at, sizeof block);
        for (size_t i = 0; i < sizeof block / sizeof *block; i++)
            all |= block[i];
        if (all & wrong)
            break;
    }
    while (at < size && from[at] <= 1)
        at++;
    return at;
}
