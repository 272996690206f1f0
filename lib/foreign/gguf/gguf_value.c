/* gguf_value.c - Reads values and converts them to text. Arrays are skipped
 * with a stack of the numbers of remaining elements.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "name.h"
#include "try.h"

/* --- Bytes ---------------------------------------------------------------- */

enum { PIECE = 1 << 16 };

void vv_gguf_begin(
    struct vv_gguf_bytes *in, const struct vv_foreign *foreign, uint32_t file)
{
    in->foreign = foreign;
    in->file = file;
    in->path = foreign->files[file].path;
    in->size = foreign->files[file].size;
    in->at = in->window_begin = 0;
    in->window_size = 0;
    in->item = (struct vv_gguf_item){ .kind = NULL };
}

varve_status vv_gguf_fail(const struct vv_gguf_bytes *in, uint64_t at,
    varve_status status, varve_error *error, const char *format, ...)
{
    enum { MOST_SHOWN = 200 };
    const struct vv_gguf_item *item = &in->item;
    char item_text[MOST_SHOWN + 40] = "", text[VARVE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (item->kind && item->name) {
        size_t size = item->name->size;
        snprintf(item_text, sizeof item_text, "%s \"%.*s\": ", item->kind,
            (int)(size < MOST_SHOWN ? size : MOST_SHOWN),
            size ? (const char *)item->name->data : "");
    } else if (item->kind) {
        snprintf(item_text, sizeof item_text, "%s %" PRIu64 " of %" PRIu64 ": ",
            item->kind, item->number, item->count);
    }
    return vv_fail(error, status, "%s: %soffset %" PRIu64 ": %s", in->path,
        item_text, at, text);
}

static varve_status gguf_bytes_expect(const struct vv_gguf_bytes *in,
    uint64_t count, size_t size, const char *what, varve_error *error)
{
    uint64_t left = in->size - in->at;
    if (count <= left / size)
        return VARVE_OK;
    if (size == 1 || count == 1)
        return vv_gguf_fail(in, in->at, VARVE_TRUNCATED, error,
            "expected %s of %" PRIu64 " bytes, only %" PRIu64
            " are left in the file",
            what, size == 1 ? count : size, left);
    return vv_gguf_fail(in, in->at, VARVE_TRUNCATED, error,
        "expected %s of %" PRIu64 " times %zu bytes, only %" PRIu64
        " are left in the file",
        what, count, size, left);
}

/* Copies bytes whose presence gguf_bytes_expect has checked. */
static varve_status gguf_bytes_copy(struct vv_gguf_bytes *in, unsigned char *to,
    size_t size, varve_error *error)
{
    while (size > 0) {
        /* If `at` is before the window, this wraps around to a large number. */
        uint64_t ahead = in->at - in->window_begin;
        if (ahead >= in->window_size) {
            uint64_t left = in->size - in->at;
            size_t room = sizeof in->window;
            in->window_size = 0;
            room = left < room ? (size_t)left : room;
            VV_TRY(vv_foreign_read(
                in->foreign, in->file, in->window, room, in->at, error));
            in->window_begin = in->at;
            in->window_size = room;
            ahead = 0;
        }
        size_t part = in->window_size - (size_t)ahead;
        part = part < size ? part : size;
        memcpy(to, in->window + ahead, part);
        to += part;
        size -= part;
        in->at += part;
    }
    return VARVE_OK;
}

varve_status vv_gguf_take_number(struct vv_gguf_bytes *in, size_t size,
    uint64_t *value, const char *what, varve_error *error)
{
    unsigned char bytes[8] = { 0 };
    VV_TRY(gguf_bytes_expect(in, 1, size, what, error));
    VV_TRY(gguf_bytes_copy(in, bytes, size, error));
    *value = vv_load64(bytes);
    return VARVE_OK;
}

varve_status vv_gguf_take32(struct vv_gguf_bytes *in, uint32_t *value,
    const char *what, varve_error *error)
{
    uint64_t number;
    VV_TRY(vv_gguf_take_number(in, 4, &number, what, error));
    *value = (uint32_t)number;
    return VARVE_OK;
}

varve_status vv_gguf_take64(struct vv_gguf_bytes *in, uint64_t *value,
    const char *what, varve_error *error)
{
    return vv_gguf_take_number(in, 8, value, what, error);
}

static varve_status take_size(struct vv_gguf_bytes *in, uint64_t *size,
    const char *what, varve_error *error)
{
    VV_TRY(vv_gguf_take64(in, size, what, error));
    return gguf_bytes_expect(in, *size, 1, what, error);
}

static varve_status gguf_bytes_take_text(struct vv_gguf_bytes *in,
    uint64_t size, struct vv_buffer *text, const char *what, varve_error *error)
{
    text->size = 0;
    for (size_t part; size > 0; size -= part) {
        uint64_t most = text->size < PIECE ? PIECE : text->size;
        part = (size_t)(size < most ? size : most);
        unsigned char *to = vv_buffer_extend(text, part);
        if (!to)
            return vv_fail_memory(error, what);
        VV_TRY(gguf_bytes_copy(in, to, part, error));
        in->is_cut = size > part && memchr(to, 0, part);
        if (in->is_cut)
            return vv_gguf_skip(in, size - part, 1, what, error);
    }
    return VARVE_OK;
}

varve_status vv_gguf_take_string(struct vv_gguf_bytes *in,
    struct vv_buffer *text, const char *what, varve_error *error)
{
    uint64_t size;
    VV_TRY(take_size(in, &size, what, error));
    in->is_cut = false;
    return text ? gguf_bytes_take_text(in, size, text, what, error)
                : vv_gguf_skip(in, size, 1, what, error);
}

varve_status vv_gguf_skip(struct vv_gguf_bytes *in, uint64_t count, size_t size,
    const char *what, varve_error *error)
{
    VV_TRY(gguf_bytes_expect(in, count, size, what, error));
    in->at += count * size;
    return VARVE_OK;
}

/* --- Values --------------------------------------------------------------- */

enum { VV_GGUF_MOST_DEPTH = 8 };

/* Size of a number or bool; 0 if the size varies. */
static const unsigned char sizes[] = {
    [VV_GGUF_UINT8] = 1,
    [VV_GGUF_INT8] = 1,
    [VV_GGUF_UINT16] = 2,
    [VV_GGUF_INT16] = 2,
    [VV_GGUF_UINT32] = 4,
    [VV_GGUF_INT32] = 4,
    [VV_GGUF_FLOAT32] = 4,
    [VV_GGUF_BOOL] = 1,
    [VV_GGUF_STRING] = 0,
    [VV_GGUF_ARRAY] = 0,
    [VV_GGUF_UINT64] = 8,
    [VV_GGUF_INT64] = 8,
    [VV_GGUF_FLOAT64] = 8,
};

static varve_status take_kind(
    struct vv_gguf_bytes *in, enum vv_gguf_kind *kind, varve_error *error)
{
    uint32_t number;
    uint64_t begin = in->at;
    VV_TRY(vv_gguf_take32(in, &number, "the type of a value", error));
    if (number >= sizeof sizes)
        return vv_gguf_fail(in, begin, VARVE_TOO_NEW, error,
            "expected a metadata type from 0 to %d, found %" PRIu32,
            (int)sizeof sizes - 1, number);
    *kind = (enum vv_gguf_kind)number;
    return VARVE_OK;
}

/* --- Arrays --------------------------------------------------------------- */

struct level {
    enum vv_gguf_kind kind;
    uint64_t left; /* remaining elements */
};

/* Reads the header of an array, and skips its elements if they have a fixed
 * size. */
static varve_status gguf_value_enter(
    struct vv_gguf_bytes *in, struct level *level, varve_error *error)
{
    VV_TRY(take_kind(in, &level->kind, error));
    VV_TRY(vv_gguf_take64(in, &level->left, "the size of an array", error));
    if (!sizes[level->kind])
        return VARVE_OK;
    VV_TRY(
        vv_gguf_skip(in, level->left, sizes[level->kind], "an array", error));
    level->left = 0;
    return VARVE_OK;
}

static varve_status pass_array(struct vv_gguf_bytes *in, varve_error *error)
{
    /* Not recursive, because the file determines how deep arrays are nested. */
    struct level levels[VV_GGUF_MOST_DEPTH];
    size_t depth = 1;
    VV_TRY(gguf_value_enter(in, &levels[0], error));
    while (depth > 0) {
        struct level *level = &levels[depth - 1];
        if (level->left == 0) {
            depth--;
            continue;
        }
        level->left--;
        if (level->kind == VV_GGUF_STRING) {
            VV_TRY(vv_gguf_take_string(in, NULL, "a string", error));
            continue;
        }
        if (depth == VV_GGUF_MOST_DEPTH)
            return vv_gguf_fail(in, in->at, VARVE_LIMIT, error,
                "arrays are nested more than %d deep", VV_GGUF_MOST_DEPTH);
        VV_TRY(gguf_value_enter(in, &levels[depth++], error));
    }
    return VARVE_OK;
}

/* --- Text ----------------------------------------------------------------- */

static void gguf_value_add_real(
    struct vv_buffer *text, double value, bool is_single)
{
    char digits[64];
    int most = is_single ? 9 : 17;
    /* NaN differs from itself, and infinity minus itself is NaN. */
    if (value != value) {
        vv_buffer_add_string(text, "nan");
        return;
    }
    if (value - value != 0) {
        vv_buffer_add_string(text, value < 0 ? "-inf" : "inf");
        return;
    }
    /* Tries increasing precisions until the text is read back as the same
     * value. */
    for (int count = 1; count <= most; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, value);
        double back =
            is_single ? (double)strtof(digits, NULL) : strtod(digits, NULL);
        if (back == value)
            break;
    }
    vv_buffer_add_string(text, vv_set_point(digits));
}

