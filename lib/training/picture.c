/* picture.c - Writes a PNG whose only data chunk is a zlib stream (RFC 1950) of
 * stored blocks (RFC 1951, 3.2.4). It needs two checksums, and no compressor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "picture.h"

#include <string.h>

enum { MOST_IN_BLOCK = 65535 };

static const unsigned char signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n',
    0x1a, '\n' };

static void add_big_endian(struct vv_buffer *b, uint32_t value)
{
    unsigned char bytes[4] = { (unsigned char)(value >> 24),
        (unsigned char)(value >> 16), (unsigned char)(value >> 8),
        (unsigned char)value };
    vv_buffer_add(b, bytes, sizeof bytes);
}

/* Returns the CRC-32 of ISO 3309. Making the table is cheap compared with the
 * checksum. */
static uint32_t crc32_of(const unsigned char *bytes, size_t size)
{
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    return ~crc;
}

static size_t begin_chunk(struct vv_buffer *b, uint32_t size, const char *type)
{
    add_big_endian(b, size);
    size_t begin = b->size;
    vv_buffer_add(b, type, 4);
    return begin;
}

static void end_chunk(struct vv_buffer *b, size_t begin)
{
    if (!b->failed)
        add_big_endian(b, crc32_of(b->data + begin, b->size - begin));
}

/* The state of the zlib stream. */
struct stream {
    struct vv_buffer *b;
    size_t left;        /* remaining bytes of the stream */
    size_t in_block;    /* remaining bytes of the block */
    uint32_t low, high; /* Adler-32 */
};

static void picture_begin_block(struct stream *s)
{
    size_t size = s->left < MOST_IN_BLOCK ? s->left : MOST_IN_BLOCK;
    unsigned char header[5] = { size == s->left, (unsigned char)size,
        (unsigned char)(size >> 8), (unsigned char)~size,
        (unsigned char)(~size >> 8) };
    vv_buffer_add(s->b, header, sizeof header);
    s->in_block = size;
}

static void sum_adler(struct stream *s, const unsigned char *bytes, size_t size)
{
    enum { BASE = 65521, MOST_BEFORE_OVERFLOW = 5552 };
    for (size_t i = 0; i < size;) {
        size_t end =
            size - i < MOST_BEFORE_OVERFLOW ? size : i + MOST_BEFORE_OVERFLOW;
        for (; i < end; i++) {
            s->low += bytes[i];
            s->high += s->low;
        }
        s->low %= BASE;
        s->high %= BASE;
    }
}

static void add_to_stream(
    struct stream *s, const unsigned char *bytes, size_t size)
{
    sum_adler(s, bytes, size);
    while (size > 0) {
        if (s->in_block == 0)
            picture_begin_block(s);
        size_t part = size < s->in_block ? size : s->in_block;
        vv_buffer_add(s->b, bytes, part);
        bytes += part;
        size -= part;
        s->in_block -= part;
        s->left -= part;
    }
}

static void picture_add_header(
    struct vv_buffer *b, uint32_t width, uint32_t height, unsigned channels)
{
    static const unsigned char color_types[] = { [1] = 0, [3] = 2, [4] = 6 };
    unsigned char rest[5] = { 8, color_types[channels], 0, 0, 0 };
    size_t begin = begin_chunk(b, 13, "IHDR");
    add_big_endian(b, width);
    add_big_endian(b, height);
    vv_buffer_add(b, rest, sizeof rest);
    end_chunk(b, begin);
}

void vv_png_add(struct vv_buffer *b, const unsigned char *pixels,
    uint32_t width, uint32_t height, unsigned channels)
{
    static const unsigned char filter = 0; /* no filter, before each row */
    size_t row = (size_t)width * channels;
    size_t size = height * (row + 1);
    size_t blocks = (size + MOST_IN_BLOCK - 1) / MOST_IN_BLOCK;
    vv_buffer_add(b, signature, sizeof signature);
    picture_add_header(b, width, height, channels);
    size_t begin = begin_chunk(b, (uint32_t)(size + 5 * blocks + 6), "IDAT");
    vv_buffer_add(b, "\x78\x01", 2);
    struct stream s = { .b = b, .left = size, .low = 1 };
    for (uint32_t y = 0; y < height; y++) {
        add_to_stream(&s, &filter, 1);
        add_to_stream(&s, pixels + y * row, row);
    }
    add_big_endian(b, s.high << 16 | s.low);
    end_chunk(b, begin);
    end_chunk(b, begin_chunk(b, 0, "IEND"));
}

bool vv_png_can_hold(uint32_t width, uint32_t height, unsigned channels)
{
    if (channels != 1 && channels != 3 && channels != 4)
        return false;
    if (width == 0 || height == 0 || width > VV_PNG_MOST_BYTES / channels)
        return false;
    return height <= VV_PNG_MOST_BYTES / ((size_t)width * channels + 1);
}

static uint32_t load_big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

bool vv_png_look(const unsigned char *bytes, size_t size, uint32_t *width,
    uint32_t *height, unsigned *channels)
{
    /* Channels: gray, RGB, palette (of RGB), gray and alpha, RGBA. */
    static const unsigned char counts[] = { 1, 0, 3, 3, 2, 0, 4 };
    if (size < 33 || size > VV_PNG_MOST_BYTES ||
        memcmp(bytes, signature, sizeof signature) != 0 ||
        memcmp(bytes + 12, "IHDR", 4) != 0 || bytes[25] > 6)
        return false;
    *width = load_big_endian(bytes + 16);
    *height = load_big_endian(bytes + 20);
    *channels = counts[bytes[25]];
    return *channels && *width && *height && !(*width >> 31) &&
           !(*height >> 31);
}
