/* delivery.c - from what is due to what is delivered, and the lists of what is
 * not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "delivery.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "fate.h"
#include "fixed.h"
#include "own_part.h"
#include "private.h"
#include "salvage.h"
#include "scope.h"
#include "slice.h"
#include "touch.h"
#include "transfer.h"
#include "variable.h"

/* --- The life of one ---------------------------------------------------- */

enum { BUFFERS = 4, LISTS = 5 };

static void list_buffers(struct vv_delivery *d, struct vv_buffer **list)
{
    struct vv_buffer *all[BUFFERS] = { &d->cuts, &d->cast_misfits, &d->damages,
        &d->damage_text };
    memcpy(list, all, sizeof all);
}

static void list_lists(struct vv_delivery *d, struct vv_pair_list **list)
{
    struct vv_pair_list *all[LISTS] = { &d->jobs, &d->held, &d->stuck,
        &d->mismatched, &d->folds };
    memcpy(list, all, sizeof all);
}

void vv_delivery_init(struct vv_delivery *d, const struct vv_pairing *pairing,
    const struct vv_opened *file)
{
    struct vv_buffer *buffers[BUFFERS];
    struct vv_pair_list *lists[LISTS];
    const varve_allocator *a = &pairing->context.allocator;
    d->pairing = pairing;
    d->options = &pairing->selection.options;
    d->file = file;
    list_buffers(d, buffers);
    for (size_t i = 0; i < BUFFERS; i++)
        vv_buffer_init(buffers[i], a);
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_pair_list_init(lists[i], a);
    vv_map_init(&d->served, a);
}

/* Most files are for the whole of the program that reads them. */
varve_status vv_delivery_begin(struct vv_delivery *d, varve_error *error)
{
    uint32_t count = vv_index_of(d->pairing)->value_count;
    size_t values = d->pairing->graph->number_limit;
    d->fates = vv_allocate_zeroed(&d->pairing->context.allocator, count);
    if (count && !d->fates)
        return vv_fail_memory(error, "a restoration");
    if (values > count)
        values = count;
    vv_buffer_reserve(&d->jobs.pairs, values * sizeof(struct vv_pair));
    return VARVE_OK;
}

void vv_delivery_end(struct vv_delivery *d)
{
    struct vv_buffer *buffers[BUFFERS];
    struct vv_pair_list *lists[LISTS];
    vv_release(&d->pairing->context.allocator, d->fates,
        vv_index_of(d->pairing)->value_count);
    if (d->dropped)
        vv_release(&d->pairing->context.allocator, d->dropped,
            vv_index_of(d->pairing)->node_count * sizeof *d->dropped);
    vv_release(&d->pairing->context.allocator, d->not_own,
        vv_index_of(d->pairing)->node_count);
    list_buffers(d, buffers);
    for (size_t i = 0; i < BUFFERS; i++)
        vv_buffer_clear(buffers[i]);
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_pair_list_clear(lists[i]);
    vv_map_clear(&d->served);
}

void vv_delivery_forget_graph(struct vv_delivery *d)
{
    struct vv_pair_list *lists[LISTS];
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_empty_pairs(lists[i]);
    d->cuts.size = 0;
}

/* --- Others --------------------------------------------------------------- */

varve_status vv_ask_others(
    struct vv_delivery *d, varve_status status, varve_error *error)
{
    struct vv_consent *consent = d->consent;
    if (!consent || consent->was_asked)
        return status;
    consent->was_asked = true;
    return consent->ask(consent->user, status, error);
}

/* --- Lists -------------------------------------------------------------- */

void vv_note_loss(struct vv_delivery *d)
{
    d->has_lost = true;
    if (!d->failure.status && !d->pairing->failure.status)
        vv_fail_memory(&d->failure, "matching a checkpoint");
}

static void look_for_loss(struct vv_delivery *d, struct vv_buffer *pairs)
{
    if (pairs->failed)
        vv_note_loss(d);
    pairs->failed = false;
}

void vv_enlist(struct vv_delivery *d, struct vv_pair_list *list,
    varve_node *node, uint32_t file)
{
    struct vv_pair *pair = vv_buffer_extend(&list->pairs, sizeof *pair);
    if (!pair) {
        look_for_loss(d, &list->pairs);
        return;
    }
    pair->node = node;
    pair->file = file;
}

