/* fixed.c - each is read to memory of its own, one at a time, as it would have
 * come to its variable.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixed.h"

#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "element.h"
#include "failure.h"
#include "fate.h"
#include "memory_table.h"
#include "node.h"
#include "reading.h"
#include "rooms.h"
#include "shape.h"
#include "state.h"
#include "tag.h"
#include "try.h"
#include "variable.h"

/* One of them: where it was read to. */
struct look {
    const struct vv_delivery *d;
    const varve_allocator *allocator;
    struct vv_move move;
    size_t block_size;
    size_t target_size;
    struct vv_buffer now; /* of a state: what it saves; of a value that lies
                             elsewhere: what it is */
    const unsigned char *values; /* of the program */
    bool is_same;
    uint64_t differs_at; /* the first element of those */
    uint64_t differing;  /* how many differ */
};

bool vv_is_fixed(const varve_node *node)
{
    if (!node->extra ||
        !(vv_node_tags(node) & vv_tag_bit(node->graph, VARVE_TAG_FIXED)))
        return false;
    bool is_owned = node->variable && vv_variable_is_owned(node->variable);
    return node->value_state == VARVE_INITIALIZED ||
           node->value_state == VARVE_RESTORED ||
           (node->value_state == VARVE_PENDING && !is_owned);
}

/* --- Reading ------------------------------------------------------------ */

static varve_status begin(
    struct look *l, const struct vv_pair *job, varve_error *error)
{
    struct vv_move *m = &l->move;
    *m = vv_move_of(l->d, job->node, job->file, false);
    m->is_fresh = true;
    if (vv_move_gathers(m)) {
        l->block_size =
            (size_t)vv_at64(l->d->file->parsed.index.value_sizes, job->file);
        m->block = vv_allocate(l->allocator, l->block_size);
        if (!m->block && l->block_size > 0)
            return vv_fail_memory(error, "the bytes of a value");
    }
    if (!job->node->variable)
        return VARVE_OK;
    l->target_size = (size_t)varve_tensor_size(&job->node->variable->tensor);
    m->target =
        vv_allocate_aligned(l->allocator, l->target_size, VV_MEMORY_ALIGNMENT);
    return m->target || l->target_size == 0
               ? VARVE_OK
               : vv_fail_memory(error, "the value of a variable");
}

/* What is shown of progress is the bytes that are delivered. */
static varve_status read_value(struct look *l, varve_error *error)
{
    struct vv_delivery quiet = *l->d;
    varve_read_options options = *l->d->options;
    options.progress = NULL;
    quiet.options = &options;
    struct vv_reading reading = {
        .d = &quiet,
        .moves = &l->move,
        .count = 1,
        .is_verified = options.no_verify,
    };
    reading.total = vv_reading_size(&reading);
    VV_TRY(vv_read_moves(&reading, error));
    return l->move.mode == VV_MOVE_STRINGS
               ? vv_move_strings(l->d, &l->move, error)
               : VARVE_OK;
}

static void end(struct look *l)
{
    if (vv_move_gathers(&l->move))
        vv_release(l->allocator, l->move.block, l->block_size);
    if (l->move.target)
        vv_release_aligned(
            l->allocator, l->move.target, l->target_size, VV_MEMORY_ALIGNMENT);
    vv_buffer_clear(&l->now);
}

/* --- Comparing ---------------------------------------------------------- */

static bool is_same_string(const varve_string *a, const varve_string *b)
{
    return a->size == b->size &&
           (a->size == 0 || memcmp(a->data, b->data, (size_t)a->size) == 0);
}

static varve_status find_values(struct look *l, varve_error *error)
{
    const varve_tensor *now = &l->move.node->variable->tensor;
    l->values = now->data;
    if (!vv_lies_elsewhere(now))
        return VARVE_OK;
    void *room = vv_buffer_extend(&l->now, l->target_size);
    if (!room)
        return vv_fail_memory(error, "the value of a variable");
    l->values = room;
    return vv_value_out(l->move.node, 0, room, l->target_size, error);
}

