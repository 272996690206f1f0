/* incremental_chunks.c - Matches the chunks of all ranks with those of the base
 * by size and digest, and writes the new ones in rounds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "incremental_chunks.h"

#include <string.h>

#include "allocator.h"
#include "data_out.h"
#include "failure.h"
#include "file.h"
#include "layers_in.h"
#include "layout.h"
#include "merge_places.h"
#include "pack_line.h"
#include "piece_table.h"
#include "try.h"

/* --- Chunks of the base --------------------------------------------------- */

enum {
    MOST_CANDIDATES = 16, /* number of chunks with the same hash that are
                             compared */
    MOST_TOGETHER = 1024, /* number of small values in a group */
};

static const struct vv_index *layer_match_index_of(
    const struct vv_layer_match *m)
{
    return &m->base.file.parsed.index;
}

static const uint8_t *layer_match_digest_at(
    const struct vv_layer_match *m, size_t chunk)
{
    return layer_match_index_of(m)->digests + chunk * VV_DIGEST_SIZE;
}

/* --- Layers that are hardly used ------------------------------------------ */

/* Returns the layer with the least live data among those that are not dropped:
 * the least live bytes or, if `is_by_part`, the smallest live fraction. */
static uint32_t layer_match_choose(const struct vv_layer_match *m,
    const uint64_t *live, bool is_by_part, uint32_t count)
{
    const uint8_t *sizes = layer_match_index_of(m)->layer_sizes;
    uint32_t least = VV_NONE;
    double lowest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double use = (double)live[i];
        if (is_by_part)
            use /= (double)vv_at64(sizes, i);
        if (!m->is_dropped[i] && (least == VV_NONE || use < lowest)) {
            least = i;
            lowest = use;
        }
    }
    return least;
}

/* Drops layers as in a save by one process: limits their number, including the
 * new ones, and their total size to twice that of the data. Several may be
 * dropped, as several are added. */
static void layer_match_drop(
    struct vv_layer_match *m, const struct vv_merge *merge)
{
    uint64_t live[VV_MOST_LAYERS] = { 0 }, total = 0;
    const struct vv_index *index = layer_match_index_of(m);
    uint32_t left = index->layer_count, coming = merge->file_count;
    uint32_t most =
        coming <= VV_USUAL_LAYERS / 4 ? VV_USUAL_LAYERS : VV_MOST_LAYERS;
    vv_layer_base_count(&m->base, live);
    for (uint32_t i = 0; i < left; i++)
        total += vv_at64(index->layer_sizes, i);
    while (left > 0 &&
           (left + coming > most || total / 2 > m->base.file.data_end)) {
        uint32_t worst = layer_match_choose(
            m, live, left + coming <= most, index->layer_count);
        m->is_dropped[worst] = true;
        total -= vv_at64(index->layer_sizes, worst);
        left--;
    }
}

static bool layer_match_is_kept(
    const struct vv_layer_match *m, uint64_t offset, uint64_t size)
{
    const struct vv_index *index = layer_match_index_of(m);
    for (uint32_t i = vv_place_of(index, offset); i < index->place_count; i++) {
        uint32_t layer = vv_at32(index->place_layers, i);
        if (vv_at64(index->place_begins, i) >= offset + size)
            return true;
        if (layer != VV_NONE && m->is_dropped[layer])
            return false;
    }
    return true;
}

/* --- The table ------------------------------------------------------------ */

static size_t layer_match_hash_of(
    const struct vv_layer_match *m, const uint8_t *digest)
{
    return (size_t)vv_load64(digest) & (m->table_size - 1);
}

static void add_chunk(
    struct vv_layer_match *m, size_t number, uint64_t offset, size_t size)
{
    size_t hash = layer_match_hash_of(m, layer_match_digest_at(m, number));
    m->offsets[number] = offset;
    m->sizes[number] = (uint32_t)size;
    m->nexts[number] = m->firsts[hash];
    m->firsts[hash] = (uint32_t)number;
}

