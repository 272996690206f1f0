/* dispatch.c - Delivers the due values in one transfer, and a single small
 * value without one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "at_risk.h"
#include "delivery_state.h"
#include "failure.h"
#include "fixed.h"
#include "layout.h"
#include "memory_table.h"
#include "node.h"
#include "own_part.h"
#include "piece_table.h"
#include "private.h"
#include "reading.h"
#include "salvage.h"
#include "tag.h"
#include "touch.h"
#include "transfer.h"
#include "try.h"
#include "typed_memory.h"

/* --- Single values -------------------------------------------------------- */

/* Reads, verifies and copies a single small value. */

static size_t late_value_size_of(const struct vv_delivery *d, uint32_t value)
{
    uint64_t size = vv_at64(vv_index_of(d->pairing)->value_sizes, value);
    return size <= VV_LEAST_AHEAD ? (size_t)size : VV_LEAST_AHEAD + 1;
}

/* Returns true if the options need nothing that only a transfer does. */
static bool is_plain_read(const struct vv_delivery *d)
{
    return !d->options->salvage.on && !d->options->progress && !d->consent &&
           !d->leaves_from && vv_opened_has_digests(d->file);
}

bool vv_is_late_value(const struct vv_delivery *d, const struct vv_pair *job)
{
    const varve_node *node = job->node;
    size_t size = late_value_size_of(d, job->file);
    if (VV_BIG_ENDIAN || !node->variable || !size || size > VV_LEAST_AHEAD ||
        !is_plain_read(d))
        return false;
    const varve_tensor *tensor = &node->variable->tensor;
    return tensor->dtype != VARVE_STRING && !vv_needs_copy_in(tensor) &&
           vv_is_alike(d->pairing, node, job->file) && !vv_is_fixed(node) &&
           !vv_variable_is_null(node->variable) &&
           !vv_brings_shape(d, node, job->file) &&
           vv_piece_count(vv_index_of(d->pairing), job->file) <= 1;
}

static varve_status late_value_find_bytes(struct vv_delivery *d,
    const struct vv_pair *job, const unsigned char **bytes, varve_error *error)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    VV_TRY(vv_readahead_take(&d->readahead, d->file,
        vv_at64(index->value_offsets, job->file),
        late_value_size_of(d, job->file), bytes, error));
    varve_status status = vv_check_piece(
        d, job->node, job->file, 0, *bytes, d->options->no_verify, error);
    if (status)
        vv_readahead_forget(&d->readahead);
    return status;
}

/* Returns the memory of a variable, allocating it if needed, or NULL if out of
 * memory. */
static void *find_memory(const varve_node *node, size_t size)
{
    const struct vv_variable *variable = node->variable;
    if (!variable->tensor.data && vv_variable_is_owned(variable))
        return vv_allocate_value(&node->graph->context.allocator, size);
    return variable->tensor.data;
}

varve_status vv_bring_late_value(
    struct vv_delivery *d, const struct vv_pair *job, varve_error *error)
{
    const unsigned char *bytes;
    varve_node *node = job->node;
    size_t size = late_value_size_of(d, job->file);
    if (!vv_reserve_at_risk(node->graph))
        return vv_fail_memory(error, "a restoration");
    vv_graph_values_change(node->graph);
    vv_will_touch(node);
    VV_TRY(d->read_failure = late_value_find_bytes(d, job, &bytes, error));
    void *memory = find_memory(node, size);
    if (!memory)
        return vv_fail_memory(error, "the value of a variable");
    memcpy(memory, bytes, size);
    node->variable->tensor.data = memory;
    node->value_state = VARVE_RESTORED;
    vv_put_at_risk(node->graph, d->pairing->number);
    vv_note_delivered(d, node, job->file);
    return VARVE_OK;
}

/* --- Due values ----------------------------------------------------------- */

/* Sorts the due values and delivers them in one transfer. */

/* Returns true if every variable below a state in the file was delivered, is
 * due or is excluded. */
static bool is_ready(const struct vv_delivery *d, uint32_t value)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    uint32_t begin, end;
    vv_index_edges(index, vv_at32(index->value_nodes, value), &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        uint32_t child = vv_at32(index->edge_children, e);
        uint32_t other = vv_value_of(d->pairing, child);
        if (other == VV_NONE || !vv_index_is_saved(index, other) ||
            vv_index_kind(index, child) != VARVE_VARIABLE)
            continue;
        if (d->delivery_states.of[other] == VV_DELIVERY_STATE_WAITING ||
            d->delivery_states.of[other] == VV_DELIVERY_STATE_MISMATCHED)
            return false;
    }
    return true;
}

void vv_delivery_release_ready_states(struct vv_delivery *d)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(&d->held, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_ready(d, pairs[i].file)) {
            vv_set_delivery_state(
                d, pairs[i].node, pairs[i].file, VV_DELIVERY_STATE_DUE);
            vv_enlist(d, &d->jobs, pairs[i].node, pairs[i].file);
        } else {
            pairs[kept++] = pairs[i];
        }
    }
    d->held.pairs.size = kept * sizeof *pairs;
}

