/* reading.c - Reads values with several threads: small neighboring values
 * together, large ones chunk by chunk, directly into their memory if possible.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reading.h"

#include <string.h>

#include "allocator.h"
#include "division.h"
#include "failure.h"
#include "paged_columns.h"
#include "layout.h"
#include "monitor.h"
#include "salvage.h"
#include "try.h"
#include "worker.h"

enum {
    MOST_GAP = 8192,            /* gaps up to this size are read too */
    BYTES_PER_WORKER = 4 << 20, /* fewer are not worth a thread */
    RUNS_AHEAD = 16,            /* runs announced ahead */
    SHARE = 4, /* runs taken at once: fewer huge pages are cleared twice */
    BUFFER_ALIGNMENT = 64,
    PLACE_ALIGNMENT = 32 /* minimum alignment, see reading_place_of */
};

/* Neighboring values with unread moves between them, or one chunk. */
struct run {
    uint32_t first;
    uint32_t count;
    uint32_t chunk;
};

struct pass {
    struct vv_reading *reading;
    struct run *runs;
    size_t run_count;
    size_t run_capacity;
    size_t buffer_size;
    unsigned char *buffers[VV_MAX_WORKERS];
    atomic_size_t next_run;
    atomic_uint_fast64_t done;
    atomic_int has_failed; /* set by the thread that sets the rest */
    varve_status status;
    varve_error error;
};

static const struct vv_index *reading_index_of(const struct vv_reading *reading)
{
    return &reading->d->file->parsed.index;
}

static uint64_t reading_offset_of(const struct vv_reading *r, size_t move)
{
    return vv_at64(reading_index_of(r)->value_offsets, r->moves[move].value);
}

static uint64_t reading_size_of(const struct vv_reading *r, size_t move)
{
    return vv_at64(reading_index_of(r)->value_sizes, r->moves[move].value);
}

/* Returns true if a move belongs to the part that is read in this pass. */
static bool is_in_pass(const struct vv_reading *r, const struct vv_move *move)
{
    bool is_divided = r->division && move->needs > r->division->need;
    return !(move->is_fixed ? r->skips_fixed : r->only_fixed) &&
           !(is_divided ? r->skips_divided : r->only_divided);
}

static inline bool is_read(const struct vv_reading *reading, size_t move)
{
    const struct vv_move *m = &reading->moves[move];
    uint64_t first = 0;
    if ((reading->only_fixed || reading->skips_fixed || reading->only_divided ||
            reading->skips_divided) &&
        !is_in_pass(reading, m))
        return false;
    return m->mode != VV_MOVE_MAPPED && reading_size_of(reading, move) > 0 &&
           (!m->is_boxed || vv_move_reads(reading->d, m, &first));
}

/* Small values are read completely, regardless of the order of their pieces. */
static bool is_small(const struct vv_reading *reading, size_t move)
{
    return reading_size_of(reading, move) <= VV_SMALL_VALUE;
}

uint64_t vv_reading_size(const struct vv_reading *reading)
{
    uint64_t size = 0;
    for (size_t i = 0; i < reading->count; i++) {
        if (is_read(reading, i))
            size += is_small(reading, i)
                        ? reading_size_of(reading, i)
                        : vv_move_size(reading->d, &reading->moves[i]);
    }
    return size;
}

/* --- Runs --------------------------------------------------------------- */

static bool reading_add_run(struct pass *pass, struct run run, uint64_t size)
{
    if (!vv_grow_array(&pass->reading->d->pairing->context.allocator,
            &pass->runs, &pass->run_capacity, pass->run_count, sizeof run))
        return false;
    if (size > pass->buffer_size)
        pass->buffer_size = (size_t)size;
    pass->runs[pass->run_count++] = run;
    return true;
}

/* Returns the number of moves from `first` on that are read together. */
static size_t neighbours(const struct vv_reading *reading, size_t first)
{
    uint64_t begin = reading_offset_of(reading, first);
    uint64_t end = begin + reading_size_of(reading, first);
    size_t last = first;
    for (size_t next = first + 1; next < reading->count; next++) {
        uint64_t offset = reading_offset_of(reading, next);
        uint64_t size = reading_size_of(reading, next);
        if (!is_read(reading, next))
            continue;
        if (size > VV_SMALL_VALUE || offset < end || offset - end > MOST_GAP ||
            offset + size - begin > VV_CHUNK_SIZE)
            break;
        end = offset + size;
        last = next;
    }
    return last + 1 - first;
}

