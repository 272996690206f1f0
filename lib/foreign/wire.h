/* wire.h - Parses protobuf messages from untrusted bytes, and writes them
 * (protobuf.dev/programming-guides/encoding).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WIRE_H
#define VV_WIRE_H

#include <stdint.h>

#include <varve/error.h>

#include "buffer.h"
#include "foreign.h"

/* --- Reading -------------------------------------------------------------- */

/* Parses protobuf messages from untrusted bytes, field by field
 * (protobuf.dev/programming-guides/encoding).
 *
 * It does not allocate memory or recurse: a nested message is read through its
 * own struct vv_wire. Groups, which are obsolete, are rejected. */

/* --- In memory ------------------------------------------------------------ */

enum vv_wire_type {
    VV_WIRE_VARINT = 0,
    VV_WIRE_FIXED64 = 1,
    VV_WIRE_SIZED = 2,
    VV_WIRE_FIXED32 = 5,
};

struct vv_wire {
    /* to fill in */
    const char *path; /* for error messages */
    const char *what; /* name of the message, for error messages */
    const unsigned char *bytes;
    size_t size;
    size_t at;
    varve_error *error;
};

struct vv_wire_field {
    /* to read */
    uint64_t number; /* field number */
    enum vv_wire_type type;
    uint64_t value;             /* a number, or the size of a sized field */
    const unsigned char *bytes; /* of a sized field */
};

static inline bool vv_wire_has_more(const struct vv_wire *wire)
{
    return wire->at < wire->size;
}

/* Reads the next field; there must be one (vv_wire_has_more). Returns
 * VARVE_CORRUPT if the bytes are not a field. */
varve_status vv_wire_next(struct vv_wire *wire, struct vv_wire_field *field);

/* Returns a reader of the message in a sized field. */
struct vv_wire vv_wire_open(const struct vv_wire *wire,
    const struct vv_wire_field *field, const char *what);

/* Returns VARVE_CORRUPT unless the field has this type. */
varve_status vv_wire_expect(const struct vv_wire *wire,
    const struct vv_wire_field *field, enum vv_wire_type type);

/* Parses a varint: seven bits in each byte, at most 64 bits. Sets *value and
 * returns the end of the number, or NULL if it does not end before `end` or has
 * more than 64 bits. */
const unsigned char *vv_take_varint(
    const unsigned char *bytes, const unsigned char *end, uint64_t *value);

/* --- In a file ------------------------------------------------------------ */

/* Parses protobuf messages in a file, field by field. Fields that are skipped
 * are not read. */

struct vv_wire_file {
    /* to fill in */
    struct vv_window window;
};

/* A range of the file: a message or its remaining part. */
struct vv_wire_part {
    /* to fill in */
    uint64_t at;
    uint64_t end;
};

struct vv_wire_spot {
    /* to fill in */
    uint64_t number; /* of the field */
    enum vv_wire_type type;
    uint64_t value;           /* value of a number */
    struct vv_wire_part part; /* the bytes of the field, of any type */
};

/* Reads the next field of a message, which must not be at its end. `what` is
 * the name of the message in error messages. Returns VARVE_CORRUPT if the bytes
 * are not a field, and VARVE_TRUNCATED if the file ends within it. */
varve_status vv_wire_file_next(struct vv_wire_file *file,
    struct vv_wire_part *message, const char *what, struct vv_wire_spot *spot);

/* Reads the next number of a packed field, or a single number: a varint, or 4
 * or 8 bytes, depending on `type`. */
varve_status vv_wire_file_number(struct vv_wire_file *file,
    struct vv_wire_part *part, enum vv_wire_type type, uint64_t *number);

/* Returns VARVE_CORRUPT unless the field has this type. */
varve_status vv_wire_file_expect(const struct vv_wire_file *file,
    const struct vv_wire_spot *spot, enum vv_wire_type type, const char *what);

/* Appends the bytes of a part to `bytes`. */
varve_status vv_wire_file_take(struct vv_wire_file *file,
    struct vv_wire_part part, struct vv_buffer *bytes);

/* --- Writing -------------------------------------------------------------- */

/* Writes protobuf messages into a buffer
 * (protobuf.dev/programming-guides/encoding).
 *
 * Fields are written in the order of the calls. To produce the same bytes as
 * protobuf, add them in the order of their numbers. A failed allocation is
 * recorded in the buffer. */

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
