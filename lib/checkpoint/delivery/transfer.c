/* transfer.c - Prepares, reads, exchanges and loads values, or undoes that.
 *
 * SPDX-License-Identifier: MIT
 */
#include "transfer.h"

#include <string.h>

#include "allocator.h"
#include "at_risk.h"
#include "delivery_state.h"
#include "division.h"
#include "failure.h"
#include "fixed.h"
#include "layout.h"
#include "memory_table.h"
#include "move.h"
#include "reading.h"
#include "staged.h"
#include "states.h"
#include "try.h"
#include "typed_memory.h"
#include "value_bytes.h"
#include "variable.h"

enum {
    STAGING_ALIGNMENT = VV_ALIGNMENT,
    FEW_JOBS = 16 /* fewer than 1 of 16 values */
};

struct transfer {
    struct vv_delivery *d;
    const varve_allocator *allocator;
    struct vv_move *moves;
    size_t count;
    size_t capacity;
    unsigned modes;         /* bit mask of the modes in use */
    bool reads_once;        /* also values that are not staged */
    bool has_fresh;         /* some moves go into fresh memory */
    bool has_elsewhere;     /* some moves go into strided or device memory */
    bool has_far;           /* some are copied by functions of the program */
    bool touches;           /* some are read directly into visible memory */
    unsigned char *staging; /* one block for all staged moves */
    size_t staging_size;
    struct vv_states states;
    struct vv_buffer resize_buffers; /* for resized variables */
    const struct vv_pair *fixed;     /* jobs that only compare */
    size_t fixed_count;
    bool has_misshapen; /* some of them have another shape */
};

/* --- Preparing ---------------------------------------------------------- */

static uint64_t value_size(const struct transfer *t, const struct vv_move *m)
{
    return vv_at64(vv_index_of(t->d->pairing)->value_sizes, m->value);
}

/* Sets a mode, and its bit in `modes`, so that unused modes need no search. */
static void set_mode(
    struct transfer *t, struct vv_move *m, enum vv_move_mode mode)
{
    m->mode = (uint8_t)mode;
    t->modes |= 1u << mode;
}

static bool has_mode(const struct transfer *t, enum vv_move_mode mode)
{
    return t->modes & 1u << mode;
}

static void add_move(
    struct transfer *t, const struct vv_pair *job, bool only_verify)
{
    struct vv_move *m = &t->moves[t->count++];
    *m = vv_move_of(t->d, job->node, job->file, only_verify);
    m->is_fixed = t->fixed_count && vv_is_fixed(job->node);
    if (m->is_fixed)
        t->has_misshapen |= !vv_has_fixed_shape(t->d, m);
    else
        set_mode(t, m, (enum vv_move_mode)m->mode);
}

/* Returns true if the values of the jobs increase. Program and file mostly have
 * the same names in the same order. */
static bool are_in_order(const struct vv_pair *jobs, size_t count)
{
    size_t i = 1;
    while (i < count && jobs[i - 1].file < jobs[i].file)
        i++;
    return i >= count;
}

/* Returns a table of the jobs by value, which is smaller and faster than
 * sorting. Returns NULL if a value has several jobs, or if out of memory. */
static uint32_t *jobs_by_value(
    struct transfer *t, const struct vv_pair *jobs, size_t count, size_t values)
{
    uint32_t *job_of = vv_allocate(t->allocator, values * sizeof *job_of);
    if (!job_of)
        return NULL;
    memset(job_of, 0xff, values * sizeof *job_of);
    for (size_t i = 0; i < count; i++) {
        if (job_of[jobs[i].file] != VV_NONE) {
            vv_release(t->allocator, job_of, values * sizeof *job_of);
            return NULL;
        }
        job_of[jobs[i].file] = (uint32_t)i;
    }
    return job_of;
}

