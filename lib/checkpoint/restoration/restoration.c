/* restoration.c - Opens, updates and frees restorations. Each new edge of the
 * graph can deliver pending values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "restoration.h"

#include <stdlib.h>

#include "allocator.h"
#include "arrival.h"
#include "assertion.h"
#include "binding.h"
#include "carry.h"
#include "delivery_state.h"
#include "dispatch.h"
#include "edge.h"
#include "failure.h"
#include "fixed.h"
#include "formats.h"
#include "match.h"
#include "pending.h"
#include "questions.h"
#include "save.h"
#include "slot.h"
#include "struct_look.h"
#include "transfer.h"
#include "try.h"
#include "variable.h"
#include "write.h"

/* --- Callbacks of the graph --------------------------------------------- */

static struct varve_restoration *restoration_of(struct vv_observer *observer)
{
    return (struct varve_restoration *)observer;
}

static const varve_error *failure_of(const struct varve_restoration *r)
{
    return r->delivery.failure.status ? &r->delivery.failure
                                      : &r->pairing.failure;
}

/* Keeps the first failure until it is resolved. */
static void restoration_remember(
    struct varve_restoration *r, varve_status status, const varve_error *error)
{
    if (status && !failure_of(r)->status)
        r->delivery.failure = *error;
}

static void take_in(struct varve_restoration *r)
{
    varve_error error;
    if (r->is_busy ||
        (!vv_work_queue_is_due(&r->matching.work_queue) &&
            !r->delivery.jobs.pairs.size && !r->delivery.held.pairs.size &&
            !r->delivery.folds.pairs.size && !r->delivery.has_new_mismatch))
        return;
    varve_status status = vv_arrive(r, &error);
    if (status)
        restoration_remember(r, status, &error);
    else
        vv_clear_if_mended(r);
}

static void restoration_edge_added(
    struct vv_observer *self, struct vv_edge *edge)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->pairing.is_dry || r->is_settled)
        return;
    vv_widen_by_edge(&r->matching, vv_edge_named(edge));
    if (vv_is_held(&r->matching, edge->parent))
        vv_match_edge(&r->matching, edge);
    take_in(r);
}

static void restoration_children_moved(
    struct vv_observer *self, varve_node *list)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->pairing.is_dry || r->is_settled)
        return;
    bool is_held = vv_is_held(&r->matching, list);
    for (struct vv_edge *e = vv_first_edge(list); e; e = vv_next_edge(e)) {
        vv_widen_by_edge(&r->matching, e);
        if (is_held)
            vv_match_moved(&r->matching, e);
    }
    take_in(r);
}

static void restoration_slot_added(
    struct vv_observer *self, struct vv_slot *slot)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->pairing.is_dry || r->is_settled)
        return;
    vv_widen_by_slot(&r->matching, slot);
    if (vv_is_held(&r->matching, slot->owner) &&
        vv_is_held(&r->matching, slot->public.variable))
        vv_match_slot(&r->matching, slot);
    take_in(r);
}

static void node_changed(struct vv_observer *self, varve_node *node)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->pairing.is_dry || r->is_settled)
        return;
    vv_by_name_changed(&r->matching, node);
    vv_match_again(&r->matching, node);
    take_in(r);
}

static void restoration_edge_removed(
    struct vv_observer *self, varve_node *child)
{
    (void)child;
    restoration_of(self)->matching.needs_sweep = true;
}

/* Numbers of names have changed, so they are looked up again. */
static size_t restoration_names_swept(struct vv_observer *self)
{
    return vv_pairing_keep_names(&restoration_of(self)->pairing);
}

static bool restoration_is_busy(const struct vv_observer *self)
{
    return ((const struct varve_restoration *)self)->is_busy;
}

void vv_clear_if_mended(struct varve_restoration *r)
{
    if (!r->delivery.stuck.pairs.size && !r->delivery.mismatched.pairs.size &&
        !r->delivery.folds.pairs.size && !vv_has_run_out(r))
        r->delivery.failure.status = VARVE_OK;
}

