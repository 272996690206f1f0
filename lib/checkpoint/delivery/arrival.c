/* arrival.c - check, then transfer, until nothing is due.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arrival.h"

#include <string.h>

#include "binding.h"
#include "failure.h"
#include "fate.h"
#include "match.h"
#include "transfer.h"
#include "variable.h"

/* Whether every variable that the file has under a state is there, or is about
 * to be, or is not wanted. */
static bool is_ready(const struct varve_restoration *r, uint32_t value)
{
    const struct vv_index *index = vv_index_of(&r->pairing);
    uint32_t begin, end;
    vv_index_edges(index, vv_at32(index->value_nodes, value), &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        uint32_t child = vv_at32(index->edge_children, e);
        uint32_t other = r->pairing.value_of[child];
        if (other == VV_NONE || !vv_index_is_saved(index, other) ||
            vv_index_kind(index, child) != VARVE_VARIABLE)
            continue;
        if (r->fates[other] == VV_FATE_WAITING ||
            r->fates[other] == VV_FATE_MISMATCHED)
            return false;
    }
    return true;
}

void vv_unhold(struct varve_restoration *r)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(&r->held, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_ready(r, pairs[i].file)) {
            vv_set_fate(r, pairs[i].node, pairs[i].file, VV_FATE_DUE);
            vv_add_pair(&r->pairing, &r->jobs, pairs[i].node, pairs[i].file);
        } else {
            pairs[kept++] = pairs[i];
        }
    }
    r->held.size = kept * sizeof *pairs;
}

/* Sets aside states that are not ready, and values that do not fit. */
static void sort_out(struct varve_restoration *r)
{
    size_t count;
    struct vv_pair *jobs = vv_pairs(&r->jobs, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct vv_pair job = jobs[i];
        varve_tensor saved = vv_saved(&r->pairing, job.file);
        if (!vv_value_fits(r, job.node, &saved)) {
            vv_set_fate(r, job.node, job.file, VV_FATE_MISMATCHED);
            vv_add_pair(&r->pairing, &r->mismatched, job.node,
                vv_at32(vv_index_of(&r->pairing)->value_nodes, job.file));
            r->has_new_mismatch = true;
        } else {
            jobs[kept++] = job;
        }
    }
    r->jobs.size = kept * sizeof *jobs;
    count = kept;
    for (size_t i = kept = 0; i < count; i++) {
        struct vv_pair job = jobs[i];
        if (job.node->kind == VARVE_STATE && !is_ready(r, job.file)) {
            vv_set_fate(r, job.node, job.file, VV_FATE_WAITING);
            vv_add_pair(&r->pairing, &r->held, job.node, job.file);
        } else {
            jobs[kept++] = job;
        }
    }
    r->jobs.size = kept * sizeof *jobs;
}

static void get_stuck(struct varve_restoration *r)
{
    vv_buffer_add(&r->stuck, r->jobs.data, r->jobs.size);
    if (r->stuck.failed) {
        r->stuck.failed = false;
        vv_out_of_memory(&r->pairing);
        /* Matching again finds them: they are not delivered yet. */
    }
    size_t count;
    const struct vv_pair *jobs = vv_pairs(&r->jobs, &count);
    for (size_t i = 0; i < count; i++) {
        varve_node *node = jobs[i].node;
        if (node->variable && r->is_open)
            node->value_state = VARVE_PENDING;
    }
    r->jobs.size = 0;
}

static varve_status deliver(struct varve_restoration *r, varve_error *error)
{
    if (r->held.size)
        vv_unhold(r);
    sort_out(r);
    if (r->has_new_mismatch && r->mismatched.size)
        return vv_fail_mismatched(r, error);
    /* Callbacks of states may add to the graph, and so to the jobs. */
    struct vv_buffer batch = r->jobs;
    vv_buffer_init(&r->jobs, &r->pairing.context.allocator);
    size_t count;
    const struct vv_pair *jobs = vv_pairs(&batch, &count);
    varve_status status = vv_transfer(r, jobs, count, error);
    if (status) {
        vv_buffer_add(&batch, r->jobs.data, r->jobs.size);
        vv_buffer_clear(&r->jobs);
        r->jobs = batch;
        return status;
    }
    vv_buffer_clear(&batch);
    return VARVE_OK;
}

varve_status vv_arrive(struct varve_restoration *r, varve_error *error)
{
    varve_status status = VARVE_OK;
    r->is_busy = true;
    enum vv_hold older = vv_graph_hold(r->pairing.graph, VV_HOLDS_NODES);
    do {
        vv_match_queue(&r->pairing);
        if (!r->is_open) /* what comes later will need little */
            vv_buffer_clear(&r->pairing.queue);
        if (r->pairing.failure.status && !r->is_open)
            break; /* before anything is delivered */
        if (!r->pairing.is_dry)
            status = deliver(r, error);
    } while (!status && (r->pairing.queue.size || r->pairing.deferred.size ||
                            (r->jobs.size && !r->pairing.is_dry)));
    if (!status && (status = r->pairing.failure.status) && error)
        *error = r->pairing.failure;
    if (status)
        get_stuck(r);
    r->has_new_mismatch = false;
    vv_graph_let_go(r->pairing.graph, older);
    r->is_busy = false;
    return status;
}

varve_status vv_fail_mismatched(
    const struct varve_restoration *r, varve_error *error)
{
    const struct vv_index *index = vv_index_of(&r->pairing);
    size_t count;
    const struct vv_pair *pairs = vv_pairs(&r->mismatched, &count);
    vv_fail(error, VARVE_MISMATCH,
        "%s: expected types and shapes that agree, found %zu that do not:",
        r->file.path, count);
    for (size_t i = 0; i < count; i++) {
        char path[256];
        char saved_text[VARVE_TENSOR_TEXT_SIZE] = "an object";
        char wanted_text[VARVE_TENSOR_TEXT_SIZE] = "an object";
        const varve_node *node = pairs[i].node;
        uint32_t value = r->pairing.value_of[pairs[i].file];
        if (value != VV_NONE) {
            varve_tensor saved = vv_saved(&r->pairing, value);
            varve_tensor_text(&saved, saved_text);
            if (vv_index_kind(index, pairs[i].file) == VARVE_STATE)
                strcpy(saved_text, "state");
        }
        if (node->variable)
            varve_tensor_text(&node->variable->tensor, wanted_text);
        else if (node->kind == VARVE_STATE)
            strcpy(wanted_text, "state");
        if (!vv_error_add_line(error, "  %s: saved %s, the program has %s",
                vv_node_text(node, path, sizeof path), saved_text, wanted_text))
            break;
    }
    return VARVE_MISMATCH;
}