/* Bit for bit: NaN is as it is, and 0 is not -0. */
static void compare_elements(struct look *l)
{
    const varve_tensor *now = &l->move.node->variable->tensor;
    size_t unit = varve_dtype_size(now->dtype);
    uint64_t count = varve_tensor_count(now);
    const unsigned char *a = l->values, *b = l->move.target;
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

static varve_status compare(struct look *l, varve_error *error)
{
    char text[256];
    varve_node *node = l->move.node;
    if (node->variable) {
        VV_TRY(find_values(l, error));
        compare_elements(l);
        l->is_same &= !vv_move_casts(&l->move) || l->move.misfits == 0;
        return VARVE_OK;
    }
    VV_TRY(vv_state_save(
        node, vv_node_text(node, text, sizeof text), &l->now, error));
    l->is_same = l->now.size == l->block_size &&
                 (l->block_size == 0 ||
                     memcmp(l->now.data, l->move.block, l->block_size) == 0);
    return VARVE_OK;
}

/* "[3,5]" of the first element that differs, "" of a scalar. */
static void put_place(
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

/* The first is told below a line that says of what file. */
static void add_line(const struct look *l, const char *file,
    const char *program, varve_error *error)
{
    char path[256];
    char place[VARVE_TENSOR_TEXT_SIZE] = "";
    char more[64] = "";
    const varve_node *node = l->move.node;
    if (error->status != VARVE_MISMATCH)
        vv_fail(error, VARVE_MISMATCH,
            "%s: expected what is fixed as the program has it, found another:",
            l->d->file->path);
    if (l->differing > 0)
        put_place(&node->variable->tensor, l->differs_at, place, sizeof place);
    if (l->differing > 1)
        snprintf(more, sizeof more, ", and %llu more elements",
            (unsigned long long)(l->differing - 1));
    vv_error_add_line(error, "  %s%s: saved %s, the program has %s%s",
        vv_node_text(node, path, sizeof path), place, file, program, more);
}

static void tell(const struct look *l, varve_error *error)
{
    char file[VARVE_TENSOR_TEXT_SIZE], program[VARVE_TENSOR_TEXT_SIZE];
    const varve_node *node = l->move.node;
    if (!node->variable) {
        add_line(l, "another state", "its own", error);
        return;
    }
    const varve_tensor *now = &node->variable->tensor;
    if (l->differing == 0) {
        varve_tensor saved = vv_saved(l->d->pairing, l->move.value);
        add_line(l, varve_tensor_text(&saved, file),
            varve_tensor_text(now, program), error);
        return;
    }
    size_t at = (size_t)l->differs_at * varve_dtype_size(now->dtype);
    add_line(l,
        vv_element_text(
            now->dtype, (const unsigned char *)l->move.target + at, file),
        vv_element_text(now->dtype, l->values + at, program), error);
}

/* What has another shape is not as it is, whatever its elements are, and its
 * elements need other room. */
static bool has_shape(const struct look *l)
{
    return l->move.mode != VV_MOVE_RESIZE &&
           !vv_brings_shape(l->d, l->move.node, l->move.value);
}

static varve_status look_at(struct vv_delivery *d, const struct vv_pair *job,
    varve_error *told, varve_error *error)
{
    struct look l = { .d = d, .allocator = &d->pairing->context.allocator };
    vv_buffer_init(&l.now, l.allocator);
    varve_status status = begin(&l, job, error);
    bool is_read = has_shape(&l);
    if (!status && is_read)
        status = read_value(&l, error);
    if (!status && is_read)
        status = compare(&l, error);
    if (!status && !l.is_same)
        tell(&l, told);
    end(&l);
    return status;
}

/* Most programs have none, and then none is looked at. They keep their order.
 */
static size_t put_behind(struct vv_pair *jobs, size_t count)
{
    size_t end = count;
    if (count == 0 || !vv_tag_bit(jobs->node->graph, VARVE_TAG_FIXED))
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

varve_status vv_compare_fixed(struct vv_delivery *d, struct vv_pair *jobs,
    size_t *count, varve_error *error)
{
    varve_error told = { 0 };
    size_t all = *count;
    *count = put_behind(jobs, all);
    for (size_t i = *count; i < all; i++)
        VV_TRY(look_at(d, &jobs[i], &told, error));
    if (told.status && error)
        *error = told;
    return told.status;
}

void vv_settle_fixed(
    struct vv_delivery *d, const struct vv_pair *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jobs[i].node->value_state = VARVE_RESTORED;
        vv_note_delivered(d, jobs[i].node, jobs[i].file);
    }
}
