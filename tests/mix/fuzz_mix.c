/* fuzz_mix.c - Contains the libFuzzer entry point, whose input is a program.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "mix/place.h"
#include "mix/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char place[64];

static void remove_place(void)
{
    mix_place_remove(place);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!place[0]) {
        mix_place_make(place, sizeof place);
        atexit(remove_place);
    }
    mix_run(&(struct mix_program){ bytes, size, place, false, NULL });
    return 0;
}