/* Makes the moves, sorted by value, which is also the order of the file. */
static varve_status make_moves(struct transfer *t, const struct vv_pair *jobs,
    size_t count, bool only_verify, varve_error *error)
{
    const size_t values = vv_index_of(t->d->pairing)->value_count;
    t->capacity = count;
    t->moves = vv_allocate(t->allocator, count * sizeof *t->moves);
    if (!t->moves)
        return vv_fail_memory(error, "a restoration");
    const bool is_in_order = are_in_order(jobs, count);
    uint32_t *job_of = !is_in_order && count >= values / FEW_JOBS
                           ? jobs_by_value(t, jobs, count, values)
                           : NULL;
    for (size_t i = 0, end = job_of ? values : count; i < end; i++) {
        const size_t job = job_of ? job_of[i] : i;
        if (job != VV_NONE)
            add_move(t, &jobs[job], only_verify);
    }
    if (!is_in_order && !job_of)
        vv_moves_sort(t->moves, t->count);
    vv_release(t->allocator, job_of, values * sizeof *job_of);
    return VARVE_OK;
}

/* Allocates new memory, which the program cannot access until the end. */
static varve_status prepare_fresh(
    struct transfer *t, struct vv_move *m, varve_error *error)
{
    size_t size = (size_t)varve_tensor_size(&m->node->variable->tensor);
    if (vv_move_may_stay(t->d, m)) {
        set_mode(t, m, VV_MOVE_VERIFY);
        return VARVE_OK;
    }
    if (t->d->options->map &&
        !vv_move_obstacle(t->d, m->node, m->value, NULL)) {
        set_mode(t, m, VV_MOVE_MAPPED);
        return VARVE_OK;
    }
    m->is_fresh = t->has_fresh = true;
    m->target = vv_allocate_value(t->allocator, size);
    if (!m->target)
        return vv_fail_memory(error, "the value of a variable");
    return VARVE_OK;
}

static varve_status prepare_block(
    struct transfer *t, struct vv_move *m, varve_error *error)
{
    m->block = vv_allocate(t->allocator, (size_t)value_size(t, m));
    if (!m->block && value_size(t, m) > 0)
        return vv_fail_memory(error, "the bytes of a value");
    return VARVE_OK;
}

static bool transfer_is_in_place(const struct vv_move *m)
{
    return m->mode <= VV_MOVE_STRINGS && !m->is_fresh && !m->is_fixed;
}

/* The index is in the cache. The node is probably not. */
static uint64_t memory_size(const struct transfer *t, const struct vv_move *m)
{
    return m->mode == VV_MOVE_PLAIN
               ? value_size(t, m)
               : varve_tensor_size(&m->node->variable->tensor);
}

/* Selects the moves that are staged, and sets their targets to their offsets in
 * the staging. Returns the total size. */
static uint64_t place_staged(struct transfer *t, bool all)
{
    uint64_t end = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        const bool is_in_place = transfer_is_in_place(m);
        m->is_staged = is_in_place && (all || m->mode == VV_MOVE_STRINGS);
        if (!m->is_staged) {
            t->touches |= is_in_place;
            continue;
        }
        const uint64_t size = memory_size(t, m);
        end = vv_staged_place(size, end);
        m->target = (void *)(uintptr_t)end;
        end += size;
    }
    return end;
}

/* Makes the offsets addresses. */
static void aim_at_staging(struct transfer *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        if (m->is_staged)
            m->target = t->staging + (uintptr_t)m->target;
    }
}

/* Copies current values, because a smaller saved value keeps the rest. */
static varve_status keep_rest(const struct transfer *t, varve_error *error)
{
    for (size_t i = 0; has_mode(t, VV_MOVE_RESIZE) && i < t->count; i++) {
        const struct vv_move *m = &t->moves[i];
        if (m->is_staged && m->mode == VV_MOVE_RESIZE)
            VV_TRY(vv_value_out(
                m->node, 0, m->target, (size_t)memory_size(t, m), error));
    }
    return VARVE_OK;
}

/* Stages all moves into memory that the program can access, whose size is
 * `visible`, if the options permit it; otherwise only strings. */
static varve_status prepare_staging(
    struct transfer *t, uint64_t visible, varve_error *error)
{
    uint64_t size =
        place_staged(t, visible <= vv_staging_limit(t->d) &&
                            t->d->options->passes != VARVE_ONE_PASS);
    if (size == 0)
        return VARVE_OK;
    if (size <= SIZE_MAX)
        t->staging =
            vv_allocate_aligned(t->allocator, (size_t)size, STAGING_ALIGNMENT);
    if (!t->staging)
        return vv_fail_memory(error, "staging of a restoration");
    t->staging_size = (size_t)size;
    aim_at_staging(t);
    return keep_rest(t, error);
}

