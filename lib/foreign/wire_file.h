/* wire_file.h - messages of protobuf in a file, field by field: what is passed
 * over is not read, however large it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WIRE_FILE_H
#define VV_WIRE_FILE_H

#include <varve/error.h>

#include "buffer.h"
#include "window.h"
#include "wire_in.h"

struct vv_wire_file {
    /* to fill in */
    struct vv_window window;
};

/* Bytes of the file: a message, or what is left of one. */
struct vv_wire_part {
    /* to fill in */
    uint64_t at;
    uint64_t end;
};

struct vv_wire_spot {
    /* to fill in */
    uint64_t number; /* of the field */
    enum vv_wire_type type;
    uint64_t value;           /* a number */
    struct vv_wire_part part; /* the bytes of any */
};

/* The next field of a message that has more, which goes on behind it. `what` is
 * the message, for messages: VARVE_CORRUPT for bytes that are no field,
 * VARVE_TRUNCATED where the file ends within it. */
varve_status vv_wire_file_next(struct vv_wire_file *file,
    struct vv_wire_part *message, const char *what, struct vv_wire_spot *spot);

/* The next number of a field that is packed, or a number alone: of 7 bits a
 * byte, or 4 or 8 bytes, as `type` says. */
varve_status vv_wire_file_number(struct vv_wire_file *file,
    struct vv_wire_part *part, enum vv_wire_type type, uint64_t *number);

/* VARVE_CORRUPT unless the field has this type. */
varve_status vv_wire_file_expect(const struct vv_wire_file *file,
    const struct vv_wire_spot *spot, enum vv_wire_type type, const char *what);

/* Appends the bytes of a part. */
varve_status vv_wire_file_take(struct vv_wire_file *file,
    struct vv_wire_part part, struct vv_buffer *bytes);

#endif
