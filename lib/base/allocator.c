/* allocator.c - Allocates memory with any allocator: aligned blocks, values,
 * strings, and small objects in pools and arenas.
 *
 * SPDX-License-Identifier: MIT
 */
#include "allocator.h"

#include <assert.h>
#include <string.h>

#include "bytes.h"
#include "poison.h"

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

/* --- Pools ---------------------------------------------------------------- */

/* Allocates items in blocks that double in size up to a limit, with a free
 * list.
 *
 * Under AddressSanitizer free items are inaccessible, as if they had been
 * freed. */

enum { FIRST_ITEMS = 16, MOST_BYTES = 8 << 20 };

struct vv_pool_block {
    struct vv_pool_block *next;
    size_t capacity; /* number of items */
    size_t used;
    /* uint64_t, because an allocator may align to 8, less than max_align_t */
    uint64_t items[];
};

static size_t pool_block_size(const struct vv_pool *pool, size_t capacity)
{
    return sizeof(struct vv_pool_block) + capacity * pool->item_size +
           pool->slack;
}

void vv_pool_init(
    struct vv_pool *pool, const varve_allocator *allocator, size_t item_size)
{
    size_t unit = sizeof(void *);
    *pool = (struct vv_pool){
        .allocator = allocator,
        .item_size = (item_size + unit - 1) / unit * unit,
    };
}

void vv_pool_allow(struct vv_pool *pool, size_t slack)
{
    pool->slack = slack;
}

void vv_pool_clear(struct vv_pool *pool)
{
    while (pool->blocks) {
        struct vv_pool_block *block = pool->blocks;
        pool->blocks = block->next;
        __asan_unpoison_memory_region(
            block->items, block->capacity * pool->item_size);
        vv_release(
            pool->allocator, block, pool_block_size(pool, block->capacity));
    }
    pool->free_items = NULL;
}

static bool pool_add_block(struct vv_pool *pool)
{
    size_t capacity = pool->blocks ? pool->blocks->capacity : FIRST_ITEMS;
    if (pool->blocks && capacity * pool->item_size < MOST_BYTES / 2)
        capacity *= 2;
    struct vv_pool_block *block =
        vv_allocate(pool->allocator, pool_block_size(pool, capacity));
    if (!block)
        return false;
    block->next = pool->blocks;
    block->capacity = capacity;
    block->used = 0;
    pool->blocks = block;
    return true;
}

void *vv_pool_take(struct vv_pool *pool)
{
    void *item = pool->free_items;
    if (item) {
        __asan_unpoison_memory_region(item, pool->item_size);
        memcpy(&pool->free_items, item, sizeof(void *));
    } else {
        struct vv_pool_block *block = pool->blocks;
        if ((!block || block->used == block->capacity) && !pool_add_block(pool))
            return NULL;
        block = pool->blocks;
        item = (char *)block->items + block->used++ * pool->item_size;
    }
    memset(item, 0, pool->item_size);
    return item;
}

void vv_pool_give(struct vv_pool *pool, void *item)
{
    memcpy(item, &pool->free_items, sizeof(void *));
    pool->free_items = item;
    if (pool->slack == 0)
        __asan_poison_memory_region(item, pool->item_size);
}

/* --- Pools with numbers --------------------------------------------------- */

/* Allocates items in blocks, with a table of blocks and a free list of numbers.
 *
 * As in a pool, free items are inaccessible under AddressSanitizer. */

static const uint32_t most = UINT32_MAX - (1u << VV_INDEXED_POOL_FIRST_LOG);

void vv_indexed_pool_init(struct vv_indexed_pool *indexed_pool,
    const varve_allocator *allocator, size_t item_size)
{
    size_t unit = sizeof(void *);
    *indexed_pool = (struct vv_indexed_pool){
        .allocator = allocator,
        .item_size = (item_size + unit - 1) / unit * unit,
    };
}

static size_t indexed_pool_block_size(
    const struct vv_indexed_pool *indexed_pool, size_t block)
{
    size_t log = block + VV_INDEXED_POOL_FIRST_LOG;
    if (log > VV_INDEXED_POOL_MOST_LOG)
        log = VV_INDEXED_POOL_MOST_LOG;
    return indexed_pool->item_size << log;
}