static bool reading_add_chunks(struct pass *pass, size_t move)
{
    const struct vv_reading *reading = pass->reading;
    const struct vv_move *m = &reading->moves[move];
    uint64_t size = reading_size_of(reading, move);
    for (uint64_t c = 0; vv_move_reads(reading->d, m, &c); c++) {
        if (!reading_add_run(pass,
                (struct run){ (uint32_t)move, 1, (uint32_t)c },
                size < VV_CHUNK_SIZE ? size : VV_CHUNK_SIZE))
            return false;
    }
    return true;
}

static bool make_runs(struct pass *pass)
{
    const struct vv_reading *reading = pass->reading;
    size_t i = 0;
    while (i < reading->count) {
        size_t together = 1;
        if (is_read(reading, i) && is_small(reading, i)) {
            together = neighbours(reading, i);
            uint64_t end = reading_offset_of(reading, i + together - 1) +
                           reading_size_of(reading, i + together - 1);
            if (!reading_add_run(pass,
                    (struct run){ (uint32_t)i, (uint32_t)together, 0 },
                    end - reading_offset_of(reading, i)))
                return false;
        } else if (is_read(reading, i) && !reading_add_chunks(pass, i)) {
            return false;
        }
        i += together;
    }
    return true;
}

/* --- One run ------------------------------------------------------------ */

static inline varve_status reading_check_piece(const struct vv_reading *reading,
    size_t move, uint64_t chunk, const void *bytes, varve_error *error)
{
    const struct vv_move *m = &reading->moves[move];
    return vv_check_piece(reading->d, m->node, m->value, chunk, bytes,
        reading->is_verified, error);
}

static varve_status put_piece(const struct vv_reading *reading,
    struct vv_move *m, uint64_t chunk, void *bytes, size_t size,
    varve_error *error)
{
    struct vv_chunk_part part;
    if (!m->is_boxed)
        return vv_move_bytes(
            reading->d, m, chunk * VV_CHUNK_SIZE, bytes, size, error);
    vv_part_of_chunk(&reading->d->file->parsed, m->value, chunk, &part);
    return vv_move_part(reading->d, m, &part, bytes, error);
}

static varve_status reading_take_piece(const struct vv_reading *reading,
    size_t move, uint64_t chunk, void *bytes, size_t size, varve_error *error)
{
    struct vv_move *m = &reading->moves[move];
    VV_TRY(reading_check_piece(reading, move, chunk, bytes, error));
    if (reading->only_verify && !m->is_fixed)
        return VARVE_OK;
    bool takes_turns = reading->turns && vv_move_goes_far(m);
    if (takes_turns)
        vv_monitor_enter(reading->turns);
    varve_status status = put_piece(reading, m, chunk, bytes, size, error);
    if (takes_turns)
        vv_monitor_leave(reading->turns);
    return status;
}

/* Bools are checked in a buffer before they are written to memory of the
 * program, because a failed read would leave invalid ones there. */
static bool has_bools_in_place(
    const struct vv_reading *reading, const struct vv_move *move)
{
    return reading_index_of(reading)->value_dtypes[move->value] == VARVE_BOOL &&
           !move->is_fresh && !move->is_staged;
}

/* Returns the address that the bytes of a chunk can be read to directly, or
 * NULL. The kernel takes two to four times as long for an unaligned address,
 * more than a copy from a buffer (bench/notebook.md). */
static void *reading_place_of(const struct vv_reading *reading,
    const struct vv_move *move, uint64_t chunk)
{
    bool gathers = vv_move_gathers(move);
    unsigned char *place = gathers ? move->block : move->target;
    struct vv_chunk_part part;
    if (reading->only_verify || move->mode == VV_MOVE_VERIFY ||
        vv_move_copies_in(move) || move->is_fixed ||
        has_bools_in_place(reading, move))
        return NULL;
    if (move->is_boxed) {
        vv_part_of_chunk(&reading->d->file->parsed, move->value, chunk, &part);
        place = vv_move_place(reading->d, move, &part);
    } else if (gathers || (move->mode == VV_MOVE_PLAIN && !VV_BIG_ENDIAN)) {
        place += chunk * VV_CHUNK_SIZE;
    } else {
        return NULL;
    }
    return (uintptr_t)place % PLACE_ALIGNMENT ? NULL : place;
}

