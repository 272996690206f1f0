/* allocator.h - Allocates memory through the program's allocator, with checks
 * of every size: blocks, values, strings, and small objects in pools and
 * arenas.
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

/* --- Pools ---------------------------------------------------------------- */

/* A pool of objects of one size. They are allocated in blocks and never moved.
 */

struct vv_pool_block;

struct vv_pool {
    const varve_allocator *allocator;
    size_t item_size;             /* a multiple of the pointer size */
    struct vv_pool_block *blocks; /* newest first */
    void *free_items;             /* linked through their first bytes */
    size_t slack;                 /* see vv_pool_allow */
};

void vv_pool_init(
    struct vv_pool *pool, const varve_allocator *allocator, size_t item_size);
void vv_pool_clear(struct vv_pool *pool);

/* Guarantees that at least `slack` bytes after an item can be read, with any
 * content. Must be called before the first item is taken. */
void vv_pool_allow(struct vv_pool *pool, size_t slack);

/* Returns a zeroed item, or NULL. */
void *vv_pool_take(struct vv_pool *pool);
void vv_pool_give(struct vv_pool *pool, void *item);

/* --- Pools with numbers --------------------------------------------------- */

/* A pool whose items are identified by 32-bit numbers. These need half the
 * memory of pointers where many items refer to each other. */

/* Logarithms of the number of items of the first block and of the largest
 * block. Each block has twice as many items as the one before, up to the
 * largest. */
enum { VV_INDEXED_POOL_FIRST_LOG = 4, VV_INDEXED_POOL_MOST_LOG = 17 };

struct vv_indexed_pool {
    /* own */
    const varve_allocator *allocator;
    size_t item_size; /* a multiple of the pointer size */
    unsigned char **blocks;
    size_t block_count;
    size_t block_capacity;
    uint32_t used; /* numbers that were ever taken */
    /* The number that was given back last, or 0. Its item contains the number
     * given back before it in its first bytes. */
    uint32_t free;
};

void vv_indexed_pool_init(struct vv_indexed_pool *indexed_pool,
    const varve_allocator *allocator, size_t item_size);
void vv_indexed_pool_clear(struct vv_indexed_pool *indexed_pool);

/* Returns a zeroed item and sets its number, which is never 0; NULL if there is
 * no memory. */
void *vv_indexed_pool_take(
    struct vv_indexed_pool *indexed_pool, uint32_t *number);
void vv_indexed_pool_give(
    struct vv_indexed_pool *indexed_pool, uint32_t number);

/* Returns the item of a number; NULL for 0. The address of an item does not
 * change. */
static inline void *vv_indexed_pool_at(
    const struct vv_indexed_pool *indexed_pool, uint32_t number)
{
    if (number == 0)
        return NULL;
    uint32_t place = number - 1 + (1u << VV_INDEXED_POOL_FIRST_LOG);
    unsigned log = 31 - (unsigned)__builtin_clz(place);
    uint32_t block = log - VV_INDEXED_POOL_FIRST_LOG;
    if (log > VV_INDEXED_POOL_MOST_LOG) {
        block = VV_INDEXED_POOL_MOST_LOG - VV_INDEXED_POOL_FIRST_LOG - 1 +
                (place >> VV_INDEXED_POOL_MOST_LOG);
        log = VV_INDEXED_POOL_MOST_LOG;
    }
    return indexed_pool->blocks[block] +
           (place & ((1u << log) - 1)) * indexed_pool->item_size;
}

/* --- Arenas --------------------------------------------------------------- */

/* Allocates strings and small objects that are freed together. */

struct vv_arena_block;

struct vv_arena {
    const varve_allocator *allocator;
    struct vv_arena_block *blocks;
};

void vv_arena_init(struct vv_arena *arena, const varve_allocator *allocator);
void vv_arena_clear(struct vv_arena *arena);

/* Returns memory with the alignment of pointers and of 8 bytes, or NULL. */
void *vv_arena_take(struct vv_arena *arena, size_t size);

/* Returns a NUL-terminated copy, or NULL. */
char *vv_arena_text(struct vv_arena *arena, const char *text, size_t size);

#endif
