/* data_out.c - Collects small pieces in a staging buffer and writes large ones
 * from their own memory. Each chunk is hashed just before it is written.
 *
 * The buffer begins with zeros instead of the header, which is written last.
 * Until then the file is not a valid checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "data_out.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "index_out.h"
#include "layout.h"
#include "retry.h"
#include "try.h"

enum {
    STAGING_SIZE = 1 << 20,
    FIRST_STAGING_SIZE = 64 * 1024, /* until more is staged */
    STAGING_ALIGNMENT = 4096,
    /* from this size on a copy costs more than a system call */
    DIRECT_SIZE = 256 * 1024,
    /* up to this size smaller steps shorten the final sync */
    LITTLE = 64 << 20,
    LITTLE_STEP = 1 << 20,
    WRITE_BACK_STEP = 8 << 20, /* measured: smaller steps are no faster */
};

/* --- Bytes ---------------------------------------------------------------- */

static void write_back(struct vv_data_out *out, uint64_t end)
{
    const struct vv_system *system = out->context->system;
    uint64_t step = end < LITTLE ? LITTLE_STEP : WRITE_BACK_STEP;
    if (out->no_write_back || end - out->written_back < step)
        return;
    int result = system->start_write_back(
        system->state, out->file, out->written_back, end - out->written_back);
    out->no_write_back = result < 0; /* only a hint: the sync reports errors */
    out->written_back = end;
}

static varve_status data_out_write_at(struct vv_data_out *out,
    const void *bytes, size_t size, uint64_t offset, varve_error *error)
{
    VV_TRY(vv_file_write(
        out->context, out->file, out->path, bytes, size, offset, error));
    write_back(out, offset + size);
    return VARVE_OK;
}

static varve_status data_out_flush(struct vv_data_out *out, varve_error *error)
{
    size_t size = out->staged;
    out->staged = 0;
    return data_out_write_at(
        out, out->staging, size, out->offset - size, error);
}

/* Replaces the staging buffer by one of `size` bytes, with the same content. */
static varve_status data_out_get_staging(
    struct vv_data_out *out, size_t size, varve_error *error)
{
    const varve_allocator *a = &out->context->allocator;
    unsigned char *staging = vv_allocate_aligned(a, size, STAGING_ALIGNMENT);
    if (!staging)
        return vv_fail_memory(error, "staging for a save");
    if (out->staged)
        memcpy(staging, out->staging, out->staged);
    vv_release_aligned(a, out->staging, out->staging_size, STAGING_ALIGNMENT);
    out->staging = staging;
    out->staging_size = size;
    return VARVE_OK;
}

/* Appends bytes to the staging buffer, and writes it when it is full. NULL
 * `bytes` means zeros. */
static varve_status stage(struct vv_data_out *out, const unsigned char *bytes,
    size_t size, varve_error *error)
{
    while (size > 0) {
        if (out->staged == STAGING_SIZE)
            VV_TRY(data_out_flush(out, error));
        else if (out->staged == out->staging_size)
            VV_TRY(data_out_get_staging(out, STAGING_SIZE, error));
        size_t room = out->staging_size - out->staged;
        size_t part = size < room ? size : room;
        if (bytes) {
            memcpy(out->staging + out->staged, bytes, part);
            bytes += part;
        } else {
            memset(out->staging + out->staged, 0, part);
        }
        out->staged += part;
        out->offset += part;
        size -= part;
    }
    return VARVE_OK;
}

static varve_status write_directly(
    struct vv_data_out *out, const void *bytes, size_t size, varve_error *error)
{
    VV_TRY(data_out_flush(out, error));
    VV_TRY(data_out_write_at(out, bytes, size, out->offset, error));
    out->offset += size;
    return VARVE_OK;
}

static varve_status data_out_pad(
    struct vv_data_out *out, uint64_t offset, varve_error *error)
{
    return stage(out, NULL, (size_t)(offset - out->offset), error);
}

/* --- Values --------------------------------------------------------------- */

static varve_status data_out_reserve(
    struct vv_data_out *out, uint64_t total, varve_error *error)
{
    const struct vv_system *system = out->context->system;
    if (total <= FIRST_STAGING_SIZE) /* written in one or two calls anyway */
        return VARVE_OK;
    int result;
    unsigned tries = 0;
    do
        result = system->reserve(system->state, out->file, total);
    while (vv_try_again(result, &tries));
    if (result < 0 && result != -EOPNOTSUPP)
        return vv_fail_system(error, -result, "reserve", out->path);
    return VARVE_OK;
}

