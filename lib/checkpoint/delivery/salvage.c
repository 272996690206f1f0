/* salvage.c - Examines each due value, chunk by chunk, in the order of the
 * file.
 *
 * A chunk is damaged if it cannot be verified or read. All chunks of a value
 * are examined, to report how many are damaged.
 *
 * SPDX-License-Identifier: MIT
 */
#include "salvage.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "delivery_state.h"
#include "layout.h"
#include "move.h"
#include "name.h"
#include "slice.h"
#include "try.h"
#include "variable.h"

enum { BUFFER_ALIGNMENT = 64 };

struct look {
    struct vv_delivery *d;
    unsigned char *buffer;
    size_t buffer_size;
    uint64_t total; /* bytes of both passes, for progress */
};

/* The result for one value. */
struct verdict {
    uint64_t chunks;
    uint64_t damaged; /* number of damaged chunks */
    uint64_t lengths; /* number of string lengths that are not read yet */
    uint64_t text;    /* bytes of text that are not assigned to a length yet */
    varve_error first;
};

static const struct vv_index *salvage_index_of(const struct look *l)
{
    return &l->d->file->parsed.index;
}

bool vv_is_damage(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_IO;
}

static uint64_t salvage_size_of(const struct look *l, uint32_t value)
{
    return vv_at64(salvage_index_of(l)->value_sizes, value);
}

/* --- One value ---------------------------------------------------------- */

static varve_status salvage_report(
    struct look *l, const varve_node *node, varve_error *error)
{
    const varve_read_options *options = l->d->options;
    char text[256];
    if (options->progress &&
        options->progress(options->progress_user, l->d->looked_at, l->total,
            vv_node_text(node, text, sizeof text)))
        return vv_fail(
            error, VARVE_CANCELLED, "%s: cancelled", l->d->file->path);
    return VARVE_OK;
}

static void begin_strings(
    const struct look *l, uint32_t value, struct verdict *v)
{
    varve_tensor saved = vv_saved(l->d->pairing, value);
    if (saved.dtype != VARVE_STRING)
        return;
    v->lengths = varve_tensor_count(&saved);
    v->text =
        salvage_size_of(l, value) - 8 * v->lengths; /* the index has verified
                                                       the size */
}

/* Checks the lengths of strings, which precede the text. A chunk contains only
 * complete lengths. */
static varve_status salvage_check_lengths(
    const struct look *l, struct verdict *v, size_t size, varve_error *error)
{
    bool fits = true;
    bool had_any = v->lengths > 0;
    for (size_t i = 0; fits && i < size / 8 && v->lengths > 0; i++) {
        uint64_t length = vv_at64(l->buffer, i);
        fits = length <= v->text;
        v->text -= fits ? length : 0;
        v->lengths--;
    }
    if (fits && had_any && v->lengths == 0)
        fits = v->text == 0;
    return fits ? VARVE_OK
                : vv_fail(error, VARVE_CORRUPT,
                      "the lengths of its strings do not add up to the size of "
                      "the value");
}

static varve_status look_at_chunk(struct look *l, uint32_t value,
    uint64_t chunk, struct verdict *v, varve_error *error)
{
    const struct vv_opened *file = l->d->file;
    uint64_t offset;
    size_t size;
    vv_opened_chunk(file, value, chunk, &offset, &size);
    l->d->looked_at += size;
    VV_TRY(vv_opened_read(file, offset, l->buffer, size, error));
    VV_TRY(vv_opened_check(file, value, chunk, l->buffer, NULL, error));
    return v->damaged ? VARVE_OK : salvage_check_lengths(l, v, size, error);
}

/* Examines a value. Fails only for reasons other than damage. A value with a
 * single checksum is examined up to the first failure. */
static varve_status salvage_look_at(struct look *l, const struct vv_pair *job,
    struct verdict *v, varve_error *error)
{
    const struct vv_move move = vv_move_of(l->d, job->node, job->file, true);
    bool has_bytes = salvage_size_of(l, job->file) > 0;
    *v = (struct verdict){ 0 };
    begin_strings(l, job->file, v);
    for (uint64_t c = 0; has_bytes && vv_move_reads(l->d, &move, &c); c++) {
        v->chunks++;
        varve_error reason = { 0 };
        VV_TRY(salvage_report(l, job->node, error));
        varve_status status = look_at_chunk(l, job->file, c, v, &reason);
        if (status && !vv_is_damage(status)) {
            if (error)
                *error = reason;
            return status;
        }
        if (status && v->damaged++ == 0)
            v->first = reason;
        if (status && !vv_opened_has_digests(l->d->file))
            break;
    }
    return VARVE_OK;
}

/* --- Lost values -------------------------------------------------------- */

/* Removes the path of the file, which the caller adds. */
static const char *without_path(const struct look *l, const char *message)
{
    const char *path = l->d->file->path;
    size_t size = strlen(path);
    bool has = strncmp(message, path, size) == 0 &&
               strncmp(message + size, ": ", 2) == 0;
    return has ? message + size + 2 : message;
}

