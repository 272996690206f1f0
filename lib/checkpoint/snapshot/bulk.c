/* bulk.c - bytes, not variables, are shared out, so that one large variable
 * keeps all processors busy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bulk.h"

#include <stdatomic.h>
#include <string.h>

#include "copy.h"
#include "variable.h"
#include "worker.h"

/* Threads and stores past the caches pay above FEW bytes only. */
enum { FEW = 4 << 20, CHUNK = 1 << 20 };

struct job {
    const struct vv_bulk *bulk;
    atomic_size_t next; /* the chunk of the block that nobody has yet */
};

typedef void copy_bytes(void *to, const void *from, size_t size);

static void copy_plain(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

static bool is_copied(const struct vv_bulk *bulk, const struct vv_item *item)
{
    return item->size && item->node->variable->tensor.dtype != VARVE_STRING &&
           !(bulk->keeps_random && item->is_random);
}

/* Copies what lies from `begin` to `end` in the block, of items from number
 * `item` on; gives the number of the last one looked at. */
static size_t copy_range(const struct vv_bulk *bulk, size_t item, size_t begin,
    size_t end, copy_bytes *copy)
{
    const struct varve_snapshot *s = bulk->snapshot;
    for (; item < s->count; item++) {
        const struct vv_item *i = &s->items[item];
        if (!is_copied(bulk, i))
            continue;
        size_t at = (size_t)((unsigned char *)i->copy - s->block);
        if (at >= end)
            break;
        if (at + i->size <= begin)
            continue;
        size_t from = begin > at ? begin - at : 0;
        size_t to = end - at < i->size ? end - at : i->size;
        unsigned char *theirs = i->node->variable->tensor.data;
        unsigned char *ours = i->copy;
        if (bulk->is_restore)
            copy(theirs + from, ours + from, to - from);
        else
            copy(ours + from, theirs + from, to - from);
        if (to < i->size)
            break;
    }
    return item;
}

static void work(void *user, unsigned worker)
{
    struct job *job = user;
    size_t size = job->bulk->snapshot->block_size, item = 0;
    (void)worker;
    for (;;) {
        size_t begin = atomic_fetch_add(&job->next, 1) * (size_t)CHUNK;
        if (begin >= size)
            return;
        size_t end = size - begin < CHUNK ? size : begin + CHUNK;
        item = copy_range(job->bulk, item, begin, end, vv_copy_past_caches);
    }
}

void vv_bulk_copy(const struct vv_bulk *bulk)
{
    const struct varve_snapshot *s = bulk->snapshot;
    if (s->block_size < FEW) {
        copy_range(bulk, 0, 0, s->block_size, copy_plain);
        return;
    }
    struct job job = { .bulk = bulk };
    atomic_init(&job.next, 0);
    vv_run_workers(&s->context, vv_worker_count(&s->context, 0), work, &job);
}