static void add_signed(struct vv_buffer *text, uint64_t bits, size_t size)
{
    char digits[24];
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    bool is_negative = bits & sign;
    uint64_t magnitude = is_negative ? (sign - (bits & (sign - 1))) : bits;
    snprintf(
        digits, sizeof digits, "%s%" PRIu64, is_negative ? "-" : "", magnitude);
    vv_buffer_add_string(text, digits);
}

static void gguf_value_add_number(
    struct vv_buffer *text, struct vv_gguf_value value)
{
    char digits[24];
    float single;
    double real;
    uint32_t low = (uint32_t)value.bits;
    switch (value.kind) {
    case VV_GGUF_BOOL:
        vv_buffer_add_string(text, value.bits ? "true" : "false");
        return;
    case VV_GGUF_FLOAT32:
        memcpy(&single, &low, sizeof single);
        gguf_value_add_real(text, (double)single, true);
        return;
    case VV_GGUF_FLOAT64:
        memcpy(&real, &value.bits, sizeof real);
        gguf_value_add_real(text, real, false);
        return;
    case VV_GGUF_INT8:
    case VV_GGUF_INT16:
    case VV_GGUF_INT32:
    case VV_GGUF_INT64: add_signed(text, value.bits, sizes[value.kind]); return;
    default:
        snprintf(digits, sizeof digits, "%" PRIu64, value.bits);
        vv_buffer_add_string(text, digits);
    }
}

/* --- Values --------------------------------------------------------------- */

varve_status vv_gguf_take_value(struct vv_gguf_bytes *in,
    struct vv_gguf_value *value, struct vv_buffer *text, varve_error *error)
{
    text->size = 0;
    value->bits = 0;
    VV_TRY(take_kind(in, &value->kind, error));
    if (value->kind == VV_GGUF_STRING)
        return vv_gguf_take_string(in, text, "a string", error);
    if (value->kind == VV_GGUF_ARRAY)
        return pass_array(in, error);
    uint64_t begin = in->at;
    VV_TRY(vv_gguf_take_number(
        in, sizes[value->kind], &value->bits, "a number", error));
    if (value->kind == VV_GGUF_BOOL && value->bits > 1)
        return vv_gguf_fail(in, begin, VARVE_CORRUPT, error,
            "expected 0 or 1 for a bool, found %" PRIu64, value->bits);
    gguf_value_add_number(text, *value);
    return text->failed ? vv_fail_memory(error, "metadata") : VARVE_OK;
}
