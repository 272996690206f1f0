/* picture.h - Writes pixels as an uncompressed PNG (ISO/IEC 15948).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICTURE_H
#define VV_PICTURE_H

#include "buffer.h"

/* Largest size of a PNG, and of its pixels. */
#define VV_PNG_MOST_BYTES ((size_t)1 << 30)

/* Returns true if a picture can be written as a PNG: 1, 3 or 4 channels, not
 * empty, and at most VV_PNG_MOST_BYTES with one more byte per row. */
bool vv_png_can_hold(uint32_t width, uint32_t height, unsigned channels);

/* Appends a PNG with 8 bits per channel: gray, RGB or RGBA for 1, 3 or 4
 * channels. Pixels start at the upper left, row by row. vv_png_can_hold must be
 * true. */
void vv_png_add(struct vv_buffer *b, const unsigned char *pixels,
    uint32_t width, uint32_t height, unsigned channels);

/* Reads size and channels from the start of a PNG. Returns false if it is not a
 * PNG or is larger than VV_PNG_MOST_BYTES. */
bool vv_png_look(const unsigned char *bytes, size_t size, uint32_t *width,
    uint32_t *height, unsigned *channels);

#endif
