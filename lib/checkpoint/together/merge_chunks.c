/* merge_chunks.c - Maps chunks to the order of the data by their offsets in the
 * regions of their ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_chunks.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "merge_private.h"

/* --- Creating and freeing ------------------------------------------------- */

static void count_chunks(struct vv_merge *merge)
{
    const uint8_t *at = merge->all->bytes.data;
    size_t count = 0;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const struct vv_contribution c = vv_contribution_of(at);
        at += merge->all->sizes[i];
        merge->chunks[i] = c.chunks;
        merge->firsts[i] = count;
        count += c.chunk_count;
    }
    merge->firsts[merge->comm->size] = count;
}

varve_status vv_merge_chunks_begin(struct vv_merge *merge, varve_error *error)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t ranks = merge->comm->size;
    merge->chunks = vv_allocate_array(a, ranks, sizeof *merge->chunks);
    merge->firsts = vv_allocate_array(a, ranks + 1, sizeof *merge->firsts);
    if (!merge->chunks || !merge->firsts) {
        if (merge->firsts)
            merge->firsts[ranks] = 0;
        return vv_fail_memory(error, "the chunks of all ranks");
    }
    count_chunks(merge);
    size_t count = merge->firsts[ranks] + 1;
    merge->where = vv_allocate_array(a, count, sizeof *merge->where);
    if (!merge->where)
        return vv_fail_memory(error, "the chunks of all ranks");
    memset(merge->where, 0, count * sizeof *merge->where);
    return VARVE_OK;
}

void vv_merge_chunks_end(struct vv_merge *merge)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t ranks = merge->comm->size;
    if (merge->where)
        vv_release(
            a, merge->where, (merge->firsts[ranks] + 1) * sizeof *merge->where);
    if (merge->chunks)
        vv_release(a, merge->chunks, ranks * sizeof *merge->chunks);
    if (merge->firsts)
        vv_release(a, merge->firsts, (ranks + 1) * sizeof *merge->firsts);
}

/* --- In the order of the data --------------------------------------------- */

static size_t merge_chunks_count_of(const struct vv_merge *merge, uint32_t rank)
{
    return merge->firsts[rank + 1] - merge->firsts[rank];
}

/* Returns the first chunk of a rank at or after an offset in its region. */
static size_t first_from(
    const struct vv_merge *merge, uint32_t rank, uint64_t offset)
{
    size_t low = 0, high = merge_chunks_count_of(merge, rank);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (vv_share_chunk_of_message(merge->chunks[rank], middle).offset <
            offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool vv_chunk_walk_next(struct vv_chunk_walk *w, struct vv_placed_chunk *chunk)
{
    struct vv_merge *merge = w->merge;
    size_t count;
    const struct vv_placed *all = vv_all_placed(merge, &count);
    for (; w->placed < count; w->placed++, w->is_inside = false) {
        const struct vv_placed *p = &all[w->placed];
        if (!w->is_inside)
            w->next = first_from(merge, p->owner, p->offset);
        w->is_inside = true;
        if (w->next == merge_chunks_count_of(merge, p->owner))
            continue;
        struct vv_share_chunk message =
            vv_share_chunk_of_message(merge->chunks[p->owner], w->next);
        if (message.offset - p->offset >= p->size)
            continue;
        size_t number = merge->firsts[p->owner] + w->next++;
        *chunk = (struct vv_placed_chunk){
            .place = p->place + (message.offset - p->offset),
            .owner = p->owner,
            .number = number,
            .message = message,
            .where = &merge->where[number],
        };
        return true;
    }
    return false;
}

/* --- Messages ------------------------------------------------------------- */

static void order_rank(
    struct vv_merge *merge, uint32_t rank, struct vv_buffer *bits)
{
    size_t count = merge_chunks_count_of(merge, rank), size = (count + 7) / 8;
    struct vv_data_file *file = &merge->files[merge->regions[rank].file];
    uint8_t *at = size ? vv_buffer_extend(bits, size) : NULL;
    if (at)
        memset(at, 0, size);
    for (size_t i = 0; at && i < count; i++) {
        if (merge->where[merge->firsts[rank] + i].is_old)
            continue;
        at[i / 8] |= (uint8_t)(1 << i % 8);
        file->is_needed = true;
    }
}

void vv_merge_order_chunks(struct vv_merge *merge, struct vv_buffer *bits)
{
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        merge->regions[i].offset = bits->size;
        order_rank(merge, i, bits);
    }
}

/* Takes the locations of the chunks that a rank has written: those that were
 * ordered. */
static void take_rank(struct vv_merge *merge, uint32_t rank,
    const uint8_t *locations, size_t size)
{
    struct vv_data_file *file = &merge->files[merge->regions[rank].file];
    const uint8_t *end = locations + size;
    for (size_t i = 0;
         i < merge_chunks_count_of(merge, rank) && locations != end; i++) {
        struct vv_where *where = &merge->where[merge->firsts[rank] + i];
        if (where->is_old)
            continue;
        where->offset = vv_load64(locations);
        where->packed = vv_load32(locations + 8);
        locations += VV_LOCATION_MESSAGE_SIZE;
        uint64_t behind =
            where->offset +
            (where->packed
                    ? where->packed
                    : vv_share_chunk_of_message(merge->chunks[rank], i).size);
        if (behind > file->end)
            file->end = behind;
    }
}

void vv_merge_take_written(
    struct vv_merge *merge, const struct vv_gathered *written)
{
    const uint8_t *at = written->bytes.data;
    for (uint32_t i = 0; i < merge->file_count; i++)
        merge->files[i].end = VV_PAGE_ALIGNMENT;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        if (written->sizes[i] == 0)
            continue; /* the pointer may be NULL */
        take_rank(merge, i, at, (size_t)written->sizes[i]);
        at += written->sizes[i];
    }
    for (uint32_t i = 0; i < merge->file_count; i++)
        merge->files[i].end = vv_align_up(merge->files[i].end, VV_ALIGNMENT);
}
