/* merge_places.c - Assigns files to ranks, keeps the chunks of all ranks, and
 * fills in the columns of places from ranges of regions or from chunks. Ranges
 * that no rank has are padding.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_places.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"

/* --- Files ---------------------------------------------------------------- */

/* Assigns a file to each rank. The ranks of a node share a file, unless the
 * caller has specified the number of files. The number is limited; in an
 * incremental save more strictly, so that the layers of a few earlier saves
 * fit, too. */
static uint32_t choose_files(const struct vv_merge *merge, uint32_t *nodes)
{
    const uint8_t *at = merge->all->bytes.data;
    uint32_t most = merge->save_plan->options.incremental ? VV_USUAL_LAYERS
                                                          : VV_MOST_LAYERS;
    uint32_t ranks = merge->comm->size, count = 0, number = 0;
    uint32_t wanted = merge->save_plan->options.collective.files;
    /* The numbers are not used if there are more nodes than files. */
    for (uint32_t i = 0; wanted == 0 && i < ranks && count <= most; i++) {
        uint32_t node = vv_contribution_of(at).node;
        at += merge->all->sizes[i];
        if (count == 0 || nodes[number] != node) /* else the same node as the
                                                    previous rank */
            for (number = 0; number < count && nodes[number] != node;)
                number++;
        if (number == count)
            nodes[count++] = node;
        merge->regions[i].file = number;
    }
    if (wanted == 0 && count <= most)
        return count;
    if (wanted == 0 || wanted > most)
        wanted = most;
    if (wanted > ranks)
        wanted = ranks;
    for (uint32_t i = 0; i < ranks; i++)
        merge->regions[i].file = (uint32_t)((uint64_t)i * wanted / ranks);
    return wanted;
}

varve_status vv_merge_place_regions(struct vv_merge *merge, varve_error *error)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    uint32_t ranks = merge->comm->size;
    merge->regions = vv_allocate_array(a, ranks, sizeof *merge->regions);
    merge->files = vv_allocate_array(a, ranks, sizeof *merge->files);
    uint32_t *nodes = vv_allocate_array(a, ranks, sizeof *nodes);
    if (merge->regions && merge->files && nodes)
        merge->file_count = choose_files(merge, nodes);
    vv_release(a, nodes, nodes ? ranks * sizeof *nodes : 0);
    if (merge->file_count == 0)
        return vv_fail_memory(error, "the index of all ranks");
    for (uint32_t i = 0; i < merge->file_count; i++)
        merge->files[i] =
            (struct vv_data_file){ VV_PAGE_ALIGNMENT, VV_NONE, false };
    const uint8_t *at = merge->all->bytes.data;
    for (uint32_t i = 0; i < ranks; i++) {
        struct vv_region *region = &merge->regions[i];
        region->offset = merge->files[region->file].end;
        merge->files[region->file].end += vv_contribution_of(at).size;
        at += merge->all->sizes[i];
    }
    return VARVE_OK;
}

/* --- Chunks --------------------------------------------------------------- */

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

/* --- Places --------------------------------------------------------------- */

/* Numbers layers in the order in which places refer to them. */
static uint32_t merge_places_add_layer(
    struct vv_placing *p, uint32_t *number, struct vv_merged_layer layer)
{
    struct vv_merge *merge = p->merge;
    if (*number == VV_NONE && merge->layer_count < VV_MOST_LAYERS) {
        *number = merge->layer_count++;
        merge->layers[*number] = layer;
    }
    return *number;
}

static uint32_t layer_of_rank(struct vv_placing *p, uint32_t rank)
{
    uint32_t file = p->merge->regions[rank].file;
    p->merge->files[file].is_needed = true;
    return merge_places_add_layer(p, &p->merge->files[file].layer,
        (struct vv_merged_layer){ .file = file });
}

static void merge_places_add_zeros(struct vv_placing *p, uint64_t size)
{
    const struct vv_layer_place zeros = { .layer = VV_NONE };
    if (size > 0)
        vv_place_out_add(&p->out, &zeros, size);
}

/* Adds new data. If `is_next` the file has only zeros between this range and
 * the previous range of the data. */
static void add_new(struct vv_placing *p, uint64_t place,
    const struct vv_layer_place *to, uint64_t size, bool is_next)
{
    uint64_t gap = place - p->out.written;
    struct vv_layer_place before = *to;
    before.offset -= gap;
    if (gap > 0 && is_next && !to->pack.size &&
        vv_place_continues(&p->out, &before))
        vv_place_out_add(&p->out, &before, gap);
    else
        merge_places_add_zeros(p, gap);
    vv_place_out_add(&p->out, to, size);
}

