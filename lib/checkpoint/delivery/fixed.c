/* fixed.c - Compares fixed values. The pass that reads all values only detects
 * that they differ. To describe the differences, they are read again into
 * separate memory, a few at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixed.h"

#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "convert.h"
#include "delivery_state.h"
#include "failure.h"
#include "memory_table.h"
#include "move.h"
#include "node.h"
#include "reading.h"
#include "state.h"
#include "struct.h"
#include "tag.h"
#include "try.h"
#include "typed_memory.h"
#include "value_bytes.h"
#include "variable.h"

enum {
    MOST_AT_ONCE = 1 << 20
}; /* bytes read at once, if there are several
      values */

/* A value that was read for a comparison. */
struct look {
    const struct vv_delivery *d;
    const struct vv_move *move;
    struct vv_buffer now; /* the saved bytes of a state of the program, or a
                             copy of a value in strided or device memory */
    const unsigned char *values; /* the elements in the program */
    bool is_same;
    uint64_t differs_at; /* index of the first different element */
    uint64_t differing;  /* number of different elements */
};

bool vv_is_fixed(const varve_node *node)
{
    if (node->variable && vv_is_read_only(&node->variable->tensor))
        return true;
    uint64_t tags = vv_node_tags(node);
    if (!tags || !(tags & vv_tag_bit(node->graph, VARVE_TAG_FIXED)))
        return false;
    bool is_owned = node->variable && vv_variable_is_owned(node->variable);
    return node->value_state == VARVE_INITIALIZED ||
           node->value_state == VARVE_RESTORED ||
           (node->value_state == VARVE_PENDING && !is_owned);
}

/* --- Reading ------------------------------------------------------------ */

/* Returns the size of the block for bytes that are gathered as stored. */
static size_t fixed_block_size(
    const struct vv_delivery *d, const struct vv_move *m)
{
    return vv_move_gathers(m)
               ? (size_t)vv_at64(d->file->parsed.index.value_sizes, m->value)
               : 0;
}

static size_t target_size(const struct vv_move *m)
{
    return m->node->variable
               ? (size_t)varve_tensor_size(&m->node->variable->tensor)
               : 0;
}

static varve_status fixed_begin(
    const struct vv_delivery *d, struct vv_move *m, varve_error *error)
{
    const varve_allocator *a = &d->pairing->context.allocator;
    size_t block = fixed_block_size(d, m), target = target_size(m);
    if (block > 0 && !(m->block = vv_allocate(a, block)))
        return vv_fail_memory(error, "the bytes of a value");
    if (target > 0 && !(m->target = vv_allocate_value(a, target)))
        return vv_fail_memory(error, "the value of a variable");
    return VARVE_OK;
}

static void fixed_end(const struct vv_delivery *d, struct vv_move *m)
{
    const varve_allocator *a = &d->pairing->context.allocator;
    if (vv_move_gathers(m))
        vv_release(a, m->block, fixed_block_size(d, m));
    if (m->target)
        vv_release_value(a, m->target, target_size(m));
}

varve_status vv_read_quietly(const struct vv_delivery *d, struct vv_move *moves,
    size_t count, varve_error *error)
{
    struct vv_delivery quiet = *d;
    varve_read_options options = *d->options;
    options.progress = NULL;
    quiet.options = &options;
    struct vv_reading reading = {
        .d = &quiet,
        .moves = moves,
        .count = count,
        .is_verified = options.no_verify,
    };
    reading.total = vv_reading_size(&reading);
    VV_TRY(vv_read_moves(&reading, error));
    for (size_t i = 0; i < count; i++) {
        if (moves[i].mode == VV_MOVE_STRINGS)
            VV_TRY(vv_move_strings(d, &moves[i], error));
    }
    return VARVE_OK;
}

/* --- Comparing ---------------------------------------------------------- */

static bool is_same_string(const varve_string *a, const varve_string *b)
{
    return a->size == b->size &&
           (a->size == 0 || memcmp(a->data, b->data, (size_t)a->size) == 0);
}

static varve_status fixed_find_values(struct look *l, varve_error *error)
{
    const varve_tensor *now = &l->move->node->variable->tensor;
    l->values = now->data;
    if (!vv_needs_copy_in(now))
        return VARVE_OK;
    size_t size = target_size(l->move);
    void *room = vv_buffer_extend(&l->now, size);
    if (!room)
        return vv_fail_memory(error, "the value of a variable");
    l->values = room;
    return vv_value_out(l->move->node, 0, room, size, error);
}

/* Compares bit by bit: NaNs with the same bits are equal, and 0 differs from
 * -0. */