static void layer_match_add_values(struct vv_layer_match *m)
{
    const struct vv_index *index = layer_match_index_of(m);
    const struct vv_value_table *table = &m->base.file.parsed.table;
    size_t number = 0;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t count = vv_value_chunks(index, table, i);
        uint64_t offset = vv_at64(index->value_offsets, i), begin;
        for (uint64_t k = 0; k < count; k++) {
            size_t size;
            vv_chunk_range(index, table, i, k, &begin, &size);
            add_chunk(m, number++, offset + begin, size);
        }
    }
    for (uint64_t i = 0; i < index->paged_count; i++)
        m->sizes[vv_at64(index->paged_chunks, (size_t)i)] = 0;
}

static varve_status layer_match_make_table(
    struct vv_layer_match *m, const struct vv_merge *merge, varve_error *error)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t count = (size_t)layer_match_index_of(m)->digest_count;
    if (count >= VV_NONE)
        return VARVE_OK; /* too many chunks: no table is used */
    m->count = count;
    for (m->table_size = 64; m->table_size < count;)
        m->table_size *= 2;
    m->offsets = vv_allocate_array(a, count + 1, sizeof *m->offsets);
    m->sizes = vv_allocate_array(a, count + 1, sizeof *m->sizes);
    m->nexts = vv_allocate_array(a, count + 1, sizeof *m->nexts);
    m->firsts = vv_allocate_array(a, m->table_size, sizeof *m->firsts);
    if (!m->offsets || !m->sizes || !m->nexts || !m->firsts)
        return vv_fail_memory(error, "the chunks of the base checkpoint");
    memset(m->firsts, 0xff, m->table_size * sizeof *m->firsts);
    layer_match_add_values(m);
    return VARVE_OK;
}

/* --- Looking up chunks ---------------------------------------------------- */

/* Chunks that are looked up together: one of a large value, or several small
 * ones. */
struct group {
    struct vv_placed_chunk all[MOST_TOGETHER];
    size_t count;
};

/* Returns true if the base has all chunks of a group, from its chunk `from` on,
 * with the same padding between them. */
static bool layer_match_is_there(
    const struct vv_layer_match *m, const struct group *g, size_t from)
{
    const struct vv_placed_chunk *last = &g->all[g->count - 1];
    if (g->count > m->count - from)
        return false;
    for (size_t i = 0; i < g->count; i++) {
        const struct vv_placed_chunk *chunk = &g->all[i];
        if (m->sizes[from + i] != chunk->message.size ||
            m->offsets[from + i] - m->offsets[from] !=
                chunk->place - g->all[0].place ||
            memcmp(layer_match_digest_at(m, from + i), chunk->message.digest,
                VV_DIGEST_SIZE) != 0)
            return false;
    }
    return layer_match_is_kept(m, m->offsets[from],
        last->place + last->message.size - g->all[0].place);
}

/* Returns the chunk at an offset in the data of the base, or the number of
 * chunks if none begins there. */
static size_t chunk_at(const struct vv_layer_match *m, uint64_t offset)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->offsets[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->offsets[low] == offset ? low : m->count;
}

/* First tries the position at the same distance as the last match, then all
 * chunks with the same digest. */
static size_t layer_match_find(
    const struct vv_layer_match *m, const struct group *g)
{
    size_t usual = chunk_at(m, g->all[0].place + m->shift);
    if (usual < m->count && layer_match_is_there(m, g, usual))
        return usual;
    uint32_t at = m->firsts[layer_match_hash_of(m, g->all[0].message.digest)];
    for (int i = 0; i < MOST_CANDIDATES && at != VV_NONE; i++) {
        if (layer_match_is_there(m, g, at))
            return at;
        at = m->nexts[at];
    }
    return m->count;
}

static void layer_match_settle(struct vv_layer_match *m, struct group *g)
{
    size_t found = g->count ? layer_match_find(m, g) : m->count;
    if (found < m->count)
        m->shift = m->offsets[found] - g->all[0].place;
    for (size_t i = 0; i < g->count && found < m->count; i++) {
        g->all[i].where->is_old = true;
        g->all[i].where->offset = m->offsets[found + i];
    }
    g->count = 0;
}

/* Returns true if the chunk can be added to the group: it follows the last one,
 * and both are small. */
