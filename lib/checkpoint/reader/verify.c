/* verify.c - Verifies every byte of the data of a file: the checksums of the
 * values, and zeros between them. The rest was verified when the file was
 * opened.
 *
 * The data is divided into chunks of values and the padding before each.
 * Workers take runs of neighboring chunks. Damage is collected and reported at
 * the end, in order.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/reader.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "bool_bytes.h"
#include "bytes.h"
#include "failure.h"
#include "layout.h"
#include "monitor.h"
#include "piece_table.h"
#include "reader.h"
#include "reader_names.h"
#include "try.h"
#include "worker.h"

/* The maximum size of a span: a chunk and the padding before it. */
enum { SPAN_SIZE = VV_CHUNK_SIZE + VV_PAGE_ALIGNMENT };

/* A range of the file that is read at once. Values of a single chunk that begin
 * in it also end in it. */
struct span {
    uint64_t begin;
    uint64_t end;
    uint32_t value; /* the first value with bytes in the span */
    uint32_t chunk; /* the chunk of that value */
};

struct damage {
    uint64_t offset;
    uint64_t size;
    uint32_t value;   /* VV_NONE: padding */
    const char *what; /* NULL: checksum or padding (in other formats checksum
                         or structure); otherwise a description of the damage */
};

static const char bad_bool[] = "a bool is neither 0 nor 1";

struct verification {
    varve_reader *reader;
    const varve_verify_options *options;
    struct span *spans;
    size_t span_count;
    size_t span_capacity;
    size_t buffer_size; /* size of the longest span */
    unsigned char *buffers[VV_MAX_WORKERS];
    size_t share; /* the spans of this process: each `share_count`th from
                     this one on */
    size_t share_count;
    atomic_size_t next;
    atomic_uint_fast64_t done;
    /* The thread that sets it also sets `status` and `error`. */
    atomic_int is_stopped;
    struct vv_monitor *monitor; /* guards `damages` */
    struct vv_buffer damages;
    atomic_int has_foreign_error; /* the thread that sets it also sets
                                     `foreign_error` */
    varve_error foreign_error;    /* the first error of a value in another
                                     format */
    varve_status status;
    varve_error error;
};

static const struct vv_index *verify_index_of(const struct verification *v)
{
    return &v->reader->file.parsed.index;
}

static uint64_t chunks_of(const struct verification *v, uint32_t value)
{
    return vv_value_chunks(
        verify_index_of(v), &v->reader->file.parsed.table, value);
}

static bool has_digests(const struct verification *v)
{
    return vv_opened_has_digests(&v->reader->file);
}

/* --- Spans -------------------------------------------------------------- */

static bool add_span(struct verification *v, struct span span)
{
    if (!vv_grow_array(&v->reader->context.allocator, &v->spans,
            &v->span_capacity, v->span_count, sizeof span))
        return false;
    v->spans[v->span_count++] = span;
    return true;
}

/* Adds a span from the end of the last one to `end`, or extends the last one if
 * it still fits into a buffer. */
static bool cover(
    struct verification *v, uint64_t end, uint32_t value, uint32_t chunk)
{
    struct span *last = v->span_count ? &v->spans[v->span_count - 1] : NULL;
    uint64_t begin = last ? last->end : VV_HEADER_SIZE;
    /* In other formats a value can fail while it is decoded, so each has its
     * own span. */
    bool may_grow = has_digests(v);
    if (last && may_grow && end - last->begin <= SPAN_SIZE) {
        last->end = end;
        return true;
    }
    return begin == end ||
           add_span(v, (struct span){ begin, end, value, chunk });
}

static bool make_spans(struct verification *v)
{
    const struct vv_index *index = verify_index_of(v);
    for (uint32_t value = 0; value < index->value_count; value++) {
        uint64_t chunks = chunks_of(v, value);
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            uint64_t offset;
            size_t size;
            vv_opened_chunk(&v->reader->file, value, chunk, &offset, &size);
            if (!cover(v, offset + size, value, chunk))
                return false;
        }
    }
    return cover(v, v->reader->file.data_end, index->value_count, 0);
}

/* Returns the size of the longest span. Buffers of this size keep the memory
 * for small files small. */
static size_t longest_span(const struct verification *v)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < v->span_count; i++) {
        uint64_t size = v->spans[i].end - v->spans[i].begin;
        longest = size > longest ? size : longest;
    }
    return (size_t)longest;
}

/* --- One span ----------------------------------------------------------- */

static void add_damage(struct verification *v, struct damage damage)
{
    vv_monitor_enter(v->monitor);
    vv_buffer_add(&v->damages, &damage, sizeof damage);
    vv_monitor_leave(v->monitor);
}

