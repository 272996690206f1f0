/* array_source.c - Records in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/records.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "record_source.h"

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
