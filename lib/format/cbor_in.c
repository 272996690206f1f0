/* cbor_in.c - libcbor's streaming decoder with callbacks that note one item;
 * what it accepts and the profile does not is refused here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cbor_in.h"

#include <inttypes.h>

#include <cbor.h>

#include "failure.h"
#include "name.h"
#include "try.h"

enum { FIRST_TAG = 24 }; /* some decoders know only some of the tags below */

/* The type of lengths in callbacks changed with libcbor 0.9. */
#if CBOR_MAJOR_VERSION == 0 && CBOR_MINOR_VERSION < 9
typedef size_t length;
#else
typedef uint64_t length;
#endif

static void note(void *context, enum vv_cbor_kind kind, uint64_t number)
{
    struct vv_cbor_item *item = context;
    item->kind = kind;
    item->number = number;
}

static void on_uint8(void *c, uint8_t v)
{
    note(c, VV_CBOR_UNSIGNED, v);
}
static void on_uint16(void *c, uint16_t v)
{
    note(c, VV_CBOR_UNSIGNED, v);
}
static void on_uint32(void *c, uint32_t v)
{
    note(c, VV_CBOR_UNSIGNED, v);
}
static void on_uint64(void *c, uint64_t v)
{
    note(c, VV_CBOR_UNSIGNED, v);
}
static void on_negint8(void *c, uint8_t v)
{
    note(c, VV_CBOR_NEGATIVE, v);
}
static void on_negint16(void *c, uint16_t v)
{
    note(c, VV_CBOR_NEGATIVE, v);
}
static void on_negint32(void *c, uint32_t v)
{
    note(c, VV_CBOR_NEGATIVE, v);
}
static void on_negint64(void *c, uint64_t v)
{
    note(c, VV_CBOR_NEGATIVE, v);
}
static void on_array(void *c, length n)
{
    note(c, VV_CBOR_ARRAY, n);
}
static void on_map(void *c, length n)
{
    note(c, VV_CBOR_MAP, n);
}
static void on_tag(void *c, uint64_t v)
{
    note(c, VV_CBOR_TAG, v);
}
static void on_boolean(void *c, bool v)
{
    note(c, VV_CBOR_BOOLEAN, v);
}

static void on_bytes(void *c, cbor_data bytes, length n)
{
    note(c, VV_CBOR_BYTES, n);
    ((struct vv_cbor_item *)c)->bytes = bytes;
}

static void on_text(void *c, cbor_data bytes, length n)
{
    note(c, VV_CBOR_TEXT, n);
    ((struct vv_cbor_item *)c)->bytes = bytes;
}

/* What is empty here leaves the item VV_CBOR_OTHER. */
static const struct cbor_callbacks callbacks = {
    .uint8 = on_uint8,
    .uint16 = on_uint16,
    .uint32 = on_uint32,
    .uint64 = on_uint64,
    .negint8 = on_negint8,
    .negint16 = on_negint16,
    .negint32 = on_negint32,
    .negint64 = on_negint64,
    .byte_string_start = cbor_null_byte_string_start_callback,
    .byte_string = on_bytes,
    .string = on_text,
    .string_start = cbor_null_string_start_callback,
    .indef_array_start = cbor_null_indef_array_start_callback,
    .array_start = on_array,
    .indef_map_start = cbor_null_indef_map_start_callback,
    .map_start = on_map,
    .tag = on_tag,
    .float2 = cbor_null_float2_callback,
    .float4 = cbor_null_float4_callback,
    .float8 = cbor_null_float8_callback,
    .undefined = cbor_null_undefined_callback,
    .null = cbor_null_null_callback,
    .boolean = on_boolean,
    .indef_break = cbor_null_indef_break_callback,
};

const char *vv_cbor_kind_text(enum vv_cbor_kind kind)
{
    static const char *const texts[] = {
        "an item outside the profile",
        "an unsigned integer",
        "a negative integer",
        "a byte string",
        "a text string",
        "an array",
        "a map",
        "a tag",
        "a boolean",
    };
    return texts[kind];
}

