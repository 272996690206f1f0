/* remote_digest.c - Computes checksums with OpenSSL.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_digest.h"

#include <openssl/evp.h>

bool vv_remote_sha256(
    const void *bytes, size_t size, unsigned char digest[VV_REMOTE_SHA256_SIZE])
{
    return EVP_Q_digest(NULL, "SHA256", NULL, bytes, size, digest, NULL) == 1;
}

/* MD5 is not used for security here, so "-fips" permits it on systems that
 * restrict algorithms. */
bool vv_remote_md5(
    const void *bytes, size_t size, unsigned char digest[VV_REMOTE_MD5_SIZE])
{
    return EVP_Q_digest(NULL, "MD5", "-fips", bytes, size, digest, NULL) == 1;
}

void vv_remote_hex(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *text++ = digits[digest[i] >> 4];
        *text++ = digits[digest[i] & 15];
    }
    *text = '\0';
}

void vv_remote_base64(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT])
{
    EVP_EncodeBlock((unsigned char *)text, digest, (int)size);
}