static bool joins(const struct group *g, const struct vv_placed_chunk *chunk)
{
    const struct vv_placed_chunk *first = g->all, *last = &g->all[g->count - 1];
    uint64_t end = chunk->place + chunk->message.size;
    return g->count < MOST_TOGETHER && last->message.size < VV_PAGED_SIZE &&
           chunk->message.size < VV_PAGED_SIZE && chunk->owner == last->owner &&
           chunk->number == last->number + 1 &&
           chunk->place - (last->place + last->message.size) < VV_ALIGNMENT &&
           end - first->place <= VV_PAGED_SIZE;
}

static varve_status match_all(
    struct vv_layer_match *m, struct vv_merge *merge, varve_error *error)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    struct vv_chunk_walk walk = { .merge = merge };
    struct vv_placed_chunk chunk;
    struct group *group = vv_allocate(a, sizeof *group);
    if (!group)
        return vv_fail_memory(error, "the chunks of the base checkpoint");
    group->count = 0;
    while (vv_chunk_walk_next(&walk, &chunk)) {
        if (group->count && !joins(group, &chunk))
            layer_match_settle(m, group);
        group->all[group->count++] = chunk;
    }
    layer_match_settle(m, group);
    vv_release(a, group, sizeof *group);
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

varve_status vv_layer_match_make(
    struct vv_layer_match *m, struct vv_merge *merge, varve_error *error)
{
    const struct vv_save_plan *save_plan = merge->save_plan;
    const char *base = save_plan->options.increment.base;
    *m = (struct vv_layer_match){ .base.dropped = VV_NONE };
    VV_TRY(vv_layer_base_open(&m->base, &save_plan->context,
        base ? base : merge->path, merge->path, NULL, error));
    if (!m->base.is_there)
        return VARVE_OK;
    layer_match_drop(m, merge);
    VV_TRY(layer_match_make_table(m, merge, error));
    return m->firsts ? match_all(m, merge, error) : VARVE_OK;
}

void vv_layer_match_end(struct vv_layer_match *m, const struct vv_merge *merge)
{
    const varve_allocator *a = &merge->save_plan->context.allocator;
    size_t count = m->count + 1;
    if (m->offsets)
        vv_release(a, m->offsets, count * sizeof *m->offsets);
    if (m->sizes)
        vv_release(a, m->sizes, count * sizeof *m->sizes);
    if (m->nexts)
        vv_release(a, m->nexts, count * sizeof *m->nexts);
    if (m->firsts)
        vv_release(a, m->firsts, m->table_size * sizeof *m->firsts);
    vv_layer_base_close(&m->base);
}

/* --- Writing chunks ------------------------------------------------------- */

/* The numbers that a rank sends in a round. */
enum { SIZE, IS_LAST, WORDS };

struct rounds {
    struct vv_chunks_out *out;
    struct vv_buffer ready; /* bytes to write in this round, as in the file */
    size_t since;           /* the first entry of `locations` of this round */
    uint64_t behind; /* offset in the region of the end of the last chunk in
                        `ready`; 0: that chunk is compressed, or there is
                        none */
    struct vv_pack_line *line; /* NULL: nothing is compressed */
    uint64_t *received;        /* on rank 0: WORDS numbers of each rank */
    uint64_t *answer; /* the offset for each rank, and if this is the last
                         round */
    uint64_t *ends;   /* on rank 0: end of each file */
    bool is_over;     /* all ranks know that no round follows */
};

/* --- A round -------------------------------------------------------------- */

/* Computes the answer to all ranks. Called on rank 0. */
static void chunks_out_place_all(struct rounds *r)
{
    uint32_t ranks = r->out->comm->size;
    uint64_t is_last = 1;
    for (uint32_t i = 0; i < ranks; i++) {
        uint64_t *end = &r->ends[r->out->merge->regions[i].file];
        const uint64_t *numbers = &r->received[(size_t)WORDS * i];
        r->answer[i] = *end;
        *end += vv_align_up(numbers[SIZE], VV_PAGE_ALIGNMENT);
        is_last &= numbers[IS_LAST];
    }
    r->answer[ranks] = is_last;
}

