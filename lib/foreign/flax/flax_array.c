/* flax_array.c - Reads the shape, type and bytes of arrays and of chunked
 * arrays, and decodes values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "name.h"
#include "number.h"
#include "try.h"
#include "typed_memory.h"

/* --- Element types -------------------------------------------------------- */

#define NONE_OF_OURS ((varve_dtype)0)

static const struct vv_flax_type types[] = {
    { "float32", VARVE_FLOAT32, 4 },
    { "bfloat16", VARVE_BFLOAT16, 2 },
    { "float16", VARVE_FLOAT16, 2 },
    { "float64", VARVE_FLOAT64, 8 },
    { "int8", VARVE_INT8, 1 },
    { "int16", VARVE_INT16, 2 },
    { "int32", VARVE_INT32, 4 },
    { "int64", VARVE_INT64, 8 },
    { "uint8", VARVE_UINT8, 1 },
    { "uint16", VARVE_UINT16, 2 },
    { "uint32", VARVE_UINT32, 4 },
    { "uint64", VARVE_UINT64, 8 },
    { "bool", VARVE_BOOL, 1 },
    { "complex64", VARVE_COMPLEX64, 8 },
    { "complex128", VARVE_COMPLEX128, 16 },
    { "float8_e4m3fn", VARVE_FLOAT8_E4M3FN, 1 },
    { "float8_e5m2", VARVE_FLOAT8_E5M2, 1 },
    { "float8_e4m3fnuz", NONE_OF_OURS, 1 },
    { "float8_e5m2fnuz", NONE_OF_OURS, 1 },
    { "float8_e4m3b11fnuz", NONE_OF_OURS, 1 },
    { "float8_e4m3", NONE_OF_OURS, 1 },
    { "float8_e3m4", NONE_OF_OURS, 1 },
    { "float8_e8m0fnu", NONE_OF_OURS, 1 },
    { "float6_e2m3fn", NONE_OF_OURS, 1 },
    { "float6_e3m2fn", NONE_OF_OURS, 1 },
    { "float4_e2m1fn", NONE_OF_OURS, 1 },
    { "int4", NONE_OF_OURS, 1 },
    { "uint4", NONE_OF_OURS, 1 },
    { "int2", NONE_OF_OURS, 1 },
    { "uint2", NONE_OF_OURS, 1 },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

const struct vv_flax_type *vv_flax_type_find(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == size &&
            memcmp(types[i].name, name, size) == 0)
            return &types[i];
    }
    return NULL;
}

/* --- Arrays --------------------------------------------------------------- */

enum { PARTS = 3 };

static const char array_text[] = "an array";

