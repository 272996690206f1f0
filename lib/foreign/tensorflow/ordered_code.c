/* ordered_code.c - Encodes keys; decoding is not needed, because readers
 * compare encoded keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ordered_code.h"

/* Writes the number of bytes, followed by these bytes, the most significant
 * first. */
static void ordered_code_put_number(struct vv_buffer *to, uint64_t value)
{
    unsigned count = 0;
    for (uint64_t v = value; v; v >>= 8)
        count++;
    vv_buffer_add8(to, (uint8_t)count);
    while (count-- > 0)
        vv_buffer_add8(to, (uint8_t)(value >> 8 * count));
}

/* Escapes 00 and ff, so that the terminator 00 01 sorts before all other
 * strings. */
static void ordered_code_put_string(
    struct vv_buffer *to, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t c = (uint8_t)text[i];
        vv_buffer_add8(to, c);
        if (c == 0)
            vv_buffer_add8(to, 0xff);
        else if (c == 0xff)
            vv_buffer_add8(to, 0);
    }
    vv_buffer_add8(to, 0);
    vv_buffer_add8(to, 1);
}

/* Writes two's complement in n bytes for 7n bits. The first bits contain the
 * number of bytes in unary, inverted for negative numbers. */
static void put_signed(struct vv_buffer *to, int64_t value)
{
    uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);
    unsigned n = 1;
    while (n < 10 && magnitude >> (7 * n - 1))
        n++;
    uint8_t bytes[10];
    for (unsigned i = 0; i < n; i++) {
        unsigned shift = 8 * (n - 1 - i);
        uint64_t part = shift < 64  ? (uint64_t)value >> shift
                        : value < 0 ? 0xff
                                    : 0;
        bytes[i] = (uint8_t)part;
    }
    /* n ones and a zero; the first one is the sign bit */
    bytes[0] ^= (uint8_t)(n >= 8 ? 0xff : 0xff << (8 - n));
    if (n > 8)
        bytes[1] ^= (uint8_t)(0xff << (16 - n));
    vv_buffer_add(to, bytes, n);
}

void vv_slice_key(struct vv_buffer *key, const char *name, size_t size,
    uint32_t rank, const int64_t *pairs)
{
    key->size = 0;
    ordered_code_put_number(key, 0);
    ordered_code_put_string(key, name, size);
    ordered_code_put_number(key, rank);
    for (uint32_t i = 0; i < 2 * rank; i++)
        put_signed(key, pairs[i]);
}