static void check_padding(struct verification *v, const unsigned char *bytes,
    uint64_t begin, uint64_t end)
{
    for (uint64_t at = begin; at < end; at++) {
        if (bytes[at - begin] != 0) {
            add_damage(v, (struct damage){ at, end - at, VV_NONE, NULL });
            return;
        }
    }
}

/* Adds damage of a value in another format, which is good or damaged as a
 * whole. */
static void add_foreign_damage(struct verification *v, uint32_t value,
    const char *what, const varve_error *error)
{
    const struct vv_index *index = verify_index_of(v);
    if (atomic_exchange(&v->has_foreign_error, 1) == 0)
        v->foreign_error = *error;
    add_damage(v, (struct damage){ vv_at64(index->value_offsets, value),
                      vv_at64(index->value_sizes, value), value, what });
}

static void check_foreign(struct verification *v, uint32_t value,
    uint32_t chunk, const unsigned char *bytes)
{
    varve_error error = { 0 };
    const struct vv_opened *file = &v->reader->file;
    const char *path = vv_reader_node_path(
        v->reader, vv_at32(verify_index_of(v)->value_nodes, value));
    if (vv_opened_check_sum(file, value, chunk, bytes, path, &error))
        add_foreign_damage(v, value, NULL, &error);
    else if (vv_opened_check_bools(file, value, chunk, bytes, path, &error))
        add_foreign_damage(v, value, bad_bool, &error);
}

static void verify_stop(
    struct verification *v, varve_status status, const varve_error *error)
{
    if (atomic_exchange(&v->is_stopped, 1) == 0) {
        v->status = status;
        v->error = *error;
    }
}

/* Checks a chunk. Its checksum may have to be read first, so other failures
 * than damage are possible. */
static void verify_check_chunk(struct verification *v, uint32_t value,
    uint32_t chunk, const unsigned char *bytes)
{
    uint64_t offset;
    size_t size;
    if (!has_digests(v)) {
        check_foreign(v, value, chunk, bytes);
        return;
    }
    vv_opened_chunk(&v->reader->file, value, chunk, &offset, &size);
    varve_error error = { 0 };
    varve_status status = vv_opened_check_sum(
        &v->reader->file, value, chunk, bytes, NULL, &error);
    if (status == VARVE_CORRUPT)
        add_damage(v, (struct damage){ offset, size, value, NULL });
    else if (status)
        verify_stop(v, status, &error);
    else if (vv_opened_check_bools(
                 &v->reader->file, value, chunk, bytes, NULL, NULL))
        add_damage(v, (struct damage){ offset + vv_bool_bytes_find(bytes, size),
                          1, value, bad_bool });
}

/* Checks the chunks of a span in order, and the padding between them. */
static void check_span(
    struct verification *v, const struct span *span, const unsigned char *bytes)
{
    const struct vv_index *index = verify_index_of(v);
    uint64_t at = span->begin;
    uint32_t value = span->value;
    uint32_t chunk = span->chunk;
    while (value < index->value_count) {
        if (chunk >= chunks_of(v, value)) {
            value++;
            chunk = 0;
            continue;
        }
        uint64_t offset;
        size_t size;
        vv_opened_chunk(&v->reader->file, value, chunk, &offset, &size);
        if (offset + size > span->end)
            break;
        check_padding(v, bytes + (at - span->begin), at, offset);
        verify_check_chunk(v, value, chunk, bytes + (offset - span->begin));
        at = offset + size;
        chunk++;
    }
    check_padding(v, bytes + (at - span->begin), at, span->end);
}

/* Reads the chunks of a span one by one after the whole span failed. In Varve
 * files this happens only with compressed chunks. */
static varve_status check_separately(struct verification *v,
    const struct span *span, unsigned char *bytes, varve_error *error)
{
    const struct vv_index *index = verify_index_of(v);
    uint32_t chunk = span->chunk;
    for (uint32_t value = span->value; value < index->value_count; value++) {
        for (uint64_t chunks = chunks_of(v, value); chunk < chunks; chunk++) {
            uint64_t offset;
            size_t size;
            vv_opened_chunk(&v->reader->file, value, chunk, &offset, &size);
            if (offset + size > span->end)
                return VARVE_OK;
            varve_status status =
                vv_opened_read(&v->reader->file, offset, bytes, size, error);
            if (status && status != VARVE_CORRUPT)
                return status;
            if (status)
                add_damage(v, (struct damage){ offset, size, value, NULL });
            else
                verify_check_chunk(v, value, chunk, bytes);
        }
        chunk = 0;
    }
    return VARVE_OK;
}

