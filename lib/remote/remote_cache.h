/* remote_cache.h - Caches the last blocks of a file, so that many small reads
 * need few requests. Also computes the size of readahead.
 *
 * Every function must be called with the lock of the module held.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CACHE_H
#define VV_REMOTE_CACHE_H

#include <stddef.h>
#include <stdint.h>

enum {
    VV_REMOTE_BLOCK = 64 << 10,
    VV_REMOTE_MOST_BLOCKS = 64, /* per file; 4 MiB */
    VV_REMOTE_MOST_AHEAD = 16   /* largest number of blocks in a request */
};

/* A zeroed struct is an empty cache. */
struct vv_remote_cache {
    /* own */
    struct vv_remote_block {
        uint64_t number;
        uint64_t used;        /* time of the last use; 0: empty */
        unsigned char *bytes; /* memory for a block */
        size_t size;          /* number of valid bytes from its start */
    } blocks[VV_REMOTE_MOST_BLOCKS];
    uint64_t clock;
    uint64_t next; /* block after the last request */
    unsigned ahead;
    uint64_t hint_first; /* range that was announced by will_read */
    uint64_t hint_end;
};

/* Copies as much of the start of a range as is cached, and returns its size in
 * bytes. */
size_t vv_remote_cached(
    struct vv_remote_cache *c, unsigned char *to, size_t size, uint64_t offset);

/* Returns how many blocks to request for a range whose begin is not cached, and
 * sets *first to the first of them. The number grows if blocks are read
 * sequentially or were announced. */
unsigned vv_remote_reach(struct vv_remote_cache *c, uint64_t file_size,
    size_t size, uint64_t offset, uint64_t *first);

/* Adds blocks in place of the least recently used ones. Omits blocks without
 * memory. */
void vv_remote_cache_put(struct vv_remote_cache *c, uint64_t first,
    const unsigned char *bytes, size_t size);

void vv_remote_cache_clear(struct vv_remote_cache *c);

#endif
