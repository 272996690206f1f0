/* data_in.c - header, footer, index; then chunks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "data_in.h"

#include <inttypes.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "try.h"

enum { SMALLEST_SIZE = VV_HEADER_SIZE + VV_FOOTER_SIZE };

/* --- Header and footer ---------------------------------------------------- */

bool vv_data_in_is_ours(const void *head, size_t size)
{
    return size >= 8 && memcmp(head, VV_HEADER_MAGIC, 8) == 0;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    unsigned char any = 0;
    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    return any == 0;
}

static varve_status fail_shorter(
    const struct vv_data_in *in, uint64_t expected, varve_error *error)
{
    return vv_fail(error, VARVE_TRUNCATED,
        "%s: expected %s%" PRIu64 " bytes, found %" PRIu64, in->path,
        expected == SMALLEST_SIZE ? "at least " : "", expected, in->size);
}

static varve_status check_sum(const struct vv_data_in *in,
    const unsigned char *bytes, size_t size, uint64_t offset,
    varve_error *error)
{
    uint64_t expected = vv_load64(bytes + size);
    uint64_t found = vv_hash_of(bytes, size);
    if (expected != found)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: bytes %" PRIu64 " to %" PRIu64 ": expected XXH3-64 %016" PRIx64
            ", found %016" PRIx64,
            in->path, offset, offset + size, expected, found);
    return VARVE_OK;
}

/* All versions agree on magic, version, and sum of the header. */
static varve_status read_header(struct vv_data_in *in,
    unsigned char header[VV_HEADER_SIZE], varve_error *error)
{
    size_t size = in->size < VV_HEADER_SIZE ? (size_t)in->size : VV_HEADER_SIZE;
    if (size == 0)
        return vv_fail(error, VARVE_EMPTY_FILE,
            "%s: expected a checkpoint, found an empty file", in->path);
    VV_TRY(vv_data_in_read(in, 0, header, size, error));
    if (!vv_data_in_is_ours(header, size))
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: expected the magic of a checkpoint at offset 0, found other "
            "bytes",
            in->path);
    if (size < VV_HEADER_SIZE)
        return fail_shorter(in, SMALLEST_SIZE, error);
    VV_TRY(check_sum(in, header, 56, 0, error));
    uint32_t version = vv_load32(header + 8);
    if (version > VV_FORMAT_VERSION)
        return vv_fail(error, VARVE_TOO_NEW,
            "%s: expected format version %d, found version %" PRIu32, in->path,
            VV_FORMAT_VERSION, version);
    if (version != VV_FORMAT_VERSION || !is_zero(header + 12, 4) ||
        !is_zero(header + 32, 24))
        return vv_fail(error, VARVE_CORRUPT,
            "%s: header at offset 0: expected version %d and zeros, found "
            "version %" PRIu32 " or others",
            in->path, VV_FORMAT_VERSION, version);
    return VARVE_OK;
}

static varve_status read_footer(struct vv_data_in *in,
    unsigned char footer[VV_FOOTER_SIZE], varve_error *error)
{
    if (in->size < SMALLEST_SIZE)
        return fail_shorter(in, SMALLEST_SIZE, error);
    uint64_t at = in->size - VV_FOOTER_SIZE;
    VV_TRY(vv_data_in_read(in, at, footer, VV_FOOTER_SIZE, error));
    bool has_magic = memcmp(footer + 56, VV_FOOTER_MAGIC, 8) == 0;
    bool has_sum = vv_load64(footer + 48) == vv_hash_of(footer, 48);
    if (!has_magic && !has_sum)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: expected a footer at offset %" PRIu64 ", found none: the file "
            "ends early, after %" PRIu64 " bytes",
            in->path, at, in->size);
    if (!has_magic)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: expected the magic of a footer at offset %" PRIu64
            ", found other bytes",
            in->path, at + 56);
    VV_TRY(check_sum(in, footer, 48, at, error));
    uint64_t size = vv_load64(footer + 32);
    if (size > in->size)
        return fail_shorter(in, size, error);
    if (size < in->size)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: expected %" PRIu64 " bytes, found %" PRIu64, in->path, size,
            in->size);
    return VARVE_OK;
}

/* That both belong to one file, and where the footer says the index is. */
static varve_status check_ends(struct vv_data_in *in,
    const unsigned char *header, const unsigned char *footer,
    varve_error *error)
{
    uint64_t offset = vv_load64(footer);
    uint64_t size = vv_load64(footer + 8);
    uint64_t end = in->size - VV_FOOTER_SIZE;
    if (memcmp(header + 16, footer + 16, 16) != 0 ||
        memcmp(header + 16, footer + 40, 8) != 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: expected the nonce of the header in the footer at offset "
            "%" PRIu64 ", found that of another file",
            in->path, end + 40);
    if (offset % VV_ALIGNMENT != 0 || offset < VV_HEADER_SIZE || offset > end ||
        size != end - offset || size == 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: footer at offset %" PRIu64 ": expected an index up to there, "
            "found one of %" PRIu64 " bytes at offset %" PRIu64,
            in->path, end, size, offset);
    if (size > SIZE_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%s: expected an index that fits the memory, found %" PRIu64
            " bytes",
            in->path, size);
    in->index_offset = offset;
    in->index_size = (size_t)size;
    return VARVE_OK;
}

/* --- Opening -------------------------------------------------------------- */

