/* remote_upload.c - Buffers blocks of an upload, and sends them as parts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_upload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_url.h"
#include "remote_text.h"

enum { LEAST_ROOM = 64 << 10, A_MIB = 1 << 20 };

static int remote_upload_fail_memory(void)
{
    return vv_remote_fail(ENOMEM, "no memory for a part of a file");
}

/* --- Construction and release -----------------------------------------------
 */

struct vv_remote_upload *vv_remote_upload_new(
    const struct vv_remote_settings *settings, const char *path)
{
    const struct vv_system *machine = settings->machine;
    unsigned char token[(VV_REMOTE_TOKEN_SIZE - 1) / 2];
    struct vv_remote_upload *u = calloc(1, sizeof *u);
    char digits[VV_REMOTE_MOST_TEXT];
    if (!u)
        return NULL;
    u->settings = settings;
    u->path = vv_remote_copy(path);
    u->part = settings->part_size;
    if (!u->path || machine->random(machine->state, token, sizeof token) < 0) {
        vv_remote_upload_free(u);
        return NULL;
    }
    vv_remote_hex(token, sizeof token, digits);
    memcpy(u->token, digits, sizeof u->token);
    return u;
}

void vv_remote_upload_free(struct vv_remote_upload *u)
{
    if (!u)
        return;
    vv_remote_parts_free(u->parts);
    free(u->first.bytes);
    free(u->window.bytes);
    free(u->id);
    free(u->path);
    free(u);
}

int vv_remote_upload_call(struct vv_remote_upload *u, const char *path)
{
    if (strcmp(path, u->path) == 0)
        return 0;
    if (u->id)
        return vv_remote_fail(EXDEV,
            "a file in a store cannot be renamed after its upload has started");
    char *copy = vv_remote_copy(path);
    if (!copy)
        return remote_upload_fail_memory();
    free(u->path);
    u->path = copy;
    return 0;
}

/* Uses 90 % of the possible parts, in case the file becomes larger than
 * expected. */
void vv_remote_upload_expect(struct vv_remote_upload *u, uint64_t size)
{
    uint64_t part = size / (VV_REMOTE_MOST_PARTS / 10 * 9) + 1;
    part = size > (uint64_t)u->part * (VV_REMOTE_MOST_PARTS / 10 * 9)
               ? (part + A_MIB - 1) / A_MIB * A_MIB
               : 0;
    if (size == 0 || u->begin > 0 || part > SIZE_MAX / 4)
        return;
    u->is_expected = true;
    u->part = part > u->part ? (size_t)part : u->part;
}

/* Returns the size of the part with a number; the first two are equal. */
static size_t capacity_of(const struct vv_remote_upload *u, unsigned number)
{
    unsigned alike =
        u->is_expected ? VV_REMOTE_MOST_PARTS / 10 * 9 : VV_REMOTE_PARTS_ALIKE;
    return u->part << ((number - 1) / alike);
}

/* --- Sending ----------------------------------------------------------------
 */

static char *take_id(char *body)
{
    char *at = body;
    char *id = body ? vv_remote_next_element(&at, "<UploadId>") : NULL;
    return id && *id && strlen(id) < 4096 && vv_remote_decode(id)
               ? vv_remote_copy(id)
               : NULL;
}

static int remote_upload_begin(struct vv_remote_upload *u)
{
    struct vv_remote_change c = { .settings = u->settings,
        .path = u->path,
        .query = "?uploads=",
        .method = VV_REMOTE_POST,
        .token = u->token,
        .end = "</UploadId>" };
    int result = u->id ? 0 : vv_remote_change(&c);
    if (!result && !u->id) {
        u->id = take_id(c.text.at);
        if (!u->id)
            result = vv_remote_fail(EIO, "the response has no upload ID");
    }
    free(c.text.at);
    return result;
}

/* Returns "?partNumber=7&uploadId=ID"; number 0: for the upload itself. */
static char *query_of(const struct vv_remote_upload *u, unsigned number)
{
    char part[48] = "?uploadId=";
    struct vv_remote_text query = { .at = NULL };
    if (number)
        snprintf(part, sizeof part, "?partNumber=%u&uploadId=", number);
    vv_remote_add(&query, part);
    vv_remote_add_encoded(&query, u->id, true);
    return vv_remote_take(&query);
}

