/* fixed_source.c - Records of equal size after a header.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixed_source.h"

#include <inttypes.h>

#include "failure.h"
#include "record_list.h"
#include "try.h"

/* Checks the size. The content is only read for its digest. */
static varve_status fixed_source_check_size(
    struct vv_record_file *file, struct vv_scan *scan, varve_error *error)
{
    if (file->size < file->header_size ||
        (file->size - file->header_size) % file->record_size != 0) {
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: the file cannot be %" PRIu64
            " bytes and then records of %" PRIu64 " bytes: it has %" PRIu64
            " bytes",
            file->path, file->header_size, file->record_size, file->size);
    }
    while (vv_scan_left(scan) > 0 && !scan->options->no_content) {
        const unsigned char *bytes;
        size_t size;
        VV_TRY(vv_scan_some(scan, vv_scan_left(scan), &bytes, &size, error));
    }
    return VARVE_OK;
}

static varve_status read_fixed(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    const struct vv_record_file *file = self;
    const unsigned char *bytes;
    return vv_record_file_take(file,
        file->header_size + index * file->record_size, file->record_size, sink,
        &bytes, error);
}

/* Sets the kind; returns VARVE_MISUSE if the record size is 0. */
static varve_status set_fixed_kind(
    struct vv_scanned *kind, const struct vv_fixed *fixed, varve_error *error)
{
    if (fixed->record_size == 0)
        return vv_fail(error, VARVE_MISUSE, "%s: the record size is 0",
            fixed->path ? fixed->path : "records");
    *kind = (struct vv_scanned){
        .path = fixed->path,
        .kind = VV_FIXED,
        .header_size = fixed->header_size,
        .record_size = fixed->record_size,
        .index = fixed_source_check_size,
        .read = read_fixed,
    };
    return VARVE_OK;
}

varve_records *vv_records_open_fixed_in(const struct vv_context *context,
    const struct vv_fixed *fixed, const varve_records_options *options,
    varve_error *error)
{
    struct vv_scanned kind;
    return set_fixed_kind(&kind, fixed, error)
               ? NULL
               : vv_records_open_scanned(context, &kind, options, error);
}

varve_records *varve_records_open_fixed(const char *path, uint64_t header_size,
    uint64_t record_size, const varve_records_options *options,
    varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    const struct vv_fixed fixed = { path, header_size, record_size };
    return vv_records_open_fixed_in(
        &opening.context, &fixed, &opening.options, error);
}

varve_records *varve_records_open_fixed_files(const char *const *paths,
    size_t count, uint64_t header_size, uint64_t record_size,
    const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    const struct vv_record_paths all = { paths, count };
    const struct vv_fixed fixed = { NULL, header_size, record_size };
    struct vv_scanned kind;
    return set_fixed_kind(&kind, &fixed, error)
               ? NULL
               : vv_records_open_list(
                     &opening.context, &kind, &all, &opening.options, error);
}
