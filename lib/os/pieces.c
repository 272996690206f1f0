/* pieces.c - Divides blocks among threads by bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pieces.h"

#include <stdatomic.h>
#include <string.h>

#include "copy.h"
#include "dirty.h"
#include "worker.h"

/* Threads and non-temporal stores pay off only above FEW bytes. A chunk
 * consists of several huge pages, because the kernel would clear an untouched
 * page twice if two threads touch it at once. */
enum { FEW = 4 << 20, CHUNK = 4 << 20 };

struct sharing {
    const struct vv_pieces *pieces;
    atomic_size_t next; /* next unassigned chunk */
};

typedef void copy_bytes(void *to, const void *from, size_t size);

static void copy_plain(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

/* Copies a range of a block; if the block is tracked, only the bytes that were
 * written. */
static void copy_part(const struct vv_pieces *pieces, const struct vv_piece *p,
    size_t from, size_t to, copy_bytes *copy)
{
    while (from < to) {
        bool is_written = true;
        size_t run = to - from;
        if (p->tracked)
            run = vv_dirty_run(pieces->dirty, pieces->since,
                (const unsigned char *)p->tracked + from, run, &is_written);
        if (is_written)
            copy((unsigned char *)p->to + from,
                (const unsigned char *)p->from + from, run);
        from += run;
    }
}

/* Copies the bytes from `begin` to `end`, starting with block `i`. Returns the
 * number of the last block examined. */
static size_t copy_range(const struct vv_pieces *pieces, size_t i, size_t begin,
    size_t end, copy_bytes *copy)
{
    for (; i < pieces->count; i++) {
        struct vv_piece p = pieces->piece(pieces->user, i);
        if (!p.to || !p.size)
            continue;
        if (p.at >= end)
            break;
        if (p.at + p.size <= begin)
            continue;
        size_t from = begin > p.at ? begin - p.at : 0;
        size_t to = end - p.at < p.size ? end - p.at : p.size;
        copy_part(pieces, &p, from, to, copy);
        if (to < p.size)
            break;
    }
    return i;
}

static void pieces_work(void *user, unsigned worker)
{
    struct sharing *sharing = user;
    size_t size = sharing->pieces->size, i = 0;
    (void)worker;
    for (;;) {
        size_t begin = atomic_fetch_add(&sharing->next, 1) * (size_t)CHUNK;
        if (begin >= size)
            return;
        size_t end = size - begin < CHUNK ? size : begin + CHUNK;
        i = copy_range(sharing->pieces, i, begin, end, vv_copy_past_caches);
    }
}

void vv_copy_pieces(
    const struct vv_context *context, const struct vv_pieces *pieces)
{
    if (pieces->size < FEW) {
        copy_range(pieces, 0, 0, pieces->size, copy_plain);
        return;
    }
    struct sharing sharing = { .pieces = pieces };
    atomic_init(&sharing.next, 0);
    vv_run_workers(context, vv_worker_count(context, 0), pieces_work, &sharing);
}
