/* tfrecord_source.c - The records of a TFRecord file: length, checksum of the
 * length, record, checksum of the record (TensorFlow's lib/io/record_writer.h).
 * The file is untrusted: lengths are compared with the size of the file before
 * they are used.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tfrecord_source.h"

#include <inttypes.h>

#include "bytes.h"
#include "crc.h"
#include "failure.h"
#include "file.h"
#include "record_list.h"
#include "state.h"
#include "try.h"

enum { HEAD_SIZE = 12, TAIL_SIZE = 4 };

/* The object of a checksum, for messages. */
struct summed {
    const char *path;
    const char *what;
    uint64_t offset; /* of the record */
};

static varve_status tfrecord_source_check_sum(const struct summed *s,
    uint32_t crc, const unsigned char *stored, varve_error *error)
{
    uint32_t wanted = vv_load32(stored);
    uint32_t found = vv_crc32c_mask(crc);
    if (wanted == found)
        return VARVE_OK;
    return vv_fail(error, VARVE_CORRUPT,
        "%s: record at offset %" PRIu64 ": expected the checksum %08" PRIx32
        " of its %s, found %08" PRIx32,
        s->path, s->offset, wanted, s->what, found);
}

static varve_status tfrecord_source_fail_end(const struct vv_scan *scan,
    uint64_t offset, uint64_t wanted, varve_error *error)
{
    return vv_fail(error, VARVE_TRUNCATED,
        "%s: record at offset %" PRIu64 ": truncated: %" PRIu64
        " more bytes are needed, the file ends at %" PRIu64,
        scan->file->path, offset, wanted, scan->end);
}

/* --- Compression ---------------------------------------------------------- */

/* Detects the compression of a whole file as written by TensorFlow; VV_DEFLATED
 * means none. */
static enum vv_deflation compression_of(const unsigned char *head)
{
    if (head[0] == 0x1f && head[1] == 0x8b && head[2] == 8)
        return VV_GZIP;
    if ((head[0] & 15) == 8 && (head[0] << 8 | head[1]) % 31 == 0)
        return VV_ZLIB;
    return VV_DEFLATED;
}

static varve_status inflate_it(struct vv_record_file *file,
    enum vv_deflation deflation, varve_error *error)
{
    if (!vv_inflater_exists())
        return vv_fail(error, VARVE_TOO_NEW,
            "%s: this build has no zlib and cannot read files compressed with "
            "%s: write the file without compression%s",
            file->path, deflation == VV_GZIP ? "GZIP" : "ZLIB",
            deflation == VV_GZIP ? ", or decompress it with gunzip" : "");
    if (!vv_record_file_inflate(file, deflation))
        return vv_fail_memory(error, "inflating a file of records");
    return VARVE_OK;
}

/* Detects compression. A file whose first length has the right checksum is not
 * compressed. */
static varve_status tfrecord_source_look(
    struct vv_record_file *file, varve_error *error)
{
    unsigned char head[HEAD_SIZE] = { 0 };
    size_t size = file->size < HEAD_SIZE ? (size_t)file->size : HEAD_SIZE;
    VV_TRY(vv_file_read(
        &file->context, file->file, file->path, head, size, 0, error));
    enum vv_deflation deflation = compression_of(head);
    if (deflation == VV_DEFLATED ||
        (size == HEAD_SIZE &&
            vv_load32(head + 8) == vv_crc32c_mask(vv_crc32c(0, head, 8))))
        return VARVE_OK;
    return inflate_it(file, deflation, error);
}

/* --- Finding the records -------------------------------------------------- */

/* Reads the length of the next record, and checks that it fits in the file. */
static varve_status read_length(
    struct vv_scan *scan, uint64_t *length, varve_error *error)
{
    uint64_t offset = scan->at;
    const struct summed length_of = { scan->file->path, "length", offset };
    unsigned char head[HEAD_SIZE];
    if (vv_scan_left(scan) < HEAD_SIZE)
        return tfrecord_source_fail_end(scan, offset, HEAD_SIZE, error);
    VV_TRY(vv_scan_exact(scan, head, HEAD_SIZE, error));
    VV_TRY(tfrecord_source_check_sum(
        &length_of, vv_crc32c(0, head, 8), head + 8, error));
    *length = vv_load64(head);
    uint64_t left = vv_scan_left(scan);
    if (left < TAIL_SIZE || *length > left - TAIL_SIZE)
        return tfrecord_source_fail_end(scan, offset, *length, error);
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
    return tfrecord_source_check_sum(&bytes_of, crc, tail, error);
}

static varve_status index_records(
    struct vv_record_file *file, struct vv_scan *scan, varve_error *error)
{
    bool has_more;
    for (;;) {
        uint64_t offset = scan->at;
        uint64_t length = 0;
        VV_TRY(vv_scan_has_more(scan, &has_more, error));
        VV_TRY(vv_record_file_add(file, offset, error));
        if (!has_more)
            return VARVE_OK;
        VV_TRY(read_length(scan, &length, error));
        if (scan->options->no_content && !file->inflated)
            vv_scan_skip(scan, length + TAIL_SIZE);
        else
            VV_TRY(verify_record(scan, length, offset, error));
    }
}

static varve_status tfrecord_source_read_record(
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
    return tfrecord_source_check_sum(
        &bytes_of, vv_crc32c(0, bytes, size), bytes + size, error);
}

static struct vv_scanned tfrecord_kind(const char *path)
{
    return (struct vv_scanned){
        .path = path,
        .kind = VV_TFRECORDS,
        .look = tfrecord_source_look,
        .index = index_records,
        .read = tfrecord_source_read_record,
    };
}

varve_records *vv_records_open_tfrecords_in(const struct vv_context *context,
    const char *path, const varve_records_options *options, varve_error *error)
{
    const struct vv_scanned kind = tfrecord_kind(path);
    return vv_records_open_scanned(context, &kind, options, error);
}

varve_records *varve_records_open_tfrecords(
    const char *path, const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    return vv_records_open_tfrecords_in(
        &opening.context, path, &opening.options, error);
}

varve_records *vv_records_open_tfrecord_files_in(
    const struct vv_context *context, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error)
{
    const struct vv_scanned kind = tfrecord_kind(NULL);
    return vv_records_open_list(context, &kind, paths, options, error);
}

varve_records *varve_records_open_tfrecord_files(const char *const *paths,
    size_t count, const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    const struct vv_record_paths all = { paths, count };
    return vv_records_open_tfrecord_files_in(
        &opening.context, &all, &opening.options, error);
}
