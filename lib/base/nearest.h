/* nearest.h - which name may have been meant, for hints in messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NEAREST_H
#define VV_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Longer names are not compared but for being equal. */
enum { VV_NEAREST_MAX_SIZE = 64 };

/* How many bytes have to be put in, left out or replaced to make `b` of `a`
 * (Levenshtein); bound + 1 when that is more than `bound`. */
size_t vv_edit_distance(
    const char *a, size_t a_size, const char *b, size_t b_size, size_t bound);

/* Whether two names are so much alike that the one is worth naming where the
 * other was not found: few edits for their length, or one is a part of at least
 * three bytes of the other, as "enc" is of "encoder". */
bool vv_is_near(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