/* Starts to upload a part. */
static int send_part(struct vv_remote_upload *u, struct vv_remote_bytes *block,
    unsigned number, bool moves)
{
    if (number > VV_REMOTE_MOST_PARTS)
        return vv_remote_fail(
            EFBIG, "the upload needs more than %d parts", VV_REMOTE_MOST_PARTS);
    int result = remote_upload_begin(u);
    if (!result && !u->parts)
        u->parts = vv_remote_parts_new(u->settings);
    char *query = result ? NULL : query_of(u, number);
    if (!result && (!query || !u->parts))
        result = remote_upload_fail_memory();
    if (!result)
        return vv_remote_parts_send(
            u->parts, u->path, query, block, number, moves);
    free(query);
    return result;
}

/* --- Bytes ------------------------------------------------------------------
 */

static bool remote_upload_reserve(
    struct vv_remote_bytes *b, size_t size, size_t most)
{
    size_t room = b->room ? b->room : LEAST_ROOM;
    if (size <= b->room)
        return true;
    while (room < size)
        room *= 2;
    room = room < most ? room : most;
    unsigned char *bytes = realloc(b->bytes, room);
    if (!bytes)
        return false;
    b->bytes = bytes;
    b->room = room;
    return true;
}

/* Extends a block with zeros up to `end`. */
static bool remote_upload_pad(
    struct vv_remote_bytes *b, size_t end, size_t most)
{
    if (end <= b->size)
        return true;
    if (!remote_upload_reserve(b, end, most))
        return false;
    memset(b->bytes + b->size, 0, end - b->size);
    b->size = end;
    b->is_sent = false;
    return true;
}

static bool remote_upload_put(struct vv_remote_bytes *b, size_t most, size_t at,
    const void *bytes, size_t size)
{
    if (!remote_upload_pad(b, at, most) ||
        !remote_upload_reserve(b, at + size, most))
        return false;
    memcpy(b->bytes + at, bytes, size);
    if (b->size < at + size)
        b->size = at + size;
    b->is_sent = false;
    return true;
}

/* Sends the window, which is complete, and moves it to the next part. */
static int remote_upload_advance(struct vv_remote_upload *u)
{
    size_t room = capacity_of(u, u->number);
    if (!remote_upload_pad(&u->window, room, room))
        return remote_upload_fail_memory();
    int result =
        u->window.is_sent ? 0 : send_part(u, &u->window, u->number, true);
    if (result)
        return result;
    u->begin += room;
    u->number++;
    u->window.size = 0;
    u->window.is_sent = false;
    return 0;
}

static int64_t put_in_window(
    struct vv_remote_upload *u, const void *bytes, size_t size, uint64_t offset)
{
    if (u->begin == 0) {
        if (!remote_upload_pad(&u->first, u->part, u->part))
            return remote_upload_fail_memory();
        u->begin = u->part;
        u->number = 2;
    }
    if (offset < u->begin)
        return vv_remote_fail(ESPIPE, "a store needs the bytes in order: write "
                                      "to a disk and copy the file");
    while (offset - u->begin >= capacity_of(u, u->number)) {
        int result = remote_upload_advance(u);
        if (result)
            return result;
    }
    size_t at = (size_t)(offset - u->begin), room = capacity_of(u, u->number);
    size_t part = size < room - at ? size : room - at;
    return remote_upload_put(&u->window, room, at, bytes, part)
               ? (int64_t)part
               : remote_upload_fail_memory();
}

int64_t vv_remote_upload_write(
    struct vv_remote_upload *u, const void *bytes, size_t size, uint64_t offset)
{
    const unsigned char *at = bytes;
    if (size > INT64_MAX || offset > INT64_MAX - size)
        return -EFBIG;
    for (size_t left = size; left > 0;) {
        int64_t part;
        if (offset < u->part) {
            size_t room = u->part - (size_t)offset;
            part = (int64_t)(left < room ? left : room);
            if (!remote_upload_put(
                    &u->first, u->part, (size_t)offset, at, (size_t)part))
                part = remote_upload_fail_memory();
        } else {
            part = put_in_window(u, at, left, offset);
        }
        if (part < 0)
            return part;
        at += part;
        offset += (uint64_t)part;
        left -= (size_t)part;
        if (offset > u->size)
            u->size = offset;
    }
    return (int64_t)size;
}

