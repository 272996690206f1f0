/* path_end.h - Writes a path from its last name to its first one, into a buffer
 * of its size; of a path that is too long only the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PATH_END_H
#define VV_PATH_END_H

#include "buffer.h"
#include "name.h"

struct vv_path_end {
    /* own */
    unsigned char *begin, *at; /* the bytes from `at` on are written */
    size_t longest;
    bool is_long;
};

/* The size of a path that is this long or longer. */
enum { VV_PATH_SIZE_MANY = UINT16_MAX };

/* Returns the size of a name in a path. */
size_t vv_path_name_size(const char *name, size_t size);

/* Returns the smaller of a size and VV_PATH_SIZE_MANY. */
static inline uint16_t vv_path_size_kept(size_t size)
{
    return size < VV_PATH_SIZE_MANY ? (uint16_t)size : VV_PATH_SIZE_MANY;
}

/* Read and write stored sizes, which several threads may compute at once. */
static inline uint16_t vv_path_size_at(const uint16_t *sizes, size_t i)
{
    return __atomic_load_n(&sizes[i], __ATOMIC_RELAXED);
}

static inline void vv_path_size_set(uint16_t *sizes, size_t i, uint16_t size)
{
    __atomic_store_n(&sizes[i], size, __ATOMIC_RELAXED);
}

/* Replaces the content of `path` by room for a path of `size` bytes, shortened
 * to `longest` if it is longer. Returns false if out of memory. */
bool vv_path_end_begin(struct vv_path_end *end, struct vv_buffer *path,
    size_t size, size_t longest);

/* Writes a character, or a name with escapes, before what is written. Ignores
 * what has no room. */
void vv_path_end_add(struct vv_path_end *end, char c);
void vv_path_end_add_name(
    struct vv_path_end *end, const char *name, size_t size);

/* Returns true if there is no more room. */
static inline bool vv_path_end_is_full(const struct vv_path_end *end)
{
    return end->at == end->begin;
}

/* Shortens the path if it is too long. */
void vv_path_end_finish(const struct vv_path_end *end, struct vv_buffer *path);

#endif
