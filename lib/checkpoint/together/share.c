/* share.c - Computes the offsets of values, divides replicated data by chunks,
 * and assigns offsets in the region.
 *
 * SPDX-License-Identifier: MIT
 */
#include "share.h"

#include <inttypes.h>

#include "allocator.h"
#include "data_out.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "layout.h"
#include "pack.h"
#include "private.h"
#include "save_plan_digests.h"
#include "slot.h"
#include "try.h"
#include "walk.h"

/* --- Rank-local subtrees -------------------------------------------------- */

static varve_status private_parts_check_node(
    varve_node *node, const varve_comm *comm, varve_error *error)
{
    const struct vv_private *private = vv_private_of(node);
    char text[256];
    const char *path = vv_node_text(node, text, sizeof text);
    if (private->rank != comm->rank || private->size != comm->size)
        return vv_fail(error, VARVE_MISUSE,
            "%s: this rank is %" PRIu32 " of %" PRIu32
            ", but the rank-local subtree is of rank %" PRIu32 " of %" PRIu32,
            path, comm->rank, comm->size, private->rank, private->size);
    if (!vv_private_mine(node))
        return vv_fail(error, VARVE_MISUSE,
            "%s: a rank-local subtree must have one child, that of rank "
            "%" PRIu32,
            path, comm->rank);
    return VARVE_OK;
}

/* --- Edges and slots into subtrees ---------------------------------------- */

struct marks {
    const varve_allocator *allocator;
    uint32_t *marks; /* for each node, the walk that reached it, from 1; 0:
                        none */
    size_t count;
};

static varve_status fail_link(const varve_node *node, varve_error *error)
{
    char path[256];
    return vv_fail(error, VARVE_MISUSE,
        "%s: edges or slots lead to it from outside its rank-local subtree",
        vv_node_text(node, path, sizeof path));
}

static varve_status mark_nodes(struct marks *m, const struct vv_walk *walk,
    uint32_t mark, varve_error *error)
{
    for (size_t i = 0; i < walk->count; i++) {
        const varve_node *node = walk->steps[i].node;
        if (m->marks[node->number])
            return fail_link(node, error);
        m->marks[node->number] = mark;
    }
    return VARVE_OK;
}

/* Fails if an owner and its variable were reached by different walks. A slot
 * whose owner or variable is not saved is not in the file. */
static varve_status private_parts_check_slots(
    const struct marks *m, varve_graph *graph, varve_error *error)
{
    for (const varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node)) {
        for (const struct vv_slot *s = vv_slot_first_of(node);
             s && m->marks[node->number]; s = s->next) {
            uint32_t variable = m->marks[s->public.variable->number];
            if (variable && variable != m->marks[node->number])
                return fail_link(s->public.node, error);
        }
    }
    return VARVE_OK;
}

static varve_status private_parts_mark(
    struct marks *m, varve_node *from, uint32_t number, varve_error *error)
{
    struct vv_walk walk;
    VV_TRY(number == 1 ? vv_walk_begin_above(&walk, from, vv_is_private, error)
                       : vv_walk_begin(&walk, from, error));
    varve_status status = mark_nodes(m, &walk, number, error);
    vv_walk_end(&walk);
    return status;
}

static varve_status private_parts_mark_all(struct marks *m, varve_node *root,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    size_t count;
    const struct vv_save_plan_private *privates =
        vv_save_plan_privates(save_plan, &count);
    VV_TRY(private_parts_mark(m, root, 1, error));
    for (size_t i = 0; i < count; i++)
        VV_TRY(private_parts_mark(
            m, vv_private_mine(privates[i].node), (uint32_t)i + 2, error));
    return private_parts_check_slots(m, root->graph, error);
}

static varve_status private_parts_check_links(
    varve_node *root, const struct vv_save_plan *save_plan, varve_error *error)
{
    struct marks m = { .allocator = &save_plan->context.allocator,
        .count = root->graph->number_limit };
    m.marks = vv_allocate_zeroed(m.allocator, m.count * sizeof *m.marks);
    if (!m.marks)
        return vv_fail_memory(error, "rank-local subtrees");
    varve_status status = private_parts_mark_all(&m, root, save_plan, error);
    vv_release(m.allocator, m.marks, m.count * sizeof *m.marks);
    return status;
}

/* --- Gathering ------------------------------------------------------------ */

/* Global names must be unique in a file, and other ranks might use the same
 * ones. */
