/* crc_table.h - a CRC of 32 reflected bits, eight bytes at a time by eight
 * tables: table[0][b] is the remainder of the byte b, table[k][b] that of b
 * followed by k zero bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CRC_TABLE_H
#define VV_CRC_TABLE_H

#include <stddef.h>

#include "bytes.h"

static inline uint32_t vv_crc_add_eight(
    const uint32_t table[8][256], uint32_t crc, const unsigned char *bytes)
{
    uint32_t low = vv_load32(bytes) ^ crc;
    uint32_t high = vv_load32(bytes + 4);
    return table[7][low & 255] ^ table[6][low >> 8 & 255] ^
           table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
           table[3][high & 255] ^ table[2][high >> 8 & 255] ^
           table[1][high >> 16 & 255] ^ table[0][high >> 24];
}

/* The CRC of bytes that follow others whose CRC is `crc`. */
static inline uint32_t vv_crc_add(const uint32_t table[8][256], uint32_t crc,
    const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8)
        crc = vv_crc_add_eight(table, crc, at);
    for (; size > 0; size--, at++)
        crc = crc >> 8 ^ table[0][(crc ^ *at) & 255];
    return ~crc;
}

#endif
