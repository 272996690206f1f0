/* remote_cache.h - the blocks of a file that came last, so that many small
 * reads are few questions; and how far a read reaches ahead.
 *
 * Every function is called under the lock of the module.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CACHE_H
#define VV_REMOTE_CACHE_H

#include <stddef.h>
#include <stdint.h>

enum {
    VV_REMOTE_BLOCK = 64 << 10,
    VV_REMOTE_MOST_BLOCKS = 64, /* of a file; 4 MiB */
    VV_REMOTE_MOST_AHEAD = 16   /* blocks that are asked for at once */
};

/* All zero is an empty one. */
struct vv_remote_cache {
    /* own */
    struct vv_remote_block {
        uint64_t number;
        uint64_t used;        /* when; 0: it is none */
        unsigned char *bytes; /* room for a block */
        size_t size;          /* of what there is, from its beginning on */
    } blocks[VV_REMOTE_MOST_BLOCKS];
    uint64_t clock;
    uint64_t next; /* block behind what was asked for last */
    unsigned ahead;
    uint64_t hint_first; /* bytes that will be read */
    uint64_t hint_end;
};

/* Copies what there is of a range from its beginning on, and returns its size
 * in bytes. */
size_t vv_remote_cached(
    struct vv_remote_cache *c, unsigned char *to, size_t size, uint64_t offset);

/* A range whose beginning is not there: how many blocks to ask for, from
 * *first on. Where blocks are read one behind the other they become more; so
 * they do where somebody has said what he will read. */
unsigned vv_remote_reach(struct vv_remote_cache *c, uint64_t file_size,
    size_t size, uint64_t offset, uint64_t *first);

/* Puts blocks in, in place of those that were used longest ago. What has no
 * memory is left out. */
void vv_remote_cache_put(struct vv_remote_cache *c, uint64_t first,
    const unsigned char *bytes, size_t size);

void vv_remote_cache_clear(struct vv_remote_cache *c);

#endif
