/* merge_places.c - Fills in the columns of places from ranges of regions or
 * from chunks. Ranges that no rank has are padding.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_places.h"

#include <string.h>

#include "failure.h"
#include "layout.h"
#include "merge_chunks.h"
#include "merge_private.h"

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
