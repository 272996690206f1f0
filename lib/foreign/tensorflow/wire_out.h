/* wire_out.h - Writes protobuf messages into a buffer
 * (protobuf.dev/programming-guides/encoding).
 *
 * Fields are written in the order of the calls. To produce the same bytes as
 * protobuf, add them in the order of their numbers. A failed allocation is
 * recorded in the buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WIRE_OUT_H
#define VV_WIRE_OUT_H

#include <stdint.h>

#include "buffer.h"

enum { VV_VARINT_SIZE = 10 }; /* maximum size of one number */

/* Writes a varint: seven bits per byte, the least significant first; the top
 * bit is set in all bytes but the last. Returns the number of bytes. */
size_t vv_wire_put_varint(unsigned char bytes[VV_VARINT_SIZE], uint64_t value);

/* Appends a varint without a field number. */
void vv_wire_varint(struct vv_buffer *b, uint64_t value);

/* Add fields of proto3. Zeros and empty bytes are left out. */
void vv_wire_number(struct vv_buffer *b, unsigned field, uint64_t value);
void vv_wire_fixed32(struct vv_buffer *b, unsigned field, uint32_t value);
void vv_wire_bytes(
    struct vv_buffer *b, unsigned field, const void *bytes, size_t size);

/* vv_wire_begin begins a nested message, which is written even if it is empty;
 * vv_wire_end ends it. `begin` is the return value of vv_wire_begin. */
size_t vv_wire_begin(struct vv_buffer *b, unsigned field);
void vv_wire_end(struct vv_buffer *b, size_t begin);

#endif
