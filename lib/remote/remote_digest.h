/* remote_digest.h - the two sums that stores know bytes by.
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
    VV_REMOTE_MOST_TEXT = 2 * VV_REMOTE_SHA256_SIZE + 1 /* of a sum */
};

/* SHA-256, which a signature is of. Whether there is memory for it. */
bool vv_remote_sha256(const void *bytes, size_t size,
    unsigned char digest[VV_REMOTE_SHA256_SIZE]);

/* MD5, which tags are of. Whether there is memory for it, and this machine has
 * it. */
bool vv_remote_md5(
    const void *bytes, size_t size, unsigned char digest[VV_REMOTE_MD5_SIZE]);

/* A sum of at most 32 bytes as hexadecimal digits, and as base 64. */
void vv_remote_hex(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT]);
void vv_remote_base64(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT]);

#endif
