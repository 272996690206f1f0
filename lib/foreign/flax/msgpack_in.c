/* msgpack_in.c - Decodes items by their marker byte, which determines the kind
 * of the item and the width of its size.
 *
 * SPDX-License-Identifier: MIT
 */
#include "msgpack_in.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "try.h"

/* The meaning of a marker byte: the number of bytes of the number that follows,
 * or the size of a fixed extension. */
struct mark {
    unsigned char kind, width;
    unsigned char is_signed, size; /* of a fixed extension */
};

enum { FIRST_MARK = 0xc0, LAST_MARK = 0xdf };

static const struct mark marks[] = {
    { VV_MSGPACK_NIL, 0, 0, 0 },
    { VV_MSGPACK_NOTHING, 0, 0, 0 },
    { VV_MSGPACK_BOOL, 0, 0, 0 },
    { VV_MSGPACK_BOOL, 0, 0, 0 },
    { VV_MSGPACK_BYTES, 1, 0, 0 },
    { VV_MSGPACK_BYTES, 2, 0, 0 },
    { VV_MSGPACK_BYTES, 4, 0, 0 },
    { VV_MSGPACK_EXTENSION, 1, 0, 0 },
    { VV_MSGPACK_EXTENSION, 2, 0, 0 },
    { VV_MSGPACK_EXTENSION, 4, 0, 0 },
    { VV_MSGPACK_FLOAT, 4, 0, 0 },
    { VV_MSGPACK_REAL, 8, 0, 0 },
    { VV_MSGPACK_INTEGER, 1, 0, 0 },
    { VV_MSGPACK_INTEGER, 2, 0, 0 },
    { VV_MSGPACK_INTEGER, 4, 0, 0 },
    { VV_MSGPACK_INTEGER, 8, 0, 0 },
    { VV_MSGPACK_INTEGER, 1, 1, 0 },
    { VV_MSGPACK_INTEGER, 2, 1, 0 },
    { VV_MSGPACK_INTEGER, 4, 1, 0 },
    { VV_MSGPACK_INTEGER, 8, 1, 0 },
    { VV_MSGPACK_EXTENSION, 0, 0, 1 },
    { VV_MSGPACK_EXTENSION, 0, 0, 2 },
    { VV_MSGPACK_EXTENSION, 0, 0, 4 },
    { VV_MSGPACK_EXTENSION, 0, 0, 8 },
    { VV_MSGPACK_EXTENSION, 0, 0, 16 },
    { VV_MSGPACK_TEXT, 1, 0, 0 },
    { VV_MSGPACK_TEXT, 2, 0, 0 },
    { VV_MSGPACK_TEXT, 4, 0, 0 },
    { VV_MSGPACK_LIST, 2, 0, 0 },
    { VV_MSGPACK_LIST, 4, 0, 0 },
    { VV_MSGPACK_MAP, 2, 0, 0 },
    { VV_MSGPACK_MAP, 4, 0, 0 },
};

_Static_assert(sizeof marks / sizeof *marks == LAST_MARK - FIRST_MARK + 1,
    "one entry for each marker byte");

varve_status vv_msgpack_fail(const struct vv_msgpack *in, varve_status status,
    uint64_t at, const char *expected, const char *found)
{
    return vv_fail(in->window.error, status,
        "%s: offset %" PRIu64 ": expected %s, found %s",
        in->window.foreign->files[0].path, at, expected, found);
}

const char *vv_msgpack_word(enum vv_msgpack_kind kind)
{
    static const char *const words[] = {
        [VV_MSGPACK_NOTHING] = "an invalid byte",
        [VV_MSGPACK_NIL] = "nil",
        [VV_MSGPACK_BOOL] = "a bool",
        [VV_MSGPACK_INTEGER] = "an integer",
        [VV_MSGPACK_UNSIGNED] = "an integer of 2^63 or more",
        [VV_MSGPACK_FLOAT] = "a real",
        [VV_MSGPACK_REAL] = "a real",
        [VV_MSGPACK_TEXT] = "a text",
        [VV_MSGPACK_BYTES] = "bytes",
        [VV_MSGPACK_LIST] = "a list",
        [VV_MSGPACK_MAP] = "a map",
        [VV_MSGPACK_EXTENSION] = "an extension",
    };
    return words[kind];
}

/* Checks that at least `count` bytes are left, or items of at least one
 * byte. */
static varve_status msgpack_in_expect(
    const struct vv_msgpack *in, uint64_t count, const char *what)
{
    uint64_t left = in->end - in->at;
    if (count <= left)
        return VARVE_OK;
    return vv_fail(in->window.error, VARVE_TRUNCATED,
        "%s: offset %" PRIu64 ": %s: expected at least %" PRIu64
        " bytes, only %" PRIu64 " are left",
        in->window.foreign->files[0].path, in->at, what, count, left);
}