static varve_status private_parts_check_names(const varve_node *node,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    char path[256];
    if (save_plan->columns.index.global_nodes.size == 0)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: a rank-local subtree cannot contain global names",
        vv_node_text(node, path, sizeof path));
}

/* Returns the options for rank-local subtrees. Writes are not tracked, as the
 * tracker is queried only once in a save, for the replicated data. Pending
 * values are carried over as elsewhere. */
static varve_write_options own_options(const varve_write_options *o)
{
    bool counts = o->incremental && o->increment.only_dirty;
    return (varve_write_options){ .pending = o->pending,
        .incremental = counts,
        .increment.only_dirty = counts,
        .increment.verify_clean = counts && o->increment.verify_clean };
}

static varve_status private_parts_gather(struct vv_private_part *part,
    varve_node *node, const varve_write_options *options, varve_error *error)
{
    varve_node *mine = vv_private_mine(node);
    VV_TRY(vv_save_plan_gather(&part->save_plan, mine, options, error));
    varve_status status =
        private_parts_check_names(mine, &part->save_plan, error);
    if (status)
        vv_save_plan_clear(&part->save_plan);
    return status;
}

static varve_status private_parts_gather_all(struct vv_private_parts *parts,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    const varve_write_options own = own_options(&save_plan->options);
    size_t count;
    const struct vv_save_plan_private *privates =
        vv_save_plan_privates(save_plan, &count);
    for (size_t i = 0; i < count; i++) {
        parts->all[i].place = privates[i].place;
        VV_TRY(private_parts_gather(
            &parts->all[i], privates[i].node, &own, error));
        parts->count++;
    }
    return VARVE_OK;
}

varve_status vv_private_parts_gather(struct vv_private_parts *parts,
    varve_node *root, const struct vv_save_plan *save_plan,
    const varve_comm *comm, varve_error *error)
{
    size_t count;
    const struct vv_save_plan_private *privates =
        vv_save_plan_privates(save_plan, &count);
    *parts =
        (struct vv_private_parts){ .allocator = &save_plan->context.allocator };
    if (count == 0)
        return VARVE_OK;
    for (size_t i = 0; i < count; i++)
        VV_TRY(private_parts_check_node(privates[i].node, comm, error));
    VV_TRY(private_parts_check_links(root, save_plan, error));
    parts->all =
        vv_allocate_zeroed(parts->allocator, count * sizeof *parts->all);
    if (!parts->all)
        return vv_fail_memory(error, "rank-local subtrees");
    parts->room = count;
    varve_status status = private_parts_gather_all(parts, save_plan, error);
    if (status)
        vv_private_parts_clear(parts);
    return status;
}

varve_status vv_private_parts_digest(
    struct vv_private_parts *parts, varve_error *error)
{
    for (size_t i = 0; i < parts->count; i++)
        VV_TRY(vv_recall_digests(&parts->all[i].save_plan, NULL, NULL, error));
    return VARVE_OK;
}

void vv_private_parts_clear(struct vv_private_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        vv_save_plan_clear(&parts->all[i].save_plan);
    vv_release(parts->allocator, parts->all, parts->room * sizeof *parts->all);
    *parts = (struct vv_private_parts){ .allocator = parts->allocator };
}

/* --- The data of the whole checkpoint ------------------------------------- */

static uint64_t local_size(const struct vv_save_plan *save_plan, uint32_t value)
{
    return vv_at64(save_plan->columns.index.value_sizes.data, value);
}

static bool share_is_saved(const struct vv_save_plan *save_plan, uint32_t value)
{
    return vv_at64(save_plan->columns.index.value_offsets.data, value) != 0;
}

/* Places values as vv_index_add_value does, but with the sizes of whole values
 * for shards. */
static void place_values(
    struct vv_share *share, const struct vv_save_plan *save_plan)
{
    size_t slice_count;
    size_t next = 0;
    const struct vv_save_plan_slice *slices =
        vv_save_plan_slices(save_plan, &slice_count);
    share->end = VV_HEADER_SIZE;
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        bool is_slice = next < slice_count && slices[next].value == i;
        uint64_t size =
            is_slice ? slices[next].whole_size : local_size(save_plan, i);
        uint64_t offset =
            share_is_saved(save_plan, i) ? vv_data_place(share->end, size) : 0;
        vv_buffer_add64(&share->offsets, offset);
        vv_buffer_add64(&share->sizes, offset ? size : 0);
        if (offset)
            share->end = offset + size;
        next += is_slice;
    }
}

