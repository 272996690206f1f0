/* wire_out.h - messages of protobuf into a buffer
 * (protobuf.dev/programming-guides/encoding).
 *
 * Fields are added in the order of the calls, which is that of their numbers
 * where the bytes are to be those that protobuf itself writes. A failed
 * allocation sticks in the buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WIRE_OUT_H
#define VV_WIRE_OUT_H

#include <stdint.h>

#include "buffer.h"

enum { VV_VARINT_SIZE = 10 }; /* the most bytes of one number */

/* Seven bits a byte, the lowest first; the top bit says that more come. How
 * many bytes it takes. */
size_t vv_wire_put_varint(unsigned char bytes[VV_VARINT_SIZE], uint64_t value);

/* The same at the end of a buffer, without a field. */
void vv_wire_varint(struct vv_buffer *b, uint64_t value);

/* Fields of proto3, which leaves out zeros and empty bytes. */
void vv_wire_number(struct vv_buffer *b, unsigned field, uint64_t value);
void vv_wire_fixed32(struct vv_buffer *b, unsigned field, uint32_t value);
void vv_wire_bytes(
    struct vv_buffer *b, unsigned field, const void *bytes, size_t size);

/* A message in a field, which is there even if it is empty: what is added
 * between the two calls. `begin` is what the first returned. */
size_t vv_wire_begin(struct vv_buffer *b, unsigned field);
void vv_wire_end(struct vv_buffer *b, size_t begin);

#endif
