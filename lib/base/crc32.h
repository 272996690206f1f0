/* crc32.h - the sum of zip and gzip.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CRC32_H
#define VV_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 (RFC 1952, section 8) of bytes that follow others whose CRC is
 * `crc`; 0 for those before the first. */
uint32_t vv_crc32(uint32_t crc, const void *bytes, size_t size);

/* The CRC of bytes that have the first sum, followed by `size` bytes that have
 * the second. The sum is linear, so this is its own inverse: of the sums of the
 * beginning and of the whole it makes that of the last `size` bytes. */
uint32_t vv_crc32_join(uint32_t first, uint32_t second, uint64_t size);

#endif