static varve_status chunks_out_exchange(struct rounds *r, varve_status status,
    bool is_last, uint64_t *offset, varve_error *error)
{
    const varve_comm *comm = r->out->comm;
    const uint64_t words[WORDS] = { r->ready.size, is_last };
    if (!status && r->ready.failed)
        status = vv_fail_memory(error, "chunks of a save");
    VV_TRY(vv_agree(comm, status, error));
    VV_TRY(vv_comm_gather_u64(comm, words, WORDS, r->received, error));
    if (comm->rank == 0)
        chunks_out_place_all(r);
    VV_TRY(vv_comm_bcast(
        comm, r->answer, ((size_t)comm->size + 1) * sizeof *r->answer, error));
    *offset = r->answer[comm->rank];
    return VARVE_OK;
}

/* Adds the offset in the file to the positions of this round's chunks, which
 * are relative to the buffer. */
static void move_locations(struct rounds *r, uint64_t offset)
{
    struct vv_buffer *locations = r->out->locations;
    for (; r->since < locations->size && !locations->failed;
         r->since += VV_LOCATION_MESSAGE_SIZE) {
        uint8_t *at = locations->data + r->since;
        vv_store64(at, vv_load64(at) + offset);
    }
}

static varve_status take_round(
    struct rounds *r, varve_status status, bool is_last, varve_error *error)
{
    const struct vv_chunks_out *out = r->out;
    uint64_t offset = 0;
    status = chunks_out_exchange(r, status, is_last, &offset, error);
    r->is_over = status || r->answer[out->comm->size];
    r->out->is_agreed = status != VARVE_OK;
    if (status)
        return status;
    move_locations(r, offset);
    if (r->ready.size > 0)
        status = vv_file_write(&out->save_plan->context, out->file, out->path,
            r->ready.data, r->ready.size, offset, error);
    if (r->ready.size > 0 && !out->save_plan->options.no_sync)
        vv_file_start_write_back(&out->save_plan->context, out->file);
    r->ready.size = 0;
    r->behind = 0;
    return status;
}

/* --- Chunks --------------------------------------------------------------- */

static void chunks_out_add_zeros(struct vv_buffer *ready, size_t size)
{
    void *at = size > 0 ? vv_buffer_extend(ready, size) : NULL;
    if (at)
        memset(at, 0, size);
}

/* Pads the buffer before a chunk that is not compressed. It follows the
 * previous chunk with the same padding as in the region if it is close behind;
 * otherwise its offset gets the alignment of its offset in the region. */
static void place_plain(struct rounds *r, uint64_t like)
{
    uint64_t gap =
        r->behind && like >= r->behind ? like - r->behind : UINT64_MAX;
    uint64_t at = gap <= VV_PAGE_ALIGNMENT
                      ? r->ready.size + gap
                      : vv_data_place_like(r->ready.size, like);
    chunks_out_add_zeros(&r->ready, (size_t)(at - r->ready.size));
}

/* Adds a chunk to the buffer, and writes the buffer when it is full.
 * `job->place` has the offset in the region. */
static varve_status make_ready(
    void *user, const struct vv_chunk_job *job, varve_error *error)
{
    struct rounds *r = user;
    const struct vv_pack *pack = &job->place.pack;
    if (!job->frame)
        place_plain(r, job->place.offset);
    vv_buffer_add64(r->out->locations, r->ready.size);
    vv_buffer_add32(r->out->locations, job->frame ? pack->size : 0);
    vv_buffer_add(&r->ready, job->frame ? job->frame : job->bytes,
        job->frame ? pack->size : (size_t)job->size);
    r->behind = job->frame ? 0 : job->place.offset + job->size;
    if (r->ready.size < VV_ROUND_SIZE && !r->ready.failed)
        return VARVE_OK;
    return take_round(r, VARVE_OK, false, error);
}

static varve_status chunks_out_report(
    const struct rounds *r, const struct vv_share_chunk *c, varve_error *error)
{
    const varve_write_options *o = &r->out->save_plan->options;
    if (o->progress && o->progress(o->progress_user, c->offset + c->size,
                           r->out->share->size, ""))
        return vv_fail(error, VARVE_CANCELLED, "%s: cancelled", r->out->path);
    return VARVE_OK;
}

/* The part that was read last. */
struct look {
    const struct vv_part *part;
    struct vv_source source;
    struct vv_buffer scratch;
};

