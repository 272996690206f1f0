/* allocator.h - Allocates memory through the program's allocator, with checks
 * of every size.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ALLOCATOR_H
#define VV_ALLOCATOR_H

#include <varve/allocator.h>

/* Returns NULL if there is no memory, and for size 0. */
void *vv_allocate(const varve_allocator *a, size_t size);
void *vv_allocate_zeroed(const varve_allocator *a, size_t size);

/* Allocates `count` elements of `size` bytes. Also returns NULL if the product
 * overflows. */
void *vv_allocate_array(const varve_allocator *a, size_t count, size_t size);

/* Grows or shrinks a block. If it returns NULL, the old block is unchanged. */
void *vv_reallocate(
    const varve_allocator *a, void *old, size_t old_size, size_t new_size);

/* vv_grow_array for an array without room. */
bool vv_grow_array_slow(const varve_allocator *a, void *array, size_t *capacity,
    size_t count, size_t unit);

/* Grows an array by doubling so that it has room for more than `count` elements
 * of `unit` bytes. `array` is the address of its pointer. Returns false if
 * there is no memory; the array is unchanged then. */
static inline bool vv_grow_array(const varve_allocator *a, void *array,
    size_t *capacity, size_t count, size_t unit)
{
    return count < *capacity ||
           vv_grow_array_slow(a, array, capacity, count, unit);
}

/* Like vv_grow_array, to exactly `wanted` elements, which must be more than the
 * capacity. New elements are zero. */
bool vv_grow_zeroed(const varve_allocator *a, void *array, size_t *capacity,
    size_t wanted, size_t unit);

/* Frees a block. Accepts NULL. `size` must be the allocated size. */
void vv_release(const varve_allocator *a, void *block, size_t size);

/* Allocates memory whose address is a multiple of `alignment` (a power of two).
 * Free it with the same size and alignment. */
void *vv_allocate_aligned(
    const varve_allocator *a, size_t size, size_t alignment);
void vv_release_aligned(
    const varve_allocator *a, void *block, size_t size, size_t alignment);

/* --- Values ------------------------------------------------------------- */

enum { VV_MEMORY_ALIGNMENT = 64 };

/* The system functions that the library's own allocator uses. */
struct vv_memory {
    /* to fill in */
    void *(*resize)(void *old, size_t size); /* like realloc; size 0 frees */
    /* Maps zeroed pages that are not yet resident. Can be NULL. */
    void *(*map)(size_t size);
    void (*unmap)(void *value, size_t size);
};

/* The function of the library's own allocator. `memory` is its struct
 * vv_memory. */
void *vv_allocate_own(
    void *memory, void *old, size_t old_size, size_t new_size);

/* Allocate memory for the value of a variable, at a multiple of
 * VV_MEMORY_ALIGNMENT: vv_allocate_zeros zeroed, vv_allocate_value
 * uninitialized. It must not contain pointers to memory. Large blocks of the
 * library's own allocator are not touched, so that several threads can fault in
 * their pages. Free it with the same size. */
void *vv_allocate_value(const varve_allocator *a, size_t size);
void *vv_allocate_zeros(const varve_allocator *a, size_t size);
void vv_release_value(const varve_allocator *a, void *value, size_t size);

/* --- Strings ------------------------------------------------------------ */

/* Returns a copy of a string. Its allocated size is its length + 1. */
char *vv_copy_string(const varve_allocator *a, const char *string);
void vv_release_string(const varve_allocator *a, char *string);

#endif
