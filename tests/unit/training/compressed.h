/* compressed.h - Provides the files of tests/golden/compressed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_COMPRESSED_H
#define UNIT_COMPRESSED_H

#include <stdio.h>
#include <stdlib.h>

/* Returns the content, to be freed, with room for `more` bytes. */
static inline unsigned char *read_compressed(
    const char *name, size_t *size, size_t more)
{
    char path[4096];
    snprintf(path, sizeof path, GOLDEN "/compressed/%s", name);
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = malloc((1 << 17) + more);
    cr_assert(file && bytes, "%s", path);
    *size = fread(bytes, 1, 1 << 17, file);
    fclose(file);
    return bytes;
}

#endif
