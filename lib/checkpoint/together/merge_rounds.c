/* merge_rounds.c - Sends shards in rounds, merges them, and moves the results
 * to the spill file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_rounds.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "file.h"
#include "merge_places.h"
#include "try.h"

/* --- The spill file ------------------------------------------------------- */

enum { BLOCK_SIZE = 1 << 20 };

struct extent {
    uint64_t key;
    uint64_t offset;
    uint64_t size;
    uint64_t sum;
};

varve_status vv_spill_begin(struct vv_spill *s,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    *s = (struct vv_spill){ .context = context, .path = path };
    s->block = vv_allocate(a, BLOCK_SIZE);
    if (!s->block)
        return vv_fail_memory(error, "the index of all ranks");
    varve_status status = vv_temporary_make(
        &s->temporary, context, directory, name, path, is_private, error);
    if (status)
        vv_release(a, s->block, BLOCK_SIZE);
    vv_buffer_init(&s->extents, &s->context->allocator);
    return status;
}

static varve_status spill_add_extent(struct vv_spill *s, enum vv_index_key key,
    const unsigned char *bytes, size_t size, varve_error *error)
{
    const struct extent extent = { (uint64_t)key, s->end, size,
        vv_hash_of(bytes, size) };
    VV_TRY(vv_file_write(
        s->context, s->temporary.file, s->path, bytes, size, s->end, error));
    vv_buffer_add(&s->extents, &extent, sizeof extent);
    s->end += size;
    s->sizes[key] += size;
    return s->extents.failed ? vv_fail_memory(error, "the index of all ranks")
                             : VARVE_OK;
}

varve_status vv_spill_add(struct vv_spill *s, enum vv_index_key key,
    struct vv_buffer *column, varve_error *error)
{
    for (size_t at = 0; at < column->size; at += BLOCK_SIZE) {
        size_t left = column->size - at;
        VV_TRY(spill_add_extent(s, key, column->data + at,
            left < BLOCK_SIZE ? left : BLOCK_SIZE, error));
    }
    column->size = 0;
    return VARVE_OK;
}

static varve_status spill_read_extent(
    const struct vv_spill *s, const struct extent *e, varve_error *error)
{
    VV_TRY(vv_file_read(s->context, s->temporary.file, s->path, s->block,
        (size_t)e->size, e->offset, error));
    uint64_t found = vv_hash_of(s->block, (size_t)e->size);
    if (found != e->sum)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: temporary file: bytes %" PRIu64 " to %" PRIu64
            ": expected XXH3-64 %016" PRIx64 ", found %016" PRIx64,
            s->path, e->offset, e->offset + e->size, e->sum, found);
    return VARVE_OK;
}

varve_status vv_spill_give(void *spill, uint64_t key, vv_index_sink *sink,
    void *sink_user, varve_error *error)
{
    const struct vv_spill *s = spill;
    const struct extent *all =
        (const struct extent *)(const void *)s->extents.data;
    size_t count = s->extents.size / sizeof *all;
    for (size_t i = 0; i < count; i++) {
        if (all[i].key != key)
            continue;
        VV_TRY(spill_read_extent(s, &all[i], error));
        VV_TRY(sink(sink_user, s->block, (size_t)all[i].size, error));
    }
    return VARVE_OK;
}

void vv_spill_end(struct vv_spill *s)
{
    const struct vv_context *context = s->context;
    vv_file_close(context, s->temporary.file);
    vv_temporary_remove(&s->temporary);
    vv_release(&context->allocator, s->block, BLOCK_SIZE);
    vv_buffer_clear(&s->extents);
}

/* --- Dividing into rounds ------------------------------------------------- */

/* Returns the largest number of bytes that all ranks together send about a
 * shard. Each rank may have an incomplete chunk. */
static uint64_t message_size_of(
    const struct vv_rounds *rounds, const struct vv_save_plan_slice *slice)
{
    uint64_t each = 16 * (uint64_t)slice->rank + 16 + VV_DIGEST_SIZE;
    return rounds->ranks * each +
           vv_chunk_count(slice->whole_size) * VV_DIGEST_SIZE;
}