/* --- Chunks --------------------------------------------------------------- */

struct sharing {
    struct vv_share *share;
    const struct vv_save_plan *save_plan;
    /* This rank writes the chunks that begin between `low` and `high`. These
     * are positions in the bytes of all replicated values in a row. */
    uint64_t low;
    uint64_t high;
    uint64_t passed; /* number of those bytes so far */
    uint64_t behind; /* offset in the data of the end of the last part; 0:
                        the next part does not continue it */
};

static void share_find_range(struct sharing *s,
    const struct vv_save_plan *save_plan, const varve_comm *comm)
{
    size_t slices;
    const struct vv_save_plan_slice *slice =
        vv_save_plan_slices(save_plan, &slices);
    uint64_t total = 0;
    for (uint32_t i = 0; i < save_plan->value_count; i++)
        total += local_size(save_plan, i);
    for (size_t i = 0; i < slices; i++)
        total -= local_size(save_plan, slice[i].value);
    uint64_t each = total / comm->size + 1;
    s->low = each * comm->rank;
    s->high = s->low + each;
}

/* Returns how many chunks of a value that begins at `begin` begin before
 * `limit`. */
static uint64_t chunks_before(uint64_t begin, uint64_t size, uint64_t limit)
{
    uint64_t count = vv_chunk_count(size);
    uint64_t before = begin < limit ? vv_chunk_count(limit - begin) : 0;
    return before < count ? before : count;
}

static void share_add_part(struct vv_share *share, struct vv_part part)
{
    vv_buffer_add(&share->parts, &part, sizeof part);
    share->size = part.offset + part.size;
}

/* Adds a part of a replicated value. It follows the last part with the same
 * padding or, if it does not continue that, at an offset with the same
 * alignment as in the data. */
static void add_common(
    struct sharing *s, uint32_t value, uint64_t begin, uint64_t size)
{
    struct vv_share *share = s->share;
    uint64_t place = vv_at64(share->offsets.data, value) + begin;
    if (s->behind) {
        struct vv_stretch *last =
            (struct vv_stretch *)(void *)(share->stretches.data +
                                          share->stretches.size) -
            1;
        uint64_t offset = share->size + (place - s->behind);
        last->size = place + size - last->place;
        share_add_part(share,
            (struct vv_part){ s->save_plan, value, begin, size, offset });
    } else {
        uint64_t offset = vv_data_place_like(share->size, place);
        struct vv_stretch stretch = { place, size, offset };
        vv_buffer_add(&share->stretches, &stretch, sizeof stretch);
        share_add_part(share,
            (struct vv_part){ s->save_plan, value, begin, size, offset });
    }
    s->behind = share->stretches.failed ? 0 : place + size;
}

static void share_common(struct sharing *s, uint32_t value, uint64_t size)
{
    uint64_t from = chunks_before(s->passed, size, s->low) * VV_CHUNK_SIZE;
    uint64_t to = chunks_before(s->passed, size, s->high) * VV_CHUNK_SIZE;
    s->passed += size;
    if (from < to)
        add_common(s, value, from, (to < size ? to : size) - from);
}

static void share_slice(struct sharing *s, uint32_t value, uint64_t size)
{
    uint64_t offset = vv_data_place(s->share->size, size);
    s->behind = 0;
    share_add_part(
        s->share, (struct vv_part){ s->save_plan, value, 0, size, offset });
}

static void share_values(
    struct sharing *s, const struct vv_save_plan *save_plan)
{
    size_t slice_count;
    size_t next = 0;
    const struct vv_save_plan_slice *slices =
        vv_save_plan_slices(save_plan, &slice_count);
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        uint64_t size = local_size(save_plan, i);
        if (next < slice_count && slices[next].value == i) {
            share_slice(s, i, size);
            next++;
        } else if (size > 0) {
            share_common(s, i, size);
        }
    }
}

/* --- Rank-local data ------------------------------------------------------ */

/* Places the values as in a separate file. */
static void share_private(
    struct vv_share *share, struct vv_private_part *private)
{
    const struct vv_index_columns *c = &private->save_plan.columns.index;
    private->begin = vv_data_place(share->size, c->total);
    for (uint32_t i = 0; i < private->save_plan.value_count; i++) {
        uint64_t size = local_size(&private->save_plan, i);
        uint64_t offset = vv_at64(c->value_offsets.data, i);
        if (size > 0)
            share_add_part(share, (struct vv_part){ &private->save_plan, i, 0,
                                      size, private->begin + offset });
    }
}

