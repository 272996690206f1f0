/* crc.h - the sums of 32 bits that files of others carry.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CRC_H
#define VV_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of zip and gzip (RFC 1952, section 8) of bytes that follow others
 * whose CRC is `crc`; 0 for those before the first. */
uint32_t vv_crc32(uint32_t crc, const void *bytes, size_t size);

/* Likewise the CRC-32C (Castagnoli; RFC 3720, appendix B.4) of TensorFlow's
 * tables, records and event files. */
uint32_t vv_crc32c(uint32_t crc, const void *bytes, size_t size);

/* The same two, as a processor without an instruction for them has them. */
uint32_t vv_crc32_by_table(uint32_t crc, const void *bytes, size_t size);
uint32_t vv_crc32c_by_table(uint32_t crc, const void *bytes, size_t size);

/* What is stored for a CRC where it stands among the bytes of a further one:
 * rotated right by 15 bits, plus a constant (TensorFlow's crc32c.h). */
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
