/* sha256.h - Declares SHA-256 (FIPS 180-4), which other programs use for
 * values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

#define SHA256_TEXT_SIZE 65

/* Writes the digest in hexadecimal with a terminating NUL. Returns `text`. */
char *sha256_text(const void *bytes, size_t size, char *text);

#endif
