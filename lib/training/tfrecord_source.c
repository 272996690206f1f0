/* tfrecord_source.c - the records of a TFRecord file: length, its sum, the
 * record, its sum (TensorFlow's lib/io/record_writer.h). The file may be
 * anybody's: nothing in it is believed before it is compared with the file's
 * size.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tfrecord_source.h"

#include <inttypes.h>

#include "bytes.h"
#include "crc.h"
#include "failure.h"
#include "scanned.h"
#include "state.h"
#include "try.h"

enum { HEAD_SIZE = 12, TAIL_SIZE = 4 };

/* What the sum of a length or record is about, for the message. */
struct summed {
    const char *path;
    const char *what;
    uint64_t offset; /* of the record */
};

static varve_status check_sum(const struct summed *s, uint32_t crc,
    const unsigned char *stored, varve_error *error)
{
    uint32_t wanted = vv_load32(stored);
    uint32_t found = vv_crc32c_mask(crc);
    if (wanted == found)
        return VARVE_OK;
    return vv_fail(error, VARVE_CORRUPT,
        "%s: record at offset %" PRIu64 ": expected the sum %08" PRIx32
        " of its %s, found %08" PRIx32,
        s->path, s->offset, wanted, s->what, found);
}

static varve_status fail_end(const struct vv_record_file *file, uint64_t offset,
    uint64_t wanted, varve_error *error)
{
    return vv_fail(error, VARVE_TRUNCATED,
        "%s: record at offset %" PRIu64 ": expected %" PRIu64
        " bytes more, found the end of the file at %" PRIu64,
        file->path, offset, wanted, file->size);
}

/* TensorFlow compresses whole files, in one of two ways. */
static const char *compression_of(const unsigned char *head)
{
    if (head[0] == 0x1f && head[1] == 0x8b && head[2] == 8)
        return "GZIP";
    if ((head[0] & 15) == 8 && (head[0] << 8 | head[1]) % 31 == 0)
        return "ZLIB";
    return NULL;
}

/* A length whose sum does not hold; at the beginning it may be none. */
static varve_status fail_length(const struct summed *s,
    const unsigned char *head, varve_status status, varve_error *error)
{
    const char *compression = s->offset == 0 ? compression_of(head) : NULL;
    if (!compression)
        return status;
    return vv_fail(error, VARVE_TOO_NEW,
        "%s: expected records that are not compressed, for they are found by "
        "their places; found a file of the compression %s: write it again "
        "without%s",
        s->path, compression,
        *compression == 'G' ? ", or unpack it with gunzip" : "");
}

/* The length of the record that comes next, which fits into the file. */
static varve_status read_length(
    struct vv_scan *scan, uint64_t *length, varve_error *error)
{
    const struct vv_record_file *file = scan->file;
    uint64_t offset = scan->at;
    const struct summed length_of = { file->path, "length", offset };
    unsigned char head[HEAD_SIZE];
    if (vv_scan_left(scan) < HEAD_SIZE)
        return fail_end(file, offset, HEAD_SIZE, error);
    VV_TRY(vv_scan_exact(scan, head, HEAD_SIZE, error));
    varve_status status =
        check_sum(&length_of, vv_crc32c(0, head, 8), head + 8, error);
    if (status)
        return fail_length(&length_of, head, status, error);
    *length = vv_load64(head);
    uint64_t left = vv_scan_left(scan);
    if (left < TAIL_SIZE || *length > left - TAIL_SIZE)
        return fail_end(file, offset, *length, error);
    return VARVE_OK;
}

static varve_status verify_record(
    struct vv_scan *scan, uint64_t length, uint64_t offset, varve_error *error)
{
    const struct summed bytes_of = { scan->file->path, "bytes", offset };
    unsigned char tail[TAIL_SIZE];
    uint32_t crc = 0;
    while (length > 0) {
        const unsigned char *bytes;
        size_t size;
        VV_TRY(vv_scan_some(scan, length, &bytes, &size, error));
        crc = vv_crc32c(crc, bytes, size);
        length -= size;
    }
    VV_TRY(vv_scan_exact(scan, tail, TAIL_SIZE, error));
    return check_sum(&bytes_of, crc, tail, error);
}

static varve_status index_records(
    struct vv_record_file *file, struct vv_scan *scan, varve_error *error)
{
    while (vv_scan_left(scan) > 0) {
        uint64_t offset = scan->at;
        uint64_t length = 0;
        VV_TRY(read_length(scan, &length, error));
        VV_TRY(vv_record_file_add(file, offset, error));
        if (scan->options->no_content)
            vv_scan_skip(scan, length + TAIL_SIZE);
        else
            VV_TRY(verify_record(scan, length, offset, error));
    }
    return vv_record_file_add(file, file->size, error);
}

static varve_status read_record(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    const struct vv_record_file *file = self;
    uint64_t offset = file->offsets[index];
    size_t size =
        (size_t)(file->offsets[index + 1] - offset) - HEAD_SIZE - TAIL_SIZE;
    const struct summed bytes_of = { file->path, "bytes", offset };
    const unsigned char *bytes;
    VV_TRY(vv_record_file_take(file, offset + HEAD_SIZE,
        (uint64_t)size + TAIL_SIZE, sink, &bytes, error));
    sink->bytes.size -= TAIL_SIZE;
    return check_sum(&bytes_of, vv_crc32c(0, bytes, size), bytes + size, error);
}

varve_records *vv_records_open_tfrecords_in(const struct vv_context *context,
    const char *path, const varve_records_options *options, varve_error *error)
{
    const struct vv_scanned kind = {
        .path = path,
        .kind = VV_TFRECORDS,
        .index = index_records,
        .read = read_record,
    };
    return vv_records_open_scanned(context, &kind, options, error);
}

varve_records *varve_records_open_tfrecords(
    const char *path, const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    return vv_records_open_tfrecords_in(
        &opening.context, path, &opening.options, error);
}
