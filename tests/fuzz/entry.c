/* entry.c - Contains the libFuzzer entry point. FUZZ_TARGET selects the target
 * that it is built for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(
    uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
    const uint8_t *b, size_t b_size, uint8_t *bytes, size_t room,
    unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_run(FUZZ_TARGET, bytes, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(
    uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    return mutate(bytes, size, room, seed, LLVMFuzzerMutate);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
    const uint8_t *b, size_t b_size, uint8_t *bytes, size_t room,
    unsigned seed)
{
    return mutate_cross(a, a_size, b, b_size, bytes, room, seed);
}
