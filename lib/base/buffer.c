/* buffer.c - A byte buffer that grows by doubling.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buffer.h"

#include <string.h>

#include "allocator.h"

void vv_buffer_init(struct vv_buffer *b, const varve_allocator *allocator)
{
    *b = (struct vv_buffer){ .allocator = allocator };
}

void vv_buffer_clear(struct vv_buffer *b)
{
    vv_release(b->allocator, b->data, b->capacity);
    vv_buffer_init(b, b->allocator);
}

void vv_buffer_move(struct vv_buffer *b, struct vv_buffer *from,
    const varve_allocator *allocator)
{
    *b = *from;
    b->allocator = allocator;
    vv_buffer_init(from, from->allocator);
}

void vv_buffer_swap(struct vv_buffer *a, struct vv_buffer *b)
{
    struct vv_buffer older = *a;
    *a = *b;
    *b = older;
}

void vv_buffer_reserve(struct vv_buffer *b, size_t size)
{
    if (b->data)
        return;
    b->data = vv_allocate(b->allocator, size);
    b->capacity = b->data ? size : 0;
}

static bool buffer_grow(struct vv_buffer *b, size_t wanted)
{
    size_t capacity = b->capacity ? b->capacity : 64;
    while (capacity < wanted) {
        if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
            return false;
    }
    void *data = vv_reallocate(b->allocator, b->data, b->capacity, capacity);
    if (!data)
        return false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

void *vv_buffer_extend_slow(struct vv_buffer *b, size_t size)
{
    size_t wanted;
    if (b->failed)
        return NULL;
    if (__builtin_add_overflow(b->size, size, &wanted) ||
        ((wanted > b->capacity || !b->data) && !buffer_grow(b, wanted))) {
        b->failed = true;
        return NULL;
    }
    void *at = b->data + b->size;
    b->size = wanted;
    return at;
}

void vv_buffer_add(struct vv_buffer *b, const void *bytes, size_t size)
{
    void *at = vv_buffer_extend(b, size);
    if (at && size)
        memcpy(at, bytes, size);
}

void vv_buffer_add_string(struct vv_buffer *b, const char *string)
{
    vv_buffer_add(b, string, strlen(string));
}

void vv_buffer_reverse(struct vv_buffer *b, size_t begin)
{
    if (b->failed)
        return;
    for (size_t i = begin, j = b->size; i + 1 < j; i++) {
        unsigned char byte = b->data[--j];
        b->data[j] = b->data[i];
        b->data[i] = byte;
    }
}

const char *vv_buffer_string(struct vv_buffer *b)
{
    char *end = vv_buffer_extend(b, 1);
    if (!end)
        return "";
    *end = '\0';
    b->size--;
    return (const char *)b->data;
}