/* Sets the target of a move to the memory of the program. */
static void aim(struct transfer *t, struct vv_move *m)
{
    const varve_tensor *tensor = &m->node->variable->tensor;
    m->target = tensor->data;
    if (vv_needs_copy_in(tensor)) {
        m->target = NULL;
        m->is_elsewhere = t->has_elsewhere = true;
        t->has_far |= vv_is_far(tensor);
    }
}

static varve_status transfer_prepare(struct transfer *t, varve_error *error)
{
    uint64_t visible = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        const struct vv_variable *variable = m->node->variable;
        const bool brings_shape =
            m->node->attachments && vv_brings_shape(t->d, m->node, m->value);
        if (variable && !brings_shape && vv_variable_is_null(variable))
            VV_TRY(vv_variable_check_there(m->node, error));
        if (vv_move_gathers(m))
            VV_TRY(prepare_block(t, m, error));
        if (m->is_fixed)
            t->has_far |= variable && vv_is_far(&variable->tensor);
        else if (brings_shape)
            VV_TRY(vv_resize_buffers_add(t->d, &t->resize_buffers, m, error));
        else if (variable && !variable->tensor.data &&
                 vv_variable_is_owned(variable) &&
                 varve_tensor_size(&variable->tensor) > 0)
            VV_TRY(prepare_fresh(t, m, error));
        else if (variable)
            aim(t, m);
        if (transfer_is_in_place(m))
            visible += memory_size(t, m);
    }
    return prepare_staging(t, visible, error);
}

/* --- Reading ------------------------------------------------------------ */

static varve_status transfer_half_restored(
    const struct transfer *t, varve_status status, varve_error *error)
{
    status = vv_moves_failed(t->d, t->moves, t->count, status, error);
    if (status == VARVE_PARTIALLY_RESTORED)
        vv_put_at_risk(t->d->pairing->graph, 0);
    return status;
}

static varve_status compare_fixed(const struct transfer *t, varve_error *error)
{
    return vv_compare_fixed(
        t->d, t->moves, t->count, t->fixed, t->fixed_count, error);
}

static varve_status read_moves(
    const struct transfer *t, struct vv_reading *reading, varve_error *error)
{
    return t->d->read_failure = vv_read_moves(reading, error);
}

/* Verifies the fixed values, or all values together with other processes. */
static varve_status transfer_read_ahead(
    const struct transfer *t, struct vv_reading *reading, varve_error *error)
{
    struct vv_division division;
    uint64_t size = vv_reading_size(reading);
    bool only_fixed = reading->only_fixed;
    reading->only_fixed = false;
    reading->skips_fixed = reading->only_verify = true;
    reading->total = reading->before + size + vv_reading_size(reading);
    reading->skips_fixed = false;
    reading->only_fixed = only_fixed;
    if (!only_fixed) {
        VV_TRY(vv_divide(t->d, t->moves, t->count, &division, error));
        reading->division = &division;
    }
    VV_TRY(read_moves(t, reading, error));
    reading->division = NULL;
    reading->only_verify = reading->only_fixed = false;
    reading->skips_fixed = true;
    reading->before += size;
    return compare_fixed(t, error);
}

static varve_status take_strings(struct transfer *t, varve_error *error)
{
    for (size_t i = 0; has_mode(t, VV_MOVE_STRINGS) && i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        if (m->mode == VV_MOVE_STRINGS && !m->is_fixed)
            VV_TRY(vv_move_strings(t->d, m, error));
    }
    return VARVE_OK;
}

