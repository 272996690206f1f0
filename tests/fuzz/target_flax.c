/* target_flax.c - files of Flax.
 *
 * What begins with a map is a file as it is. Anything else is an item of one,
 * behind an array, by which the file is known.
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
    uint8_t *file = malloc(before + size); /* no room to read past */
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
