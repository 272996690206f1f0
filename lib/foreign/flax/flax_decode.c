/* flax_decode.c - Decodes values. If an item has changed since the file was
 * opened, the result is an error or unspecified values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_decode.h"

#include "bytes.h"
#include "flax_chunks.h"
#include "number.h"
#include "try.h"

static const char what[] = "the unchanged value";

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
        VV_TRY(vv_msgpack_next(in, what, &item));
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
    VV_TRY(vv_msgpack_next(in, what, &list));
    for (size_t at = 0; at + 8 <= size; at += 8) {
        struct vv_msgpack_item item;
        VV_TRY(vv_msgpack_next(in, what, &item));
        vv_store64(bytes + at, item.bits);
    }
    return VARVE_OK;
}

static varve_status flax_decode_make_text(struct vv_msgpack *in,
    const struct vv_msgpack_item *item, unsigned char *bytes, size_t size)
{
    if (size < 8 || size - 8 != item->size)
        return vv_msgpack_fail(in, VARVE_CORRUPT, item->begin, what, "another");
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
                in, VARVE_CORRUPT, map->begin, what, "another");
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
    return vv_msgpack_fail(in, VARVE_CORRUPT, item->begin, what, "another");
}

varve_status vv_flax_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error)
{
    struct vv_msgpack in = { .window = { .foreign = foreign, .error = error },
        .at = number,
        .end = foreign->files[0].size };
    struct vv_msgpack_item item;
    memset(bytes, 0, size);
    VV_TRY(vv_msgpack_next(&in, what, &item));
    return flax_decode_make(&in, &item, bytes, size);
}
