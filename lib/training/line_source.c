/* line_source.c - The lines of a text file as records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "line_source.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "record_list.h"
#include "state.h"
#include "try.h"

/* Adds a line that begins at an offset, unless it is skipped. */
static varve_status line_source_add_line(struct vv_record_file *file,
    uint64_t offset, uint64_t *skip, varve_error *error)
{
    if (*skip == 0)
        return vv_record_file_add(file, offset, error);
    --*skip;
    return VARVE_OK;
}

/* Adds the lines that begin in a piece: at 0 and after each newline that is not
 * the last byte of the file. */
static varve_status line_source_add_lines(struct vv_record_file *file,
    const unsigned char *bytes, size_t size, uint64_t *skip, uint64_t offset,
    varve_error *error)
{
    const unsigned char *at = bytes, *end = bytes + size;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        uint64_t next = offset + (uint64_t)(at - bytes);
        if (next < file->size)
            VV_TRY(line_source_add_line(file, next, skip, error));
    }
    return VARVE_OK;
}

static varve_status index_lines(
    struct vv_record_file *file, struct vv_scan *scan, varve_error *error)
{
    uint64_t skip = scan->options->skip_lines;
    if (file->size > 0)
        VV_TRY(line_source_add_line(file, 0, &skip, error));
    while (vv_scan_left(scan) > 0) {
        const unsigned char *bytes;
        size_t size;
        uint64_t offset = scan->at;
        VV_TRY(vv_scan_some(scan, vv_scan_left(scan), &bytes, &size, error));
        VV_TRY(line_source_add_lines(file, bytes, size, &skip, offset, error));
    }
    uint64_t lines = scan->options->skip_lines - skip;
    if (file->size > 0 && skip > 0)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: skip_lines is %" PRIu64 ", but the file has only %" PRIu64
            " line%s",
            file->path, scan->options->skip_lines, lines, vv_plural_s(lines));
    return vv_record_file_add(file, file->size, error);
}

static varve_status read_line(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    const struct vv_record_file *file = self;
    uint64_t begin = file->offsets[index];
    size_t size = (size_t)(file->offsets[index + 1] - begin);
    const unsigned char *bytes;
    VV_TRY(vv_record_file_take(file, begin, size, sink, &bytes, error));
    if (bytes[size - 1] == '\n') {
        sink->bytes.size--;
        if (size > 1 && bytes[size - 2] == '\r')
            sink->bytes.size--;
    }
    return VARVE_OK;
}

static struct vv_scanned line_kind(const char *path)
{
    return (struct vv_scanned){
        .path = path,
        .kind = VV_LINES,
        .index = index_lines,
        .read = read_line,
    };
}

varve_records *vv_records_open_lines_in(const struct vv_context *context,
    const char *path, const varve_records_options *options, varve_error *error)
{
    const struct vv_scanned kind = line_kind(path);
    return vv_records_open_scanned(context, &kind, options, error);
}

varve_records *varve_records_open_lines(
    const char *path, const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    return vv_records_open_lines_in(
        &opening.context, path, &opening.options, error);
}

varve_records *vv_records_open_line_files_in(const struct vv_context *context,
    const struct vv_record_paths *paths, const varve_records_options *options,
    varve_error *error)
{
    const struct vv_scanned kind = line_kind(NULL);
    return vv_records_open_list(context, &kind, paths, options, error);
}

varve_records *varve_records_open_line_files(const char *const *paths,
    size_t count, const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    const struct vv_record_paths all = { paths, count };
    return vv_records_open_line_files_in(
        &opening.context, &all, &opening.options, error);
}
