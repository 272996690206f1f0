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

#endif
