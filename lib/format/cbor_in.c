/* cbor_in.c - Uses libcbor's streaming decoder with callbacks that store one
 * item. Items that it accepts but the profile excludes are rejected here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cbor_in.h"

#include <inttypes.h>
#include <string.h>

#include <cbor.h>

#include "failure.h"
#include "name.h"
#include "try.h"

/* Some decoders interpret only some of the tags below. */
enum { FIRST_TAG = 24 };

/* The type of lengths in callbacks changed with libcbor 0.9. */
#if CBOR_MAJOR_VERSION == 0 && CBOR_MINOR_VERSION < 9
typedef size_t length;
#else
typedef uint64_t length;
#endif

static void cbor_in_note(void *context, enum vv_cbor_kind kind, uint64_t number)
{
    struct vv_cbor_item *item = context;
    item->kind = kind;
    item->number = number;
}

static void on_uint8(void *c, uint8_t v)
{
    cbor_in_note(c, VV_CBOR_UNSIGNED, v);
}
static void on_uint16(void *c, uint16_t v)
{
    cbor_in_note(c, VV_CBOR_UNSIGNED, v);
}
static void on_uint32(void *c, uint32_t v)
{
    cbor_in_note(c, VV_CBOR_UNSIGNED, v);
}
static void on_uint64(void *c, uint64_t v)
{
    cbor_in_note(c, VV_CBOR_UNSIGNED, v);
}
static void on_negint8(void *c, uint8_t v)
{
    cbor_in_note(c, VV_CBOR_NEGATIVE, v);
}
static void on_negint16(void *c, uint16_t v)
{
    cbor_in_note(c, VV_CBOR_NEGATIVE, v);
}
static void on_negint32(void *c, uint32_t v)
{
    cbor_in_note(c, VV_CBOR_NEGATIVE, v);
}
static void on_negint64(void *c, uint64_t v)
{
    cbor_in_note(c, VV_CBOR_NEGATIVE, v);
}
static void on_array(void *c, length n)
{
    cbor_in_note(c, VV_CBOR_ARRAY, n);
}
static void on_map(void *c, length n)
{
    cbor_in_note(c, VV_CBOR_MAP, n);
}
static void on_tag(void *c, uint64_t v)
{
    cbor_in_note(c, VV_CBOR_TAG, v);
}
static void on_boolean(void *c, bool v)
{
    cbor_in_note(c, VV_CBOR_BOOLEAN, v);
}

static void cbor_in_on_bytes(void *c, cbor_data bytes, length n)
{
    cbor_in_note(c, VV_CBOR_BYTES, n);
    ((struct vv_cbor_item *)c)->bytes = bytes;
}

static void on_text(void *c, cbor_data bytes, length n)
{
    cbor_in_note(c, VV_CBOR_TEXT, n);
    ((struct vv_cbor_item *)c)->bytes = bytes;
}

/* Callbacks that are empty here leave the item VV_CBOR_OTHER. */
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
    .byte_string = cbor_in_on_bytes,
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

static varve_status cbor_in_fail(const struct vv_cbor_in *in, size_t at,
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
        return cbor_in_fail(
            in, in->at, "an item of the deterministic profile", "another item");
    if (head != shortest_head(item))
        return cbor_in_fail(
            in, in->at, "the shortest head of an item", "a longer one");
    if ((item->kind == VV_CBOR_ARRAY && item->number > left) ||
        (item->kind == VV_CBOR_MAP && item->number > left / 2))
        return cbor_in_fail(
            in, in->at, "no more items than bytes left", "more");
    if (item->kind == VV_CBOR_TEXT &&
        !vv_utf8_is_valid((const char *)item->bytes, (size_t)item->number))
        return cbor_in_fail(in, in->at, "UTF-8 without NUL", "other bytes");
    return VARVE_OK;
}

varve_status vv_cbor_next(struct vv_cbor_in *in, struct vv_cbor_item *item)
{
    *item = (struct vv_cbor_item){ .kind = VV_CBOR_OTHER };
    struct cbor_decoder_result result = cbor_stream_decode(
        in->bytes + in->at, in->size - in->at, &callbacks, item);
    if (result.status == CBOR_DECODER_NEDATA)
        return cbor_in_fail(in, in->at, "an item", "the end of the index");
    if (result.status != CBOR_DECODER_FINISHED)
        return cbor_in_fail(in, in->at, "an item", "invalid bytes");
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
        return cbor_in_fail(
            in, at, vv_cbor_kind_text(kind), vv_cbor_kind_text(item->kind));
    return VARVE_OK;
}