static varve_status flax_array_expect(struct vv_msgpack *in,
    enum vv_msgpack_kind kind, const char *expected,
    struct vv_msgpack_item *item)
{
    VV_TRY(vv_msgpack_next(in, array_text, item));
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
    VV_TRY(flax_array_expect(in, VV_MSGPACK_LIST, array_text, &list));
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

/* --- Chunked arrays ------------------------------------------------------- */

static const char mark[] = "__msgpack_chunked_array__";
static const char chunked_array_text[] = "a chunked array";

/* Sets *is_one to true if an item is this text. */
static varve_status flax_chunks_is_text(struct vv_msgpack *in,
    const struct vv_msgpack_item *item, const char *text, bool *is_one)
{
    const char *rest = text;
    *is_one = item->kind == VV_MSGPACK_TEXT && item->size == strlen(text);
    for (uint64_t at = item->at; *is_one && *rest;) {
        const unsigned char *bytes;
        size_t size, left = strlen(rest);
        VV_TRY(vv_window_look(&in->window, at, &bytes, &size));
        size = size < left ? size : left;
        *is_one = memcmp(bytes, rest, size) == 0;
        rest += size;
        at += size;
    }
    return VARVE_OK;
}

varve_status vv_flax_chunks_are_next(
    struct vv_msgpack *in, const struct vv_msgpack_item *map, bool *are_next)
{
    struct vv_msgpack_item key, value;
    uint64_t begin = in->at;
    *are_next = false;
    if (map->bits == 0)
        return VARVE_OK;
    VV_TRY(vv_msgpack_next(in, "a key", &key));
    VV_TRY(flax_chunks_is_text(in, &key, mark, are_next));
    if (!*are_next) {
        in->at = begin;
        return VARVE_OK;
    }
    return vv_msgpack_next(in, chunked_array_text, &value);
}

static varve_status flax_chunks_take_key(
    struct vv_msgpack *in, const char *text, const char *expected)
{
    struct vv_msgpack_item key;
    bool is_one;
    VV_TRY(vv_msgpack_next(in, chunked_array_text, &key));
    VV_TRY(flax_chunks_is_text(in, &key, text, &is_one));
    return is_one ? VARVE_OK
                  : vv_msgpack_fail(
                        in, VARVE_CORRUPT, key.begin, expected, "another key");
}

static varve_status take_position(struct vv_msgpack *in, uint64_t number)
{
    char digits[24];
    vv_decimal(number, digits);
    return flax_chunks_take_key(
        in, digits, "consecutive positions in a chunked array");
}

static varve_status take_map(
    struct vv_msgpack *in, const char *key, struct vv_msgpack_item *map)
{
    VV_TRY(flax_chunks_take_key(
        in, key, "\"shape\" and \"chunks\" of a chunked array"));
    VV_TRY(vv_msgpack_next(in, chunked_array_text, map));
    return map->kind == VV_MSGPACK_MAP
               ? VARVE_OK
               : vv_msgpack_fail(in, VARVE_CORRUPT, map->begin, "a map",
                     vv_msgpack_word(map->kind));
}

static varve_status flax_chunks_take_shape(
    struct vv_msgpack *in, struct vv_flax_array *whole)
{
    struct vv_msgpack_item map, extent;
    VV_TRY(take_map(in, "shape", &map));
    if (map.bits > VARVE_MAX_RANK)
        return vv_msgpack_fail(in, VARVE_LIMIT, map.begin,
            "an array of at most 16 dimensions", "more");
    whole->shape.rank = (uint32_t)map.bits;
    for (uint32_t i = 0; i < whole->shape.rank; i++) {
        VV_TRY(take_position(in, i));
        VV_TRY(vv_msgpack_next(in, chunked_array_text, &extent));
        if (extent.kind != VV_MSGPACK_INTEGER || extent.bits > INT64_MAX)
            return vv_msgpack_fail(in, VARVE_CORRUPT, extent.begin,
                "a non-negative extent", vv_msgpack_word(extent.kind));
        whole->shape.shape[i] = extent.bits;
    }
    if (vv_shape_count(whole->shape.rank, whole->shape.shape, &whole->count))
        return VARVE_OK;
    return vv_msgpack_fail(in, VARVE_CORRUPT, map.begin,
        "an array of less than 2^64 elements", "more");
}

varve_status vv_flax_chunks_next(
    struct vv_msgpack *in, uint64_t number, struct vv_flax_array *piece)
{
    struct vv_msgpack_item item;
    VV_TRY(take_position(in, number));
    VV_TRY(vv_msgpack_next(in, chunked_array_text, &item));
    if (item.kind != VV_MSGPACK_EXTENSION || item.type != VV_FLAX_ARRAY)
        return vv_msgpack_fail(in, VARVE_CORRUPT, item.begin,
            "a chunk of an array", vv_msgpack_word(item.kind));
    return vv_flax_array_read(in, &item, piece);
}

/* The sum of the sizes cannot overflow: the chunks do not overlap in the
 * file. */
static varve_status flax_chunks_add_pieces(
    struct vv_msgpack *in, struct vv_flax_chunks *chunks)
{
    struct vv_flax_array *whole = &chunks->array, piece;
    uint64_t count = 0;
    for (uint64_t i = 0; i < chunks->pieces.bits; i++) {
        uint64_t begin = in->at;
        VV_TRY(vv_flax_chunks_next(in, i, &piece));
        if (i == 0) {
            whole->shape.dtype = piece.shape.dtype;
            memcpy(whole->tag, piece.tag, sizeof whole->tag);
        }
        if (strcmp(whole->tag, piece.tag) != 0 || piece.shape.rank != 1)
            return vv_msgpack_fail(
                in, VARVE_CORRUPT, begin, "flat chunks of one type", "another");
        if (__builtin_add_overflow(count, piece.count, &count))
            break;
        whole->size += piece.size;
    }
    return count == whole->count && chunks->pieces.bits > 0
               ? VARVE_OK
               : vv_msgpack_fail(in, VARVE_CORRUPT, chunks->pieces.begin,
                     "chunks with as many elements as the array",
                     "more or fewer");
}

varve_status vv_flax_chunks_read(struct vv_msgpack *in,
    const struct vv_msgpack_item *map, struct vv_flax_chunks *chunks)
{
    *chunks = (struct vv_flax_chunks){ .first = 0 };
    if (map->bits != 3)
        return vv_msgpack_fail(in, VARVE_CORRUPT, map->begin,
            "\"shape\" and \"chunks\" of a chunked array", "others");
    VV_TRY(flax_chunks_take_shape(in, &chunks->array));
    VV_TRY(take_map(in, "chunks", &chunks->pieces));
    chunks->first = in->at;
    return flax_chunks_add_pieces(in, chunks);
}

/* --- Decoding ------------------------------------------------------------- */

static const char unchanged_value_text[] = "the unchanged value";

/* --- Numbers in a list ---------------------------------------------------- */

varve_status vv_flax_vector(struct vv_msgpack *in,
    const struct vv_msgpack_item *list, varve_dtype *dtype)
{
    uint64_t begin = in->at;
    bool are_reals = true;
    *dtype = list->bits > 0 ? VARVE_INT64 : (varve_dtype)0;
    for (uint64_t i = 0; i < list->bits && *dtype; i++) {
        struct vv_msgpack_item item;
        VV_TRY(vv_msgpack_next(in, "a list", &item));
        if (item.kind == VV_MSGPACK_FLOAT || item.kind == VV_MSGPACK_REAL)
            *dtype = VARVE_FLOAT64;
        else if (item.kind == VV_MSGPACK_INTEGER)
            are_reals &= vv_number_is_real((int64_t)item.bits);
        else
            *dtype = (varve_dtype)0;
    }
    if (*dtype == VARVE_FLOAT64 && !are_reals)
        *dtype = (varve_dtype)0;
    if (!*dtype)
        in->at = begin;
    return VARVE_OK;
}

static uint64_t real_bits(uint64_t integer)
{
    return vv_bits_of((double)(int64_t)integer);
}

static varve_status make_vector(struct vv_msgpack *in,
    const struct vv_msgpack_item *list, unsigned char *bytes, size_t size)
{
    uint64_t begin = in->at;
    varve_dtype dtype;
    VV_TRY(vv_flax_vector(in, list, &dtype));
    in->at = begin;
    for (size_t at = 0; at + 8 <= size && at / 8 < list->bits; at += 8) {
        struct vv_msgpack_item item;
        VV_TRY(vv_msgpack_next(in, unchanged_value_text, &item));
        bool is_whole = item.kind == VV_MSGPACK_INTEGER;
        vv_store64(bytes + at, dtype == VARVE_FLOAT64 && is_whole
                                   ? real_bits(item.bits)
                                   : item.bits);
    }
    return VARVE_OK;
}

/* --- Others --------------------------------------------------------------- */

/* A complex number is a list of two reals. */
static varve_status make_complex(struct vv_msgpack *in,
    const struct vv_msgpack_item *extension, unsigned char *bytes, size_t size)
{
    struct vv_msgpack_item list;
    in->at = extension->at;
    in->end = extension->at + extension->size;
    VV_TRY(vv_msgpack_next(in, unchanged_value_text, &list));
    for (size_t at = 0; at + 8 <= size; at += 8) {
        struct vv_msgpack_item item;
        VV_TRY(vv_msgpack_next(in, unchanged_value_text, &item));
        vv_store64(bytes + at, item.bits);
    }
    return VARVE_OK;
}

static varve_status flax_decode_make_text(struct vv_msgpack *in,
    const struct vv_msgpack_item *item, unsigned char *bytes, size_t size)
{
    if (size < 8 || size - 8 != item->size)
        return vv_msgpack_fail(
            in, VARVE_CORRUPT, item->begin, unchanged_value_text, "another");
    vv_store64(bytes, item->size);
    return size > 8 ? vv_foreign_read(in->window.foreign, 0, bytes + 8,
                          size - 8, item->at, in->window.error)
                    : VARVE_OK;
}

static varve_status make_whole(struct vv_msgpack *in,
    const struct vv_msgpack_item *map, unsigned char *bytes, size_t size)
{
    struct vv_flax_chunks chunks;
    size_t done = 0;
    bool are_next;
    VV_TRY(vv_flax_chunks_are_next(in, map, &are_next));
    VV_TRY(vv_flax_chunks_read(in, map, &chunks));
    in->at = chunks.first;
    for (uint64_t i = 0; i < chunks.pieces.bits; i++) {
        struct vv_flax_array piece;
        VV_TRY(vv_flax_chunks_next(in, i, &piece));
        if (piece.size > size - done)
            return vv_msgpack_fail(
                in, VARVE_CORRUPT, map->begin, unchanged_value_text, "another");
        if (piece.size > 0)
            VV_TRY(vv_foreign_read(in->window.foreign, 0, bytes + done,
                (size_t)piece.size, piece.at, in->window.error));
        done += (size_t)piece.size;
    }
    return VARVE_OK;
}

static varve_status flax_decode_make(struct vv_msgpack *in,
    const struct vv_msgpack_item *item, unsigned char *bytes, size_t size)
{
    switch (item->kind) {
    case VV_MSGPACK_BOOL:
        memset(bytes, (int)item->bits, size < 1 ? size : 1);
        return VARVE_OK;
    case VV_MSGPACK_INTEGER:
    case VV_MSGPACK_UNSIGNED:
    case VV_MSGPACK_FLOAT:
    case VV_MSGPACK_REAL:
        if (size >= 8)
            vv_store64(bytes, item->bits);
        return VARVE_OK;
    case VV_MSGPACK_TEXT:
    case VV_MSGPACK_BYTES: return flax_decode_make_text(in, item, bytes, size);
    case VV_MSGPACK_LIST: return make_vector(in, item, bytes, size);
    case VV_MSGPACK_MAP: return make_whole(in, item, bytes, size);
    case VV_MSGPACK_EXTENSION: return make_complex(in, item, bytes, size);
    case VV_MSGPACK_NOTHING:
    case VV_MSGPACK_NIL: break;
    }
    return vv_msgpack_fail(
        in, VARVE_CORRUPT, item->begin, unchanged_value_text, "another");
}

varve_status vv_flax_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error)
{
    struct vv_msgpack in = { .window = { .foreign = foreign, .error = error },
        .at = number,
        .end = foreign->files[0].size };
    struct vv_msgpack_item item;
    memset(bytes, 0, size);
    VV_TRY(vv_msgpack_next(&in, unchanged_value_text, &item));
    return flax_decode_make(&in, &item, bytes, size);
}