/* Returns a big-endian number. All of its bytes are in the window. */
static uint64_t msgpack_in_number_of(
    const unsigned char *bytes, const struct mark *mark)
{
    uint64_t bits = mark->is_signed && (bytes[0] & 0x80) ? UINT64_MAX : 0;
    for (unsigned i = 0; i < mark->width; i++)
        bits = bits << 8 | bytes[i];
    return bits;
}

static void msgpack_in_widen(struct vv_msgpack_item *item)
{
    uint32_t bits = (uint32_t)item->bits;
    float single;
    memcpy(&single, &bits, sizeof single);
    double real = (double)single;
    memcpy(&item->bits, &real, sizeof real);
}

/* Decodes a marker byte that contains a number. Returns false for other
 * markers. */
static bool take_short(unsigned byte, struct vv_msgpack_item *item)
{
    if (byte >= FIRST_MARK && byte <= LAST_MARK)
        return false;
    if (byte < 0x80 || byte > LAST_MARK) {
        item->kind = VV_MSGPACK_INTEGER;
        item->bits = byte < 0x80 ? byte : byte - UINT64_C(0x100);
    } else if (byte < 0xa0) {
        item->kind = byte < 0x90 ? VV_MSGPACK_MAP : VV_MSGPACK_LIST;
        item->bits = byte & 0xf;
    } else {
        item->kind = VV_MSGPACK_TEXT;
        item->bits = byte & 0x1f;
    }
    return true;
}

static varve_status take_marked(struct vv_msgpack *in,
    const unsigned char *bytes, const char *what, struct vv_msgpack_item *item)
{
    const struct mark *mark = &marks[bytes[0] - FIRST_MARK];
    item->kind = (enum vv_msgpack_kind)mark->kind;
    bool is_extension = item->kind == VV_MSGPACK_EXTENSION;
    if (item->kind == VV_MSGPACK_NOTHING)
        return vv_msgpack_fail(
            in, VARVE_CORRUPT, item->begin, what, vv_msgpack_word(item->kind));
    VV_TRY(msgpack_in_expect(in, (uint64_t)mark->width + is_extension, what));
    item->bits = item->kind == VV_MSGPACK_BOOL ? bytes[0] & 1
                 : mark->size                  ? mark->size
                              : msgpack_in_number_of(bytes + 1, mark);
    in->at += mark->width;
    if (is_extension) {
        int byte = bytes[1 + mark->width];
        item->type = byte < 128 ? byte : byte - 256;
        in->at++;
    }
    if (item->kind == VV_MSGPACK_FLOAT)
        msgpack_in_widen(item);
    if (item->kind == VV_MSGPACK_INTEGER && !mark->is_signed &&
        item->bits > INT64_MAX)
        item->kind = VV_MSGPACK_UNSIGNED;
    return VARVE_OK;
}

/* Checks that the contents of an item are within the input, and skips its
 * bytes. */
static varve_status enclose(
    struct vv_msgpack *in, const char *what, struct vv_msgpack_item *item)
{
    switch (item->kind) {
    case VV_MSGPACK_TEXT:
    case VV_MSGPACK_BYTES:
    case VV_MSGPACK_EXTENSION:
        VV_TRY(msgpack_in_expect(in, item->bits, what));
        item->at = in->at;
        item->size = item->bits;
        in->at += item->size;
        return VARVE_OK;
    case VV_MSGPACK_LIST: return msgpack_in_expect(in, item->bits, what);
    case VV_MSGPACK_MAP: return msgpack_in_expect(in, 2 * item->bits, what);
    default: return VARVE_OK;
    }
}

varve_status vv_msgpack_next(
    struct vv_msgpack *in, const char *what, struct vv_msgpack_item *item)
{
    const unsigned char *bytes;
    size_t size;
    *item = (struct vv_msgpack_item){ .begin = in->at, .at = in->at };
    VV_TRY(msgpack_in_expect(in, 1, what));
    VV_TRY(vv_window_look(&in->window, in->at, &bytes, &size));
    in->at++;
    if (!take_short(bytes[0], item))
        VV_TRY(take_marked(in, bytes, what, item));
    return enclose(in, what, item);
}

varve_status vv_msgpack_take(struct vv_msgpack *in,
    const struct vv_msgpack_item *item, struct vv_buffer *bytes)
{
    uint64_t at = item->at, end = item->at + item->size;
    while (at < end) {
        const unsigned char *seen;
        size_t size;
        VV_TRY(vv_window_look(&in->window, at, &seen, &size));
        size = size < end - at ? size : (size_t)(end - at);
        vv_buffer_add(bytes, seen, size);
        if (bytes->failed)
            return vv_fail_memory(in->window.error, "a text");
        at += size;
    }
    return VARVE_OK;
}
