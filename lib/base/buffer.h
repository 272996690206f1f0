/* buffer.h - bytes that grow. The first failed allocation sticks; what follows
 * is a no-op, so that only the end has to be checked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUFFER_H
#define VV_BUFFER_H

#include <varve/allocator.h>

struct vv_buffer {
    /* to read */
    const varve_allocator *allocator;
    unsigned char *data;
    size_t capacity;
    /* to fill in: to cut its end off, and to use it again */
    size_t size;
    bool failed; /* an allocation failed: the content is not to be used */
};

void vv_buffer_init(struct vv_buffer *b, const varve_allocator *allocator);
void vv_buffer_clear(struct vv_buffer *b);

/* Takes all from another one, which is empty then; `allocator` is the same as
 * its own, at a place that stays. */
void vv_buffer_move(struct vv_buffer *b, struct vv_buffer *from,
    const varve_allocator *allocator);

void vv_buffer_swap(struct vv_buffer *a, struct vv_buffer *b);

/* Room for `size` bytes in all, no more, in a buffer that has none yet: saves
 * the growing of what will be that large. Without memory it is still empty. */
void vv_buffer_reserve(struct vv_buffer *b, size_t size);

/* Room for `size` further bytes at the end, which are then part of the buffer
 * but not set; NULL without memory. */
void *vv_buffer_extend(struct vv_buffer *b, size_t size);

void vv_buffer_add(struct vv_buffer *b, const void *bytes, size_t size);
void vv_buffer_add_string(struct vv_buffer *b, const char *string);
void vv_buffer_add8(struct vv_buffer *b, uint8_t value);
void vv_buffer_add32(struct vv_buffer *b, uint32_t value); /* little-endian */
void vv_buffer_add64(struct vv_buffer *b, uint64_t value);

/* Reverses the bytes from `begin` to the end: for paths, which are climbed from
 * their end with every name backwards and then turned around as a whole. */
void vv_buffer_reverse(struct vv_buffer *b, size_t begin);

/* As a C string: a NUL is put behind the content, uncounted. "" on failure. */
const char *vv_buffer_string(struct vv_buffer *b);

/* A scratch buffer, empty; what failed in it before is forgotten. */
static inline struct vv_buffer *vv_emptied(struct vv_buffer *scratch)
{
    scratch->size = 0;
    scratch->failed = false;
    return scratch;
}

#endif
