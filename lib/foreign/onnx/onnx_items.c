/* onnx_items.c - Walks over the items, counts them, and stores them if there is
 * a destination.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_items.h"

#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "onnx_type.h"
#include "try.h"

struct walk {
    struct vv_wire_file *file;
    const struct vv_onnx_items *items;
    uint64_t count;    /* items so far */
    uint64_t bytes;    /* size of strings so far */
    unsigned char *to; /* destination; NULL: only counts */
    size_t size;       /* size of the destination */
    uint64_t strings;  /* expected number of strings */
};

static enum vv_wire_type onnx_items_kind_of(uint32_t field)
{
    switch (field) {
    case VV_ONNX_FLOATS: return VV_WIRE_FIXED32;
    case VV_ONNX_DOUBLES: return VV_WIRE_FIXED64;
    default: return VV_WIRE_VARINT;
    }
}

static varve_status onnx_items_fail_changed(const struct walk *w)
{
    return vv_fail(w->file->window.error, VARVE_CORRUPT,
        "%s: the data has changed since the file was opened",
        w->file->window.foreign->files[0].path);
}

/* Stores 6 bits, which may be split over two bytes. */
static void put_bits(unsigned char *to, uint64_t at, unsigned six)
{
    unsigned shift = (unsigned)(at % 8);
    to[at / 8] |= (unsigned char)(six << shift);
    if (shift > 2)
        to[at / 8 + 1] |= (unsigned char)(six >> (8 - shift));
}

static varve_status onnx_items_put(struct walk *w, uint64_t number)
{
    uint32_t unit = w->items->unit;
    uint64_t i = w->count++;
    if (!w->to)
        return VARVE_OK;
    uint64_t room = unit == 6   ? (uint64_t)w->size * 8 / 6
                    : unit == 1 ? w->size
                                : w->size / (unit / 8);
    if (i >= room)
        return onnx_items_fail_changed(w);
    if (unit == 6) {
        put_bits(w->to, 6 * i, (unsigned)number & 63);
    } else if (unit == 1) {
        w->to[i] = (uint32_t)number != 0;
    } else {
        for (uint32_t b = 0; b < unit / 8; b++)
            w->to[i * (unit / 8) + b] = (unsigned char)(number >> 8 * b);
    }
    return VARVE_OK;
}

static varve_status take_numbers(
    struct walk *w, const struct vv_wire_spot *spot)
{
    enum vv_wire_type kind = onnx_items_kind_of(w->items->field);
    if (spot->type != VV_WIRE_SIZED) {
        VV_TRY(vv_wire_file_expect(w->file, spot, kind, "elements"));
        return onnx_items_put(w, spot->value);
    }
    struct vv_wire_part part = spot->part;
    while (part.at < part.end) {
        uint64_t number;
        VV_TRY(vv_wire_file_number(w->file, &part, kind, &number));
        VV_TRY(onnx_items_put(w, number));
    }
    return VARVE_OK;
}

static varve_status onnx_items_take_string(
    struct walk *w, const struct vv_wire_spot *spot)
{
    uint64_t size = spot->part.end - spot->part.at;
    uint64_t i = w->count++;
    VV_TRY(vv_wire_file_expect(w->file, spot, VV_WIRE_SIZED, "a string"));
    if (w->to) {
        uint64_t text = 8 * w->strings + w->bytes;
        if (i >= w->strings || size > w->size - text)
            return onnx_items_fail_changed(w);
        vv_store64(w->to + 8 * i, size);
        if (size > 0)
            VV_TRY(vv_foreign_read(w->file->window.foreign, 0, w->to + text,
                (size_t)size, spot->part.at, w->file->window.error));
    }
    w->bytes += size;
    return VARVE_OK;
}

static varve_status onnx_items_walk(struct walk *w)
{
    struct vv_wire_part message = w->items->message;
    struct vv_wire_spot spot;
    while (message.at < message.end) {
        VV_TRY(vv_wire_file_next(w->file, &message, "elements", &spot));
        if (spot.number != w->items->field)
            continue;
        VV_TRY(w->items->unit ? take_numbers(w, &spot)
                              : onnx_items_take_string(w, &spot));
    }
    return VARVE_OK;
}

varve_status vv_onnx_items_count(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t *count, uint64_t *bytes)
{
    struct walk w = { .file = file, .items = items };
    VV_TRY(onnx_items_walk(&w));
    *count = w.count;
    *bytes = w.bytes;
    return VARVE_OK;
}

varve_status vv_onnx_items_make(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t count, unsigned char *bytes,
    size_t size)
{
    struct walk w = { .file = file,
        .items = items,
        .to = bytes,
        .size = size,
        .strings = items->unit ? 0 : count };
    memset(bytes, 0, size);
    VV_TRY(onnx_items_walk(&w));
    bool is_whole =
        w.count == count && (items->unit || 8 * w.strings + w.bytes == size);
    return is_whole ? VARVE_OK : onnx_items_fail_changed(&w);
}