static bool dispatch_fits(
    const struct vv_delivery *d, const struct vv_pair *job)
{
    return vv_is_alike(d->pairing, job->node, job->file) ||
           vv_value_fits(d, job->node, job->file);
}

/* Moves states that are not ready and values that do not fit to other lists. */
static void sort_out(struct vv_delivery *d)
{
    size_t count;
    struct vv_pair *jobs = vv_pairs(&d->jobs, &count);
    size_t kept = 0;
    bool has_states = false;
    for (size_t i = 0; i < count; i++) {
        struct vv_pair job = jobs[i];
        has_states |= job.node->kind == VARVE_STATE;
        if (!dispatch_fits(d, &job)) {
            vv_set_delivery_state(
                d, job.node, job.file, VV_DELIVERY_STATE_MISMATCHED);
            vv_enlist(d, &d->mismatched, job.node,
                vv_at32(vv_index_of(d->pairing)->value_nodes, job.file));
            d->has_new_mismatch = true;
        } else {
            jobs[kept++] = job;
        }
    }
    d->jobs.pairs.size = kept * sizeof *jobs;
    if (!has_states)
        return;
    count = kept;
    for (size_t i = kept = 0; i < count; i++) {
        struct vv_pair job = jobs[i];
        if (job.node->kind == VARVE_STATE && !is_ready(d, job.file)) {
            vv_set_delivery_state(
                d, job.node, job.file, VV_DELIVERY_STATE_WAITING);
            vv_enlist(d, &d->held, job.node, job.file);
        } else {
            jobs[kept++] = job;
        }
    }
    d->jobs.pairs.size = kept * sizeof *jobs;
}

void vv_delivery_park_failed(struct vv_delivery *d, bool is_open)
{
    size_t count;
    const struct vv_pair *jobs = vv_pairs(&d->jobs, &count);
    vv_buffer_add(&d->stuck.pairs, jobs, count * sizeof *jobs);
    if (d->stuck.pairs.failed)
        vv_note_loss(d);
    d->stuck.pairs.failed = false;
    for (size_t i = 0; i < count; i++) {
        varve_node *node = jobs[i].node;
        if (node->variable && is_open && !vv_is_fixed(node))
            node->value_state = VARVE_PENDING;
    }
    vv_empty_pairs(&d->jobs);
}

/* Returns the only job if it needs no transfer. */
static const struct vv_pair *find_late_value(struct vv_delivery *d)
{
    if (d->jobs.pairs.size != sizeof(struct vv_pair) || d->has_new_mismatch)
        return NULL;
    size_t count;
    const struct vv_pair *job = vv_pairs(&d->jobs, &count);
    return count && vv_is_late_value(d, job) ? job : NULL;
}

varve_status vv_deliver(struct vv_delivery *d, varve_error *error)
{
    if (d->held.pairs.size)
        vv_delivery_release_ready_states(d);
    const struct vv_pair *late = find_late_value(d);
    if (late) {
        VV_TRY(vv_bring_late_value(d, late, error));
        vv_empty_pairs(&d->jobs);
        return VARVE_OK;
    }
    sort_out(d);
    if (d->has_new_mismatch && d->mismatched.pairs.size)
        return vv_fail_mismatched(d, error);
    /* Callbacks of states may add nodes to the graph, and so jobs to the list.
     */
    struct vv_buffer batch;
    vv_buffer_move(&batch, &d->jobs.pairs, d->jobs.pairs.allocator);
    size_t count;
    varve_status status = VARVE_OK;
    if (d->options->salvage.on)
        status = vv_salvage(d, &batch, error);
    struct vv_pair *jobs = vv_pairs_in(&batch, &count);
    const size_t all = count;
    count = vv_put_fixed_behind(jobs, count);
    if (!status && count)
        vv_graph_values_change(jobs->node->graph);
    for (size_t i = 0; i < count && !status; i++)
        vv_will_touch(jobs[i].node);
    if (!status)
        status = vv_transfer(d, jobs, count, all - count, error);
    if (status) {
        jobs = vv_pairs(&d->jobs, &count);
        vv_buffer_add(&batch, jobs, count * sizeof *jobs);
        vv_buffer_swap(&batch, &d->jobs.pairs);
    }
    vv_buffer_clear(&batch);
    return status;
}

/* Descriptions of both sides of a mismatch. */
struct sides {
    char saved[VV_PART_TEXT_SIZE];
    const char *before;
    char wanted[VV_PART_TEXT_SIZE];
    const char *after;
};

static void describe_saved(
    const struct vv_delivery *d, uint32_t file, struct sides *sides)
{
    varve_slice part;
    uint32_t value = vv_value_of(d->pairing, file);
    varve_kind kind = vv_index_kind(vv_index_of(d->pairing), file);
    bool is_none = vv_index_has_tag(vv_index_of(d->pairing), file, VV_TAG_NONE);
    strcpy(sides->saved, is_none ? "None" : vv_kind_text(kind));
    if (value == VV_NONE || kind == VARVE_STATE)
        return;
    const varve_tensor saved = vv_saved(d->pairing, value);
    if (vv_saved_part(d->pairing, value, &part))
        vv_part_text(&saved, &part, sides->saved);
    else
        varve_tensor_text(&saved, sides->saved);
}

