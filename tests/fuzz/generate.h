/* generate.h - valid files of random graphs, written by the library itself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include <stddef.h>
#include <stdint.h>

/* The same seed gives the same file; its size, or 0 if it needs more room. Many
 * names and shapes are those of the program of fuzz_restore. */
size_t generate(uint64_t seed, uint8_t *bytes, size_t room);

#endif
