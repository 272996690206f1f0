/* fixed_source.c - Records of equal size, in memory or after the header of a
 * file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixed_source.h"

#include <varve/records.h>
#include <inttypes.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "record_list.h"
#include "try.h"

/* --- In memory ------------------------------------------------------------ */

struct array {
    varve_allocator allocator;
    const unsigned char *records;
    size_t record_size;
};

static varve_status array_source_read_element(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    const struct array *array = self;
    (void)error; /* the sink records the failure */
    varve_put(sink, array->records + (size_t)index * array->record_size,
        array->record_size);
    return VARVE_OK;
}

static void close_array(void *self)
{
    struct array *array = self;
    const varve_allocator a = array->allocator;
    vv_release(&a, array, sizeof *array);
}

/* Computes the size of the array in bytes; returns false if it is invalid. */
static bool array_source_size_of(
    const void *records, uint64_t count, size_t record_size, size_t *size)
{
    return record_size > 0 && count <= SIZE_MAX &&
           !__builtin_mul_overflow((size_t)count, record_size, size) &&
           (records || count == 0);
}

varve_records *varve_records_open_array(const void *records, uint64_t count,
    size_t record_size, const varve_records_options *options,
    varve_error *error)
{
    struct vv_record_opening opening = vv_record_opening_of(options);
    size_t size;
    if (vv_record_options_check("array", &opening.options, 0, error))
        return NULL;
    if (!array_source_size_of(records, count, record_size, &size)) {
        vv_fail(error, VARVE_MISUSE,
            "array: the records do not fit in memory, or the array is NULL: "
            "%llu of %zu bytes at %s",
            (unsigned long long)count, record_size,
            records ? "an address" : "NULL");
        return NULL;
    }
    struct array *array =
        vv_allocate(&opening.context.allocator, sizeof *array);
    if (!array) {
        vv_fail_memory(error, "opening an array of records");
        return NULL;
    }
    *array = (struct array){ opening.context.allocator, records, record_size };
    varve_source source = {
        .name = "array",
        .count = count,
        .read = array_source_read_element,
        .close = close_array,
        .self = array,
    };
    unsigned char extent[8];
    vv_store64(extent, count);
    struct vv_digest digest = opening.options.no_content || size == 0
                                  ? vv_digest_of(extent, sizeof extent)
                                  : vv_digest_of(records, size);
    vv_set_fingerprint(&source, VV_ARRAY, record_size, &digest);
    return vv_records_open_in(
        &opening.context, &source, &opening.options, error);
}

/* --- In a file ------------------------------------------------------------ */

/* Checks the size. The content is only read for its digest. */
static varve_status fixed_source_check_size(
    struct vv_record_file *file, struct vv_scan *scan, varve_error *error)
{
    if (file->size < file->header_size ||
        (file->size - file->header_size) % file->record_size != 0) {
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: the file cannot be %" PRIu64
            " byte%s and then records of %" PRIu64 " byte%s: it has %" PRIu64
            " byte%s",
            file->path, file->header_size, vv_plural_s(file->header_size),
            file->record_size, vv_plural_s(file->record_size), file->size,
            vv_plural_s(file->size));
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