/* Describes a pair. For a slice the text contains the larger tensor, or the
 * position if the file has a slice too, and the reason if options such as
 * `resize` do not apply. */
static void dispatch_describe(const struct vv_delivery *d,
    const struct vv_pair *pair, struct sides *sides)
{
    const varve_node *node = pair->node;
    uint32_t value = vv_value_of(d->pairing, pair->file);
    const varve_slice *part = node->variable ? vv_part_of(node) : NULL;
    bool is_of_part =
        value != VV_NONE && vv_saved_part(d->pairing, value, NULL);
    sides->before = part && !is_of_part ? "a slice of " : "";
    sides->after = "";
    strcpy(sides->wanted, vv_kind_text(node->kind));
    describe_saved(d, pair->file, sides);
    if (part && is_of_part) {
        vv_part_text(&node->variable->tensor, part, sides->wanted);
    } else if (node->variable) {
        varve_tensor whole = vv_whole_of(node);
        varve_tensor_text(&whole, sides->wanted);
    }
    if ((part || is_of_part) &&
        (d->options->reshape || vv_scope_resizes(&d->pairing->scopes, node)))
        sides->after = ", which can be neither reshaped nor resized";
}

/* Describes a rank-local node. */
static void describe_processes(const struct vv_delivery *d,
    const struct vv_pair *pair, struct sides *sides)
{
    snprintf(sides->saved, sizeof sides->saved, "by %" PRIu32 " ranks",
        vv_own_count(vv_index_of(d->pairing), pair->file));
    snprintf(sides->wanted, sizeof sides->wanted, "%" PRIu32,
        vv_private_of(pair->node)->size);
}

/* The read options that permit a mismatch. */
enum { CAST = 1, RESHAPE = 2, RESIZE = 4, EXCEPT = 8 };

static int remedies_of(const struct vv_delivery *d, const struct vv_pair *pair)
{
    const varve_node *node = pair->node;
    uint32_t value = vv_value_of(d->pairing, pair->file);
    if (node->variable && vv_part_of(node))
        return 0;
    if (!node->variable || value == VV_NONE ||
        vv_index_kind(vv_index_of(d->pairing), pair->file) != VARVE_VARIABLE)
        return EXCEPT;
    const varve_tensor saved = vv_saved(d->pairing, value);
    const varve_tensor *now = &node->variable->tensor;
    bool is_text = saved.dtype == VARVE_STRING || now->dtype == VARVE_STRING;
    bool casts = d->options->cast == VARVE_CAST_ANY;
    int remedies = saved.dtype != now->dtype && !casts ? CAST : 0;
    if (is_text && saved.dtype != now->dtype)
        return EXCEPT;
    if (vv_shape_equal(&saved, now))
        return remedies ? remedies : CAST;
    if (varve_tensor_count(&saved) == varve_tensor_count(now))
        return remedies | RESHAPE;
    return remedies | (saved.rank == now->rank ? RESIZE : EXCEPT);
}

/* Returns `text`, or NULL if there is no remedy. */
static const char *describe_remedies(int remedies, char *text, size_t size)
{
    static const char *const hints[] = {
        "`cast` converts other types",
        "`reshape` permits another shape",
        ("`resize` permits other extents, and drops elements that do not fit "
         "(a variable that is added as resizable gets all of them)"),
        "`except` leaves a variable as it is",
    };
    size_t used = 0;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (remedies & (1 << i) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                used ? "; " : "hint: in the read options ", hints[i]);
    }
    return used ? text : NULL;
}

varve_status vv_fail_mismatched(struct vv_delivery *d, varve_error *error)
{
    size_t count;
    const struct vv_pair *pairs = vv_pairs(&d->mismatched, &count);
    varve_error lines = { 0 };
    int remedies = 0;
    char text[320];
    for (size_t i = 0; i < count; i++) {
        char path[256];
        struct sides sides;
        const varve_node *node = pairs[i].node;
        dispatch_describe(d, &pairs[i], &sides);
        if (vv_private_of(node) &&
            vv_value_of(d->pairing, pairs[i].file) == VV_NONE)
            describe_processes(d, &pairs[i], &sides);
        remedies |= remedies_of(d, &pairs[i]);
        if (!vv_error_add_line(&lines, "  %s: saved %s, the program has %s%s%s",
                vv_node_text(node, path, sizeof path), sides.saved,
                sides.before, sides.wanted, sides.after))
            break;
    }
    vv_fail(error, VARVE_MISMATCH,
        "%s: %zu variable%s another type or shape than in the checkpoint:",
        d->file->path, count, count == 1 ? " has" : "s have");
    const char *hint = describe_remedies(remedies, text, sizeof text);
    if (hint)
        vv_error_add_lines_and_last(error, lines.message, hint);
    else
        vv_error_add_lines(error, lines.message);
    return VARVE_MISMATCH;
}
