/* arrays.h - Builds NumPy arrays and zip archives byte by byte, and files in
 * memory from them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ARRAYS_H
#define TEST_ARRAYS_H

#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "bytes.h"
#include "crc.h"
#include "foreign_values.h"
#include "inflater.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"

struct world {
    struct memory *memory;
    struct vv_context context;
};

static inline struct world world_new(void)
{
    struct world w = { .memory = memory_new() };
    w.context = test_context(memory_system(w.memory));
    return w;
}

/* Checks that no file is left open. */
static inline void world_free(struct world *w)
{
    cr_assert_eq(memory_open_count(w->memory), 0);
    memory_free(w->memory);
}

/* Returns the file as passed to a format, to be freed with vv_foreign_free. */
static inline struct vv_foreign *world_foreign(
    struct world *w, const char *path, const struct vv_buffer *bytes)
{
    uint32_t number;
    varve_error error = { 0 };
    struct vv_foreign *f =
        vv_allocate_zeroed(&w->context.allocator, sizeof *f);
    f->context = &w->context;
    memory_put(w->memory, path, bytes->data, bytes->size);
    cr_assert_ok(vv_foreign_add_file(f, path, &number, &error), error);
    return f;
}

static inline struct vv_buffer new_bytes(void)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    return b;
}

/* --- Arrays --------------------------------------------------------------- */

/* Adds an array of a format version, with any text as its dictionary. */
static inline void add_array(struct vv_buffer *b, unsigned version,
    const char *text, const void *data, size_t size)
{
    size_t length = strlen(text);
    vv_buffer_add(b, "\x93NUMPY", 6);
    vv_buffer_add8(b, (uint8_t)version);
    vv_buffer_add8(b, 0);
    if (version == 1) {
        vv_buffer_add8(b, (uint8_t)length);
        vv_buffer_add8(b, (uint8_t)(length >> 8));
    } else {
        vv_buffer_add32(b, (uint32_t)length);
    }
    vv_buffer_add(b, text, length);
    vv_buffer_add(b, data, size);
}

#define DICTIONARY(descr, order, shape)                                        \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape       \
    ", }    \n"

/* --- Archives ------------------------------------------------------------- */

struct entry {
    const char *name;
    const void *bytes;
    size_t size;
    bool is_deflated; /* in one stored block */
    unsigned flags;
    bool is_zip64; /* sizes of the entry are in zip64 fields */
};

struct archive {
    struct vv_buffer file, directory;
    unsigned count;
    size_t records[8]; /* offset of each record in the directory */
    size_t locals[8];  /* offset of each entry in the file */
    size_t begin;      /* offset of the directory, once it exists */
};

static inline struct archive archive_new(void)
{
    return (struct archive){ .file = new_bytes(), .directory = new_bytes() };
}

static inline void archive_clear(struct archive *a)
{
    vv_buffer_clear(&a->file);
    vv_buffer_clear(&a->directory);
}

static inline void add16(struct vv_buffer *b, size_t value)
{
    vv_buffer_add8(b, (uint8_t)value);
    vv_buffer_add8(b, (uint8_t)(value >> 8));
}

/* Adds the fields from the flags to the sizes, which both headers have. */
static inline void add_common(struct vv_buffer *b, const struct entry *e,
    size_t packed, bool is_local)
{
    bool is_behind = is_local && (e->flags & 8);
    add16(b, e->is_zip64 ? 45 : 20);
    add16(b, e->flags);
    add16(b, e->is_deflated ? 8 : 0);
    vv_buffer_add32(b, UINT32_C(0x00210000));
    vv_buffer_add32(b, is_behind ? 0 : vv_crc32(0, e->bytes, e->size));
    vv_buffer_add32(b, is_behind ? 0 : e->is_zip64 ? UINT32_MAX
                                                   : (uint32_t)packed);
    vv_buffer_add32(b, is_behind ? 0 : e->is_zip64 ? UINT32_MAX
                                                   : (uint32_t)e->size);
    add16(b, strlen(e->name));
    add16(b, e->is_zip64 ? 20 : 0);
}

static inline void add_name(
    struct vv_buffer *b, const struct entry *e, size_t packed)
{
    vv_buffer_add(b, e->name, strlen(e->name));
    if (!e->is_zip64)
        return;
    add16(b, 1);
    add16(b, 16);
    vv_buffer_add64(b, e->size);
    vv_buffer_add64(b, packed);
}

static inline void archive_add(struct archive *a, struct entry e)
{
    size_t packed = e.size + (e.is_deflated ? 5 : 0);
    a->locals[a->count] = a->file.size;
    a->records[a->count++] = a->directory.size;
    vv_buffer_add(&a->directory, "PK\001\002\024\003", 6);
    add_common(&a->directory, &e, packed, false);
    add16(&a->directory, 0);
    vv_buffer_add64(&a->directory, 0); /* disk, attributes */
    vv_buffer_add32(&a->directory, (uint32_t)a->file.size);
    add_name(&a->directory, &e, packed);
    vv_buffer_add(&a->file, "PK\003\004", 4);
    add_common(&a->file, &e, packed, true);
    add_name(&a->file, &e, packed);
    if (e.is_deflated) {
        vv_buffer_add8(&a->file, 1);
        add16(&a->file, e.size);
        add16(&a->file, ~e.size);
    }
    vv_buffer_add(&a->file, e.bytes, e.size);
    if (e.flags & 8) {
        vv_buffer_add(&a->file, "PK\007\010", 4);
        vv_buffer_add32(&a->file, vv_crc32(0, e.bytes, e.size));
        vv_buffer_add32(&a->file, (uint32_t)packed);
        vv_buffer_add32(&a->file, (uint32_t)e.size);
    }
}

static inline void archive_end(struct archive *a)
{
    struct vv_buffer *b = &a->file;
    a->begin = b->size;
    vv_buffer_add(b, a->directory.data, a->directory.size);
    vv_buffer_add(b, "PK\005\006\0\0\0\0", 8);
    add16(b, a->count);
    add16(b, a->count);
    vv_buffer_add32(b, (uint32_t)a->directory.size);
    vv_buffer_add32(b, (uint32_t)a->begin);
    add16(b, 0);
}

/* The same with a zip64 record. */
static inline void archive_end64(struct archive *a)
{
    struct vv_buffer *b = &a->file;
    a->begin = b->size;
    vv_buffer_add(b, a->directory.data, a->directory.size);
    size_t at = b->size;
    vv_buffer_add(b, "PK\006\006", 4);
    vv_buffer_add64(b, 44);
    vv_buffer_add32(b, 0x002d002d);
    vv_buffer_add64(b, 0);
    vv_buffer_add64(b, a->count);
    vv_buffer_add64(b, a->count);
    vv_buffer_add64(b, a->directory.size);
    vv_buffer_add64(b, a->begin);
    vv_buffer_add(b, "PK\006\007\0\0\0\0", 8);
    vv_buffer_add64(b, at);
    vv_buffer_add32(b, 1);
    vv_buffer_add(b, "PK\005\006\0\0\0\0", 8);
    vv_buffer_add32(b, UINT32_MAX);
    vv_buffer_add32(b, UINT32_MAX);
    vv_buffer_add32(b, UINT32_MAX);
    add16(b, 0);
}

#endif