static varve_status transfer_read_values(
    struct transfer *t, bool only_verify, varve_error *error)
{
    const varve_read_options *options = t->d->options;
    /* the salvage has verified everything */
    bool is_good = options->salvage.on && !only_verify;
    bool is_in_place = !only_verify && t->touches;
    struct vv_reading reading = {
        .d = t->d,
        .moves = t->moves,
        .count = t->count,
        .is_verified = options->no_verify && !only_verify,
        .has_far = t->has_far,
        .before = is_good ? t->d->looked_at : 0,
    };
    if (options->progress)
        reading.total = reading.before + vv_reading_size(&reading);
    /* Visible memory is changed only after verification; see transfer.h. */
    bool verifies =
        is_in_place && !is_good && !t->reads_once && !options->no_verify;
    if (verifies || (is_in_place && t->fixed_count)) {
        reading.only_fixed = !verifies;
        VV_TRY(transfer_read_ahead(t, &reading, error));
    }
    reading.is_final = verifies || (is_good && is_in_place &&
                                       options->passes != VARVE_ONE_PASS);
    if (is_in_place)
        VV_TRY(vv_delivery_exchange_status(t->d, VARVE_OK, error));
    if (!only_verify)
        vv_note_passes(t->d, verifies || is_good);
    varve_status status = read_moves(t, &reading, error);
    if (!status)
        status = t->d->read_failure = take_strings(t, error);
    if (status)
        return transfer_half_restored(t, status, error);
    return reading.skips_fixed ? VARVE_OK : compare_fixed(t, error);
}

static varve_status map_value(
    const struct transfer *t, struct vv_move *m, varve_error *error)
{
    struct vv_range range = { 0 };
    vv_move_obstacle(t->d, m->node, m->value, &range);
    return vv_mapping_new(
        &t->d->pairing->context, &range, &m->block, &m->target, error);
}

static varve_status map_values(struct transfer *t, varve_error *error)
{
    for (size_t i = 0; has_mode(t, VV_MOVE_MAPPED) && i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        if (m->mode == VV_MOVE_MAPPED)
            VV_TRY(map_value(t, m, error));
    }
    return VARVE_OK;
}

/* --- Commit and undo ---------------------------------------------------- */

/* If no state can fail, the previous bytes are not needed. */
static void exchange_staged(const struct transfer *t, bool is_undone)
{
    vv_exchange(&(struct vv_exchange){
        .context = &t->d->pairing->context,
        .moves = t->moves,
        .count = t->count,
        .size = t->staging_size,
        .threads = t->d->options->resources.threads,
        .is_last = t->states.count == 0,
        .is_undone = is_undone,
    });
}

/* Called before anything else changes, because a copy may fail. */
static varve_status transfer_put_accessed(
    struct transfer *t, varve_error *error)
{
    struct vv_copy_in e = { t->moves, t->count, t->states.count == 0 };
    return t->has_elsewhere ? vv_copy_in_put(&e, t->allocator, error)
                            : VARVE_OK;
}

/* Gives new memory and values to the variables, before states are loaded. */
static void transfer_hand_over(struct transfer *t)
{
    exchange_staged(t, false);
    vv_resize_buffers_exchange(&t->resize_buffers);
    for (size_t i = 0; i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        if (m->mode == VV_MOVE_MAPPED)
            vv_variable_borrow(m->node, m->target, m->block);
        else if (m->is_fresh)
            m->node->variable->tensor.data = m->target;
        m->older_state = m->node->value_state;
        m->node->value_state = VARVE_RESTORED;
    }
}

/* Exchanges everything again. */
static void swap_back(struct transfer *t)
{
    vv_graph_values_change(t->moves->node->graph);
    exchange_staged(t, true);
    if (t->has_elsewhere)
        vv_copy_in_put_back(t->moves, t->count);
    for (size_t i = 0; i < t->count; i++)
        t->moves[i].node->value_state = t->moves[i].older_state;
}

static void take_back_memory(struct transfer *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct vv_move *m = &t->moves[i];
        struct vv_variable *variable = m->node->variable;
        if (m->mode == VV_MOVE_MAPPED)
            variable->extra->borrowed = NULL;
        if (m->mode == VV_MOVE_MAPPED || m->is_fresh)
            variable->tensor.data = NULL;
    }
    vv_resize_buffers_exchange(&t->resize_buffers);
}

static varve_status exchange(struct transfer *t, varve_error *error)
{
    varve_status status = transfer_put_accessed(t, error);
    if (status)
        return transfer_half_restored(t, status, error);
    transfer_hand_over(t);
    status = vv_states_load(&t->states, error);
    if (!status)
        return VARVE_OK;
    swap_back(t);
    vv_states_unload(&t->states);
    take_back_memory(t);
    return transfer_half_restored(t, status, error);
}