void vv_indexed_pool_clear(struct vv_indexed_pool *indexed_pool)
{
    for (size_t i = 0; i < indexed_pool->block_count; i++) {
        size_t size = indexed_pool_block_size(indexed_pool, i);
        __asan_unpoison_memory_region(indexed_pool->blocks[i], size);
        vv_release(indexed_pool->allocator, indexed_pool->blocks[i], size);
    }
    vv_release(indexed_pool->allocator, indexed_pool->blocks,
        indexed_pool->block_capacity * sizeof *indexed_pool->blocks);
    vv_indexed_pool_init(
        indexed_pool, indexed_pool->allocator, indexed_pool->item_size);
}

static bool indexed_pool_add_block(struct vv_indexed_pool *indexed_pool)
{
    if (!vv_grow_array(indexed_pool->allocator, &indexed_pool->blocks,
            &indexed_pool->block_capacity, indexed_pool->block_count,
            sizeof *indexed_pool->blocks))
        return false;
    unsigned char *block = vv_allocate(indexed_pool->allocator,
        indexed_pool_block_size(indexed_pool, indexed_pool->block_count));
    if (!block)
        return false;
    indexed_pool->blocks[indexed_pool->block_count++] = block;
    return true;
}

/* Returns true if the last block has room for another item. */
static bool indexed_pool_has_capacity(
    const struct vv_indexed_pool *indexed_pool)
{
    size_t room = 0;
    size_t first = (size_t)1 << VV_INDEXED_POOL_FIRST_LOG;
    size_t last = (size_t)1 << VV_INDEXED_POOL_MOST_LOG;
    size_t doubled = VV_INDEXED_POOL_MOST_LOG - VV_INDEXED_POOL_FIRST_LOG;
    if (indexed_pool->block_count > doubled)
        room = (indexed_pool->block_count - doubled) * last + last - first;
    else
        room = (first << indexed_pool->block_count) - first;
    return indexed_pool->used < room;
}

void *vv_indexed_pool_take(
    struct vv_indexed_pool *indexed_pool, uint32_t *number)
{
    uint32_t next = indexed_pool->free;
    unsigned char *item;
    if (next) {
        item = vv_indexed_pool_at(indexed_pool, next);
        __asan_unpoison_memory_region(item, indexed_pool->item_size);
        memcpy(&indexed_pool->free, item, sizeof indexed_pool->free);
    } else {
        if (indexed_pool->used == most ||
            (!indexed_pool_has_capacity(indexed_pool) &&
                !indexed_pool_add_block(indexed_pool)))
            return NULL;
        next = ++indexed_pool->used;
        item = vv_indexed_pool_at(indexed_pool, next);
    }
    memset(item, 0, indexed_pool->item_size);
    *number = next;
    return item;
}

void vv_indexed_pool_give(struct vv_indexed_pool *indexed_pool, uint32_t number)
{
    unsigned char *item = vv_indexed_pool_at(indexed_pool, number);
    memcpy(item, &indexed_pool->free, sizeof indexed_pool->free);
    indexed_pool->free = number;
    __asan_poison_memory_region(item, indexed_pool->item_size);
}

/* --- Arenas --------------------------------------------------------------- */

/* Allocates from blocks that are filled from their beginning. */

enum { BLOCK_SIZE = 16 * 1024, UNIT = 16 };

struct vv_arena_block {
    struct vv_arena_block *next;
    size_t size;
    size_t used;
    uint64_t bytes[]; /* aligned as in struct vv_pool_block */
};

void vv_arena_init(struct vv_arena *arena, const varve_allocator *allocator)
{
    *arena = (struct vv_arena){ .allocator = allocator };
}

void vv_arena_clear(struct vv_arena *arena)
{
    while (arena->blocks) {
        struct vv_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        vv_release(arena->allocator, block, sizeof *block + block->size);
    }
}

void *vv_arena_take(struct vv_arena *arena, size_t size)
{
    struct vv_arena_block *block = arena->blocks;
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size_t)vv_align_up(size, UNIT);
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = vv_allocate(arena->allocator, sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct vv_arena_block){ .next = arena->blocks, .size = room };
        arena->blocks = block;
    }
    void *at = (unsigned char *)block->bytes + block->used;
    block->used += size;
    return at;
}

char *vv_arena_text(struct vv_arena *arena, const char *text, size_t size)
{
    char *copy = vv_arena_take(arena, size + 1);
    if (copy) {
        if (size > 0)
            memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}
