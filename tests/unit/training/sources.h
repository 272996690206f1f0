/* sources.h - Creates files of records in memory and reads records from them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_SOURCES_H
#define UNIT_SOURCES_H

#include "support/memory_system.h"
#include "support/test_context.h"

#include <string.h>

#include <varve/records.h>

#include "bytes.h"
#include "crc.h"

static const varve_records_options plain_options = { .batch = 0 };

/* Opens "file" in a context. */
typedef varve_records *open_function(const struct vv_context *context,
    const varve_records_options *options, varve_error *error);

/* Appends a record in TFRecord format; returns the new file size. */
static inline size_t put_tfrecord(
    unsigned char *file, size_t at, const void *bytes, size_t size)
{
    vv_store64(file + at, size);
    vv_store32(file + at + 8, vv_crc32c_mask(vv_crc32c(0, file + at, 8)));
    memcpy(file + at + 12, bytes, size);
    vv_store32(file + at + 12 + size,
        vv_crc32c_mask(vv_crc32c(0, bytes, size)));
    return at + 16 + size;
}

/* Reads all records, each followed by '|', and asserts their order. */
static inline void read_all(varve_records *records, char *text, size_t size)
{
    varve_error error = { 0 };
    size_t at = 0;
    uint64_t next = 0;
    for (;;) {
        varve_batch batch;
        cr_assert_ok(varve_records_next(records, &batch, &error), error);
        if (batch.count == 0)
            break;
        cr_assert_eq(batch.count, 1);
        cr_assert_eq(batch.records->index, next++);
        cr_assert_lt(at + batch.records->size + 2, size);
        memcpy(text + at, batch.records->data, batch.records->size);
        at += batch.records->size;
        text[at++] = '|';
    }
    text[at] = '\0';
}

/* Asserts the records of a file opened in both ways, and that no file stays
 * open. */
static inline void holds(open_function *open, const void *bytes, size_t size,
    const char *wanted)
{
    for (int no_content = 0; no_content < 2; no_content++) {
        char text[4096];
        varve_error error = { 0 };
        struct memory *memory = memory_new();
        struct vv_context context = test_context(memory_system(memory));
        varve_records_options options = {
            .epochs = 1,
            .no_content = no_content,
        };
        memory_put(memory, "file", bytes, size);
        varve_records *records = open(&context, &options, &error);
        cr_assert(records, "%s", error.message);
        read_all(records, text, sizeof text);
        cr_assert_str_eq(text, wanted);
        varve_records_free(records);
        cr_assert_eq(memory_open_count(memory), 0);
        memory_free(memory);
    }
}

/* Asserts that a file is refused with this message. */
static inline void refuses(open_function *open,
    const varve_records_options *options, const void *bytes, size_t size,
    varve_status status, const char *says)
{
    varve_error error = { 0 };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    memory_put(memory, "file", bytes, size);
    cr_assert_null(open(&context, options, &error));
    cr_assert_eq(error.status, status, "%s", error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert_null(strchr(error.message, '\n'));
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

/* Fails each system call and allocation in every way while a file is opened and
 * read: the status must be right and nothing leaked. Implemented in
 * test_scanned.c. */
void survives_faults(open_function *open, const void *bytes, size_t size,
    const char *wanted);

#endif