static void restoration_node_removed(struct vv_observer *self, varve_node *node)
{
    struct varve_restoration *r = restoration_of(self);
    vv_forget_node(&r->matching, node);
    vv_clear_if_mended(r);
    if (!r->is_busy)
        vv_delivery_check(&r->delivery);
}

static void restoration_graph_freed(struct vv_observer *self)
{
    struct varve_restoration *r = restoration_of(self);
    vv_matching_forget_graph(&r->matching);
    vv_delivery_forget_graph(&r->delivery);
    vv_clear_if_mended(r);
}

static varve_status restoration_check(
    const struct vv_observer *self, varve_error *error)
{
    const struct varve_restoration *r = (const struct varve_restoration *)self;
    const varve_error *failure = failure_of(r);
    if (failure->status && error)
        *error = *failure;
    return failure->status;
}

static varve_status restoration_carry(
    struct vv_observer *self, struct vv_carried *carried, varve_error *error)
{
    return vv_restoration_carry(restoration_of(self), carried, error);
}

/* --- Opening ------------------------------------------------------------ */

static struct varve_restoration *restoration_allocate(varve_node *root)
{
    const struct vv_context *context = &root->graph->context;
    struct varve_restoration *r =
        vv_allocate_zeroed(&context->allocator, sizeof *r);
    if (!r)
        return NULL;
    vv_pairing_init(&r->pairing, root, &r->file.parsed);
    vv_delivery_init(&r->delivery, &r->pairing, &r->file);
    vv_matching_init(&r->matching, &r->pairing, &r->delivery);
    vv_map_init(&r->pending, &r->pairing.context.allocator);
    r->observer.edge_added = restoration_edge_added;
    r->observer.names_swept = restoration_names_swept;
    r->observer.is_busy = restoration_is_busy;
    r->observer.edge_removed = restoration_edge_removed;
    r->observer.children_moved = restoration_children_moved;
    r->observer.slot_added = restoration_slot_added;
    r->observer.node_changed = node_changed;
    r->observer.node_removed = restoration_node_removed;
    r->observer.graph_freed = restoration_graph_freed;
    r->observer.check = restoration_check;
    r->observer.carry = restoration_carry;
    return r;
}

/* Excludes values that are not below the root of the subtree. */
static varve_status leave_out_the_rest(
    struct varve_restoration *r, varve_error *error)
{
    const struct vv_index *index = vv_index_of(&r->pairing);
    VV_TRY(vv_need_paths(&r->pairing.saved, error));
    for (uint32_t v = 0; v < index->value_count; v++) {
        if (!vv_saved_path_exists(
                &r->pairing.saved.paths, vv_at32(index->value_nodes, v)))
            vv_change_delivery_state(
                &r->delivery.delivery_states, v, VV_DELIVERY_STATE_EXCLUDED);
    }
    return VARVE_OK;
}

static varve_status open_at(struct varve_restoration *r,
    const struct vv_opening *opening, const char *path, varve_error *error)
{
    const struct vv_context *context = &r->pairing.context;
    return opening->consent->open(
        opening->consent->user, &r->file, context, path, error);
}

static varve_status restoration_find_file(struct varve_restoration *r,
    const struct vv_opening *opening, varve_error *error)
{
    struct vv_buffer path;
    r->has_lent_file = opening->file != NULL;
    if (r->has_lent_file) {
        r->file = *opening->file;
        return VARVE_OK;
    }
    if (!opening->consent)
        return vv_open_found(&r->pairing.context, opening->path,
            opening->is_numbered, vv_checkpoint_open, &r->file, error);
    vv_buffer_init(&path, &r->pairing.context.allocator);
    varve_status status = vv_find_checkpoint(
        &r->pairing.context, opening->path, opening->is_numbered, &path, error);
    if (!status)
        status = open_at(r, opening, (const char *)path.data, error);
    vv_buffer_clear(&path);
    return status;
}