static varve_status reading_read_chunk(const struct vv_reading *reading,
    const struct run *run, void *buffer, varve_error *error)
{
    const struct vv_delivery *d = reading->d;
    struct vv_move *move = &reading->moves[run->first];
    uint64_t offset;
    size_t size;
    vv_opened_chunk(d->file, move->value, run->chunk, &offset, &size);
    void *place = reading_place_of(reading, move, run->chunk);
    if (!place)
        place = buffer;
    else if (!move->is_fresh && !move->is_staged && !vv_move_gathers(move))
        atomic_store_explicit(&move->is_touched, true, memory_order_relaxed);
    varve_status status = vv_opened_read(d->file, offset, place, size, error);
    if (status)
        return status;
    if (place == buffer)
        return reading_take_piece(
            reading, run->first, run->chunk, buffer, size, error);
    return reading_check_piece(reading, run->first, run->chunk, place, error);
}

/* Stores a small value, whose bytes have all been read. */
static varve_status reading_take_all(const struct vv_reading *reading,
    size_t move, unsigned char *bytes, varve_error *error)
{
    const struct vv_move *m = &reading->moves[move];
    uint64_t offset;
    size_t size;
    if (!m->is_boxed)
        return reading_take_piece(reading, move, 0, bytes,
            (size_t)reading_size_of(reading, move), error);
    for (uint64_t c = 0; vv_move_reads(reading->d, m, &c); c++) {
        vv_opened_chunk(reading->d->file, m->value, c, &offset, &size);
        VV_TRY(reading_take_piece(reading, move, c,
            bytes + (offset - reading_offset_of(reading, move)), size, error));
    }
    return VARVE_OK;
}

/* Returns true if the values of a run should be read one by one, since bytes
 * between them may have failed. A failed system call is always reported, except
 * in a salvage. */
static bool may_do_without(const struct vv_delivery *d, varve_status status)
{
    return vv_is_damage(status) &&
           (status == VARVE_CORRUPT ||
               d->pairing->selection.options.salvage.on);
}

/* Reads only the needed pieces of a run, one by one. */
static varve_status read_separately(const struct vv_reading *reading,
    const struct run *run, unsigned char *buffer, varve_error *error)
{
    const struct vv_delivery *d = reading->d;
    uint64_t begin = reading_offset_of(reading, run->first);
    for (size_t i = run->first; i < run->first + run->count; i++) {
        const struct vv_move *m = &reading->moves[i];
        uint64_t offset;
        size_t size;
        for (uint64_t c = 0; is_read(reading, i) && vv_move_reads(d, m, &c);
             c++) {
            vv_opened_chunk(d->file, m->value, c, &offset, &size);
            VV_TRY(vv_opened_read(
                d->file, offset, buffer + (offset - begin), size, error));
        }
    }
    return VARVE_OK;
}

/* Returns true if the values of a run are staged with the same distances as in
 * the file, so that they can be read there at once. The program cannot access
 * the staging before everything is verified, and the bytes between the values
 * belong to no variable. */
static bool is_staged_alike(
    const struct vv_reading *reading, const struct run *run)
{
    const struct vv_move *first = &reading->moves[run->first];
    const uint64_t begin = reading_offset_of(reading, run->first);
    const uintptr_t target = (uintptr_t)first->target;
    if (VV_BIG_ENDIAN || reading->only_verify || reading->only_fixed ||
        reading->only_divided || reading->skips_divided ||
        target % PLACE_ALIGNMENT != 0)
        return false;
    for (size_t i = run->first; i < run->first + run->count; i++) {
        const struct vv_move *m = &reading->moves[i];
        if (!m->is_staged || m->mode != VV_MOVE_PLAIN || m->is_boxed ||
            reading_size_of(reading, i) == 0 ||
            reading_offset_of(reading, i) - begin !=
                (uintptr_t)m->target - target)
            return false;
    }
    return true;
}

static varve_status read_together(const struct vv_reading *reading,
    const struct run *run, unsigned char *buffer, varve_error *error)
{
    const struct vv_delivery *d = reading->d;
    size_t last = run->first + run->count - 1;
    uint64_t begin = reading_offset_of(reading, run->first);
    uint64_t end =
        reading_offset_of(reading, last) + reading_size_of(reading, last);
    bool is_alike = is_staged_alike(reading, run);
    if (is_alike)
        buffer = reading->moves[run->first].target;
    varve_status status =
        vv_opened_read(d->file, begin, buffer, (size_t)(end - begin), error);
    if (may_do_without(d, status))
        status = read_separately(reading, run, buffer, error);
    for (size_t i = run->first; i <= last && !status; i++) {
        if (is_alike)
            status = reading_check_piece(
                reading, i, 0, reading->moves[i].target, error);
        else if (is_read(reading, i))
            status = reading_take_all(reading, i,
                buffer + (reading_offset_of(reading, i) - begin), error);
    }
    return status;
}

