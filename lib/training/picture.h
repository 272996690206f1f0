/* picture.h - pixels as a PNG (ISO/IEC 15948), not compressed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICTURE_H
#define VV_PICTURE_H

#include "buffer.h"

/* The most bytes of a PNG, and of what one is made of. */
#define VV_PNG_MOST_BYTES ((size_t)1 << 30)

/* Whether such a picture can be made a PNG: 1, 3 or 4 channels, not empty, and
 * with a byte for each row at most VV_PNG_MOST_BYTES. */
bool vv_png_can_hold(uint32_t width, uint32_t height, unsigned channels);

/* Appends a PNG of 8 bits a channel: gray, RGB or RGBA for 1, 3 or 4 channels.
 * Pixels run from the upper left, row by row. It can hold them. */
void vv_png_add(struct vv_buffer *b, const unsigned char *pixels,
    uint32_t width, uint32_t height, unsigned channels);

/* What the beginning of a PNG says of it; false where there is none, or it is
 * larger than VV_PNG_MOST_BYTES. */
bool vv_png_look(const unsigned char *bytes, size_t size, uint32_t *width,
    uint32_t *height, unsigned *channels);

#endif