/* --- What is due -------------------------------------------------------- */

/* Whether every variable that the file has under a state is there, or is about
 * to be, or is not wanted. */
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
        if (d->fates[other] == VV_FATE_WAITING ||
            d->fates[other] == VV_FATE_MISMATCHED)
            return false;
    }
    return true;
}

void vv_unhold(struct vv_delivery *d)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(&d->held, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_ready(d, pairs[i].file)) {
            vv_set_fate(d, pairs[i].node, pairs[i].file, VV_FATE_DUE);
            vv_enlist(d, &d->jobs, pairs[i].node, pairs[i].file);
        } else {
            pairs[kept++] = pairs[i];
        }
    }
    d->held.pairs.size = kept * sizeof *pairs;
}

static bool fits(const struct vv_delivery *d, const struct vv_pair *job)
{
    if (vv_is_alike(d->pairing, job->node, job->file))
        return true;
    varve_tensor saved = vv_saved(d->pairing, job->file);
    return vv_value_fits(d, job->node, &saved);
}

/* Sets aside states that are not ready, and values that do not fit. */
static void sort_out(struct vv_delivery *d)
{
    size_t count;
    struct vv_pair *jobs = vv_pairs(&d->jobs, &count);
    size_t kept = 0;
    bool has_states = false;
    for (size_t i = 0; i < count; i++) {
        struct vv_pair job = jobs[i];
        has_states |= job.node->kind == VARVE_STATE;
        if (!fits(d, &job)) {
            vv_set_fate(d, job.node, job.file, VV_FATE_MISMATCHED);
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
            vv_set_fate(d, job.node, job.file, VV_FATE_WAITING);
            vv_enlist(d, &d->held, job.node, job.file);
        } else {
            jobs[kept++] = job;
        }
    }
    d->jobs.pairs.size = kept * sizeof *jobs;
}

void vv_get_stuck(struct vv_delivery *d, bool is_open)
{
    size_t count;
    const struct vv_pair *jobs = vv_pairs(&d->jobs, &count);
    vv_buffer_add(&d->stuck.pairs, jobs, count * sizeof *jobs);
    look_for_loss(d, &d->stuck.pairs);
    for (size_t i = 0; i < count; i++) {
        varve_node *node = jobs[i].node;
        if (node->variable && is_open && !vv_is_fixed(node))
            node->value_state = VARVE_PENDING;
    }
    vv_empty_pairs(&d->jobs);
}

varve_status vv_deliver(struct vv_delivery *d, varve_error *error)
{
    if (d->held.pairs.size)
        vv_unhold(d);
    sort_out(d);
    if (d->has_new_mismatch && d->mismatched.pairs.size)
        return vv_fail_mismatched(d, error);
    /* Callbacks of states may add to the graph, and so to the jobs. */
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
        vv_touch(jobs[i].node);
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

struct wanted {
    const char *before;
    char text[VARVE_TENSOR_TEXT_SIZE];
    const char *after;
};

/* What the program has for a value; a slice says of what it is one, and why
 * options that would help others do not help. */
static void describe(
    const struct vv_delivery *d, const varve_node *node, struct wanted *wanted)
{
    bool is_part = node->variable && vv_part_of(node);
    *wanted = (struct wanted){ is_part ? "a slice of " : "", "an object", "" };
    if (node->variable) {
        varve_tensor whole = vv_whole_of(node);
        varve_tensor_text(&whole, wanted->text);
    } else if (node->kind == VARVE_STATE) {
        strcpy(wanted->text, "state");
    }
    if (is_part &&
        (d->options->reshape || vv_scope_resizes(&d->pairing->scopes, node)))
        wanted->after = ", which is neither reshaped nor resized";
}

/* The same of a private node. */
static void describe_processes(const struct vv_delivery *d,
    const struct vv_pair *pair, char *saved, struct wanted *wanted)
{
    snprintf(saved, VARVE_TENSOR_TEXT_SIZE, "by %" PRIu32 " processes",
        vv_own_count(vv_index_of(d->pairing), pair->file));
    snprintf(wanted->text, sizeof wanted->text, "%" PRIu32,
        vv_private_of(pair->node)->size);
}

varve_status vv_fail_mismatched(struct vv_delivery *d, varve_error *error)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    size_t count;
    const struct vv_pair *pairs = vv_pairs(&d->mismatched, &count);
    vv_fail(error, VARVE_MISMATCH,
        "%s: expected types and shapes that agree, found %zu that do not:",
        d->file->path, count);
    for (size_t i = 0; i < count; i++) {
        char path[256];
        char saved_text[VARVE_TENSOR_TEXT_SIZE] = "an object";
        struct wanted wanted;
        const varve_node *node = pairs[i].node;
        uint32_t value = vv_value_of(d->pairing, pairs[i].file);
        if (value != VV_NONE) {
            varve_tensor saved = vv_saved(d->pairing, value);
            varve_tensor_text(&saved, saved_text);
            if (vv_index_kind(index, pairs[i].file) == VARVE_STATE)
                strcpy(saved_text, "state");
        }
        describe(d, node, &wanted);
        if (vv_private_of(node) && value == VV_NONE)
            describe_processes(d, &pairs[i], saved_text, &wanted);
        if (!vv_error_add_line(error, "  %s: saved %s, the program has %s%s%s",
                vv_node_text(node, path, sizeof path), saved_text,
                wanted.before, wanted.text, wanted.after))
            break;
    }
    return VARVE_MISMATCH;
}

