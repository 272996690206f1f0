/* wire_in.c - Parses protobuf fields in memory: keys, numbers and sized bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire_in.h"

#include <inttypes.h>

#include "bytes.h"
#include "failure.h"
#include "try.h"

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
