/* allocator.c - Adds overflow checks and alignment to any allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "allocator.h"

#include <assert.h>
#include <string.h>

/* Smallest value that is mapped; malloc of glibc maps such blocks too. */
enum { PAGED_VALUE = 128 << 10 };

void *vv_allocate(const varve_allocator *a, size_t size)
{
    return size ? a->function(a->user, NULL, 0, size) : NULL;
}

void *vv_allocate_zeroed(const varve_allocator *a, size_t size)
{
    void *block = vv_allocate(a, size);
    if (block)
        memset(block, 0, size);
    return block;
}

void *vv_allocate_array(const varve_allocator *a, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    return vv_allocate(a, total);
}

void *vv_reallocate(
    const varve_allocator *a, void *old, size_t old_size, size_t new_size)
{
    assert(new_size > 0);
    return a->function(a->user, old, old_size, new_size);
}

/* Grows an array. `array` points to a pointer of any type, whose bytes are
 * copied, because C has no type for it. */
static char *allocator_grow(const varve_allocator *a, void *array,
    size_t *capacity, size_t wanted, size_t unit)
{
    size_t size;
    void *old;
    if (__builtin_mul_overflow(wanted, unit, &size))
        return NULL;
    memcpy(&old, array, sizeof old);
    void *grown = vv_reallocate(a, old, *capacity * unit, size);
    if (!grown)
        return NULL;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return grown;
}

bool vv_grow_array_slow(const varve_allocator *a, void *array, size_t *capacity,
    size_t count, size_t unit)
{
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted <= count) {
        if (__builtin_mul_overflow(wanted, (size_t)2, &wanted))
            return false;
    }
    return allocator_grow(a, array, capacity, wanted, unit);
}

bool vv_grow_zeroed(const varve_allocator *a, void *array, size_t *capacity,
    size_t wanted, size_t unit)
{
    size_t older = *capacity;
    char *grown = allocator_grow(a, array, capacity, wanted, unit);
    if (grown)
        memset(grown + older * unit, 0, (wanted - older) * unit);
    return grown;
}

void vv_release(const varve_allocator *a, void *block, size_t size)
{
    if (block)
        a->function(a->user, block, size, 0);
}

/* An aligned block is inside a larger one. The pointer to that one is stored
 * just before it. */
void *vv_allocate_aligned(
    const varve_allocator *a, size_t size, size_t alignment)
{
    assert(alignment && (alignment & (alignment - 1)) == 0);
    size_t total;
    if (size == 0 ||
        __builtin_add_overflow(size, alignment + sizeof(void *), &total))
        return NULL;
    char *outer = vv_allocate(a, total);
    if (!outer)
        return NULL;
    uintptr_t first = (uintptr_t)outer + sizeof(void *);
    size_t skip = (size_t)(-first & (alignment - 1));
    char *inner = outer + sizeof(void *) + skip;
    memcpy(inner - sizeof(void *), &outer, sizeof outer);
    return inner;
}

void vv_release_aligned(
    const varve_allocator *a, void *block, size_t size, size_t alignment)
{
    if (!block)
        return;
    void *outer;
    memcpy(&outer, (char *)block - sizeof(void *), sizeof outer);
    vv_release(a, outer, size + alignment + sizeof(void *));
}

/* --- Values ------------------------------------------------------------- */

void *vv_allocate_own(void *user, void *old, size_t old_size, size_t new_size)
{
    const struct vv_memory *memory = user;
    (void)old_size;
    return memory->resize(old, new_size);
}

/* Returns the functions that map a value of this size, or NULL if it is an
 * ordinary block. */
static const struct vv_memory *mapper_of(const varve_allocator *a, size_t size)
{
    const struct vv_memory *memory =
        a->function == vv_allocate_own && size >= PAGED_VALUE ? a->user : NULL;
    return memory && memory->map ? memory : NULL;
}

void *vv_allocate_value(const varve_allocator *a, size_t size)
{
    const struct vv_memory *mapper = mapper_of(a, size);
    return mapper ? mapper->map(size)
                  : vv_allocate_aligned(a, size, VV_MEMORY_ALIGNMENT);
}

void *vv_allocate_zeros(const varve_allocator *a, size_t size)
{
    void *value = vv_allocate_value(a, size);
    if (value && !mapper_of(a, size))
        memset(value, 0, size);
    return value;
}

void vv_release_value(const varve_allocator *a, void *value, size_t size)
{
    const struct vv_memory *mapper = mapper_of(a, size);
    if (mapper && value)
        mapper->unmap(value, size);
    else
        vv_release_aligned(a, value, size, VV_MEMORY_ALIGNMENT);
}

/* --- Strings ------------------------------------------------------------ */

char *vv_copy_string(const varve_allocator *a, const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = vv_allocate(a, size);
    if (copy)
        memcpy(copy, string, size);
    return copy;
}

void vv_release_string(const varve_allocator *a, char *string)
{
    if (string)
        vv_release(a, string, strlen(string) + 1);
}
