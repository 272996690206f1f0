/* libc_random.h - what the generators of the C library keep to themselves.
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

/* Whose form a state has, and so who can take it; NULL: this library does not
 * give it. */
const char *vv_libc_random_form(enum vv_libc_generator which);

/* The state as it is now: how many words; 0: it has another form than was
 * thought. Its numbers go on as if nobody had asked. */
size_t vv_libc_random_get(
    enum vv_libc_generator which, uint32_t words[VV_LIBC_MOST_WORDS]);

/* Takes one of that form; false for one of another size than there is now, or
 * that is none, and then nothing has changed. */
bool vv_libc_random_set(
    enum vv_libc_generator which, const uint32_t *words, size_t count);

#endif