bool vv_needs_rounds(const struct vv_rounds *rounds)
{
    size_t count;
    uint64_t size = 0;
    const struct vv_save_plan_slice *all =
        vv_save_plan_slices(rounds->save_plan, &count);
    for (size_t i = 0; i < count; i++)
        size += message_size_of(rounds, &all[i]);
    return size > rounds->most && !vv_writes_by_chunks(rounds->save_plan);
}

bool vv_rounds_next(struct vv_rounds *rounds)
{
    size_t count;
    uint64_t size = 0;
    const struct vv_save_plan_slice *all =
        vv_save_plan_slices(rounds->save_plan, &count);
    rounds->begin = rounds->end;
    if (rounds->begin == count)
        return false;
    do
        size += message_size_of(rounds, &all[rounds->end++]);
    while (rounds->end < count &&
           size + message_size_of(rounds, &all[rounds->end]) <= rounds->most);
    rounds->value_end = rounds->end < count
                            ? all[rounds->end].value
                            : (uint32_t)rounds->save_plan->value_count;
    return true;
}

/* --- Rank 0 --------------------------------------------------------------- */

/* Moves the completed parts of the growing columns to the spill file. */
static varve_status put_aside(struct vv_merge *merge, varve_error *error)
{
    struct vv_index_columns *added = &merge->added;
    struct vv_spill *spill = merge->spill;
    if (vv_index_columns_failed(added))
        return vv_fail_memory(error, "the index of all ranks");
    VV_TRY(vv_spill_add(spill, VV_KEY_DIGESTS, &added->digests, error));
    VV_TRY(
        vv_spill_add(spill, VV_KEY_PLACE_BEGINS, &added->place_begins, error));
    VV_TRY(
        vv_spill_add(spill, VV_KEY_PLACE_LAYERS, &added->place_layers, error));
    VV_TRY(vv_spill_add(
        spill, VV_KEY_PLACE_OFFSETS, &added->place_offsets, error));
    return vv_spill_add(spill, VV_KEY_PIECE_BOXES, &added->piece_boxes, error);
}

static varve_status merge_rounds_take(struct vv_merge *merge,
    struct vv_placing *placing, const struct vv_rounds *rounds,
    const struct vv_gathered *all, varve_error *error)
{
    VV_TRY(vv_merge_take(merge, all, rounds->value_end, error));
    vv_placing_add_ranges(placing);
    return put_aside(merge, error);
}

static varve_status merge_rounds_end(
    struct vv_merge *merge, struct vv_placing *placing, varve_error *error)
{
    VV_TRY(vv_placing_end(placing, error));
    VV_TRY(put_aside(merge, error));
    if (merge->spill->sizes[VV_KEY_PLACE_BEGINS] / 8 >= VV_NONE)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the shards have 2^32 - 1 parts or more", merge->path);
    merge->source = (struct vv_column_source){ vv_spill_give, merge->spill };
    return VARVE_OK;
}

/* --- All ranks ------------------------------------------------------------ */

varve_status vv_merge_by_rounds(struct vv_merge *merge, uint64_t most,
    varve_status status, varve_error *error)
{
    const varve_comm *comm = merge->comm;
    const varve_allocator *a = &merge->save_plan->context.allocator;
    struct vv_rounds rounds = {
        .save_plan = merge->save_plan, .ranks = comm->size, .most = most
    };
    struct vv_slice_sender sender =
        vv_slices_begin(merge->save_plan, merge->share);
    struct vv_placing placing;
    struct vv_gathered all;
    bool is_first = comm->rank == 0;
    if (is_first)
        vv_placing_begin(&placing, merge, NULL);
    while (vv_rounds_next(&rounds)) {
        struct vv_buffer message;
        vv_buffer_init(&message, a);
        vv_slices_encode(&sender, &message, rounds.end - rounds.begin);
        status = vv_comm_gatherv(comm, status, &message, &all, error);
        vv_buffer_clear(&message);
        if (status)
            return status; /* the same on all ranks */
        if (is_first)
            status = merge_rounds_take(merge, &placing, &rounds, &all, error);
        vv_gathered_clear(&all);
    }
    if (is_first && !status)
        status = merge_rounds_end(merge, &placing, error);
    return vv_agree(comm, status, error);
}