static void fixed_compare_elements(struct look *l)
{
    const varve_tensor *now = &l->move->node->variable->tensor;
    size_t unit = varve_dtype_size(now->dtype);
    uint64_t count = varve_tensor_count(now);
    const unsigned char *a = l->values, *b = l->move->target;
    for (uint64_t i = 0; i < count; i++, a += unit, b += unit) {
        bool is_same = now->dtype == VARVE_STRING
                           ? is_same_string((const varve_string *)a,
                                 (const varve_string *)b)
                           : memcmp(a, b, unit) == 0;
        if (is_same)
            continue;
        if (l->differing++ == 0)
            l->differs_at = i;
    }
    l->is_same = l->differing == 0;
}

static varve_status fixed_compare(struct look *l, varve_error *error)
{
    char text[256];
    varve_node *node = l->move->node;
    if (node->variable) {
        VV_TRY(fixed_find_values(l, error));
        fixed_compare_elements(l);
        l->is_same &= !vv_move_casts(l->move) || l->move->inexact == 0;
        return VARVE_OK;
    }
    VV_TRY(vv_state_save(
        node, vv_node_text(node, text, sizeof text), &l->now, error));
    size_t size = fixed_block_size(l->d, l->move);
    l->is_same = l->now.size == size &&
                 (size == 0 || memcmp(l->now.data, l->move->block, size) == 0);
    return VARVE_OK;
}

/* Writes the position of an element, such as "[3,5]"; "" for a scalar. */
static void fixed_put_place(
    const varve_tensor *tensor, uint64_t at, char *text, size_t room)
{
    uint64_t places[VARVE_MAX_RANK];
    size_t end = 0;
    text[0] = '\0';
    for (uint32_t i = tensor->rank; i > 0; i--) {
        places[i - 1] = at % tensor->shape[i - 1];
        at /= tensor->shape[i - 1];
    }
    for (uint32_t i = 0; i < tensor->rank; i++)
        end += (size_t)snprintf(text + end, room - end, "%c%llu%s",
            i ? ',' : '[', (unsigned long long)places[i],
            i + 1 == tensor->rank ? "]" : "");
}

/* --- All of them -------------------------------------------------------- */

/* Adds a line. The first line is preceded by one with the path of the file. */
static void fixed_add_line(const struct look *l, const char *file,
    const char *program, varve_error *error)
{
    char path[256];
    char place[VARVE_TENSOR_TEXT_SIZE] = "";
    char more[64] = "";
    const varve_node *node = l->move->node;
    if (error->status != VARVE_MISMATCH)
        vv_fail(error, VARVE_MISMATCH,
            "%s: fixed values differ from those of the program:",
            l->d->file->path);
    if (l->differing > 0)
        fixed_put_place(
            &node->variable->tensor, l->differs_at, place, sizeof place);
    if (l->differing > 1)
        snprintf(more, sizeof more, ", and %llu more element%s",
            (unsigned long long)(l->differing - 1),
            vv_plural_s(l->differing - 1));
    vv_error_add_line(error, "  %s%s: saved %s, the program has %s%s%s",
        vv_node_text(node, path, sizeof path), place, file, program, more,
        vv_struct_counts(node) ? " (it counts elements: create as many before "
                                 "the read, or give their field `.room`)"
                               : "");
}

static void fixed_report(const struct look *l, varve_error *error)
{
    char file[VARVE_TENSOR_TEXT_SIZE], program[VARVE_TENSOR_TEXT_SIZE];
    const varve_node *node = l->move->node;
    if (!node->variable) {
        fixed_add_line(l, "other bytes", "its own bytes", error);
        return;
    }
    const varve_tensor *now = &node->variable->tensor;
    if (l->differing == 0) {
        varve_tensor saved = vv_saved(l->d->pairing, l->move->value);
        fixed_add_line(l, varve_tensor_text(&saved, file),
            varve_tensor_text(now, program), error);
        return;
    }
    size_t at = (size_t)l->differs_at * varve_dtype_size(now->dtype);
    fixed_add_line(l,
        vv_element_text(
            now->dtype, (const unsigned char *)l->move->target + at, file),
        vv_element_text(now->dtype, l->values + at, program), error);
}

/* A different shape is always a difference. Such a value is not read, because
 * its elements need other memory. */
bool vv_has_fixed_shape(const struct vv_delivery *d, const struct vv_move *m)
{
    return m->mode != VV_MOVE_RESIZE && !vv_brings_shape(d, m->node, m->value);
}

static varve_status fixed_look_at(const struct vv_delivery *d,
    const struct vv_move *move, bool is_read, varve_error *mismatch,
    varve_error *error)
{
    struct look l = { .d = d, .move = move };
    vv_buffer_init(&l.now, &d->pairing->context.allocator);
    varve_status status = is_read ? fixed_compare(&l, error) : VARVE_OK;
    if (!status && !l.is_same)
        fixed_report(&l, mismatch);
    vv_buffer_clear(&l.now);
    return status;
}