static void verify_report(struct verification *v, const struct span *span)
{
    const struct vv_index *index = verify_index_of(v);
    varve_error error = { 0 };
    const char *what = "";
    if (!v->options->progress)
        return;
    if (span->value < index->value_count)
        what = vv_reader_node_path(
            v->reader, vv_at32(index->value_nodes, span->value));
    if (v->options->progress(v->options->progress_user, v->done,
            v->reader->file.data_end - VV_HEADER_SIZE, what)) {
        vv_fail(&error, VARVE_CANCELLED, "%s: cancelled", v->reader->file.path);
        verify_stop(v, VARVE_CANCELLED, &error);
    }
}

static void verify_work(void *user, unsigned worker)
{
    struct verification *v = user;
    size_t at;
    while (!v->is_stopped &&
           (at = v->share + v->share_count * atomic_fetch_add(&v->next, 1)) <
               v->span_count) {
        const struct span *span = &v->spans[at];
        varve_error error = { 0 };
        /* Worker 0 is the calling thread. Only it calls functions of the
         * program. */
        if (worker == 0)
            verify_report(v, span);
        varve_status status = vv_opened_read(&v->reader->file, span->begin,
            v->buffers[worker], (size_t)(span->end - span->begin), &error);
        /* Formats without checksums detect damage only when they decode. */
        if (status && !has_digests(v) &&
            (status == VARVE_CORRUPT || status == VARVE_TRUNCATED))
            add_foreign_damage(v, span->value, NULL, &error);
        else if (status == VARVE_CORRUPT && !(status = check_separately(v, span,
                                                  v->buffers[worker], &error)))
            ;
        else if (status)
            verify_stop(v, status, &error);
        else
            check_span(v, span, v->buffers[worker]);
        v->done += span->end - span->begin;
    }
}

/* --- Strings -------------------------------------------------------------- */

/* Sets *fit to true if the lengths of the strings of a value add up to the size
 * of their text. */
static varve_status verify_check_lengths(const struct verification *v,
    uint32_t value, uint64_t count, bool *fit, varve_error *error)
{
    unsigned char *bytes = v->buffers[0];
    uint64_t left = vv_at64(verify_index_of(v)->value_sizes, value) - 8 * count;
    *fit = true;
    uint32_t node = vv_at32(verify_index_of(v)->value_nodes, value);
    for (uint64_t chunk = 0, done = 0; done < count && *fit; chunk++) {
        uint64_t offset;
        size_t size;
        vv_opened_chunk(&v->reader->file, value, chunk, &offset, &size);
        VV_TRY(
            vv_reader_read_chunk(v->reader, node, value, chunk, bytes, error));
        for (size_t at = 0; at < size && done < count && *fit; at += 8) {
            uint64_t length = vv_load64(bytes + at);
            *fit = length <= left;
            left -= *fit ? length : 0;
            done++;
        }
    }
    *fit = *fit && left == 0;
    return VARVE_OK;
}

static bool is_damaged(const struct verification *v, uint32_t value)
{
    const struct damage *all = (const struct damage *)(void *)v->damages.data;
    size_t count = v->damages.size / sizeof *all;
    while (count > 0 && all[count - 1].value != value)
        count--;
    return count > 0;
}

/* Checks what checksums cannot detect: lengths that were already written wrong.
 */
static varve_status check_strings(struct verification *v, varve_error *error)
{
    const struct vv_index *index = verify_index_of(v);
    for (uint32_t value = 0; value < index->value_count && has_digests(v);
         value++) {
        varve_tensor saved =
            vv_index_tensor(index, &v->reader->file.parsed.table, value);
        bool fit = true;
        if (saved.dtype != VARVE_STRING || !vv_index_is_saved(index, value) ||
            value % v->share_count != v->share || is_damaged(v, value))
            continue;
        VV_TRY(verify_check_lengths(
            v, value, varve_tensor_count(&saved), &fit, error));
        if (!fit)
            add_damage(v,
                (struct damage){ vv_at64(index->value_offsets, value),
                    vv_at64(index->value_sizes, value), value,
                    "the lengths of its strings do not add up to its size" });
    }
    return VARVE_OK;
}

/* --- All ---------------------------------------------------------------- */

static int compare_damages(const void *left, const void *right)
{
    const struct damage *a = left;
    const struct damage *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Removes repeated damage of a value in another format. */
static size_t drop_repeated(
    const struct verification *v, struct damage *all, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || has_digests(v) || all[kept - 1].value != all[i].value)
            all[kept++] = all[i];
    }
    return kept;
}

