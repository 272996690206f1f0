/* program.h - random programs, and small ones made of those that fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_PROGRAM_H
#define MIX_PROGRAM_H

#include "mix/mix.h"

enum { MIX_PROGRAM = 4 * 96 }; /* bytes, at most */

/* A program of a seed; its size. */
size_t mix_random_program(
    uint64_t seed, uint8_t bytes[MIX_PROGRAM], const bool *without);

/* Runs a program in a child; whether it did well. */
bool mix_passes(const struct mix_program *program);

/* Drops operations and arguments for as long as a program fails as it did;
 * prints what is left as calls, and as bytes. */
void mix_shrink(
    uint8_t bytes[MIX_PROGRAM], size_t size, const struct mix_program *how);

#endif
