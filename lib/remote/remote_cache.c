/* remote_cache.c - Caches a few blocks, which are searched linearly.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct vv_remote_block *remote_cache_find(
    struct vv_remote_cache *c, uint64_t number)
{
    for (size_t i = 0; i < VV_REMOTE_MOST_BLOCKS; i++) {
        struct vv_remote_block *b = &c->blocks[i];
        if (b->used && b->number == number)
            return b;
    }
    return NULL;
}

size_t vv_remote_cached(
    struct vv_remote_cache *c, unsigned char *to, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        uint64_t at = offset + done;
        size_t inside = (size_t)(at % VV_REMOTE_BLOCK);
        struct vv_remote_block *b = remote_cache_find(c, at / VV_REMOTE_BLOCK);
        if (!b || b->size <= inside)
            break;
        size_t there = b->size - inside;
        size_t part = size - done < there ? size - done : there;
        memcpy(to + done, b->bytes + inside, part);
        b->used = ++c->clock;
        done += part;
    }
    return done;
}

/* Returns the number of announced blocks from `first` on; 0 if `first` was not
 * announced. */
static uint64_t hinted(const struct vv_remote_cache *c, uint64_t first)
{
    uint64_t begin = first * VV_REMOTE_BLOCK;
    if (c->hint_end <= begin || begin + VV_REMOTE_BLOCK <= c->hint_first)
        return 0;
    return (c->hint_end - 1) / VV_REMOTE_BLOCK - first + 1;
}

unsigned vv_remote_reach(struct vv_remote_cache *c, uint64_t file_size,
    size_t size, uint64_t offset, uint64_t *first)
{
    uint64_t last = (file_size - 1) / VV_REMOTE_BLOCK;
    uint64_t begin = offset / VV_REMOTE_BLOCK;
    uint64_t count = (offset + size - 1) / VV_REMOTE_BLOCK - begin + 1;
    bool is_next = begin == c->next && begin > 0;
    c->ahead = is_next ? 2 * c->ahead : 0;
    if (c->ahead < count)
        c->ahead = (unsigned)count;
    uint64_t wished = hinted(c, begin);
    count = wished > c->ahead ? wished : c->ahead;
    /* The last bytes of a file usually locate data just before them, so the
     * last block is fetched together with the one before. */
    if (begin == last && begin > 0 && !remote_cache_find(c, begin - 1)) {
        begin--;
        count++;
    }
    if (count > VV_REMOTE_MOST_AHEAD)
        count = VV_REMOTE_MOST_AHEAD;
    if (count > last - begin + 1)
        count = last - begin + 1;
    if (c->ahead > VV_REMOTE_MOST_AHEAD)
        c->ahead = VV_REMOTE_MOST_AHEAD;
    c->next = begin + count;
    *first = begin;
    return (unsigned)count;
}

static struct vv_remote_block *remote_cache_oldest(struct vv_remote_cache *c)
{
    struct vv_remote_block *found = &c->blocks[0];
    for (size_t i = 1; i < VV_REMOTE_MOST_BLOCKS; i++) {
        if (c->blocks[i].used < found->used)
            found = &c->blocks[i];
    }
    return found;
}

static void remote_cache_put(struct vv_remote_cache *c, uint64_t number,
    const unsigned char *bytes, size_t size)
{
    struct vv_remote_block *b = remote_cache_find(c, number);
    if (b)
        return;
    b = remote_cache_oldest(c);
    if (!b->bytes)
        b->bytes = malloc(VV_REMOTE_BLOCK);
    if (!b->bytes)
        return;
    memcpy(b->bytes, bytes, size);
    b->size = size;
    b->number = number;
    b->used = ++c->clock;
}

void vv_remote_cache_put(struct vv_remote_cache *c, uint64_t first,
    const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += VV_REMOTE_BLOCK) {
        size_t part = size - at < VV_REMOTE_BLOCK ? size - at : VV_REMOTE_BLOCK;
        remote_cache_put(c, first + at / VV_REMOTE_BLOCK, bytes + at, part);
    }
}

void vv_remote_cache_clear(struct vv_remote_cache *c)
{
    for (size_t i = 0; i < VV_REMOTE_MOST_BLOCKS; i++)
        free(c->blocks[i].bytes);
    *c = (struct vv_remote_cache){ .clock = 0 };
}
