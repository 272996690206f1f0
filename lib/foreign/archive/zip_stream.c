/* zip_stream.c - Reads stored data directly and inflates deflated data through
 * an input buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip_stream.h"

#include <inttypes.h>

#include "allocator.h"
#include "crc.h"
#include "failure.h"
#include "try.h"

enum { INPUT_SIZE = 64 * 1024 };

static const varve_allocator *zip_stream_allocator_of(
    const struct vv_zip_stream *s)
{
    return &s->zip->foreign->context->allocator;
}

static varve_status fail_stream(
    const struct vv_zip_stream *s, const char *problem, varve_error *error)
{
    return vv_fail(error, VARVE_CORRUPT, "%s: byte %" PRIu64 ": %s", s->where,
        s->entry->data + s->taken - s->input_size, problem);
}

static void zip_stream_release(struct vv_zip_stream *s)
{
    vv_inflater_free(zip_stream_allocator_of(s), s->inflater);
    vv_release(zip_stream_allocator_of(s), s->input, s->input_room);
    s->inflater = NULL;
    s->input = NULL;
}

/* The input buffer is not larger than the packed data, so the file bounds the
 * memory. */
varve_status vv_zip_stream_begin(struct vv_zip_stream *s,
    const struct vv_zip *zip, const struct vv_zip_entry *entry,
    const char *where, varve_error *error)
{
    *s = (struct vv_zip_stream){
        .zip = zip, .entry = entry, .where = where, .left = entry->size
    };
    if (entry->method == VV_ZIP_STORED)
        return VARVE_OK;
    if (!vv_inflater_exists())
        return vv_fail(error, VARVE_TOO_NEW,
            "%s: the data is deflated, and this library was built without zlib",
            where);
    if (entry->packed == 0)
        return fail_stream(s, "the deflated data is empty", error);
    s->input_room =
        entry->packed < INPUT_SIZE ? (size_t)entry->packed : INPUT_SIZE;
    s->input = vv_allocate(zip_stream_allocator_of(s), s->input_room);
    s->inflater = vv_inflater_new(zip_stream_allocator_of(s), VV_DEFLATED);
    if (s->input && s->inflater)
        return VARVE_OK;
    zip_stream_release(s);
    return vv_fail_memory(error, "inflating");
}

static varve_status zip_stream_refill(
    struct vv_zip_stream *s, varve_error *error)
{
    uint64_t more = s->entry->packed - s->taken;
    if (s->input_size > 0 || more == 0)
        return VARVE_OK;
    size_t size = more < s->input_room ? (size_t)more : s->input_room;
    VV_TRY(vv_foreign_read(s->zip->foreign, s->zip->span.file, s->input, size,
        s->entry->data + s->taken, error));
    s->taken += size;
    s->input_at = 0;
    s->input_size = size;
    return VARVE_OK;
}

/* Inflates at most *size bytes, advances *to and updates the checksum. */
static varve_status zip_stream_inflate_some(struct vv_zip_stream *s,
    unsigned char **to, size_t *size, varve_error *error)
{
    VV_TRY(zip_stream_refill(s, error));
    const unsigned char *in = s->input + s->input_at;
    unsigned char *begin = *to;
    size_t before = s->input_size;
    enum vv_inflation result =
        vv_inflate(s->inflater, &in, &s->input_size, to, size);
    s->input_at += before - s->input_size;
    s->crc = vv_crc32(s->crc, begin, (size_t)(*to - begin));
    if (result == VV_INFLATION_NO_MEMORY)
        return vv_fail_memory(error, "inflating");
    if (result == VV_INFLATION_BAD)
        return fail_stream(s, "invalid deflated data", error);
    s->is_at_end = result == VV_INFLATION_END;
    if (!s->is_at_end && *to == begin && s->input_size == before &&
        (before > 0 || s->taken == s->entry->packed))
        return fail_stream(
            s, "the deflated data does not end within the entry", error);
    return VARVE_OK;
}

static varve_status read_deflated(
    struct vv_zip_stream *s, unsigned char *to, size_t size, varve_error *error)
{
    while (size > 0) {
        if (s->is_at_end)
            return fail_stream(s, "the deflated data ends early", error);
        VV_TRY(zip_stream_inflate_some(s, &to, &size, error));
    }
    return VARVE_OK;
}

varve_status vv_zip_stream_read(
    struct vv_zip_stream *s, void *bytes, size_t size, varve_error *error)
{
    if (size > s->left)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: expected %zu more bytes, found %" PRIu64, s->where, size,
            s->left);
    s->left -= size;
    if (s->inflater)
        return read_deflated(s, bytes, size, error);
    VV_TRY(vv_foreign_read(s->zip->foreign, s->zip->span.file, bytes, size,
        s->entry->data + s->taken, error));
    s->taken += size;
    s->crc = vv_crc32(s->crc, bytes, size);
    return VARVE_OK;
}

/* The end of a deflated stream can need a few more bits of input, but must not
 * produce another byte. */
static varve_status check_end(struct vv_zip_stream *s, varve_error *error)
{
    unsigned char byte, *to = &byte;
    size_t room = 1;
    while (s->inflater && !s->is_at_end) {
        VV_TRY(zip_stream_inflate_some(s, &to, &room, error));
        if (room == 0)
            return fail_stream(s,
                "the deflated data is larger than the size of the entry",
                error);
    }
    if (s->left > 0 || s->input_size > 0 || s->taken != s->entry->packed)
        return fail_stream(s, "unread bytes at the end of the entry", error);
    if (s->crc != s->entry->crc)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: bytes %" PRIu64 " to %" PRIu64 ": expected CRC-32 %08" PRIx32
            ", found %08" PRIx32,
            s->where, s->entry->data, s->entry->data + s->entry->packed,
            s->entry->crc, s->crc);
    return VARVE_OK;
}

varve_status vv_zip_stream_end(
    struct vv_zip_stream *s, varve_status status, varve_error *error)
{
    if (!status)
        status = check_end(s, error);
    zip_stream_release(s);
    return status;
}
