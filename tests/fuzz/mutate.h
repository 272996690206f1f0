/* mutate.h - Declares mutations that keep the checksums of a file valid.
 *
 * A file is taken apart, an element is changed, and the checksums are
 * recomputed. Sometimes one of them is left wrong, and sometimes raw bytes are
 * changed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mutates raw bytes without regard to the format: LLVMFuzzerMutate or
 * mutate_plainly. */
typedef size_t mutate_bytes(uint8_t *bytes, size_t size, size_t room);

/* The implementation for runs without libFuzzer. Its random numbers depend on
 * the seed of the mutation that calls it. */
size_t mutate_plainly(uint8_t *bytes, size_t size, size_t room);

/* Mutates an input in place, within `room` bytes. Returns the new size, which
 * is at least 1. */
size_t mutate(uint8_t *bytes, size_t size, size_t room, uint64_t seed,
    mutate_bytes *plainly);

/* Inserts entries of the index of one input into the other. Returns 0 if the
 * inputs cannot be combined. */
size_t mutate_cross(const uint8_t *a, size_t a_size, const uint8_t *b,
    size_t b_size, uint8_t *bytes, size_t room, uint64_t seed);

#endif
