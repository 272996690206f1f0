/* wire_file.c - Parses protobuf keys and numbers of at most ten bytes at a
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire_file.h"

#include <inttypes.h>

#include "bytes.h"
#include "failure.h"
#include "try.h"

enum { LONGEST_NUMBER = 10 };

static varve_status wire_file_fail(const struct vv_wire_file *f,
    const struct vv_wire_part *part, const char *what, const char *expected,
    const char *found)
{
    bool is_cut = part->end == f->window.foreign->files[0].size;
    return vv_fail(f->window.error, is_cut ? VARVE_TRUNCATED : VARVE_CORRUPT,
        "%s: offset %" PRIu64 ": %s: expected %s, found %s",
        f->window.foreign->files[0].path, part->at, what, expected,
        is_cut ? "the end of the file" : found);
}

/* Sets *bytes to the bytes at the current offset: at most those of the longest
 * number, and not past the end of the part. */
static varve_status wire_file_look(struct vv_wire_file *f,
    const struct vv_wire_part *part, const unsigned char **bytes, size_t *size)
{
    uint64_t left = part->end - part->at;
    VV_TRY(vv_window_look(&f->window, part->at, bytes, size));
    *size = left < *size ? (size_t)left : *size;
    *size = *size < LONGEST_NUMBER ? *size : LONGEST_NUMBER;
    return VARVE_OK;
}

static varve_status wire_file_take_number(struct vv_wire_file *f,
    struct vv_wire_part *part, enum vv_wire_type type, const char *what,
    uint64_t *number)
{
    const unsigned char *bytes;
    size_t size, fixed = type == VV_WIRE_FIXED64 ? 8 : 4;
    VV_TRY(wire_file_look(f, part, &bytes, &size));
    if (type == VV_WIRE_VARINT) {
        const unsigned char *end = vv_take_varint(bytes, bytes + size, number);
        if (!end && size == LONGEST_NUMBER)
            return vv_fail(f->window.error, VARVE_CORRUPT,
                "%s: offset %" PRIu64 ": %s: the number has more than 64 bits",
                f->window.foreign->files[0].path, part->at, what);
        if (!end)
            return wire_file_fail(
                f, part, what, "a number", "the end of the message");
        part->at += (uint64_t)(end - bytes);
        return VARVE_OK;
    }
    if (size < fixed)
        return wire_file_fail(
            f, part, what, "a fixed-size number", "the end of the message");
    *number = fixed == 8 ? vv_load64(bytes) : vv_load32(bytes);
    part->at += fixed;
    return VARVE_OK;
}

varve_status vv_wire_file_number(struct vv_wire_file *f,
    struct vv_wire_part *part, enum vv_wire_type type, uint64_t *number)
{
    return wire_file_take_number(f, part, type, "numbers", number);
}

static varve_status wire_file_take_sized(struct vv_wire_file *f,
    struct vv_wire_part *message, const char *what, struct vv_wire_spot *spot)
{
    uint64_t size;
    VV_TRY(wire_file_take_number(f, message, VV_WIRE_VARINT, what, &size));
    if (size > message->end - message->at)
        return wire_file_fail(
            f, message, what, "a field within the message", "a longer one");
    spot->part = (struct vv_wire_part){ message->at, message->at + size };
    message->at += size;
    return VARVE_OK;
}

varve_status vv_wire_file_next(struct vv_wire_file *f,
    struct vv_wire_part *message, const char *what, struct vv_wire_spot *spot)
{
    uint64_t key, begin = message->at;
    VV_TRY(wire_file_take_number(f, message, VV_WIRE_VARINT, what, &key));
    *spot = (struct vv_wire_spot){ .number = key >> 3,
        .type = (enum vv_wire_type)(key & 7),
        .part = { message->at, message->at } };
    bool is_known =
        spot->type <= VV_WIRE_SIZED || spot->type == VV_WIRE_FIXED32;
    if (spot->number == 0 || !is_known)
        return vv_fail(f->window.error, VARVE_CORRUPT,
            "%s: offset %" PRIu64 ": %s: not a valid protobuf field",
            f->window.foreign->files[0].path, begin, what);
    if (spot->type == VV_WIRE_SIZED)
        return wire_file_take_sized(f, message, what, spot);
    VV_TRY(wire_file_take_number(f, message, spot->type, what, &spot->value));
    spot->part.end = message->at;
    return VARVE_OK;
}

varve_status vv_wire_file_expect(const struct vv_wire_file *f,
    const struct vv_wire_spot *spot, enum vv_wire_type type, const char *what)
{
    if (spot->type == type)
        return VARVE_OK;
    return vv_fail(f->window.error, VARVE_CORRUPT,
        "%s: offset %" PRIu64 ": %s: field %" PRIu64
        ": expected wire type %d, found %d",
        f->window.foreign->files[0].path, spot->part.at, what, spot->number,
        (int)type, (int)spot->type);
}

varve_status vv_wire_file_take(
    struct vv_wire_file *f, struct vv_wire_part part, struct vv_buffer *bytes)
{
    size_t size = (size_t)(part.end - part.at);
    if (size == 0)
        return VARVE_OK;
    void *to = size < part.end - part.at ? NULL : vv_buffer_extend(bytes, size);
    if (!to)
        return vv_fail_memory(f->window.error, "a part of a file");
    return vv_foreign_read(
        f->window.foreign, 0, to, size, part.at, f->window.error);
}