static varve_status note_damage(
    struct look *l, uint32_t value, const struct verdict *v, varve_error *error)
{
    const struct vv_damage damage = {
        .value = value,
        .damaged = v->damaged,
        .chunks = vv_opened_has_digests(l->d->file) ? v->chunks : 0,
        .why = without_path(l, v->first.message),
    };
    return vv_note_damage(&l->d->damages, &damage)
               ? VARVE_OK
               : vv_fail_memory(error, "a list of damages");
}

static void salvage_add_lost(struct vv_delivery *d, const struct vv_pair *job)
{
    vv_set_delivery_state(d, job->node, job->file, VV_DELIVERY_STATE_DAMAGED);
    vv_variable_go_without(job->node);
}

/* --- All ---------------------------------------------------------------- */

static int compare_jobs(const void *left, const void *right)
{
    const struct vv_pair *a = left;
    const struct vv_pair *b = right;
    return (a->file > b->file) - (a->file < b->file);
}

static varve_status salvage_begin(struct look *l, const struct vv_pair *jobs,
    size_t count, varve_error *error)
{
    uint64_t largest = 0;
    l->d->looked_at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct vv_move move =
            vv_move_of(l->d, jobs[i].node, jobs[i].file, true);
        uint64_t size = salvage_size_of(l, jobs[i].file);
        largest = size > largest ? size : largest;
        l->total += 2 * vv_move_size(l->d, &move);
    }
    l->buffer_size =
        largest < VV_CHUNK_SIZE ? (size_t)largest : (size_t)VV_CHUNK_SIZE;
    l->buffer = vv_allocate_aligned(
        &l->d->pairing->context.allocator, l->buffer_size, BUFFER_ALIGNMENT);
    return l->buffer || largest == 0
               ? VARVE_OK
               : vv_fail_memory(error, "a buffer for reading");
}

/* Returns true if the previous job has the same value and covers all of it.
 * Jobs of one value are adjacent, and it is examined once. */
static bool is_looked_at(const struct vv_pair *jobs, size_t i)
{
    return i > 0 && jobs[i].file == jobs[i - 1].file &&
           !(jobs[i].node->variable && vv_part_of(jobs[i].node)) &&
           !(jobs[i - 1].node->variable && vv_part_of(jobs[i - 1].node));
}

static varve_status sift(struct look *l, struct vv_pair *jobs, size_t count,
    uint8_t *is_lost, varve_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct verdict v;
        if (is_looked_at(jobs, i)) {
            is_lost[i] = is_lost[i - 1];
            continue;
        }
        VV_TRY(salvage_look_at(l, &jobs[i], &v, error));
        is_lost[i] = v.damaged > 0;
        if (v.damaged)
            VV_TRY(note_damage(l, jobs[i].file, &v, error));
    }
    return VARVE_OK;
}

static varve_status report_loss(
    const struct vv_delivery *d, uint32_t value, varve_error *error)
{
    const struct vv_pairing *p = d->pairing;
    struct vv_buffer path;
    vv_buffer_init(&path, &p->context.allocator);
    vv_saved_path(
        &p->saved.paths, vv_at32(vv_index_of(p)->value_nodes, value), &path);
    const char *text = vv_buffer_string(&path);
    if (!path.failed)
        d->options->salvage.loss(d->options->salvage.loss_user, text,
            vv_damage_of(&d->damages, value));
    bool failed = path.failed;
    vv_buffer_clear(&path);
    return failed ? vv_fail_memory(error, "a path") : VARVE_OK;
}

static varve_status report_losses(const struct vv_delivery *d,
    const struct vv_pair *jobs, size_t count, const uint8_t *is_lost,
    varve_error *error)
{
    uint32_t reported = VV_NONE;
    for (size_t i = 0; i < count && d->options->salvage.loss; i++) {
        if (!is_lost[i] || jobs[i].file == reported)
            continue;
        VV_TRY(report_loss(d, jobs[i].file, error));
        reported = jobs[i].file;
    }
    return VARVE_OK;
}

/* Called after all values were examined successfully. */
static size_t salvage_leave_out(struct vv_delivery *d, struct vv_pair *jobs,
    size_t count, const uint8_t *is_lost)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_lost[i])
            salvage_add_lost(d, &jobs[i]);
        else
            jobs[kept++] = jobs[i];
    }
    return kept;
}

varve_status vv_salvage(
    struct vv_delivery *d, struct vv_buffer *jobs, varve_error *error)
{
    const varve_allocator *a = &d->pairing->context.allocator;
    struct look l = { .d = d };
    size_t count;
    struct vv_pair *pairs = vv_pairs_in(jobs, &count);
    if (count == 0)
        return VARVE_OK;
    uint8_t *is_lost = vv_allocate_zeroed(a, count);
    if (!is_lost)
        return vv_fail_memory(error, "a restoration");
    qsort(pairs, count, sizeof *pairs, compare_jobs);
    varve_status status = salvage_begin(&l, pairs, count, error);
    if (!status)
        status = sift(&l, pairs, count, is_lost, error);
    vv_sort_damages(&d->damages);
    if (!status)
        status = report_losses(d, pairs, count, is_lost, error);
    if (!status)
        jobs->size =
            salvage_leave_out(d, pairs, count, is_lost) * sizeof *pairs;
    vv_opened_rest(d->file);
    vv_release_aligned(a, l.buffer, l.buffer_size, BUFFER_ALIGNMENT);
    vv_release(a, is_lost, count);
    return status;
}
