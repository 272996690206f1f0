/* buffer.h - A growing byte buffer. The first failed allocation is recorded and
 * later calls do nothing, so callers need to check only at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUFFER_H
#define VV_BUFFER_H

#include <varve/allocator.h>

#include "bytes.h"

struct vv_buffer {
    /* to read */
    const varve_allocator *allocator;
    unsigned char *data;
    size_t capacity;
    /* to fill in: to shorten or to reuse the buffer */
    size_t size;
    bool failed; /* an allocation failed; the content is invalid */
};

void vv_buffer_init(struct vv_buffer *b, const varve_allocator *allocator);
void vv_buffer_clear(struct vv_buffer *b);

/* Moves the content of another buffer to `b`; the other one is empty then.
 * `allocator` must be equal to its allocator, and must outlive `b`. */
void vv_buffer_move(struct vv_buffer *b, struct vv_buffer *from,
    const varve_allocator *allocator);

void vv_buffer_swap(struct vv_buffer *a, struct vv_buffer *b);

/* Allocates exactly `size` bytes for an empty buffer, to avoid repeated
 * growing. If there is no memory, the buffer remains empty without a
 * failure. */
void vv_buffer_reserve(struct vv_buffer *b, size_t size);

/* vv_buffer_extend for a buffer without enough room. */
void *vv_buffer_extend_slow(struct vv_buffer *b, size_t size);

/* Appends `size` uninitialized bytes and returns their address; NULL if there
 * is no memory. */
static inline void *vv_buffer_extend(struct vv_buffer *b, size_t size)
{
    if (b->failed || !b->data || b->capacity - b->size < size)
        return vv_buffer_extend_slow(b, size);
    void *at = b->data + b->size;
    b->size += size;
    return at;
}

void vv_buffer_add(struct vv_buffer *b, const void *bytes, size_t size);
void vv_buffer_add_string(struct vv_buffer *b, const char *string);

/* Append a number, little-endian. */
static inline void vv_buffer_add8(struct vv_buffer *b, uint8_t value)
{
    uint8_t *at = vv_buffer_extend(b, 1);
    if (at)
        *at = value;
}

static inline void vv_buffer_add32(struct vv_buffer *b, uint32_t value)
{
    void *at = vv_buffer_extend(b, 4);
    if (at)
        vv_store32(at, value);
}

static inline void vv_buffer_add64(struct vv_buffer *b, uint64_t value)
{
    void *at = vv_buffer_extend(b, 8);
    if (at)
        vv_store64(at, value);
}

/* Reverses the bytes from `begin` to the end. Paths are built from their end
 * with reversed names, and then reversed as a whole. */
void vv_buffer_reverse(struct vv_buffer *b, size_t begin);

/* Returns the content as a C string: writes a NUL after it, which does not
 * count as content. Returns "" on failure. */
const char *vv_buffer_string(struct vv_buffer *b);

/* Empties a scratch buffer and clears its failure. */
static inline struct vv_buffer *vv_emptied(struct vv_buffer *scratch)
{
    scratch->size = 0;
    scratch->failed = false;
    return scratch;
}

#endif
