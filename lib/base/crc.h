/* crc.h - Computes the 32-bit CRCs of other file formats.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CRC_H
#define VV_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC-32 of zip and gzip (RFC 1952, section 8) of bytes that follow
 * others with the CRC `crc`; 0 before the first bytes. */
uint32_t vv_crc32(uint32_t crc, const void *bytes, size_t size);

/* Like vv_crc32, the CRC-32C (Castagnoli; RFC 3720, appendix B.4) of
 * TensorFlow's tables, records and event files. */
uint32_t vv_crc32c(uint32_t crc, const void *bytes, size_t size);

/* Like the two functions above, without special instructions of the
 * processor. */
uint32_t vv_crc32_by_table(uint32_t crc, const void *bytes, size_t size);
uint32_t vv_crc32c_by_table(uint32_t crc, const void *bytes, size_t size);

/* Masks a CRC that is stored within bytes of which another CRC is computed:
 * rotates it right by 15 bits and adds a constant (TensorFlow's crc32c.h). */
static inline uint32_t vv_crc32c_mask(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

static inline uint32_t vv_crc32c_unmask(uint32_t masked)
{
    uint32_t turned = masked - UINT32_C(0xa282ead8);
    return turned << 15 | turned >> 17;
}

#endif
