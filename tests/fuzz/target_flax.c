/* target_flax.c - Fuzzes Flax files.
 *
 * An input that begins with a map is used as a file. Any other input is
 * embedded as an item, after an array from which the format is detected.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/places.h"

static void run_item(const uint8_t *item, size_t size)
{
    static const uint8_t head[] =
        "\x82\xa1w\xc7\x0a\1\x93\x90\xa4" "bool\xc4\1\1\xa1x";
    size_t before = sizeof head - 1;
    /* allocated exactly, so that reads past the end are detected */
    uint8_t *file = malloc(before + size);
    memcpy(file, head, before);
    memcpy(file + before, item, size);
    places_run(file, before + size);
    free(file);
}

void fuzz_flax(const uint8_t *bytes, size_t size)
{
    if (size == 0 || (bytes[0] & 0xf0) == 0x80)
        places_run(bytes, size);
    else
        run_item(bytes, size);
}
