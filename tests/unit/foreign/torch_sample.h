/* torch_sample.h - Builds pickles opcode by opcode, and torch.save archives
 * from them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_TORCH_SAMPLE_H
#define UNIT_TORCH_SAMPLE_H

#include <stdarg.h>
#include <stdio.h>

#include "pickle_in.h"
#include "readers.h"

/* --- Pickles -------------------------------------------------------------- */

/* Adds opcodes from a literal that may contain NULs. */
#define OP(b, literal) vv_buffer_add(b, literal, sizeof(literal) - 1)

static inline void put_text(struct vv_buffer *b, const char *text)
{
    vv_buffer_add8(b, 'X');
    vv_buffer_add32(b, (uint32_t)strlen(text));
    vv_buffer_add_string(b, text);
}

static inline void put_integer(struct vv_buffer *b, int64_t value)
{
    OP(b, "\x8a\x08");
    vv_buffer_add64(b, (uint64_t)value);
}

static inline void put_global(
    struct vv_buffer *b, const char *module, const char *name)
{
    vv_buffer_add8(b, 'c');
    vv_buffer_add_string(b, module);
    vv_buffer_add8(b, '\n');
    vv_buffer_add_string(b, name);
    vv_buffer_add8(b, '\n');
}

static inline void put_sizes(
    struct vv_buffer *b, const int64_t *sizes, uint32_t count)
{
    OP(b, "(");
    for (uint32_t i = 0; i < count; i++)
        put_integer(b, sizes[i]);
    OP(b, "t");
}

static inline void put_storage(struct vv_buffer *b, const char *class,
    const char *key, int64_t count)
{
    OP(b, "(");
    put_text(b, "storage");
    put_global(b, "torch", class);
    put_text(b, key);
    put_text(b, "cpu");
    put_integer(b, count);
    OP(b, "tQ");
}

struct put {
    const char *class, *key;
    int64_t count, offset;
    uint32_t rank;
    int64_t shape[18], strides[18];
};

/* Adds a tensor as in state dicts. */
static inline void put_tensor(struct vv_buffer *b, const struct put *t)
{
    put_global(b, "torch._utils", "_rebuild_tensor_v2");
    OP(b, "(");
    put_storage(b, t->class, t->key, t->count);
    put_integer(b, t->offset);
    put_sizes(b, t->shape, t->rank);
    put_sizes(b, t->strides, t->rank);
    OP(b, "\x89)tR");
}

/* Adds a vector of floats that fills its storage. */
static inline void put_floats(struct vv_buffer *b, const char *key,
    int64_t count)
{
    put_tensor(b, &(struct put){ .class = "FloatStorage", .key = key,
        .count = count, .rank = 1, .shape = { count }, .strides = { 1 } });
}

/* --- Reading -------------------------------------------------------------- */

/* Parses a valid pickle. */
static inline struct vv_pickle read_pickle(const struct vv_buffer *b)
{
    struct vv_pickle p;
    varve_error error = { 0 };
    cr_assert_not(b->failed);
    cr_assert_ok(vv_pickle_read(&p, b, "a.pt", &error), error);
    return p;
}

/* --- Archives ------------------------------------------------------------- */

/* Returns an archive with a/data.pkl and, up to NULL, names and sizes of
 * entries in a/data; every byte of a storage is its offset plus 1. */
static inline struct vv_buffer new_torch(const struct vv_buffer *pickle, ...)
{
    va_list list;
    struct archive a = archive_new();
    archive_add(&a, (struct entry){ .name = "a/data.pkl",
        .bytes = pickle->data, .size = pickle->size });
    va_start(list, pickle);
    for (const char *name; (name = va_arg(list, const char *));) {
        char path[40];
        unsigned char bytes[512];
        size_t size = (size_t)va_arg(list, int);
        cr_assert(size <= sizeof bytes);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)(i + 1);
        snprintf(path, sizeof path, "a/data/%s", name);
        archive_add(&a, (struct entry){ .name = path, .bytes = bytes,
            .size = size });
    }
    va_end(list);
    archive_end(&a);
    vv_buffer_clear(&a.directory);
    return a.file;
}

static inline varve_saved_node find_node(
    const varve_reader *reader, const char *path)
{
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    return node;
}

#endif