static varve_status fail(const struct vv_cbor_in *in, size_t at,
    const char *expected, const char *found)
{
    return vv_fail(in->error, VARVE_CORRUPT,
        "%s: index at offset %" PRIu64 ": expected %s, found %s", in->path,
        in->base + at, expected, found);
}

static size_t shortest_head(const struct vv_cbor_item *item)
{
    uint64_t n = item->number;
    if (n < 24)
        return 1;
    return n <= UINT8_MAX ? 2 : n <= UINT16_MAX ? 3 : n <= UINT32_MAX ? 5 : 9;
}

static varve_status check_item(
    const struct vv_cbor_in *in, const struct vv_cbor_item *item, size_t read)
{
    size_t left = in->size - in->at - read;
    bool is_string = item->kind == VV_CBOR_BYTES || item->kind == VV_CBOR_TEXT;
    size_t head = read - (is_string ? (size_t)item->number : 0);
    if (item->kind == VV_CBOR_OTHER ||
        (item->kind == VV_CBOR_TAG && item->number < FIRST_TAG))
        return fail(
            in, in->at, "an item of the deterministic profile", "another one");
    if (head != shortest_head(item))
        return fail(in, in->at, "the shortest head of an item", "a longer one");
    if ((item->kind == VV_CBOR_ARRAY && item->number > left) ||
        (item->kind == VV_CBOR_MAP && item->number > left / 2))
        return fail(in, in->at, "no more items than bytes are left", "more");
    if (item->kind == VV_CBOR_TEXT &&
        !vv_utf8_is_valid((const char *)item->bytes, (size_t)item->number))
        return fail(in, in->at, "UTF-8 without NUL", "other bytes");
    return VARVE_OK;
}

varve_status vv_cbor_next(struct vv_cbor_in *in, struct vv_cbor_item *item)
{
    *item = (struct vv_cbor_item){ .kind = VV_CBOR_OTHER };
    struct cbor_decoder_result result = cbor_stream_decode(
        in->bytes + in->at, in->size - in->at, &callbacks, item);
    if (result.status == CBOR_DECODER_NEDATA)
        return fail(in, in->at, "an item", "the end of the index in it");
    if (result.status != CBOR_DECODER_FINISHED)
        return fail(in, in->at, "an item", "bytes that are none");
    VV_TRY(check_item(in, item, result.read));
    in->at += result.read;
    return VARVE_OK;
}

varve_status vv_cbor_expect(
    struct vv_cbor_in *in, enum vv_cbor_kind kind, struct vv_cbor_item *item)
{
    size_t at = in->at;
    VV_TRY(vv_cbor_next(in, item));
    if (item->kind != kind)
        return fail(
            in, at, vv_cbor_kind_text(kind), vv_cbor_kind_text(item->kind));
    return VARVE_OK;
}

varve_status vv_cbor_skip(struct vv_cbor_in *in)
{
    /* Items to come. Each takes a byte, so that more than are left cannot be;
     * no sum of them overflows then. */
    uint64_t items = 1;
    while (items > 0) {
        struct vv_cbor_item item;
        size_t at = in->at;
        VV_TRY(vv_cbor_next(in, &item));
        items--;
        if (item.kind == VV_CBOR_TAG)
            items++;
        else if (item.kind == VV_CBOR_ARRAY)
            items += item.number;
        else if (item.kind == VV_CBOR_MAP)
            items += 2 * item.number;
        if (items > in->size - in->at)
            return fail(in, at, "no more items than bytes are left", "more");
    }
    return VARVE_OK;
}

varve_status vv_cbor_end(struct vv_cbor_in *in)
{
    if (in->at != in->size)
        return fail(in, in->at, "the end of the index", "further bytes");
    return VARVE_OK;
}