varve_status vv_data_out_begin_at(struct vv_data_out *out,
    const struct vv_context *context, int file, const char *path,
    uint64_t offset, varve_error *error)
{
    *out = (struct vv_data_out){ .context = context,
        .path = path,
        .file = file,
        .offset = offset,
        .written_back = offset };
    return data_out_get_staging(out, FIRST_STAGING_SIZE, error);
}

varve_status vv_data_out_begin(struct vv_data_out *out,
    const struct vv_context *context, int file, const char *path,
    uint64_t total, varve_error *error)
{
    VV_TRY(vv_data_out_begin_at(out, context, file, path, 0, error));
    out->total = total;
    VV_TRY(data_out_reserve(out, total, error));
    return data_out_pad(out, VV_HEADER_SIZE, error);
}

uint64_t vv_data_place_like(uint64_t offset, uint64_t like)
{
    uint64_t unit = like % VV_PAGE_ALIGNMENT ? VV_ALIGNMENT : VV_PAGE_ALIGNMENT;
    return offset + (like - offset) % unit;
}

static varve_status report_progress(
    struct vv_data_out *out, const char *what, varve_error *error)
{
    if (out->progress &&
        out->progress(out->progress_user, out->offset, out->total, what) != 0)
        return vv_fail(error, VARVE_CANCELLED,
            "%s: cancelled after %" PRIu64 " bytes", out->path, out->offset);
    return VARVE_OK;
}

/* Writes a small value that is in memory and has no bools, if the staging
 * buffer has room for it. Returns false otherwise. */
static bool stage_small(struct vv_data_out *out, const void *bytes, size_t size,
    uint64_t place, struct vv_buffer *digests)
{
    const size_t padding = (size_t)(place - out->offset);
    if (out->staging_size - out->staged < padding + size)
        return false;
    struct vv_digest *digest = vv_buffer_extend(digests, sizeof *digest);
    if (!digest)
        return false;
    unsigned char *at = out->staging + out->staged;
    for (size_t i = 0; i < padding; i++)
        *at++ = 0;
    *digest = vv_digest_of(bytes, size);
    memcpy(at, bytes, size);
    out->staged += padding + size;
    out->offset += padding + size;
    return true;
}

varve_status vv_data_out_small(struct vv_data_out *out, const void *bytes,
    size_t size, struct vv_buffer *digests, varve_error *error)
{
    const struct vv_source source = { .bytes = bytes };
    uint64_t offset;
    assert(size > 0 && size < VV_ALIGNMENT && !out->progress);
    if (stage_small(
            out, bytes, size, vv_data_place(out->offset, size), digests))
        return VARVE_OK;
    return vv_data_out_value(out, &source, size, "", &offset, digests, error);
}

varve_status vv_data_out_value(struct vv_data_out *out,
    const struct vv_source *source, uint64_t size, const char *what,
    uint64_t *offset, struct vv_buffer *digests, varve_error *error)
{
    uint64_t place = vv_data_place(out->offset, size);
    VV_TRY(data_out_pad(out, place, error));
    for (uint64_t left = size; left > 0;) {
        size_t part = left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE;
        const unsigned char *at;
        VV_TRY(vv_source_piece(source, size - left, part, &at, error));
        struct vv_digest digest = vv_digest_of(at, part);
        vv_buffer_add(digests, digest.bytes, sizeof digest.bytes);
        if (digests->failed)
            return vv_fail_memory(error, "digests");
        if (size < DIRECT_SIZE)
            VV_TRY(stage(out, at, part, error));
        else
            VV_TRY(write_directly(out, at, part, error));
        left -= part;
        VV_TRY(report_progress(out, what, error));
    }
    *offset = place;
    return VARVE_OK;
}

/* --- Index, footer and header --------------------------------------------- */

struct summed_out {
    struct vv_data_out *out;
    struct vv_digester *digester;
};

static varve_status data_out_write_index(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    const unsigned char *at = bytes;
    struct summed_out *summed = user;
    while (size > 0) {
        size_t part = size < VV_CHUNK_SIZE ? size : VV_CHUNK_SIZE;
        vv_digester_add(summed->digester, at, part);
        if (part < DIRECT_SIZE)
            VV_TRY(stage(summed->out, at, part, error));
        else
            VV_TRY(write_directly(summed->out, at, part, error));
        at += part;
        size -= part;
    }
    return VARVE_OK;
}

static void data_out_make_header(unsigned char header[VV_HEADER_SIZE],
    const char *magic, const struct vv_digest *nonce)
{
    memset(header, 0, VV_HEADER_SIZE);
    memcpy(header, magic, 8);
    vv_store32(header + 8, VV_FORMAT_VERSION);
    memcpy(header + 16, nonce->bytes, sizeof nonce->bytes);
    vv_store64(header + 56, vv_hash_of(header, 56));
}

