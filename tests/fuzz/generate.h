/* generate.h - Generates valid files of random graphs with the library itself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include <stddef.h>
#include <stdint.h>

/* Writes the file for a seed. The same seed always gives the same file. Returns
 * its size, or 0 if `room` is too small. Many names and shapes are those of the
 * program of fuzz_restore. */
size_t generate(uint64_t seed, uint8_t *bytes, size_t room);

#endif
