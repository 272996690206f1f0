/* scan.c - Moves a buffer over a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scan.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "try.h"

/* --- Scanning ------------------------------------------------------------- */

enum { WINDOW_SIZE = 1 << 20 };

static varve_status scan_report(const struct vv_scan *scan, varve_error *error)
{
    const varve_records_options *o = scan->options;
    const struct vv_record_file *file = scan->file;
    uint64_t at = scan->at;
    if (file->inflated)
        at = vv_inflated_packed(file->inflated);
    if (o->progress &&
        o->progress(o->progress_user, at, file->size, file->path)) {
        return vv_fail(error, VARVE_CANCELLED,
            "%s: cancelled by the progress callback", scan->file->path);
    }
    return VARVE_OK;
}

varve_status vv_scan_begin(struct vv_scan *scan,
    const struct vv_record_file *file, const varve_records_options *options,
    varve_error *error)
{
    const varve_allocator *a = &file->context.allocator;
    *scan = (struct vv_scan){ .file = file,
        .options = options,
        .end = file->inflated ? UINT64_MAX : file->size };
    scan->window = vv_allocate(a, WINDOW_SIZE);
    if (!options->no_content)
        scan->digester = vv_digester_new(a);
    if (!scan->window || (!options->no_content && !scan->digester))
        return vv_fail_memory(error, "reading a file of records");
    return VARVE_OK;
}

/* Fills the buffer from the next byte on. */
static varve_status scan_move_window(struct vv_scan *scan, varve_error *error)
{
    const struct vv_record_file *file = scan->file;
    uint64_t left = vv_scan_left(scan);
    size_t size = left < WINDOW_SIZE ? (size_t)left : WINDOW_SIZE;
    VV_TRY(scan_report(scan, error));
    if (file->inflated) {
        VV_TRY(vv_inflated_read(
            file->inflated, scan->at, scan->window, WINDOW_SIZE, &size, error));
        if (size < WINDOW_SIZE)
            scan->end = scan->at + size;
    } else {
        VV_TRY(vv_file_read(&file->context, file->file, file->path,
            scan->window, size, scan->at, error));
    }
    scan->window_at = scan->at;
    scan->window_size = size;
    if (scan->digester)
        vv_digester_add(scan->digester, scan->window, size);
    return VARVE_OK;
}

static bool is_in_window(const struct vv_scan *scan)
{
    return scan->at - scan->window_at < scan->window_size;
}

varve_status vv_scan_has_more(
    struct vv_scan *scan, bool *has_more, varve_error *error)
{
    if (scan->end == UINT64_MAX && !is_in_window(scan))
        VV_TRY(scan_move_window(scan, error));
    *has_more = vv_scan_left(scan) > 0;
    return VARVE_OK;
}

varve_status vv_scan_some(struct vv_scan *scan, uint64_t most,
    const unsigned char **bytes, size_t *size, varve_error *error)
{
    assert(most > 0 && most <= vv_scan_left(scan));
    if (!is_in_window(scan))
        VV_TRY(scan_move_window(scan, error));
    if (scan->window_size == 0)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: truncated: %" PRIu64 " more bytes of a record are needed, the "
            "decompressed data ends at %" PRIu64,
            scan->file->path, most, scan->at);
    size_t begin = (size_t)(scan->at - scan->window_at);
    *size = scan->window_size - begin;
    if (*size > most)
        *size = (size_t)most;
    *bytes = scan->window + begin;
    scan->at += *size;
    return VARVE_OK;
}

varve_status vv_scan_exact(
    struct vv_scan *scan, void *bytes, size_t size, varve_error *error)
{
    unsigned char *to = bytes;
    while (size > 0) {
        const unsigned char *some = NULL;
        size_t now = 0;
        VV_TRY(vv_scan_some(scan, size, &some, &now, error));
        memcpy(to, some, now);
        to += now;
        size -= now;
    }
    return VARVE_OK;
}

void vv_scan_skip(struct vv_scan *scan, uint64_t size)
{
    scan->at += size;
}

varve_status vv_scan_digest(
    struct vv_scan *scan, struct vv_digest *digest, varve_error *error)
{
    VV_TRY(scan_report(scan, error));
    if (!scan->digester)
        return vv_record_file_stamp(scan->file, digest, error);
    *digest = vv_digester_end(scan->digester);
    return VARVE_OK;
}

void vv_scan_end(struct vv_scan *scan)
{
    if (!scan->file)
        return;
    const varve_allocator *a = &scan->file->context.allocator;
    vv_release(a, scan->window, WINDOW_SIZE);
    vv_digester_free(a, scan->digester);
    *scan = (struct vv_scan){ .file = NULL };
}

/* --- Sources that are scanned --------------------------------------------- */

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