/* --- Ranges of regions ---------------------------------------------------- */

void vv_placing_add_ranges(struct vv_placing *p)
{
    size_t count;
    const struct vv_placed *all = vv_all_placed(p->merge, &count);
    for (size_t i = 0; i < count; i++) {
        const struct vv_layer_place to = { .layer =
                                               layer_of_rank(p, all[i].owner),
            .offset = p->merge->regions[all[i].owner].offset + all[i].offset };
        add_new(p, all[i].place, &to, all[i].size, true);
    }
}

/* --- Chunks --------------------------------------------------------------- */

/* Adds a range of the base's data, which may be in several layers. */
static void add_old(struct vv_placing *p, uint64_t offset, uint64_t size)
{
    const struct vv_index *older = &p->base->file.parsed.index;
    for (uint32_t i = vv_place_of(older, offset); size > 0; i++) {
        uint64_t left = vv_place_end(older, i, offset + size) - offset;
        uint64_t part = left < size ? left : size;
        struct vv_layer_place place = vv_layer_place_at(older, i, offset);
        const struct vv_merged_layer layer = { VV_NONE, place.layer };
        offset += part;
        size -= part;
        if (place.layer == VV_NONE) {
            merge_places_add_zeros(p, part);
            continue;
        }
        place.layer =
            merge_places_add_layer(p, &p->numbers[place.layer], layer);
        vv_place_out_add(&p->out, &place, part);
    }
}

/* Adds a chunk of the base. Includes the padding before it if the base has the
 * same there. */
static void add_old_chunk(struct vv_placing *p, const struct vv_placed_chunk *c)
{
    uint64_t gap = c->place - p->out.written;
    if (gap > 0 && p->behind > 0 && c->where->offset - p->behind == gap)
        add_old(p, p->behind, gap);
    else
        merge_places_add_zeros(p, gap);
    add_old(p, c->where->offset, c->message.size);
    p->behind = c->where->offset + c->message.size;
    p->is_after = VV_NONE;
}

static void add_new_chunk(struct vv_placing *p, const struct vv_placed_chunk *c)
{
    struct vv_layer_place to = { .layer = layer_of_rank(p, c->owner),
        .offset = c->where->offset };
    if (c->where->packed)
        to.pack = (struct vv_pack){ .size = c->where->packed,
            .plain = c->message.size,
            .planes = (uint8_t)c->message.planes };
    bool is_next = p->is_after == c->owner && p->number == c->number;
    add_new(p, c->place, &to, c->message.size, is_next);
    p->behind = 0;
    p->is_after = c->owner;
    p->number = c->number + 1;
}

static void merge_places_add_chunks(struct vv_placing *p)
{
    struct vv_placed_chunk chunk;
    struct vv_chunk_walk walk = { .merge = p->merge };
    while (vv_chunk_walk_next(&walk, &chunk)) {
        if (chunk.where->is_old)
            add_old_chunk(p, &chunk);
        else
            add_new_chunk(p, &chunk);
    }
}

/* --- All ------------------------------------------------------------------ */

void vv_placing_begin(struct vv_placing *p, struct vv_merge *merge,
    const struct vv_layer_base *base)
{
    *p = (struct vv_placing){
        .merge = merge, .base = base, .is_after = VV_NONE
    };
    memset(p->numbers, 0xff, sizeof p->numbers);
    vv_place_out_begin(&p->out, &merge->added, false);
}

varve_status vv_placing_end(struct vv_placing *p, varve_error *error)
{
    uint64_t end = vv_align_up(p->merge->end, VV_ALIGNMENT);
    if (p->out.written > VV_HEADER_SIZE && p->out.written < end)
        merge_places_add_zeros(p, end - p->out.written);
    return vv_index_columns_failed(&p->merge->added)
               ? vv_fail_memory(error, "the index of all ranks")
               : VARVE_OK;
}

varve_status vv_merge_places(struct vv_merge *merge,
    const struct vv_layer_base *base, varve_error *error)
{
    struct vv_placing p;
    vv_placing_begin(&p, merge, base);
    if (merge->firsts)
        merge_places_add_chunks(&p);
    else
        vv_placing_add_ranges(&p);
    return vv_placing_end(&p, error);
}
