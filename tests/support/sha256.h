/* sha256.h - the digest (FIPS 180-4) that other programs say of values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

#define SHA256_TEXT_SIZE 65

/* Writes the digest in hexadecimal, with its NUL; returns `text`. */
char *sha256_text(const void *bytes, size_t size, char *text);

#endif
