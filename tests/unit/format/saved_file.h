/* saved_file.h - Saves the sample to a system in memory, so that tests can
 * change its bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_FORMAT_SAVED_FILE_H
#define UNIT_FORMAT_SAVED_FILE_H

#include "support/test.h"

#include <string.h>

#include "data_in.h"
#include "support/index_sample.h"
#include "support/memory_system.h"
#include "support/test_context.h"

struct saved {
    struct memory *memory;
    struct vv_context context;
    struct sample sample;
    unsigned char *bytes; /* content of the file "file" */
    size_t size;
};

static void saved_file_make(struct saved *f, void (*build)(struct sample *))
{
    varve_error error;
    f->memory = memory_new();
    f->context = test_context(memory_system(f->memory));
    build(&f->sample);
    cr_assert_ok(sample_save(&f->sample, &f->context, "file", &error), error);
    f->bytes = memory_bytes(f->memory, "file", &f->size);
}

/* Asserts that no file is open. */
static void saved_file_end(struct saved *f)
{
    cr_assert_eq(memory_open_count(f->memory), 0, "descriptors are left");
    sample_clear(&f->sample);
    memory_free(f->memory);
}

static varve_status read_value(
    const struct vv_opened *in, uint32_t value, varve_error *error)
{
    static unsigned char chunk[VV_CHUNK_SIZE];
    uint64_t size = vv_at64(in->parsed.index.value_sizes, value);
    for (uint64_t i = 0; i < vv_chunk_count(size); i++) {
        uint64_t offset;
        size_t part;
        vv_opened_chunk(in, value, i, &offset, &part);
        varve_status status =
            vv_opened_read(in, offset, chunk, part, error);
        if (!status)
            status = vv_opened_check(in, value, i, chunk, "a/path", error);
        if (status)
            return status;
    }
    return VARVE_OK;
}

/* Finds the padding before a saved value or, for the number of values, before
 * the index. It must be zero. */
static void find_padding(const struct vv_opened *in, uint32_t value,
    uint64_t *offset, size_t *size)
{
    const struct vv_index *index = &in->parsed.index;
    uint64_t end = value == index->value_count
                       ? in->data_end
                       : vv_at64(index->value_offsets, value);
    *offset = VV_HEADER_SIZE;
    while (value > 0 && !vv_index_is_saved(index, value - 1))
        value--;
    if (value > 0)
        *offset = vv_at64(index->value_offsets, value - 1) +
                  vv_at64(index->value_sizes, value - 1);
    *size = (size_t)(end - *offset);
}

static varve_status read_padding(
    const struct vv_opened *in, uint32_t value, varve_error *error)
{
    static const unsigned char zeros[VV_PAGE_ALIGNMENT];
    unsigned char bytes[VV_PAGE_ALIGNMENT];
    uint64_t offset;
    size_t size;
    find_padding(in, value, &offset, &size);
    cr_assert_lt(size, sizeof bytes);
    varve_status status = vv_opened_read(in, offset, bytes, size, error);
    if (!status && memcmp(bytes, zeros, size) != 0)
        status = VARVE_CORRUPT;
    return status;
}

/* Reads and verifies all values and the padding between them. */
static varve_status saved_file_read(
    const struct vv_opened *in, varve_error *error)
{
    varve_status status = VARVE_OK;
    uint32_t count = in->parsed.index.value_count;
    for (uint32_t i = 0; i <= count && !status; i++) {
        if (i < count && !vv_index_is_saved(&in->parsed.index, i))
            continue;
        status = read_padding(in, i, error);
        if (!status && i < count)
            status = read_value(in, i, error);
    }
    return status;
}

#endif
