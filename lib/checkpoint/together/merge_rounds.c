/* merge_rounds.c - Sends shards in rounds, merges them, and moves the results
 * to the spill file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_rounds.h"

#include "failure.h"
#include "layout.h"
#include "merge_places.h"
#include "try.h"

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
