/* gguf_bytes.c - Reads a file sequentially through a window.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_bytes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "try.h"

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