/* --- The pass ----------------------------------------------------------- */

static void reading_fail(
    struct pass *pass, varve_status status, const varve_error *error)
{
    if (atomic_exchange(&pass->has_failed, 1) == 0) {
        pass->status = status;
        pass->error = *error;
    }
}

/* Reports progress. Only the calling thread does so. */
static void reading_report(
    struct pass *pass, unsigned worker, const struct run *run)
{
    const struct vv_reading *reading = pass->reading;
    const varve_read_options *options = reading->d->options;
    if (worker != 0 || !options->progress)
        return;
    varve_error error = { 0 };
    const char *what =
        vv_node_text(reading->moves[run->first].node, error.message, 256);
    if (options->progress(options->progress_user, reading->before + pass->done,
            reading->total, what) &&
        !reading->is_final)
        reading_fail(pass,
            vv_fail(&error, VARVE_CANCELLED, "%s: cancelled",
                reading->d->file->path),
            &error);
}

static uint64_t run_size(
    const struct vv_reading *reading, const struct run *run, bool together)
{
    uint64_t size = 0;
    for (size_t i = 0; together && i < run->count; i++) {
        if (is_read(reading, run->first + i))
            size += reading_size_of(reading, run->first + i);
    }
    if (together)
        return size;
    return vv_opened_chunk_size(
        reading->d->file, reading->moves[run->first].value, run->chunk);
}

/* Returns a run. Verified values are read again in reverse order: if the file
 * does not fit into the page cache, its end is still cached, and reading from
 * the beginning would evict it. */
static const struct run *run_at(const struct pass *pass, size_t at)
{
    return &pass->runs[pass->reading->is_final ? pass->run_count - 1 - at : at];
}

static bool is_together(const struct pass *pass, const struct run *run)
{
    return run->count > 1 || is_small(pass->reading, run->first);
}

/* Returns the number of bytes of the file that a run covers. */
static uint64_t reach_of(const struct pass *pass, const struct run *run)
{
    const struct vv_reading *reading = pass->reading;
    size_t last = run->first + run->count - 1;
    if (!is_together(pass, run))
        return run_size(reading, run, false);
    return reading_offset_of(reading, last) + reading_size_of(reading, last) -
           reading_offset_of(reading, run->first);
}

static void reading_will_read(const struct pass *pass, size_t at)
{
    const struct vv_reading *reading = pass->reading;
    const struct vv_system *system = reading->d->pairing->context.system;
    int file;
    uint64_t offset;
    if (at >= pass->run_count)
        return;
    const struct run *run = run_at(pass, at);
    if (vv_opened_locate(
            reading->d->file, reading->moves[run->first].value, &file, &offset))
        system->will_read(system->state, file,
            offset + (uint64_t)run->chunk * VV_CHUNK_SIZE, reach_of(pass, run));
}

/* Announces the next runs. The system detects a forward read itself, but not a
 * backward one. Announcing cached data costs next to nothing. */
static void reading_advise_ahead(const struct pass *pass, size_t at)
{
    if (!pass->reading->is_final)
        return;
    for (size_t i = 1; at == 0 && i < RUNS_AHEAD; i++)
        reading_will_read(pass, i);
    reading_will_read(pass, at + RUNS_AHEAD);
}

/* Announces all reads to a system that prefetches. */
static void reading_plan(const struct pass *pass)
{
    const struct vv_reading *reading = pass->reading;
    for (size_t i = 0; i < pass->run_count; i++) {
        const struct run *run = run_at(pass, i);
        vv_opened_plan(reading->d->file, pass,
            reading_offset_of(reading, run->first) +
                (uint64_t)run->chunk * VV_CHUNK_SIZE,
            reach_of(pass, run));
    }
}

static void read_run(struct pass *pass, size_t at, unsigned worker)
{
    const struct run *run = run_at(pass, at);
    void *buffer = pass->buffers[worker];
    const struct vv_reading *reading = pass->reading;
    bool together = is_together(pass, run);
    varve_error error = { 0 };
    reading_advise_ahead(pass, at);
    reading_report(pass, worker, run);
    varve_status status =
        pass->has_failed ? VARVE_OK
        : together       ? read_together(reading, run, buffer, &error)
                         : reading_read_chunk(reading, run, buffer, &error);
    if (status)
        reading_fail(pass, status, &error);
    if (reading->d->options->progress)
        atomic_fetch_add(&pass->done, run_size(reading, run, together));
}

