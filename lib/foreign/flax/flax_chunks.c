/* flax_chunks.c - Reads chunked arrays. Flax stores their tuples as maps with
 * positions as keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_chunks.h"

#include <string.h>

#include "failure.h"
#include "name.h"
#include "shape.h"
#include "try.h"

static const char mark[] = "__msgpack_chunked_array__";
static const char what[] = "a chunked array";

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
    return vv_msgpack_next(in, what, &value);
}

static varve_status flax_chunks_take_key(
    struct vv_msgpack *in, const char *text, const char *expected)
{
    struct vv_msgpack_item key;
    bool is_one;
    VV_TRY(vv_msgpack_next(in, what, &key));
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
    VV_TRY(vv_msgpack_next(in, what, map));
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
        VV_TRY(vv_msgpack_next(in, what, &extent));
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
    VV_TRY(vv_msgpack_next(in, what, &item));
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
