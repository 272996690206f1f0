/* wire_in.h - messages of protobuf pulled field by field from untrusted bytes
 * (protobuf.dev/programming-guides/encoding).
 *
 * Nothing is allocated, nothing recurses: a message in a message is read with a
 * wire of its own. Groups, which were never used here, are refused.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WIRE_IN_H
#define VV_WIRE_IN_H

#include <varve/error.h>

enum vv_wire_type {
    VV_WIRE_VARINT = 0,
    VV_WIRE_FIXED64 = 1,
    VV_WIRE_SIZED = 2,
    VV_WIRE_FIXED32 = 5,
};

struct vv_wire {
    /* to fill in */
    const char *path; /* for messages */
    const char *what; /* which message it is */
    const unsigned char *bytes;
    size_t size;
    size_t at;
    varve_error *error;
};

struct vv_wire_field {
    /* to read */
    uint64_t number; /* of the field */
    enum vv_wire_type type;
    uint64_t value;             /* a number; of a sized one its size */
    const unsigned char *bytes; /* of a sized one */
};

static inline bool vv_wire_has_more(const struct vv_wire *wire)
{
    return wire->at < wire->size;
}

/* The next field, if there is more. VARVE_CORRUPT for bytes that are none. */
varve_status vv_wire_next(struct vv_wire *wire, struct vv_wire_field *field);

/* The message in a sized field. */
struct vv_wire vv_wire_open(const struct vv_wire *wire,
    const struct vv_wire_field *field, const char *what);

/* VARVE_CORRUPT unless the field has this type. */
varve_status vv_wire_expect(const struct vv_wire *wire,
    const struct vv_wire_field *field, enum vv_wire_type type);

/* Seven bits a byte from `bytes`, at most 64 in all: the number, and where it
 * ends; NULL where it does not by `end`, or is longer than 10 bytes. */
const unsigned char *vv_take_varint(
    const unsigned char *bytes, const unsigned char *end, uint64_t *value);

#endif