static varve_status restoration_open_file(struct varve_restoration *r,
    const struct vv_opening *opening, varve_error *error)
{
    r->pairing.is_by_label = opening->is_by_label;
    VV_TRY(vv_pairing_select(&r->pairing, opening->options, error));
    r->pairing.selection.is_resume = opening->is_resume;
    VV_TRY(restoration_find_file(r, opening, error));
    VV_TRY(vv_pairing_begin(&r->pairing, r->file.path, error));
    VV_TRY(vv_delivery_begin(&r->delivery, error));
    vv_matching_begin(&r->matching);
    if (r->pairing.selection.options.salvage.on)
        VV_TRY(
            /* needed for the names of lost values */
            vv_need_paths(&r->pairing.saved, error));
    if (r->pairing.selection.options.subtree)
        VV_TRY(leave_out_the_rest(r, error));
    /* These pointers belong to the caller and are valid only during the call.
     */
    r->pairing.selection.options.rename.list = NULL;
    r->pairing.selection.options.rename.file = NULL;
    r->pairing.selection.options.subtree = NULL;
    return VARVE_OK;
}

/* Matches before anything is delivered. The arrival reports failed allocations.
 */
static void match_ahead(struct varve_restoration *r)
{
    r->is_busy = true;
    enum vv_hold older = vv_graph_hold(r->pairing.graph, VV_HOLDS_NODES);
    vv_match_queue(&r->matching);
    vv_leave_out_others(&r->delivery);
    vv_graph_let_go(r->pairing.graph, older);
    r->is_busy = false;
}

/* Returns VARVE_OK if the file has a value for everything in the program. */
static varve_status require_matches(
    struct varve_restoration *r, varve_error *error)
{
    match_ahead(r);
    if (vv_has_run_out(r))
        return VARVE_OK;
    VV_TRY(vv_prepare_report(r, error));
    return vv_assert_found(&r->delivery, error);
}

/* Matching calls the on-demand callbacks of the program, and nothing removes
 * what they add. So the complete file is verified before: a damaged one adds
 * nothing, and the program can restore another one. A read of a part of a file
 * does not read the rest. */
static enum vv_look look_for(
    const struct varve_restoration *r, const struct vv_opening *opening)
{
    const struct vv_selection *selection = &r->pairing.selection;
    const varve_read_options *o = &selection->options;
    bool is_part =
        selection->only || (opening->options && opening->options->subtree);
    bool verifies = vv_opened_has_digests(&r->file) && !o->no_verify &&
                    !o->map && !o->salvage.on && !opening->is_dry &&
                    !opening->consent;
    if (!r->pairing.graph->adds_on_demand || !verifies)
        return opening->look;
    return opening->is_resume || (!is_part && o->passes != VARVE_ONE_PASS)
               ? VV_LOOK_ALL
               : opening->look;
}

static varve_status match_and_verify(struct varve_restoration *r,
    enum vv_look look, bool is_whole, varve_error *error)
{
    if (look == VV_LOOK_ALL)
        VV_TRY(vv_verify_ahead(r, true, error));
    vv_match_roots(&r->matching);
    if (is_whole)
        VV_TRY(require_matches(r, error));
    if (look != VV_LOOK_REST)
        return VARVE_OK;
    match_ahead(r);
    return vv_verify_ahead(r, false, error);
}

static varve_status restoration_begin(struct varve_restoration *r,
    const struct vv_opening *opening, varve_error *error)
{
    VV_TRY(restoration_open_file(r, opening, error));
    if (opening->is_save && !vv_reserve_save_counter(r->pairing.root))
        return vv_fail_memory(error, "the save counter");
    vv_graph_observe(r->pairing.graph, &r->observer);
    r->pairing.number = r->observer.number;
    r->pairing.is_dry = opening->is_dry;
    VV_TRY(vv_scope_begin(&r->pairing.scopes, r->pairing.root, error));
    const enum vv_look look = look_for(r, opening);
    VV_TRY(match_and_verify(r, look, opening->is_whole, error));
    r->delivery.consent = opening->consent;
    r->delivery.reads_once = look != VV_LOOK_NOT;
    r->delivery.leaves_from = opening->leaves_from;
    varve_status status = vv_arrive(r, error);
    r->delivery.reads_once = false;
    r->delivery.leaves_from = 0;
    r->delivery.consent = NULL;
    if (!status && !opening->consent) /* a collective read checks this across
                                         all processes */
        status = vv_restoration_require_any(r, error);
    if (status)
        return status;
    if (opening->is_save)
        vv_set_save_counter(r->pairing.root, vv_index_of(&r->pairing)->counter);
    r->delivery.failure.status = VARVE_OK;
    r->matching.is_open = true;
    r->pairing.selection.options.progress = NULL;
    r->pairing.selection.options.salvage.loss = NULL;
    return VARVE_OK;
}

