/* whole_source.c - A source of files, each of which is one record. They are
 * open only while they are read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "whole_source.h"

#include "allocator.h"
#include "failure.h"
#include "scan.h"
#include "try.h"

/* Size and time of a file when it was first opened. */
struct stamp {
    uint64_t size;
    int64_t modified;
};

struct whole {
    struct vv_context context;
    char **paths;
    struct stamp *stamps;
    size_t count;
};

static void close_whole(void *self)
{
    struct whole *w = self;
    const varve_allocator a = w->context.allocator;
    for (size_t i = 0; w->paths && i < w->count; i++)
        vv_release_string(&a, w->paths[i]);
    vv_release(&a, w->paths, w->count * sizeof *w->paths);
    vv_release(&a, w->stamps, w->count * sizeof *w->stamps);
    vv_release(&a, w, sizeof *w);
}

/* Opens a file. A failure is always in `error`. */
static struct vv_record_file *whole_source_open_one(
    const struct whole *w, size_t number, varve_error *error)
{
    return vv_record_file_open(&w->context, w->paths[number], error);
}

/* Checks that a file that was just opened has not changed since the first
 * time. */
static varve_status whole_source_check_one(
    struct vv_record_file *file, const struct stamp *stamp, varve_error *error)
{
    const struct stamp now = { file->size, file->modified };
    file->size = stamp->size;
    file->modified = stamp->modified;
    return vv_record_file_compare(file, now.size, now.modified, error);
}

static varve_status whole_source_read_whole(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    const struct whole *w = self;
    const unsigned char *bytes;
    struct vv_record_file *file =
        whole_source_open_one(w, (size_t)index, error);
    if (!file)
        return error->status;
    varve_status status =
        whole_source_check_one(file, &w->stamps[index], error);
    if (!status)
        status = vv_record_file_take(file, 0, file->size, sink, &bytes, error);
    vv_record_file_close(file);
    return status;
}

/* --- The fingerprint ------------------------------------------------------ */

static varve_status sum_one(const struct vv_record_file *file,
    const varve_records_options *options, struct vv_digest *digest,
    varve_error *error)
{
    struct vv_scan scan;
    const unsigned char *bytes;
    size_t size;
    varve_status status = vv_scan_begin(&scan, file, options, error);
    while (!status && !options->no_content && vv_scan_left(&scan) > 0)
        status = vv_scan_some(&scan, vv_scan_left(&scan), &bytes, &size, error);
    if (!status)
        status = vv_scan_digest(&scan, digest, error);
    vv_scan_end(&scan);
    return status;
}

/* Computes a digest of the digests of all files, in order. */
static varve_status whole_source_sum_all(const struct whole *w,
    const varve_records_options *options, struct vv_digest *digest,
    varve_error *error)
{
    const varve_allocator *a = &w->context.allocator;
    struct vv_digester *digester = vv_digester_new(a);
    varve_status status =
        digester ? VARVE_OK : vv_fail_memory(error, "opening files");
    for (size_t i = 0; i < w->count && !status; i++) {
        struct vv_digest one;
        struct vv_record_file *file = whole_source_open_one(w, i, error);
        status = file ? sum_one(file, options, &one, error) : error->status;
        if (!status)
            w->stamps[i] = (struct stamp){ file->size, file->modified };
        vv_record_file_close(file);
        if (!status)
            vv_digester_add(digester, one.bytes, sizeof one.bytes);
    }
    if (!status)
        *digest = vv_digester_end(digester);
    vv_digester_free(a, digester);
    return status;
}

/* --- Opening -------------------------------------------------------------- */

static varve_status copy_paths(
    struct whole *w, const char *const *paths, varve_error *error)
{
    const varve_allocator *a = &w->context.allocator;
    if (w->count == 0)
        return VARVE_OK;
    w->paths = vv_allocate_zeroed(a, w->count * sizeof *w->paths);
    w->stamps = vv_allocate_zeroed(a, w->count * sizeof *w->stamps);
    if (!w->paths || !w->stamps)
        return vv_fail_memory(error, "the paths of files");
    for (size_t i = 0; i < w->count; i++) {
        if (!paths || !paths[i])
            return vv_fail(error, VARVE_MISUSE,
                "files: the array of %zu path%s is NULL", w->count,
                vv_plural_s(w->count));
        if (!(w->paths[i] = vv_copy_string(a, paths[i])))
            return vv_fail_memory(error, "the paths of files");
    }
    return VARVE_OK;
}

static varve_records *whole_source_open_all(const struct vv_context *context,
    struct whole *w, const char *const *paths,
    const varve_records_options *options, varve_error *error)
{
    struct vv_digest digest;
    varve_source source = {
        .name = "files",
        .count = w->count,
        .read = whole_source_read_whole,
        .close = close_whole,
        .self = w,
    };
    if (copy_paths(w, paths, error) ||
        whole_source_sum_all(w, options, &digest, error)) {
        close_whole(w);
        return NULL;
    }
    vv_set_fingerprint(&source, VV_FILES, 0, &digest);
    return vv_records_open_in(context, &source, options, error);
}

varve_records *vv_records_open_files_in(const struct vv_context *context,
    const char *const *paths, size_t count,
    const varve_records_options *options, varve_error *error)
{
    varve_error own = { .status = VARVE_OK };
    if (!error)
        error = &own;
    if (vv_record_options_check("files", options, 0, error))
        return NULL;
    struct whole *w = vv_allocate_zeroed(&context->allocator, sizeof *w);
    if (!w) {
        vv_fail_memory(error, "opening files");
        return NULL;
    }
    w->context = *context;
    w->count = count;
    return whole_source_open_all(context, w, paths, options, error);
}

varve_records *varve_records_open_files(const char *const *paths, size_t count,
    const varve_records_options *options, varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    return vv_records_open_files_in(
        &opening.context, paths, count, &opening.options, error);
}