static varve_status chunks_out_write_chunk(struct rounds *r,
    const struct vv_share_chunk *c, struct look *look, varve_error *error)
{
    const unsigned char *bytes;
    const struct vv_part *part = c->part;
    if (look->part != part)
        VV_TRY(vv_save_plan_source(part->save_plan, part->value, &look->scratch,
            &look->source, error));
    look->part = part;
    VV_TRY(vv_source_piece(
        &look->source, part->begin + c->begin, c->size, &bytes, error));
    const struct vv_chunk_job job = { .bytes = bytes,
        .stays = look->source.bytes && look->source.bytes != look->scratch.data,
        .size = c->size,
        .planes = c->planes,
        .place = { .offset = c->offset } };
    return r->line ? vv_pack_line_add(r->line, &job, error)
                   : make_ready(r, &job, error);
}

static varve_status chunks_out_write_chunks(
    struct rounds *r, struct look *look, varve_error *error)
{
    struct vv_share_chunk chunk;
    struct vv_share_walk walk = vv_share_begin(r->out->share);
    for (size_t i = 0; vv_share_next(&walk, &chunk); i++) {
        if (vv_is_ordered(r->out->bits, i))
            VV_TRY(chunks_out_write_chunk(r, &chunk, look, error));
        VV_TRY(chunks_out_report(r, &chunk, error));
    }
    return r->line ? vv_pack_line_end(r->line, error) : VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static size_t count_files(const struct rounds *r)
{
    return r->out->comm->rank == 0 ? r->out->merge->file_count : 0;
}

static varve_status chunks_out_begin(struct rounds *r, varve_error *error)
{
    const struct vv_context *context = &r->out->save_plan->context;
    const varve_allocator *a = &context->allocator;
    size_t ranks = r->out->comm->size, files = count_files(r);
    int level = r->out->save_plan->options.compress;
    r->answer = vv_allocate_array(a, ranks + 1, sizeof *r->answer);
    bool has_memory = r->answer;
    if (r->out->comm->rank == 0) {
        r->received = vv_allocate_array(a, ranks * WORDS, sizeof *r->received);
        r->ends = vv_allocate_array(a, files, sizeof *r->ends);
        has_memory &= r->received && r->ends;
    }
    for (size_t i = 0; r->ends && i < files; i++)
        r->ends[i] = VV_PAGE_ALIGNMENT;
    if (level > 0)
        r->line = vv_pack_line_new(context, level, make_ready, r);
    return has_memory && (level == 0 || r->line)
               ? VARVE_OK
               : vv_fail_memory(error, "chunks of a save");
}

static void chunks_out_end(struct rounds *r)
{
    const varve_allocator *a = &r->out->save_plan->context.allocator;
    size_t ranks = r->out->comm->size;
    vv_pack_line_free(r->line);
    vv_buffer_clear(&r->ready);
    if (r->answer)
        vv_release(a, r->answer, (ranks + 1) * sizeof *r->answer);
    if (r->received)
        vv_release(a, r->received, ranks * WORDS * sizeof *r->received);
    if (r->ends)
        vv_release(a, r->ends, count_files(r) * sizeof *r->ends);
}

/* Writes all chunks, and takes part in rounds until all ranks are done. Must be
 * called on all ranks or on none. */
static varve_status chunks_out_write_all(struct rounds *r, varve_error *error)
{
    struct look look = { .part = NULL };
    vv_buffer_init(&look.scratch, &r->out->save_plan->context.allocator);
    varve_status status = chunks_out_write_chunks(r, &look, error);
    while (!r->is_over)
        status = take_round(r, status, true, error);
    vv_buffer_clear(&look.scratch);
    return status;
}

varve_status vv_chunks_write(
    struct vv_chunks_out *out, varve_status status, varve_error *error)
{
    struct rounds r = { .out = out };
    vv_buffer_init(&r.ready, &out->save_plan->context.allocator);
    if (!status)
        status = chunks_out_begin(&r, error);
    status = vv_agree(out->comm, status, error);
    out->is_agreed = status != VARVE_OK;
    if (!status)
        status = chunks_out_write_all(&r, error);
    chunks_out_end(&r);
    if (!status && out->locations->failed)
        status = vv_fail_memory(error, "chunks of a save");
    return status;
}
