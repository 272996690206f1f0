/* flax_array.c - Reads the shape, type and bytes of an array.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "flax_type.h"
#include "name.h"
#include "shape.h"
#include "try.h"

enum { PARTS = 3 };

static const char what[] = "an array";

static varve_status flax_array_expect(struct vv_msgpack *in,
    enum vv_msgpack_kind kind, const char *expected,
    struct vv_msgpack_item *item)
{
    VV_TRY(vv_msgpack_next(in, what, item));
    /* msgpack 1 did not distinguish text and bytes. */
    bool fits =
        item->kind == kind ||
        (kind != VV_MSGPACK_LIST && kind != VV_MSGPACK_INTEGER &&
            (item->kind == VV_MSGPACK_TEXT || item->kind == VV_MSGPACK_BYTES));
    return fits ? VARVE_OK
                : vv_msgpack_fail(in, VARVE_CORRUPT, item->begin, expected,
                      vv_msgpack_word(item->kind));
}

static varve_status flax_array_take_shape(
    struct vv_msgpack *in, struct vv_flax_array *array)
{
    struct vv_msgpack_item list, extent;
    VV_TRY(
        flax_array_expect(in, VV_MSGPACK_LIST, "the shape of an array", &list));
    if (list.bits > VARVE_MAX_RANK)
        return vv_msgpack_fail(in, VARVE_LIMIT, list.begin,
            "an array of at most 16 dimensions", "more");
    array->shape.rank = (uint32_t)list.bits;
    for (uint32_t i = 0; i < array->shape.rank; i++) {
        VV_TRY(flax_array_expect(
            in, VV_MSGPACK_INTEGER, "an extent of an array", &extent));
        if (extent.bits > INT64_MAX)
            return vv_msgpack_fail(in, VARVE_CORRUPT, extent.begin,
                "a non-negative extent", "a negative one");
        array->shape.shape[i] = extent.bits;
    }
    if (vv_shape_count(array->shape.rank, array->shape.shape, &array->count))
        return VARVE_OK;
    return vv_msgpack_fail(in, VARVE_CORRUPT, list.begin,
        "an array of less than 2^64 elements", "more");
}

/* Reads the type. Sets *unit to the size of an element, or to 0 if the type is
 * unknown. */
static varve_status flax_array_take_type(
    struct vv_msgpack *in, struct vv_flax_array *array, unsigned *unit)
{
    enum { BEFORE = sizeof "flax:" - 1 };
    struct vv_msgpack_item name;
    struct vv_buffer text;
    VV_TRY(flax_array_expect(
        in, VV_MSGPACK_TEXT, "the name of an array type", &name));
    if (name.size >= sizeof array->tag - BEFORE)
        return vv_msgpack_fail(in, VARVE_CORRUPT, name.begin,
            "the name of an array type", "a longer text");
    vv_buffer_init(&text, &in->window.foreign->context->allocator);
    varve_status status = vv_msgpack_take(in, &name, &text);
    if (!status && !vv_name_is_valid((const char *)text.data, text.size))
        status = vv_msgpack_fail(in, VARVE_CORRUPT, name.begin,
            "the name of an array type", "an invalid name");
    if (!status) {
        const char *bytes = (const char *)text.data;
        const struct vv_flax_type *type = vv_flax_type_find(bytes, text.size);
        snprintf(
            array->tag, sizeof array->tag, "flax:%.*s", (int)text.size, bytes);
        array->shape.dtype = type ? type->dtype : (varve_dtype)0;
        *unit = type ? type->size : 0;
    }
    vv_buffer_clear(&text);
    return status;
}

static varve_status flax_array_take_bytes(
    struct vv_msgpack *in, struct vv_flax_array *array, unsigned unit)
{
    struct vv_msgpack_item bytes;
    uint64_t size = 0;
    VV_TRY(flax_array_expect(
        in, VV_MSGPACK_BYTES, "the bytes of an array", &bytes));
    array->at = bytes.at;
    array->size = bytes.size;
    bool fits =
        unit
            ? vv_size_of(array->count, unit, &size) && size == bytes.size
            : (array->count ? bytes.size % array->count == 0 : bytes.size == 0);
    if (fits)
        return VARVE_OK;
    return vv_fail(in->window.error, VARVE_CORRUPT,
        "%s: offset %" PRIu64 ": expected the bytes of %" PRIu64
        " elements of %s, found %" PRIu64 " bytes",
        in->window.foreign->files[0].path, bytes.begin, array->count,
        array->tag + 5, bytes.size);
}

static varve_status flax_array_take_parts(
    struct vv_msgpack *in, struct vv_flax_array *array)
{
    struct vv_msgpack_item list;
    unsigned unit = 0;
    VV_TRY(flax_array_expect(in, VV_MSGPACK_LIST, what, &list));
    if (list.bits != PARTS)
        return vv_msgpack_fail(in, VARVE_CORRUPT, list.begin,
            "a list of shape, type and bytes", "a list of another length");
    VV_TRY(flax_array_take_shape(in, array));
    VV_TRY(flax_array_take_type(in, array, &unit));
    VV_TRY(flax_array_take_bytes(in, array, unit));
    return in->at == in->end
               ? VARVE_OK
               : vv_msgpack_fail(in, VARVE_CORRUPT, in->at,
                     "the end of the array after its bytes", "more");
}

varve_status vv_flax_array_read(struct vv_msgpack *in,
    const struct vv_msgpack_item *extension, struct vv_flax_array *array)
{
    uint64_t behind = in->at, end = in->end;
    *array = (struct vv_flax_array){ .count = 0 };
    in->at = extension->at;
    in->end = extension->at + extension->size;
    varve_status status = flax_array_take_parts(in, array);
    in->at = behind;
    in->end = end;
    return status;
}