varve_restoration *vv_restoration_open(
    varve_node *root, const struct vv_opening *opening, varve_error *error)
{
    if (vv_check_call(root, opening->path, "path", error))
        return NULL;
    struct varve_restoration *r = restoration_allocate(root);
    if (!r) {
        vv_fail_memory(error, "a restoration");
        return NULL;
    }
    if (restoration_begin(r, opening, error)) {
        if (opening->read_failure)
            *opening->read_failure = r->delivery.read_failure;
        vv_restoration_leave_half(r);
        vv_restoration_free(r);
        return NULL;
    }
    if (opening->hands_over_file)
        r->has_lent_file = false;
    return r;
}

/* --- Closing ------------------------------------------------------------ */

/* Includes nodes that wait for a copy of a value. */
static void give_up_all(struct varve_restoration *r)
{
    for (varve_node *n = vv_newest_node(r->pairing.graph);
         n && !r->pairing.is_dry; n = vv_older_node(n)) {
        if (vv_file_node_of(&r->pairing.matches, n) != VV_NONE)
            vv_variable_give_up(n);
    }
}

varve_status vv_restoration_settle(
    struct varve_restoration *r, varve_error *error)
{
    VV_TRY(varve_drop_pending(r, NULL, error));
    r->is_settled = true;
    return VARVE_OK;
}

void varve_restoration_free(varve_restoration *r)
{
    if (r && !r->is_lent)
        vv_restoration_free(r);
}

void vv_restoration_free(struct varve_restoration *r)
{
    if (!r)
        return;
    if (r->pairing.graph && r->observer.number) {
        vv_graph_forget(r->pairing.graph, &r->observer);
        give_up_all(r);
    }
    vv_pending_free(r);
    const varve_allocator a = r->pairing.context.allocator;
    vv_matching_end(&r->matching);
    vv_delivery_end(&r->delivery);
    vv_pairing_end(&r->pairing);
    if (!r->has_lent_file)
        vv_opened_close(&r->file);
    vv_release(&a, r, sizeof *r);
}

/* A restoration without a number has not delivered anything. */
void vv_restoration_leave_half(struct varve_restoration *r)
{
    uint64_t number = r->pairing.number;
    for (varve_node *n = vv_newest_node(r->pairing.graph); n && number;
         n = vv_older_node(n))
        n->is_half |= n->restored_by == number && !vv_is_fixed(n);
}

/* --- Accessors ---------------------------------------------------------- */

const char *varve_restoration_path(const varve_restoration *r)
{
    return r ? r->file.path : NULL;
}

varve_passes varve_restoration_passes(const varve_restoration *r)
{
    return r ? (varve_passes)r->delivery.passes : VARVE_PASSES_AUTO;
}

uint64_t varve_restoration_counter(const varve_restoration *r)
{
    return r ? vv_index_of(&r->pairing)->counter : 0;
}

const varve_metadata *varve_restoration_metadata(
    const varve_restoration *r, const char *name)
{
    if (!r)
        return NULL;
    const struct vv_index *index = vv_index_of(&r->pairing);
    const varve_metadata wanted = { .name = name };
    return index->metadata_count
               ? bsearch(&wanted, index->metadata, index->metadata_count,
                     sizeof wanted, vv_metadata_compare)
               : NULL;
}

/* --- Retrying ----------------------------------------------------------- */

/* Rebuilds the lists. They may be incomplete if memory ran out, and the type of
 * a mismatched node may have changed. The tables by node and value are
 * complete. */
