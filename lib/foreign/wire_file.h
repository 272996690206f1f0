/* wire_file.h - Parses protobuf messages in a file, field by field. Fields that
 * are skipped are not read.
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

#endif