static varve_damage verify_describe(
    const struct verification *v, const struct damage *d)
{
    varve_damage damage = {
        .offset = d->offset,
        .size = d->size,
        .what = d->what ? d->what : "checksum mismatch",
    };
    if (d->value == VV_NONE) {
        damage.what = "padding is not zero";
        return damage;
    }
    damage.path = vv_reader_node_path(
        v->reader, vv_at32(verify_index_of(v)->value_nodes, d->value));
    if (!has_digests(v)) {
        if (!d->what)
            damage.what = "wrong checksum or invalid value";
        damage.offset = 0;
        vv_opened_place(&v->reader->file, d->value, &damage.offset);
    }
    return damage;
}

static varve_status verify_summarize(struct verification *v, varve_error *error)
{
    size_t count = v->damages.size / sizeof(struct damage);
    struct damage *all = (struct damage *)(void *)v->damages.data;
    if (v->damages.failed)
        return vv_fail_memory(error, "a list of damages");
    if (count == 0)
        return VARVE_OK;
    qsort(all, count, sizeof *all, compare_damages);
    count = drop_repeated(v, all, count);
    varve_damage first = verify_describe(v, &all[0]);
    for (size_t i = 0; i < count && v->options->on_damage; i++) {
        varve_damage damage = verify_describe(v, &all[i]);
        v->options->on_damage(v->options->on_damage_user, &damage);
    }
    if (v->has_foreign_error)
        return vv_fail(error, VARVE_CORRUPT, "%s; %zu damaged in total",
            v->foreign_error.message, count);
    return vv_fail(error, VARVE_CORRUPT,
        "%s: %s: bytes %llu to %llu: %s; %zu damaged in total",
        v->reader->file.path, first.path ? first.path : "between the values",
        (unsigned long long)first.offset,
        (unsigned long long)(first.offset + first.size), first.what, count);
}

static varve_status verify_run(struct verification *v, varve_error *error)
{
    const struct vv_context *context = &v->reader->context;
    if (!make_spans(v))
        return vv_fail_memory(error, "verifying a checkpoint");
    v->buffer_size = longest_span(v);
    if (v->span_count == 0)
        return VARVE_OK;
    unsigned workers = vv_worker_count(context, v->options->threads);
    if (workers > v->span_count)
        workers = (unsigned)v->span_count;
    /* If there is not enough memory, fewer workers are used, at least one. */
    for (unsigned i = 0; i < workers; i++) {
        v->buffers[i] = vv_allocate(&context->allocator, v->buffer_size);
        if (!v->buffers[i] && i == 0)
            return vv_fail_memory(error, "verifying a checkpoint");
        if (!v->buffers[i])
            workers = i;
    }
    for (size_t at = v->share; at < v->span_count; at += v->share_count)
        vv_opened_plan(&v->reader->file, v, v->spans[at].begin,
            v->spans[at].end - v->spans[at].begin);
    vv_run_workers(context, workers, verify_work, v);
    vv_opened_drop_plan(&v->reader->file, v);
    if (v->is_stopped) {
        if (error)
            *error = v->error;
        return v->status;
    }
    VV_TRY(check_strings(v, error));
    return verify_summarize(v, error);
}

static varve_status verify_verify(varve_reader *reader,
    const varve_verify_options *options, uint32_t share, uint32_t count,
    varve_error *error)
{
    const varve_allocator *a = &reader->context.allocator;
    struct verification *v = vv_allocate_zeroed(a, sizeof *v);
    if (!v)
        return vv_fail_memory(error, "verifying a checkpoint");
    v->reader = reader;
    v->options = options;
    v->share = share;
    v->share_count = count;
    vv_buffer_init(&v->damages, a);
    v->monitor = vv_monitor_new(a);
    varve_status status = v->monitor
                              ? verify_run(v, error)
                              : vv_fail_memory(error, "verifying a checkpoint");
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_release(a, v->buffers[i], v->buffer_size);
    vv_release(a, v->spans, v->span_capacity * sizeof *v->spans);
    vv_buffer_clear(&v->damages);
    vv_opened_rest(&reader->file);
    vv_monitor_free(a, v->monitor);
    vv_release(a, v, sizeof *v);
    return status;
}

varve_status vv_reader_verify_share(varve_reader *reader, uint32_t share,
    uint32_t count, unsigned threads, varve_error *error)
{
    const varve_verify_options options = { .threads = threads };
    return verify_verify(reader, &options, share, count, error);
}

varve_status varve_reader_verify(varve_reader *reader,
    const varve_verify_options *options, varve_error *error)
{
    if (!reader)
        return vv_fail_none(error, "reader", "an open");
    static const varve_verify_options defaults;
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    return verify_verify(reader, options ? options : &defaults, 0, 1, error);
}