/* Returns the number of parts. A window without bytes is not a part. */
static unsigned remote_upload_count_of(const struct vv_remote_upload *u)
{
    return u->begin == 0 ? 1 : u->window.size ? u->number : u->number - 1;
}

int vv_remote_upload_flush(struct vv_remote_upload *u)
{
    int result = 0;
    bool sends_window = u->window.size && !u->window.is_sent;
    bool sends_first = !u->first.is_sent;
    if (remote_upload_count_of(u) < 2)
        return 0;
    if (sends_window)
        result = send_part(u, &u->window, u->number, false);
    if (!result && sends_first)
        result = send_part(u, &u->first, 1, false);
    int waited = u->parts ? vv_remote_parts_wait(u->parts) : 0;
    result = result ? result : waited;
    if (result)
        return result;
    u->window.is_sent |= sends_window;
    u->first.is_sent |= sends_first;
    return 0;
}

/* --- The whole object -------------------------------------------------------
 */

void vv_remote_upload_tag(
    const struct vv_remote_upload *u, char tag[VV_REMOTE_TAG_SIZE])
{
    unsigned char md5[VV_REMOTE_MD5_SIZE];
    char digits[VV_REMOTE_MOST_TEXT], count[16] = "";
    unsigned parts = remote_upload_count_of(u);
    bool good;
    tag[0] = '\0';
    if (!u->id) {
        good = vv_remote_md5(u->first.bytes, u->first.size, md5);
    } else {
        unsigned char *all = malloc(parts * sizeof md5);
        if (!all)
            return;
        for (unsigned i = 0; i < parts; i++)
            memcpy(all + i * sizeof md5,
                vv_remote_parts_at(u->parts, i + 1).md5, sizeof md5);
        good = vv_remote_md5(all, parts * sizeof md5, md5);
        free(all);
        snprintf(count, sizeof count, "-%u", parts);
    }
    if (!good)
        return;
    vv_remote_hex(md5, sizeof md5, digits);
    snprintf(tag, VV_REMOTE_TAG_SIZE, "\"%s%s\"", digits, count);
}

static void remote_upload_add_tag(struct vv_remote_text *text, const char *tag)
{
    for (; *tag; tag++) {
        const char *is = *tag == '"'   ? "&quot;"
                         : *tag == '&' ? "&amp;"
                         : *tag == '<' ? "&lt;"
                         : *tag == '>' ? "&gt;"
                                       : NULL;
        if (is)
            vv_remote_add(text, is);
        else
            vv_remote_add_bytes(text, tag, 1);
    }
}

char *vv_remote_upload_order(const struct vv_remote_upload *u)
{
    struct vv_remote_text text = { .at = NULL };
    vv_remote_add(&text, "<CompleteMultipartUpload xmlns=\"http://"
                         "s3.amazonaws.com/doc/2006-03-01/\">");
    for (unsigned i = 0; i < remote_upload_count_of(u); i++) {
        char number[64];
        snprintf(number, sizeof number,
            "<Part><PartNumber>%u</PartNumber><ETag>", i + 1);
        vv_remote_add(&text, number);
        remote_upload_add_tag(&text, vv_remote_parts_at(u->parts, i + 1).tag);
        vv_remote_add(&text, "</ETag></Part>");
    }
    vv_remote_add(&text, "</CompleteMultipartUpload>");
    return vv_remote_take(&text);
}

void vv_remote_upload_abort(struct vv_remote_upload *u)
{
    struct vv_remote_change c = {
        .settings = u->settings, .path = u->path, .method = VV_REMOTE_DELETE
    };
    vv_remote_parts_free(u->parts);
    u->parts = NULL;
    char *query = u->id ? query_of(u, 0) : NULL;
    c.query = query;
    if (query)
        vv_remote_change(&c);
    free(c.text.at);
    free(query);
    free(u->id);
    u->id = NULL;
}
