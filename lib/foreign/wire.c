/* wire.c - Parses and writes the fields of protobuf messages: keys, numbers and
 * sized bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "try.h"

/* --- Reading -------------------------------------------------------------- */

/* Parses protobuf fields in memory: keys, numbers and sized bytes. */

/* --- In memory ------------------------------------------------------------ */

const unsigned char *vv_take_varint(
    const unsigned char *bytes, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && bytes < end; shift += 7) {
        uint64_t part = *bytes & 127;
        if (shift == 63 && part > 1)
            return NULL;
        *value |= part << shift;
        if (*bytes++ < 128)
            return bytes;
    }
    return NULL;
}

static varve_status wire_in_fail(
    const struct vv_wire *wire, const char *expected)
{
    return vv_fail(wire->error, VARVE_CORRUPT,
        "%s: %s at byte %zu: expected %s", wire->path, wire->what, wire->at,
        expected);
}

static bool wire_in_take_varint(struct vv_wire *wire, uint64_t *value)
{
    const unsigned char *end =
        vv_take_varint(wire->bytes + wire->at, wire->bytes + wire->size, value);
    if (end)
        wire->at = (size_t)(end - wire->bytes);
    return end != NULL;
}

static varve_status take_fixed(
    struct vv_wire *wire, struct vv_wire_field *field, size_t size)
{
    if (wire->size - wire->at < size)
        return wire_in_fail(wire, "a fixed-size number");
    field->value = size == 8 ? vv_load64(wire->bytes + wire->at)
                             : vv_load32(wire->bytes + wire->at);
    wire->at += size;
    return VARVE_OK;
}

static varve_status wire_in_take_sized(
    struct vv_wire *wire, struct vv_wire_field *field)
{
    if (!wire_in_take_varint(wire, &field->value) ||
        field->value > wire->size - wire->at)
        return wire_in_fail(wire, "a size within the message");
    field->bytes = wire->bytes + wire->at;
    wire->at += (size_t)field->value;
    return VARVE_OK;
}

varve_status vv_wire_next(struct vv_wire *wire, struct vv_wire_field *field)
{
    uint64_t key;
    *field = (struct vv_wire_field){ .bytes = NULL };
    if (!wire_in_take_varint(wire, &key) || key >> 3 == 0)
        return wire_in_fail(wire, "a field key");
    field->number = key >> 3;
    field->type = (enum vv_wire_type)(key & 7);
    switch (field->type) {
    case VV_WIRE_VARINT:
        return wire_in_take_varint(wire, &field->value)
                   ? VARVE_OK
                   : wire_in_fail(wire, "a number");
    case VV_WIRE_FIXED64: return take_fixed(wire, field, 8);
    case VV_WIRE_FIXED32: return take_fixed(wire, field, 4);
    case VV_WIRE_SIZED: return wire_in_take_sized(wire, field);
    }
    return wire_in_fail(wire, "a valid field type");
}

struct vv_wire vv_wire_open(const struct vv_wire *wire,
    const struct vv_wire_field *field, const char *what)
{
    return (struct vv_wire){
        .path = wire->path,
        .what = what,
        .bytes = field->bytes,
        .size = (size_t)field->value,
        .error = wire->error,
    };
}

varve_status vv_wire_expect(const struct vv_wire *wire,
    const struct vv_wire_field *field, enum vv_wire_type type)
{
    if (field->type == type)
        return VARVE_OK;
    return vv_fail(wire->error, VARVE_CORRUPT,
        "%s: %s: field %" PRIu64 ": expected wire type %d, found %d",
        wire->path, wire->what, field->number, (int)type, (int)field->type);
}

/* --- In a file ------------------------------------------------------------ */

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

/* --- Writing -------------------------------------------------------------- */

/* Writes numbers, bytes and nested messages in protobuf's wire format. */

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