/* --- What always holds -------------------------------------------------- */

#ifndef NDEBUG
enum { MOST_CHECKED = 256 }; /* values and pairs, else it takes long */

/* Whether a value, as its fate says, is on the list of those like it; without
 * memory it may not be. */
static bool is_listed(const struct vv_delivery *d, uint32_t value)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    uint32_t file = vv_at32(index->value_nodes, value);
    const varve_node *node = d->pairing->matches.node_of[file];
    if (d->has_lost || d->pairing->failure.status)
        return true;
    switch ((enum vv_fate)d->fates[value]) {
    case VV_FATE_DUE:
        return node && vv_has_pair(d->pairing->is_dry ? &d->jobs : &d->stuck,
                           node, value);
    case VV_FATE_MISMATCHED:
        return node && vv_has_pair(&d->mismatched, node, file);
    case VV_FATE_WAITING:
        return !node || !vv_index_is_saved(index, value) ||
               vv_index_kind(index, file) != node->kind ||
               vv_has_pair(&d->held, node, value);
    default: return true;
    }
}

/* Whether those of a list that hold their place have the fate of it. */
static bool have_fate(const struct vv_delivery *d,
    const struct vv_pair_list *list, enum vv_fate fate)
{
    const struct vv_pairing *p = d->pairing;
    size_t count;
    const struct vv_pair *pairs = vv_pairs_in(&list->pairs, &count);
    for (size_t i = 0; i < count; i++) {
        if (!pairs[i].node)
            continue;
        bool are_nodes = list == &d->mismatched;
        uint32_t value =
            are_nodes ? vv_value_of(p, pairs[i].file) : pairs[i].file;
        if (pairs[i].node->graph != p->graph)
            return false;
        if (value != VV_NONE && d->fates[value] != fate &&
            vv_is_holder(&p->matches, pairs[i].node,
                vv_at32(vv_index_of(p)->value_nodes, value)))
            return false;
    }
    return true;
}

void vv_delivery_check(const struct vv_delivery *d)
{
    const struct vv_pairing *p = d->pairing;
    size_t pairs = (d->jobs.pairs.size + d->held.pairs.size +
                       d->stuck.pairs.size + d->mismatched.pairs.size) /
                   sizeof(struct vv_pair);
    uint32_t values = vv_index_of(p)->value_count;
    if (!p->graph || values > MOST_CHECKED || pairs > MOST_CHECKED)
        return;
    assert(have_fate(d, &d->jobs, VV_FATE_DUE));
    assert(have_fate(d, &d->stuck, VV_FATE_DUE));
    assert(have_fate(d, &d->held, VV_FATE_WAITING));
    assert(have_fate(d, &d->mismatched, VV_FATE_MISMATCHED));
    assert(p->is_dry || d->jobs.pairs.size == 0);
    for (uint32_t v = 0; v < values; v++)
        assert(is_listed(d, v));
}
#else
void vv_delivery_check(const struct vv_delivery *d)
{
    (void)d;
}
#endif