/* The calling thread takes the first share. Only it can ask the program to
 * cancel, and the others might otherwise take all runs. */
static void reading_work(void *user, unsigned worker)
{
    struct pass *pass = user;
    size_t at = worker == 0 ? 0 : atomic_fetch_add(&pass->next_run, SHARE);
    for (; !pass->has_failed && at < pass->run_count;
         at = atomic_fetch_add(&pass->next_run, SHARE)) {
        for (size_t i = at; i < at + SHARE && i < pass->run_count; i++) {
            if (!pass->has_failed)
                read_run(pass, i, worker);
        }
    }
}

/* Keeps the runs of this process. Runs of other processes count as done. */
static void keep_part(struct pass *pass)
{
    const struct vv_division *division = pass->reading->division;
    uint64_t all = pass->run_count;
    size_t begin = (size_t)(all * division->at / division->parts);
    size_t end = (size_t)(all * (division->at + 1) / division->parts);
    uint64_t others = 0;
    for (size_t i = 0; i < pass->run_count; i++) {
        const struct run *run = &pass->runs[i];
        if (i < begin || i >= end)
            others += run_size(pass->reading, run, is_together(pass, run));
        else
            pass->runs[i - begin] = *run;
    }
    pass->run_count = end - begin;
    atomic_init(&pass->done, others);
}

static varve_status run_pass(struct pass *pass, varve_error *error)
{
    struct vv_reading *reading = pass->reading;
    const struct vv_context *context = &reading->d->pairing->context;
    uint64_t size = 0;
    for (size_t i = 0; i < pass->run_count; i++)
        size += reach_of(pass, &pass->runs[i]);
    unsigned workers = vv_worker_count_for(context,
        reading->d->options->resources.threads, 1 + size / BYTES_PER_WORKER);
    if (reading->has_far && !reading->only_verify && workers > 1) {
        reading->turns = vv_monitor_new(&context->allocator);
        workers = reading->turns ? workers : 1;
    }
    /* If there is not enough memory, fewer workers are used, at least one. */
    for (unsigned i = 0; i < workers; i++) {
        pass->buffers[i] = vv_allocate_aligned(
            &context->allocator, pass->buffer_size, BUFFER_ALIGNMENT);
        if (!pass->buffers[i] && i == 0)
            return vv_fail_memory(error, "a buffer for reading");
        if (!pass->buffers[i])
            workers = i;
    }
    pass->next_run = SHARE;
    reading_plan(pass);
    vv_run_workers(context, workers, reading_work, pass);
    vv_opened_drop_plan(reading->d->file, pass);
    if (pass->has_failed && error)
        *error = pass->error;
    return pass->has_failed ? pass->status : VARVE_OK;
}

static varve_status read_pass(struct vv_reading *reading, varve_error *error)
{
    const varve_allocator *a = &reading->d->pairing->context.allocator;
    struct pass *pass = vv_allocate_zeroed(a, sizeof *pass);
    if (!pass)
        return vv_fail_memory(error, "reading values");
    pass->reading = reading;
    varve_status status = VARVE_OK;
    if (!make_runs(pass))
        status = vv_fail_memory(error, "reading values");
    else if (reading->only_divided)
        keep_part(pass);
    if (!status && pass->run_count)
        status = run_pass(pass, error);
    if (!status) /* otherwise chunks of unknown places would be skipped */
        status = vv_index_failure(reading_index_of(reading), error);
    vv_index_recover(reading_index_of(reading));
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_release_aligned(
            a, pass->buffers[i], pass->buffer_size, BUFFER_ALIGNMENT);
    vv_opened_rest(reading->d->file);
    vv_monitor_free(a, reading->turns);
    reading->turns = NULL;
    vv_release(a, pass->runs, pass->run_capacity * sizeof *pass->runs);
    vv_release(a, pass, sizeof *pass);
    return status;
}

varve_status vv_read_moves(struct vv_reading *reading, varve_error *error)
{
    uint64_t before = reading->before;
    if (!reading->division)
        return read_pass(reading, error);
    reading->only_divided = true;
    uint64_t size = vv_reading_size(reading);
    varve_status status = read_pass(reading, error);
    reading->before += size;
    reading->only_divided = false;
    reading->skips_divided = true;
    if (!status)
        status = read_pass(reading, error);
    reading->skips_divided = false;
    reading->before = before;
    return status;
}
