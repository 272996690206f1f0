/* remote_digest.h - Computes the checksums that stores use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_DIGEST_H
#define VV_REMOTE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
    VV_REMOTE_MD5_SIZE = 16,
    VV_REMOTE_SHA256_SIZE = 32,
    /* size of the text of a checksum */
    VV_REMOTE_MOST_TEXT = 2 * VV_REMOTE_SHA256_SIZE + 1
};

/* Computes SHA-256, which signatures use. Returns false if there is no
 * memory. */
bool vv_remote_sha256(const void *bytes, size_t size,
    unsigned char digest[VV_REMOTE_SHA256_SIZE]);

/* Computes MD5, which ETags use. Returns false if there is no memory or the
 * system does not provide MD5. */
bool vv_remote_md5(
    const void *bytes, size_t size, unsigned char digest[VV_REMOTE_MD5_SIZE]);

/* Write a checksum of at most 32 bytes as hexadecimal digits or in base 64. */
void vv_remote_hex(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT]);
void vv_remote_base64(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT]);

#endif
