/* program.h - Declares random programs and their reduction after a failure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_PROGRAM_H
#define MIX_PROGRAM_H

#include "mix/mix.h"

enum { MIX_PROGRAM = 4 * 96 }; /* maximum size in bytes */

/* Generates the program of a seed and returns its size. */
size_t mix_random_program(
    uint64_t seed, uint8_t bytes[MIX_PROGRAM], const bool *without);

/* Runs a program in a child process. Returns true if it succeeded. */
bool mix_passes(const struct mix_program *program);

/* Removes operations and simplifies arguments while the program fails in the
 * same way. Prints the result as calls and as bytes. */
void mix_shrink(
    uint8_t bytes[MIX_PROGRAM], size_t size, const struct mix_program *how);

#endif