/* --- Skipping items ------------------------------------------------------- */

/* A map that is being skipped. The outermost one represents the item itself. */
struct open_map {
    uint64_t items; /* remaining items of the current key or value */
    uint64_t more;  /* remaining keys and values after it; odd: it is a key */
    size_t begin;   /* offset of the current key or value */
    size_t last;    /* the previous key and its size; 0: none */
    size_t last_size;
};

struct skipping {
    struct vv_cbor_in *in;
    /* Remaining items of all maps. Each takes at least one byte, so a number
     * above the remaining bytes is an error; no sum of them overflows then. */
    uint64_t items;
    struct open_map maps[1 + VV_CBOR_MOST_MAPS];
    size_t depth;
};

static int cbor_in_compare_bytes(const struct vv_cbor_in *in, size_t a,
    size_t a_size, size_t b, size_t b_size)
{
    size_t both = a_size < b_size ? a_size : b_size;
    int order = memcmp(in->bytes + a, in->bytes + b, both);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

static varve_status cbor_in_check_key(
    const struct vv_cbor_in *in, struct open_map *map)
{
    size_t size = in->at - map->begin;
    if (map->last_size > 0 && cbor_in_compare_bytes(in, map->last,
                                  map->last_size, map->begin, size) >= 0)
        return cbor_in_fail(
            in, map->begin, "keys in order", "a key out of order");
    map->last = map->begin;
    map->last_size = size;
    return VARVE_OK;
}

/* Ends a key or a value and, after the last one, its map. */
static varve_status cbor_in_end_part(struct skipping *s)
{
    struct open_map *map = &s->maps[s->depth];
    if (map->more % 2 != 0)
        VV_TRY(cbor_in_check_key(s->in, map));
    if (map->more == 0) {
        s->depth--;
        return VARVE_OK;
    }
    map->more--;
    map->items = 1;
    map->begin = s->in->at;
    return VARVE_OK;
}

static varve_status open_map(
    struct skipping *s, size_t at, const struct vv_cbor_item *item)
{
    if (item->number == 0)
        return VARVE_OK;
    if (s->depth == VV_CBOR_MOST_MAPS)
        return vv_fail(s->in->error, VARVE_LIMIT,
            "%s: index at offset %" PRIu64
            ": maps are nested more than %d deep",
            s->in->path, s->in->base + at, VV_CBOR_MOST_MAPS);
    s->maps[++s->depth] = (struct open_map){
        .items = 1, .more = 2 * item->number - 1, .begin = s->in->at
    };
    return VARVE_OK;
}

static varve_status skip_item(struct skipping *s)
{
    struct open_map *map = &s->maps[s->depth];
    struct vv_cbor_item item;
    size_t at = s->in->at;
    VV_TRY(vv_cbor_next(s->in, &item));
    uint64_t within = item.kind == VV_CBOR_TAG     ? 1
                      : item.kind == VV_CBOR_ARRAY ? item.number
                      : item.kind == VV_CBOR_MAP   ? 2 * item.number
                                                   : 0;
    s->items += within - 1;
    if (s->items > s->in->size - s->in->at)
        return cbor_in_fail(s->in, at, "no more items than bytes left", "more");
    map->items--;
    if (item.kind == VV_CBOR_MAP)
        return open_map(s, at, &item);
    map->items += within;
    return VARVE_OK;
}

varve_status vv_cbor_skip(struct vv_cbor_in *in)
{
    struct skipping s = { .in = in, .items = 1, .maps = { { .items = 1 } } };
    while (s.depth > 0 || s.maps[0].items > 0) {
        if (s.maps[s.depth].items > 0)
            VV_TRY(skip_item(&s));
        else
            VV_TRY(cbor_in_end_part(&s));
    }
    return VARVE_OK;
}

varve_status vv_cbor_end(struct vv_cbor_in *in)
{
    if (in->at != in->size)
        return cbor_in_fail(in, in->at, "the end of the index", "more bytes");
    return VARVE_OK;
}
