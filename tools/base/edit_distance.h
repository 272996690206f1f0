/* edit_distance.h - Measures how much two words differ.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EDIT_DISTANCE_H
#define EDIT_DISTANCE_H

#include <stddef.h>

/* Returns the number of insertions, removals and replacements that turn one
 * word into the other, or `most` + 1 if it is greater than `most`. */
size_t edit_distance(const char *a, const char *b, size_t most);

#endif