static varve_status fail_digest(const struct vv_data_in *in, const char *what,
    uint64_t offset, uint64_t size, const struct vv_digest *expected,
    const struct vv_digest *found, varve_error *error)
{
    char texts[2][33];
    vv_digest_text(expected, texts[0]);
    vv_digest_text(found, texts[1]);
    return vv_fail(error, VARVE_CORRUPT,
        "%s: %s%sbytes %" PRIu64 " to %" PRIu64
        ": expected XXH3-128 %s, found %s",
        in->path, what ? what : "", what ? ": " : "", offset, offset + size,
        texts[0], texts[1]);
}

static varve_status read_index(
    struct vv_data_in *in, const unsigned char *footer, varve_error *error)
{
    struct vv_digest expected, found;
    in->index_bytes = vv_allocate_aligned(
        &in->context->allocator, in->index_size, VV_ALIGNMENT);
    if (!in->index_bytes && in->index_size > 0)
        return vv_fail_memory(error, "index");
    VV_TRY(vv_data_in_read(
        in, in->index_offset, in->index_bytes, in->index_size, error));
    memcpy(expected.bytes, footer + 16, sizeof expected.bytes);
    found = vv_digest_of(in->index_bytes, in->index_size);
    if (!vv_digest_equal(&expected, &found))
        return fail_digest(in, "index", in->index_offset, in->index_size,
            &expected, &found, error);
    return vv_index_parse(in->context, in->path, in->index_bytes,
        in->index_size, in->index_offset, &in->parsed, error);
}

static varve_status read_structure(struct vv_data_in *in, varve_error *error)
{
    unsigned char header[VV_HEADER_SIZE], footer[VV_FOOTER_SIZE];
    VV_TRY(read_header(in, header, error));
    VV_TRY(read_footer(in, footer, error));
    VV_TRY(check_ends(in, header, footer, error));
    return read_index(in, footer, error);
}

varve_status vv_data_in_open(struct vv_data_in *in,
    const struct vv_context *context, const char *path, varve_error *error)
{
    *in = (struct vv_data_in){ .context = context, .file = -1 };
    in->path = vv_copy_string(&context->allocator, path);
    if (!in->path)
        return vv_fail_memory(error, "path");
    varve_status status =
        vv_file_open(context, path, &in->file, &in->size, error);
    if (!status)
        status = read_structure(in, error);
    if (status)
        vv_data_in_close(in);
    return status;
}

void vv_data_in_close(struct vv_data_in *in)
{
    if (!in->context)
        return;
    const varve_allocator *a = &in->context->allocator;
    if (in->backing)
        in->backing->close(in->backing_state);
    vv_parsed_index_clear(in->context, &in->parsed);
    vv_release_aligned(a, in->index_bytes, in->index_size, VV_ALIGNMENT);
    vv_release_string(a, in->path);
    vv_file_close(in->context, in->file);
    *in = (struct vv_data_in){ .file = -1 };
}

/* --- Values --------------------------------------------------------------- */

varve_status vv_data_in_read(const struct vv_data_in *in, uint64_t offset,
    void *bytes, size_t size, varve_error *error)
{
    if (in->backing)
        return in->backing->read(in->backing_state, offset, bytes, size, error);
    return vv_file_read(
        in->context, in->file, in->path, bytes, size, offset, error);
}

void vv_data_in_chunk(const struct vv_data_in *in, uint32_t value,
    uint64_t chunk, uint64_t *offset, size_t *size)
{
    const struct vv_index *index = &in->parsed.index;
    uint64_t begin = chunk * VV_CHUNK_SIZE;
    uint64_t left = vv_at64(index->value_sizes, value) - begin;
    *offset = vv_at64(index->value_offsets, value) + begin;
    *size = left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE;
}

static struct vv_digest digest_at(const struct vv_data_in *in, uint64_t number)
{
    struct vv_digest digest;
    memcpy(digest.bytes,
        in->parsed.index.digests + number * sizeof digest.bytes,
        sizeof digest.bytes);
    return digest;
}

varve_status vv_data_in_check(const struct vv_data_in *in, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error)
{
    if (in->backing)
        return in->backing->check(
            in->backing_state, value, chunk, bytes, what, error);
    uint64_t offset;
    size_t size;
    vv_data_in_chunk(in, value, chunk, &offset, &size);
    uint64_t first =
        vv_first_digest(&in->parsed.index, &in->parsed.table, value);
    struct vv_digest expected = digest_at(in, first + chunk);
    struct vv_digest found = vv_digest_of(bytes, size);
    if (!vv_digest_equal(&expected, &found))
        return fail_digest(in, what, offset, size, &expected, &found, error);
    return VARVE_OK;
}

bool vv_data_in_locate(
    const struct vv_data_in *in, uint32_t value, int *file, uint64_t *offset)
{
    if (in->backing)
        return in->backing->locate(in->backing_state, value, file, offset);
    *file = in->file;
    *offset = vv_at64(in->parsed.index.value_offsets, value);
    return true;
}

const char *vv_data_in_place(
    const struct vv_data_in *in, uint32_t value, uint64_t *offset)
{
    if (in->backing)
        return in->backing->place(in->backing_state, value, offset);
    *offset = vv_at64(in->parsed.index.value_offsets, value);
    return in->path;
}

struct vv_digest vv_data_in_digest(const struct vv_data_in *in, uint32_t value)
{
    if (in->backing)
        return (struct vv_digest){ 0 };
    const struct vv_index *index = &in->parsed.index;
    uint64_t first = vv_first_digest(index, &in->parsed.table, value);
    uint64_t count = vv_chunk_count(vv_at64(index->value_sizes, value));
    if (count == 1)
        return digest_at(in, first);
    return vv_digest_of(index->digests + first * sizeof(struct vv_digest),
        (size_t)count * sizeof(struct vv_digest));
}
