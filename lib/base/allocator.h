/* allocator.h - all memory passes here, and every size is checked here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ALLOCATOR_H
#define VV_ALLOCATOR_H

#include <varve/allocator.h>

/* NULL when there is no memory. Size 0 gives NULL as well. */
void *vv_allocate(const varve_allocator *a, size_t size);
void *vv_allocate_zeroed(const varve_allocator *a, size_t size);

/* `count` elements of `size` bytes; NULL also when the product overflows. */
void *vv_allocate_array(const varve_allocator *a, size_t count, size_t size);

/* Grows or shrinks; on NULL the old block is as it was. */
void *vv_reallocate(
    const varve_allocator *a, void *old, size_t old_size, size_t new_size);

/* Room for more than `count` elements of `unit` bytes in an array that doubles:
 * `array` is the address of its pointer. False without memory; it is as it was
 * then. */
bool vv_grow_array(const varve_allocator *a, void *array, size_t *capacity,
    size_t count, size_t unit);

/* Room for `wanted` elements, which are more than there are; new ones are zero.
 * The same of `array` and of failure. */
bool vv_grow_zeroed(const varve_allocator *a, void *array, size_t *capacity,
    size_t wanted, size_t unit);

/* Takes NULL. `size` is what was asked for. */
void vv_release(const varve_allocator *a, void *block, size_t size);

/* Memory whose address is a multiple of `alignment` (a power of two); released
 * with the same size and alignment. */
void *vv_allocate_aligned(
    const varve_allocator *a, size_t size, size_t alignment);
void vv_release_aligned(
    const varve_allocator *a, void *block, size_t size, size_t alignment);

/* --- Values ------------------------------------------------------------- */

enum { VV_MEMORY_ALIGNMENT = 64 };

/* What the library's own allocator has of the system. */
struct vv_memory {
    /* to fill in */
    void *(*resize)(void *old, size_t size); /* as realloc; 0 frees */
    void *(*map)(size_t size); /* zeros that nobody has touched; as a member
                                  NULL: there are none */
    void (*unmap)(void *value, size_t size);
};

/* The function of the library's own allocator, whose `user` is its vv_memory.
 */
void *vv_allocate_own(
    void *memory, void *old, size_t old_size, size_t new_size);

/* Memory for the value of a variable, at a multiple of VV_MEMORY_ALIGNMENT, of
 * zeros or of anything; no pointers are kept there. Not touched where it is
 * large and the library's own, so that whoever fills it may do so first, by
 * many threads. Released with the same size. */
void *vv_allocate_value(const varve_allocator *a, size_t size);
void *vv_allocate_zeros(const varve_allocator *a, size_t size);
void vv_release_value(const varve_allocator *a, void *value, size_t size);

/* --- Strings ------------------------------------------------------------ */

/* A copy of a string; released with its length + 1. */
char *vv_copy_string(const varve_allocator *a, const char *string);
void vv_release_string(const varve_allocator *a, char *string);

#endif