/* Makes the footer of a file whose index ends at out->offset. */
static void make_footer(unsigned char footer[VV_FOOTER_SIZE],
    const struct vv_data_out *out, uint64_t index_offset,
    const struct vv_digest *digest)
{
    vv_store64(footer, index_offset);
    vv_store64(footer + 8, out->offset - index_offset);
    memcpy(footer + 16, digest->bytes, sizeof digest->bytes);
    vv_store64(footer + 32, out->offset + VV_FOOTER_SIZE);
    memcpy(footer + 40, digest->bytes, 8);
    vv_store64(footer + 48, vv_hash_of(footer, 48));
    memcpy(footer + 56, VV_FOOTER_MAGIC, 8);
}

/* Writes the rest and the header. The header is written last, because without
 * it the file is not a checkpoint; or, if nothing was written yet, in one call
 * with everything else. */
static varve_status data_out_finish(struct vv_data_out *out,
    const unsigned char header[VV_HEADER_SIZE], varve_error *error)
{
    if (out->staged == out->offset) {
        memcpy(out->staging, header, VV_HEADER_SIZE);
        return data_out_flush(out, error);
    }
    VV_TRY(data_out_flush(out, error));
    return vv_file_write(
        out->context, out->file, out->path, header, VV_HEADER_SIZE, 0, error);
}

varve_status vv_data_out_end(
    struct vv_data_out *out, const struct vv_index *index, varve_error *error)
{
    const varve_allocator *a = &out->context->allocator;
    unsigned char header[VV_HEADER_SIZE], footer[VV_FOOTER_SIZE];
    VV_TRY(data_out_pad(out, vv_align_up(out->offset, VV_ALIGNMENT), error));
    uint64_t index_offset = out->offset;
    struct summed_out summed = { .out = out, .digester = vv_digester_new(a) };
    if (!summed.digester)
        return vv_fail_memory(error, "digest of the index");
    varve_status status =
        vv_index_write(index, data_out_write_index, &summed, error);
    struct vv_digest digest = vv_digester_end(summed.digester);
    vv_digester_free(a, summed.digester);
    if (status)
        return status;
    data_out_make_header(header, VV_HEADER_MAGIC, &digest);
    make_footer(footer, out, index_offset, &digest);
    VV_TRY(stage(out, footer, sizeof footer, error));
    return data_out_finish(out, header, error);
}

varve_status vv_data_out_bare(const struct vv_context *context, int file,
    const char *path, const struct vv_index *index, varve_error *error)
{
    struct vv_data_out out;
    varve_status status =
        vv_data_out_begin(&out, context, file, path, 0, error);
    if (!status)
        status = vv_data_out_end(&out, index, error);
    vv_data_out_clear(&out);
    return status;
}

/* --- Layers --------------------------------------------------------------- */

varve_status vv_data_out_place(struct vv_data_out *out, uint64_t like,
    uint64_t *offset, varve_error *error)
{
    *offset = vv_data_place_like(out->offset, like);
    return data_out_pad(out, *offset, error);
}

varve_status vv_data_out_add(struct vv_data_out *out, const void *bytes,
    uint64_t size, varve_error *error)
{
    if (!bytes || size < DIRECT_SIZE)
        return stage(out, bytes, (size_t)size, error);
    return write_directly(out, bytes, (size_t)size, error);
}

varve_status vv_data_out_flush(struct vv_data_out *out, varve_error *error)
{
    return data_out_flush(out, error);
}

varve_status vv_data_out_end_layer(struct vv_data_out *out,
    const uint8_t *nonce, bool is_synced, uint64_t *size, varve_error *error)
{
    unsigned char header[VV_HEADER_SIZE], footer[VV_FOOTER_SIZE] = { 0 };
    struct vv_digest digest;
    memcpy(digest.bytes, nonce, sizeof digest.bytes);
    data_out_make_header(header, VV_LAYER_MAGIC, &digest);
    *size = out->offset + VV_FOOTER_SIZE;
    memcpy(footer, nonce, VV_NONCE_SIZE);
    vv_store64(footer + 16, *size);
    vv_store32(footer + 24, !is_synced);
    vv_store64(footer + 48, vv_hash_of(footer, 48));
    memcpy(footer + 56, VV_LAYER_END_MAGIC, 8);
    VV_TRY(stage(out, footer, sizeof footer, error));
    return data_out_finish(out, header, error);
}

void vv_data_out_clear(struct vv_data_out *out)
{
    if (out->context)
        vv_release_aligned(&out->context->allocator, out->staging,
            out->staging_size, STAGING_ALIGNMENT);
    out->staging = NULL;
}
