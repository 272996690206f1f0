/* shapes.h - hostile files: deep, wide, tangled, shared.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_SHAPES_H
#define FUZZ_SHAPES_H

#include <stddef.h>
#include <stdint.h>

/* The name of a shape; NULL behind the last. */
const char *shape_name(size_t number);

/* Makes a file of that shape, one `part`th of a megabyte or so, in `room`
 * bytes. Returns its size; 0: there is no room. */
size_t shape_make(
    size_t number, uint32_t part, uint8_t *file, size_t room);

#endif