static void restoration_list_again(struct varve_restoration *r)
{
    const struct vv_index *index = vv_index_of(&r->pairing);
    vv_empty_pairs(&r->delivery.mismatched);
    vv_empty_pairs(&r->delivery.jobs);
    vv_empty_pairs(&r->delivery.held);
    vv_forget_claims(&r->pairing.matches, r->pairing.graph);
    for (uint32_t f = 0; f < index->node_count; f++) {
        uint32_t value = vv_value_of(&r->pairing, f);
        bool is_done = value != VV_NONE &&
                       vv_is_delivered(&r->delivery.delivery_states, value);
        if (r->pairing.matches.node_of[f] && !is_done)
            vv_decide(&r->delivery, r->pairing.matches.node_of[f], f);
    }
}

/* Returns true if no value is left to be listed: all are in their nodes, or
 * have none. */
static bool restoration_has_nothing_listed(const struct varve_restoration *r)
{
    const struct vv_delivery *d = &r->delivery;
    return !d->mismatched.pairs.size && !d->jobs.pairs.size &&
           !d->held.pairs.size && !d->stuck.pairs.size &&
           !d->folds.pairs.size && !d->has_new_mismatch &&
           !r->pairing.matches.claims.pairs.size && !vv_has_run_out(r);
}

varve_status varve_restoration_retry(varve_restoration *r, varve_error *error)
{
    if (!r)
        return vv_fail_none(error, "restoration", "a read");
    if (!r->pairing.graph || r->pairing.is_dry)
        return VARVE_OK;
    if (r->pairing.root)
        VV_TRY(vv_structs_look(r->pairing.root, error));
    if (!vv_sweep(
            &r->matching)) /* untracked nodes may have lost their memory */
        return vv_fail_memory(error, "a restoration");
    bool rematches =
        (vv_has_run_out(r) || r->pairing.matches.claims.pairs.size) &&
        r->pairing.root;
    if (rematches) {
        VV_TRY(vv_scope_begin(&r->pairing.scopes, r->pairing.root, error));
        r->pairing.failure = (varve_error){ 0 };
        r->delivery.has_lost = false;
    }
    if (rematches || !restoration_has_nothing_listed(r)) {
        vv_empty_pairs(&r->delivery.stuck);
        restoration_list_again(r);
    }
    if (rematches)
        vv_match_everything(&r->matching);
    r->delivery.has_new_mismatch = false; /* reported below */
    varve_error reason = { 0 };
    varve_status status = vv_arrive(r, &reason);
    if (!status && r->delivery.mismatched.pairs.size)
        status = vv_fail_mismatched(&r->delivery, &reason);
    if (status) {
        r->delivery.failure = reason;
        if (error)
            *error = reason;
        return status;
    }
    vv_clear_if_mended(r);
    return VARVE_OK;
}

/* Returns the node that a value was delivered to, or NULL if another node has
 * its place now. */
static varve_node *taker_of(const varve_restoration *r, uint32_t value)
{
    const struct vv_index *index = vv_index_of(&r->pairing);
    varve_node *node =
        r->pairing.matches.node_of[vv_at32(index->value_nodes, value)];
    bool has_value = node && (node->variable || node->kind == VARVE_STATE);
    return has_value && vv_value_fits(&r->delivery, node, value) ? node : NULL;
}

varve_status varve_restoration_verify(varve_restoration *r, varve_error *error)
{
    if (!r)
        return vv_fail_none(error, "restoration", "a read");
    const struct vv_index *index = vv_index_of(&r->pairing);
    struct vv_buffer applied;
    vv_buffer_init(&applied, &r->pairing.context.allocator);
    for (uint32_t v = 0; v < index->value_count; v++) {
        struct vv_pair pair = { taker_of(r, v), v };
        if (r->delivery.delivery_states.of[v] == VV_DELIVERY_STATE_APPLIED ||
            r->delivery.delivery_states.of[v] == VV_DELIVERY_STATE_LENT)
            vv_buffer_add(&applied, &pair, sizeof pair);
    }
    size_t count;
    const struct vv_pair *pairs = vv_pairs_in(&applied, &count);
    varve_status status =
        applied.failed ? vv_fail_memory(error, "a restoration")
                       : vv_transfer_verify(&r->delivery, pairs, count, error);
    vv_buffer_clear(&applied);
    return status;
}
