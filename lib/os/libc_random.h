/* libc_random.h - Reads and sets the internal state of the random generators of
 * the C library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LIBC_RANDOM_H
#define VV_LIBC_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vv_libc_generator { VV_LIBC_RAND, VV_LIBC_RANDOM, VV_LIBC_DRAND48 };

enum { VV_LIBC_MOST_WORDS = 64 };

/* Returns the name of the form of a state, which determines where it can be
 * set; NULL if this C library does not provide the state. */
const char *vv_libc_random_form(enum vv_libc_generator which);

/* Copies the current state and returns its number of words, or 0 if it has an
 * unknown form. The sequence of numbers is not affected. */
size_t vv_libc_random_get(
    enum vv_libc_generator which, uint32_t words[VV_LIBC_MOST_WORDS]);

/* Sets a state of that form. Returns false without a change if it is invalid or
 * its size differs from that of the current state. */
bool vv_libc_random_set(
    enum vv_libc_generator which, const uint32_t *words, size_t count);

#endif
