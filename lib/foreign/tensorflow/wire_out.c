/* wire_out.c - Writes numbers, bytes and nested messages in protobuf's wire
 * format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire_out.h"

#include <string.h>

enum wire_type { VARINT = 0, SIZED = 2, FOUR_BYTES = 5 };

size_t vv_wire_put_varint(unsigned char bytes[VV_VARINT_SIZE], uint64_t value)
{
    size_t size = 0;
    for (; value > 127; value >>= 7)
        bytes[size++] = (unsigned char)(value | 128);
    bytes[size++] = (unsigned char)value;
    return size;
}

void vv_wire_varint(struct vv_buffer *b, uint64_t value)
{
    unsigned char bytes[VV_VARINT_SIZE];
    vv_buffer_add(b, bytes, vv_wire_put_varint(bytes, value));
}

static void wire_out_add_key(
    struct vv_buffer *b, unsigned field, enum wire_type type)
{
    vv_wire_varint(b, (uint64_t)field << 3 | type);
}

void vv_wire_number(struct vv_buffer *b, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    wire_out_add_key(b, field, VARINT);
    vv_wire_varint(b, value);
}

void vv_wire_fixed32(struct vv_buffer *b, unsigned field, uint32_t value)
{
    if (value == 0)
        return;
    wire_out_add_key(b, field, FOUR_BYTES);
    vv_buffer_add32(b, value);
}

void vv_wire_bytes(
    struct vv_buffer *b, unsigned field, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    wire_out_add_key(b, field, SIZED);
    vv_wire_varint(b, size);
    vv_buffer_add(b, bytes, size);
}

/* Reserves one byte for the length, because most messages are shorter than 128
 * bytes. */
size_t vv_wire_begin(struct vv_buffer *b, unsigned field)
{
    wire_out_add_key(b, field, SIZED);
    vv_buffer_add8(b, 0);
    return b->size;
}

void vv_wire_end(struct vv_buffer *b, size_t begin)
{
    unsigned char length[VV_VARINT_SIZE];
    size_t size = b->size - begin;
    size_t length_size = vv_wire_put_varint(length, size);
    if (length_size > 1)
        vv_buffer_extend(b, length_size - 1);
    if (b->failed)
        return;
    unsigned char *at = b->data + begin - 1;
    memmove(at + length_size, at + 1, size);
    memcpy(at, length, length_size);
}