/* Makes the result permanent. */
static void transfer_settle(struct transfer *t)
{
    vv_put_at_risk(t->d->pairing->graph, t->d->pairing->number);
    for (size_t i = 0; i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        vv_note_delivered(t->d, m->node, m->value);
        if (m->is_fixed)
            continue;
        m->target = NULL;
        if (m->mode == VV_MOVE_PLAIN)
            continue;
        if (m->mode == VV_MOVE_STRINGS)
            vv_variable_keep_strings(
                m->node, m->block, (size_t)value_size(t, m));
        if (m->mode == VV_MOVE_STRINGS || m->mode == VV_MOVE_MAPPED) {
            m->block = NULL;
        } else if (vv_move_casts(m) && m->inexact) {
            struct vv_misfits inexact = { m->value, m->inexact };
            vv_buffer_add(&t->d->cast_misfits, &inexact, sizeof inexact);
        }
    }
}

static void transfer_clear(struct transfer *t)
{
    vv_resize_buffers_settle(&t->resize_buffers);
    bool has_memory =
        t->has_fresh || t->fixed_count || t->modes != 1u << VV_MOVE_PLAIN;
    for (size_t i = 0; has_memory && i < t->count; i++) {
        struct vv_move *m = &t->moves[i];
        if (m->mode == VV_MOVE_MAPPED)
            vv_mapping_free(m->block, m->target);
        else if (vv_move_gathers(m))
            vv_release(t->allocator, m->block, (size_t)value_size(t, m));
        if (m->is_fresh)
            vv_release_value(t->allocator, m->target,
                (size_t)varve_tensor_size(&m->node->variable->tensor));
    }
    vv_buffer_clear(&t->resize_buffers);
    vv_states_end(&t->states);
    vv_release_aligned(
        t->allocator, t->staging, t->staging_size, STAGING_ALIGNMENT);
    vv_release(t->allocator, t->moves, t->capacity * sizeof *t->moves);
}

static varve_status transfer_run(struct transfer *t, varve_error *error)
{
    if (t->has_misshapen)
        return vv_report_fixed(t->d, t->fixed, t->fixed_count, error);
    VV_TRY(transfer_prepare(t, error));
    VV_TRY(map_values(t, error));
    if (has_mode(t, VV_MOVE_STATE)) /* nothing has changed yet */
        VV_TRY(vv_states_keep(&t->states, t->moves, t->count, error));
    if (!vv_reserve_at_risk(t->d->pairing->graph))
        return vv_fail_memory(error, "a restoration");
    VV_TRY(transfer_read_values(t, false, error));
    VV_TRY(vv_delivery_exchange_status(t->d, VARVE_OK, error));
    return exchange(t, error);
}

/* Returns true if large values are read into place at once, since nothing is at
 * risk. In a collective read all processes decide the same. */
static bool reads_once(const struct vv_delivery *d)
{
    const struct vv_pairing *p = d->pairing;
    if (d->consent)
        return d->consent->reads_once;
    return d->reads_once ||
           !vv_may_lose(p->graph, p->number, d->options->passes);
}

static void transfer_begin(struct transfer *t, struct vv_delivery *d)
{
    *t = (struct transfer){ .d = d,
        .allocator = &d->pairing->context.allocator };
    vv_states_begin(&t->states, d);
    vv_buffer_init(&t->resize_buffers, t->allocator);
}

varve_status vv_transfer(struct vv_delivery *d, const struct vv_pair *jobs,
    size_t count, size_t fixed_count, varve_error *error)
{
    struct transfer t;
    if (count + fixed_count == 0)
        return VARVE_OK;
    transfer_begin(&t, d);
    t.fixed = jobs + count;
    t.fixed_count = fixed_count;
    t.reads_once = reads_once(d);
    varve_status status =
        make_moves(&t, jobs, count + fixed_count, false, error);
    if (!status)
        status = transfer_run(&t, error);
    if (status)
        status = vv_delivery_exchange_status(t.d, status, error);
    else
        transfer_settle(&t);
    transfer_clear(&t);
    return status;
}

varve_status vv_transfer_verify(struct vv_delivery *d,
    const struct vv_pair *jobs, size_t count, varve_error *error)
{
    struct transfer t;
    if (count == 0)
        return VARVE_OK;
    transfer_begin(&t, d);
    varve_status status = make_moves(&t, jobs, count, true, error);
    if (!status)
        status = transfer_read_values(&t, true, error);
    transfer_clear(&t);
    return status;
}