/* --- All ------------------------------------------------------------------ */

varve_status vv_share_make(struct vv_share *share,
    const struct vv_save_plan *save_plan, struct vv_private_parts *privates,
    const varve_comm *comm, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    struct sharing s = { .share = share, .save_plan = save_plan };
    *share = (struct vv_share){ .privates = privates };
    vv_buffer_init(&share->offsets, a);
    vv_buffer_init(&share->sizes, a);
    vv_buffer_init(&share->parts, a);
    vv_buffer_init(&share->stretches, a);
    place_values(share, save_plan);
    if (!share->offsets.failed && !share->sizes.failed) {
        share_find_range(&s, save_plan, comm);
        share_values(&s, save_plan);
    }
    for (size_t i = 0; privates && i < privates->count; i++)
        share_private(share, &privates->all[i]);
    share->size = vv_align_up(share->size, VV_PAGE_ALIGNMENT);
    if (!share->offsets.failed && !share->sizes.failed &&
        !share->parts.failed && !share->stretches.failed)
        return VARVE_OK;
    vv_share_clear(share);
    return vv_fail_memory(error, "data of a rank");
}

void vv_share_clear(struct vv_share *share)
{
    vv_buffer_clear(&share->offsets);
    vv_buffer_clear(&share->sizes);
    vv_buffer_clear(&share->parts);
    vv_buffer_clear(&share->stretches);
}

/* --- Chunks of a share ---------------------------------------------------- */

struct vv_share_walk vv_share_begin(const struct vv_share *share)
{
    size_t count;
    const struct vv_part *parts = vv_parts(share, &count);
    return (struct vv_share_walk){ .part = parts,
        .end = count ? parts + count : parts };
}

/* Sets `digests` to the digests of the value of the current part. */
static void find_digests(struct vv_share_walk *c)
{
    const struct vv_index_columns *columns = &c->part->save_plan->columns.index;
    if (c->save_plan != c->part->save_plan) {
        c->save_plan = c->part->save_plan;
        c->value = 0;
        c->digests = columns->digests.data;
    }
    for (; c->value < c->part->value; c->value++)
        c->digests +=
            vv_chunk_count(vv_at64(columns->value_sizes.data, c->value)) *
            VV_DIGEST_SIZE;
}

static unsigned share_chunks_planes_of(const struct vv_part *part)
{
    const uint8_t *types = part->save_plan->columns.index.value_dtypes.data;
    return vv_pack_planes((varve_dtype)types[part->value]);
}

bool vv_share_next(struct vv_share_walk *c, struct vv_share_chunk *chunk)
{
    while (c->part != c->end && c->at >= c->part->size) {
        c->part++;
        c->at = 0;
    }
    if (c->part == c->end)
        return false;
    find_digests(c);
    const struct vv_part *part = c->part;
    uint64_t left = part->size - c->at;
    uint64_t number = (part->begin + c->at) / VV_CHUNK_SIZE;
    *chunk = (struct vv_share_chunk){ .part = part,
        .begin = c->at,
        .offset = part->offset + c->at,
        .size = (uint32_t)(left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE),
        .planes = share_chunks_planes_of(part),
        .digest = c->digests + number * VV_DIGEST_SIZE };
    c->at += chunk->size;
    return true;
}

void vv_share_chunks_encode(
    struct vv_buffer *bytes, const struct vv_share *share)
{
    struct vv_share_chunk chunk;
    struct vv_share_walk walk = vv_share_begin(share);
    while (vv_share_next(&walk, &chunk)) {
        vv_buffer_add64(bytes, chunk.offset);
        vv_buffer_add32(bytes, chunk.size);
        vv_buffer_add32(bytes, chunk.planes);
        vv_buffer_add(bytes, chunk.digest, VV_DIGEST_SIZE);
    }
}

struct vv_share_chunk vv_share_chunk_of_message(
    const uint8_t *message, size_t number)
{
    const uint8_t *at = message + number * VV_CHUNK_MESSAGE_SIZE;
    return (struct vv_share_chunk){ .offset = vv_load64(at),
        .size = vv_load32(at + 8),
        .planes = vv_load32(at + 12),
        .digest = at + 16 };
}
