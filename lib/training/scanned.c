/* scanned.c - Opens and scans a file of records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scanned.h"

static varve_status scan_file(struct vv_record_file *file,
    const struct vv_scanned *kind, const varve_records_options *options,
    struct vv_digest *digest, varve_error *error)
{
    struct vv_scan scan;
    varve_status status;
    if (!(status = vv_scan_begin(&scan, file, options, error)) &&
        !(status = kind->index(file, &scan, error)))
        status = vv_scan_digest(&scan, digest, error);
    vv_scan_end(&scan);
    return status;
}

varve_status vv_scanned_open(const struct vv_context *context,
    const struct vv_scanned *kind, const varve_records_options *options,
    struct vv_record_file **opened, struct vv_digest *digest,
    varve_error *error)
{
    varve_error own;
    if (!error)
        error = &own;
    struct vv_record_file *file =
        vv_record_file_open(context, kind->path, error);
    if (!file)
        return error->status;
    file->header_size = kind->header_size;
    file->record_size = kind->record_size;
    varve_status status = kind->look ? kind->look(file, error) : VARVE_OK;
    if (!status)
        status = scan_file(file, kind, options, digest, error);
    if (status)
        vv_record_file_close(file);
    else
        *opened = file;
    return status;
}

uint64_t vv_scanned_mark(
    const struct vv_scanned *kind, const varve_records_options *options)
{
    return kind->kind == VV_LINES ? options->skip_lines : kind->record_size;
}

unsigned vv_scanned_uses(const struct vv_scanned *kind)
{
    return kind->kind == VV_LINES ? VV_USES_SKIP_LINES : 0;
}

varve_records *vv_records_open_scanned(const struct vv_context *context,
    const struct vv_scanned *kind, const varve_records_options *options,
    varve_error *error)
{
    struct vv_digest digest;
    struct vv_record_file *file;
    if (vv_record_options_check(
            kind->path, options, vv_scanned_uses(kind), error) ||
        vv_scanned_open(context, kind, options, &file, &digest, error))
        return NULL;
    struct vv_file_source from = {
        .source = {
            .name = kind->path,
            .count = vv_record_file_count(file),
            .read = kind->read,
            .close = vv_record_file_close,
            .self = file,
        },
        .hint = vv_record_file_hint,
        .check = vv_record_file_check,
    };
    vv_set_fingerprint(
        &from.source, kind->kind, vv_scanned_mark(kind, options), &digest);
    return vv_records_open_file_source(context, &from, options, error);
}
