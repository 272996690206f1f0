/* shapes.h - Declares hostile files with deep, wide, cyclic or shared
 * structure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_SHAPES_H
#define FUZZ_SHAPES_H

#include <stddef.h>
#include <stdint.h>

/* Returns the name of a shape, or NULL after the last one. */
const char *shape_name(size_t number);

/* Makes a file of a shape, of about a `part`th of a megabyte. Returns its size,
 * or 0 if it needs more than `room` bytes. */
size_t shape_make(
    size_t number, uint32_t part, uint8_t *file, size_t room);

#endif
