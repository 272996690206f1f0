/* chunks_out.c - Writes chunks in rounds: each rank prepares some chunks, gets
 * an offset from rank 0, and writes them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chunks_out.h"

#include <string.h>

#include "allocator.h"
#include "data_out.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "merge_chunks.h"
#include "pack_line.h"
#include "try.h"

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

static varve_status chunks_out_meet(struct rounds *r, varve_status status,
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
    status = chunks_out_meet(r, status, is_last, &offset, error);
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
