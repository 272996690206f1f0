/* hex.h - Converts expected bytes from text: pairs of hexadecimal digits, and
 * white space.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HEX_H
#define HEX_H

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static inline unsigned char *hex_bytes(const char *text, size_t *size)
{
    unsigned char *bytes = malloc(strlen(text) / 2 + 1);
    *size = 0;
    while (*(text += strspn(text, " \n"))) {
        char pair[3] = { text[0], text[1], '\0' };
        bytes[(*size)++] = (unsigned char)strtoul(pair, NULL, 16);
        text += 2;
    }
    return bytes;
}

static inline bool hex_equal(
    const void *bytes, size_t size, const char *text)
{
    size_t expected_size;
    unsigned char *expected = hex_bytes(text, &expected_size);
    bool is_equal = size == expected_size &&
                    (size == 0 || memcmp(bytes, expected, size) == 0);
    free(expected);
    return is_equal;
}

#endif
