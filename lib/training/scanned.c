/* scanned.c - opening, scanning and handing over a file of records.
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

varve_records *vv_records_open_scanned(const struct vv_context *context,
    const struct vv_scanned *kind, const varve_records_options *options,
    varve_error *error)
{
    struct vv_digest digest;
    struct vv_record_file *file =
        vv_record_file_open(context, kind->path, error);
    if (!file)
        return NULL;
    file->header_size = kind->header_size;
    file->record_size = kind->record_size;
    if ((kind->look && kind->look(file, error)) ||
        scan_file(file, kind, options, &digest, error)) {
        vv_record_file_close(file);
        return NULL;
    }
    varve_source source = {
        .name = kind->path,
        .count = vv_record_file_count(file),
        .read = kind->read,
        .close = vv_record_file_close,
        .self = file,
    };
    vv_set_fingerprint(&source, kind->kind, kind->record_size, &digest);
    return vv_records_open_in(context, &source, options, error);
}
