/* mutate.h - changes that a checksum does not stop.
 *
 * A file is taken apart, something in it is bent, and it is sealed again; now
 * and then with something left wrong, and now and then as mere bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes bytes that it knows nothing of: LLVMFuzzerMutate, or ours. */
typedef size_t mutate_bytes(uint8_t *bytes, size_t size, size_t room);

/* The one for runs without libFuzzer; its numbers follow from the seed of the
 * mutation in which it is called. */
size_t mutate_plainly(uint8_t *bytes, size_t size, size_t room);

/* Changes an input in place, within `room` bytes; its new size, at least 1. */
size_t mutate(uint8_t *bytes, size_t size, size_t room, uint64_t seed,
    mutate_bytes *plainly);

/* Two inputs: entries of one index in the other. 0 if they do not mix. */
size_t mutate_cross(const uint8_t *a, size_t a_size, const uint8_t *b,
    size_t b_size, uint8_t *bytes, size_t room, uint64_t seed);

#endif