static varve_status look_at_read(const struct vv_delivery *d,
    struct vv_move *moves, size_t count, varve_error *mismatch,
    varve_error *error)
{
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = fixed_begin(d, &moves[i], error);
    if (!status)
        status = vv_read_quietly(d, moves, count, error);
    for (size_t i = 0; i < count && !status; i++)
        status = fixed_look_at(d, &moves[i], true, mismatch, error);
    for (size_t i = 0; i < count; i++)
        fixed_end(d, &moves[i]);
    return status;
}

/* Returns how many values fit into one batch, at least one. */
static size_t count_at_once(
    const struct vv_delivery *d, const struct vv_move *moves, size_t count)
{
    size_t left = MOST_AT_ONCE, i = 0;
    for (size_t size; i < count; i++, left -= size) {
        size = fixed_block_size(d, &moves[i]) + target_size(&moves[i]);
        if (size > left)
            break;
    }
    return i ? i : 1;
}

/* Compares in the order of the file. Values with another shape are not read and
 * are reported first. */
static varve_status fixed_look_at_all(const struct vv_delivery *d,
    const struct vv_pair *jobs, struct vv_move *moves, size_t all,
    varve_error *mismatch, varve_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        struct vv_move m = vv_move_of(d, jobs[i].node, jobs[i].file, false);
        m.is_fresh = true;
        if (vv_has_fixed_shape(d, &m))
            moves[count++] = m;
        else
            fixed_look_at(d, &m, false, mismatch, error);
    }
    vv_moves_sort(moves, count);
    for (size_t i = 0, some; i < count; i += some) {
        some = count_at_once(d, moves + i, count - i);
        VV_TRY(look_at_read(d, moves + i, some, mismatch, error));
    }
    return VARVE_OK;
}

/* The fixed jobs keep their order. Returns at once if the graph has no fixed
 * nodes, as in most graphs. */
size_t vv_put_fixed_behind(struct vv_pair *jobs, size_t count)
{
    size_t end = count;
    if (count == 0 || !(vv_tag_bit(jobs->node->graph, VARVE_TAG_FIXED) ||
                          vv_has_read_only(jobs->node->graph)))
        return count;
    for (size_t i = count; i > 0; i--) {
        struct vv_pair job = jobs[i - 1];
        if (!vv_is_fixed(job.node))
            continue;
        jobs[i - 1] = jobs[--end];
        jobs[end] = job;
    }
    return end;
}

/* --- Detecting differences ---------------------------------------------- */

/* Compares bytes that were gathered. Other elements were compared as they were
 * read. */
static varve_status look_at_gathered(const struct vv_delivery *d,
    struct vv_move *m, bool *differs, varve_error *error)
{
    const varve_allocator *a = &d->pairing->context.allocator;
    struct look l = { .d = d, .move = m };
    size_t size = target_size(m);
    varve_status status = VARVE_OK;
    vv_buffer_init(&l.now, a);
    if (size > 0 && !(m->target = vv_allocate_value(a, size)))
        return vv_fail_memory(error, "the value of a variable");
    if (m->mode == VV_MOVE_STRINGS)
        status = vv_move_strings(d, m, error);
    if (!status)
        status = fixed_compare(&l, error);
    *differs |= !l.is_same;
    vv_buffer_clear(&l.now);
    vv_release_value(a, m->target, size);
    m->target = NULL;
    return status;
}

varve_status vv_report_fixed(const struct vv_delivery *d,
    const struct vv_pair *jobs, size_t count, varve_error *error)
{
    const varve_allocator *a = &d->pairing->context.allocator;
    varve_error mismatch = { 0 };
    struct vv_move *moves = vv_allocate(a, count * sizeof *moves);
    if (!moves)
        return vv_fail_memory(error, "fixed values");
    varve_status status =
        fixed_look_at_all(d, jobs, moves, count, &mismatch, error);
    vv_release(a, moves, count * sizeof *moves);
    if (status)
        return status;
    if (mismatch.status && error)
        *error = mismatch;
    return mismatch.status;
}

varve_status vv_compare_fixed(const struct vv_delivery *d,
    struct vv_move *moves, size_t count, const struct vv_pair *jobs,
    size_t job_count, varve_error *error)
{
    bool differ = false;
    for (size_t i = 0; i < count && job_count > 0; i++) {
        struct vv_move *m = &moves[i];
        if (m->is_fixed && vv_move_gathers(m))
            VV_TRY(look_at_gathered(d, m, &differ, error));
        else if (m->is_fixed)
            differ |= m->inexact > 0;
    }
    return differ ? vv_report_fixed(d, jobs, job_count, error) : VARVE_OK;
}
