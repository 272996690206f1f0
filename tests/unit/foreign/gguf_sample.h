/* gguf_sample.h - Writes GGUF files field by field, and opens them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_GGUF_SAMPLE_H
#define UNIT_GGUF_SAMPLE_H

#include <string.h>

#include "allocator.h"
#include "foreign_values.h"
#include "gguf_value.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"

#define GGUF_PATH "model.gguf"

struct gguf_file {
    unsigned char bytes[256 * 1024];
    size_t size;
    struct memory *memory;
    struct vv_context context;
    struct vv_foreign *foreign;
    varve_error error;
};

/* --- Writing -------------------------------------------------------------- */

static inline void put(struct gguf_file *f, const void *bytes, size_t size)
{
    cr_assert(f->size + size <= sizeof f->bytes);
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static inline void put_number(struct gguf_file *f, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put(f, &(unsigned char){ (unsigned char)(number >> 8 * i) }, 1);
}

static inline void put32(struct gguf_file *f, uint32_t number)
{
    put_number(f, number, 4);
}

static inline void put64(struct gguf_file *f, uint64_t number)
{
    put_number(f, number, 8);
}

static inline void put_string(struct gguf_file *f, const char *text)
{
    put64(f, strlen(text));
    put(f, text, strlen(text));
}

static inline void put_head(struct gguf_file *f, uint64_t tensors,
    uint64_t entries)
{
    put(f, "GGUF", 4);
    put32(f, 3);
    put64(f, tensors);
    put64(f, entries);
}

static inline void put_alignment(struct gguf_file *f, uint32_t alignment)
{
    put_string(f, "general.alignment");
    put32(f, VV_GGUF_UINT32);
    put32(f, alignment);
}

/* Adds a tensor of one dimension. */
static inline void put_tensor(struct gguf_file *f, const char *name,
    uint32_t type, uint64_t extent, uint64_t offset)
{
    put_string(f, name);
    put32(f, 1);
    put64(f, extent);
    put32(f, type);
    put64(f, offset);
}

static inline void put_padding(struct gguf_file *f, size_t alignment)
{
    while (f->size % alignment != 0)
        put(f, "", 1);
}

/* --- Opening -------------------------------------------------------------- */

static inline void place_file(struct gguf_file *f)
{
    f->memory = memory_new();
    f->context = test_context(memory_system(f->memory));
    memory_put(f->memory, GGUF_PATH, f->bytes, f->size);
}

/* Reads only the parts, without a frame. */
static inline void begin_bytes(struct gguf_file *f, struct vv_gguf_bytes *in)
{
    uint32_t number;
    place_file(f);
    f->foreign = vv_allocate_zeroed(&f->context.allocator, sizeof *f->foreign);
    f->foreign->context = &f->context;
    cr_assert_ok(vv_foreign_add_file(
        f->foreign, GGUF_PATH, &number, &f->error), f->error);
    vv_gguf_begin(in, f->foreign, 0);
}

static inline void end_bytes(struct gguf_file *f)
{
    vv_foreign_free(f->foreign);
    memory_free(f->memory);
    f->size = 0;
}

/* Opens the whole file. Returns NULL after a failure. */
static inline varve_reader *open_file(struct gguf_file *f)
{
    place_file(f);
    return vv_reader_open_in(&f->context, GGUF_PATH, &f->error);
}

static inline void close_file(struct gguf_file *f, varve_reader *reader)
{
    varve_reader_free(reader);
    cr_assert_eq(memory_open_count(f->memory), 0);
    memory_free(f->memory);
    f->size = 0;
}

/* Asserts that opening fails with this status and these words in the
 * message. */
static inline void refuse(
    struct gguf_file *f, varve_status status, const char *words)
{
    varve_reader *reader = open_file(f);
    cr_assert_null(reader);
    cr_assert_eq(f->error.status, status, "%s", f->error.message);
    cr_assert(strstr(f->error.message, words), "%s", f->error.message);
    cr_assert(strncmp(f->error.message, GGUF_PATH ": ", 12) == 0);
    close_file(f, NULL);
}

#endif
