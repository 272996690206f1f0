/* torch_tar_sample.h - Builds tar archives of torch.save before torch 0.1.10.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_TORCH_TAR_SAMPLE_H
#define UNIT_TORCH_TAR_SAMPLE_H

#include "tar_sample.h"
#include "torch_sample.h"

struct tar_parts {
    struct vv_buffer pickle, tensors, storages;
    const char *without; /* a member to omit; NULL: none */
    bool is_big_endian;
};

static inline struct tar_parts tar_parts_new(void)
{
    return (struct tar_parts){ .pickle = new_bytes(),
        .tensors = new_bytes(),
        .storages = new_bytes() };
}

static inline void put_count(struct vv_buffer *b, int64_t count)
{
    OP(b, "\x80\2");
    put_integer(b, count);
    OP(b, ".");
}

/* (key, 'cpu', torch.CLASS), the number of elements, bytes from 1 on */
static inline void put_tar_storage(struct vv_buffer *b, int64_t key,
    const char *class, uint64_t count, size_t size)
{
    OP(b, "\x80\2");
    put_integer(b, key);
    put_text(b, "cpu");
    put_global(b, "torch", class);
    OP(b, "\x87.");
    vv_buffer_add64(b, count);
    for (size_t i = 0; i < size; i++)
        vv_buffer_add8(b, (uint8_t)(i + 1));
}

/* Adds the list of parts of storages; `parts` has 4 numbers for each. */
static inline void put_tar_views(
    struct vv_buffer *b, const int64_t *parts, size_t count)
{
    OP(b, "\x80\2](");
    for (size_t i = 0; i < count; i++)
        put_sizes(b, parts + 4 * i, 4);
    OP(b, "e.");
}

/* (key, key of the storage or None, torch.CLASS), rank, sizes, strides,
 * offset
 */
static inline void put_tar_tensor(struct vv_buffer *b, int64_t key,
    int64_t storage, const char *class, const struct put *t)
{
    OP(b, "\x80\2");
    put_integer(b, key);
    if (storage < 0)
        OP(b, "N");
    else
        put_integer(b, storage);
    put_global(b, "torch", class);
    OP(b, "\x87.");
    vv_buffer_add32(b, t->rank);
    vv_buffer_add32(b, 0x55555555); /* not initialized */
    for (uint32_t i = 0; i < t->rank; i++)
        vv_buffer_add64(b, (uint64_t)t->shape[i]);
    for (uint32_t i = 0; i < t->rank; i++)
        vv_buffer_add64(b, (uint64_t)t->strides[i]);
    vv_buffer_add64(b, (uint64_t)t->offset);
}

static inline void put_id(struct vv_buffer *b, const char *key)
{
    put_text(b, key);
    OP(b, "Q");
}

static inline void put_tar_part(struct vv_buffer *b,
    const struct tar_parts *p, const char *name, const struct vv_buffer *bytes)
{
    if (!p->without || strcmp(p->without, name) != 0)
        tar_put(b, name, '0', bytes->data, bytes->size);
}

/* Ends the parts, and combines them as Python 3 does. */
static inline struct vv_buffer tar_of_parts(struct tar_parts *p)
{
    struct vv_buffer b = new_bytes(), machine = new_bytes();
    OP(&machine, "\x80\2}");
    put_text(&machine, "little_endian");
    vv_buffer_add8(&machine, p->is_big_endian ? 0x89 : 0x88);
    OP(&machine, "s.");
    tar_put_text(&b, "././@PaxHeader", 'x', "13 mtime=1.5\n");
    put_tar_part(&b, p, "sys_info", &machine);
    put_tar_part(&b, p, "pickle", &p->pickle);
    put_tar_part(&b, p, "tensors", &p->tensors);
    put_tar_part(&b, p, "storages", &p->storages);
    tar_put_end(&b);
    vv_buffer_clear(&machine);
    vv_buffer_clear(&p->pickle);
    vv_buffer_clear(&p->tensors);
    vv_buffer_clear(&p->storages);
    return b;
}

/* Returns a dict of "w", which is tensor 5, two elements of the storage 7. */
static inline struct tar_parts tar_sample_parts(void)
{
    struct tar_parts p = tar_parts_new();
    OP(&p.pickle, "\x80\2}");
    put_text(&p.pickle, "w");
    put_id(&p.pickle, "5");
    OP(&p.pickle, "s.");
    put_count(&p.tensors, 1);
    put_tar_tensor(&p.tensors, 5, 7, "HalfTensor", &(struct put){
        .offset = 1, .rank = 1, .shape = { 2 }, .strides = { 1 } });
    put_count(&p.storages, 1);
    put_tar_storage(&p.storages, 7, "HalfStorage", 4, 8);
    put_tar_views(&p.storages, NULL, 0);
    return p;
}

#endif
