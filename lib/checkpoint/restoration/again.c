/* again.c - Restores values once more: makes them due and delivers them like
 * any others. A failure resets the previous states.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/restoration.h>

#include "allocator.h"
#include "arrival.h"
#include "at_risk.h"
#include "binding.h"
#include "delivery_state.h"
#include "failure.h"
#include "overlap.h"
#include "slot.h"
#include "struct_look.h"
#include "try.h"
#include "variable.h"
#include "walk.h"

/* A value to be restored again, and the previous states of the value and its
 * node. Also a dropped node of the file that has no value. */
struct candidate {
    varve_node *node;
    uint32_t number; /* number of the node */
    uint32_t file;
    uint32_t value;         /* or VV_NONE */
    uint8_t delivery_state; /* enum vv_delivery_state */
    uint8_t value_state;    /* enum varve_variable_state */
};

struct retrying {
    struct varve_restoration *r;
    struct vv_buffer candidate;
    size_t stuck; /* size of the list before, in bytes */
    size_t held;
};

/* Returns true if the value of a node can be restored again. */
static bool is_had(
    struct varve_restoration *r, const varve_node *node, uint32_t value)
{
    uint32_t file = vv_at32(vv_index_of(&r->pairing)->value_nodes, value);
    if (node->restored_by > r->observer.number)
        return false;
    /* the node receives a copy */
    if (!vv_is_holder(&r->pairing.matches, node, file))
        return r->delivery.delivery_states.of[value] !=
                   VV_DELIVERY_STATE_WAITING &&
               vv_scope_takes(&r->pairing.scopes, node);
    switch ((enum vv_delivery_state)r->delivery.delivery_states.of[value]) {
    case VV_DELIVERY_STATE_APPLIED:
    case VV_DELIVERY_STATE_LENT:
    case VV_DELIVERY_STATE_SUPERSEDED:
    case VV_DELIVERY_STATE_MISMATCHED:
    case VV_DELIVERY_STATE_DROPPED:
    case VV_DELIVERY_STATE_DAMAGED: return true;
    default: return false;
    }
}

/* Adds the dropped objects of the file that are bound to the node. They are
 * matched again. */
static void retry_objects(struct retrying *a, varve_node *node, uint32_t file)
{
    struct varve_restoration *r = a->r;
    for (; file != VV_NONE;
         file = vv_next_partner(&r->pairing.matches, node, file)) {
        struct candidate candidate = {
            .node = node,
            .number = node->number,
            .file = file,
            .value = VV_NONE,
        };
        if (vv_is_holder(&r->pairing.matches, node, file) &&
            vv_is_dropped(&r->delivery.delivery_states, file))
            vv_buffer_add(&a->candidate, &candidate, sizeof candidate);
    }
}

static void again_add(struct retrying *a, varve_node *node)
{
    struct varve_restoration *r = a->r;
    uint32_t file = vv_file_node_of(&r->pairing.matches, node);
    uint32_t value = file == VV_NONE ? VV_NONE : vv_value_of(&r->pairing, file);
    retry_objects(a, node, file);
    if (value == VV_NONE ||
        !vv_index_is_saved(vv_index_of(&r->pairing), value) ||
        vv_index_kind(vv_index_of(&r->pairing), file) != node->kind ||
        !is_had(r, node, value))
        return;
    struct candidate candidate = {
        .node = node,
        .number = node->number,
        .file = file,
        .value = value,
        .delivery_state = r->delivery.delivery_states.of[value],
        .value_state = node->value_state,
    };
    vv_buffer_add(&a->candidate, &candidate, sizeof candidate);
    if (a->candidate.failed)
        return;
    vv_set_delivery_state(
        /* only if the node is the holder */
        &r->delivery, node, value, VV_DELIVERY_STATE_DUE);
    struct vv_pair job = { node, value };
    vv_buffer_add(&r->delivery.jobs.pairs, &job, sizeof job);
}

/* Adds a node, the slots that it owns, and those that have it as their
 * variable. */
static void retry_with_slots(
    struct retrying *a, const struct vv_walk *walk, varve_node *node)
{
    again_add(a, node);
    for (struct vv_slot *s = vv_slot_first_of(node); s; s = s->next) {
        if (!vv_walk_has(walk, s->public.node))
            again_add(a, s->public.node);
    }
    struct vv_slot *on = vv_first_slot_for(node);
    for (; on; on = on->next_on) {
        if (!vv_walk_has(walk, on->public.node))
            again_add(a, on->public.node);
    }
}

/* Removes the pairs from `begin` on, except those whose value has this delivery
 * state and those without a value that are not dropped. */
static void keep_pairs(struct varve_restoration *r, struct vv_pair_list *list,
    size_t begin, enum vv_delivery_state delivery_state, bool are_nodes)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(list, &count);
    size_t kept = begin / sizeof *pairs;
    for (size_t i = kept; i < count; i++) {
        uint32_t value =
            are_nodes ? vv_value_of(&r->pairing, pairs[i].file) : pairs[i].file;
        if (value == VV_NONE
                ? !vv_is_dropped(&r->delivery.delivery_states, pairs[i].file)
                : r->delivery.delivery_states.of[value] == delivery_state)
            pairs[kept++] = pairs[i];
    }
    list->pairs.size = kept * sizeof *pairs;
}

static struct candidate *all_candidates(const struct retrying *a, size_t *count)
{
    *count = a->candidate.size / sizeof(struct candidate);
    return (struct candidate *)(void *)a->candidate.data;
}

/* Resets everything to the state before the call. Mismatched pairs are added
 * again; the list already had room for them. */
static void again_put_back(struct retrying *a)
{
    struct varve_restoration *r = a->r;
    size_t count;
    struct candidate *candidate = all_candidates(a, &count);
    for (size_t i = 0; i < count; i++) {
        if (candidate[i].value == VV_NONE)
            vv_set_dropped(
                &r->delivery.delivery_states, candidate[i].file, true);
        else
            vv_change_delivery_state(&r->delivery.delivery_states,
                candidate[i].value, VV_DELIVERY_STATE_DUE);
    }
    keep_pairs(
        r, &r->delivery.mismatched, 0, VV_DELIVERY_STATE_MISMATCHED, true);
    for (size_t i = 0; i < count; i++) {
        uint32_t file = candidate[i].file;
        if (candidate[i].value == VV_NONE)
            continue;
        if (candidate[i].delivery_state !=
            VV_DELIVERY_STATE_DUE) /* false for a further copy of the same
                                      value */
            vv_change_delivery_state(&r->delivery.delivery_states,
                candidate[i].value,
                (enum vv_delivery_state)candidate[i].delivery_state);
        if (vv_file_node_at(&r->pairing.matches, candidate[i].number) != file)
            continue; /* a callback has removed the node */
        candidate[i].node->value_state = candidate[i].value_state;
        if (candidate[i].delivery_state == VV_DELIVERY_STATE_MISMATCHED)
            vv_enlist(
                &r->delivery, &r->delivery.mismatched, candidate[i].node, file);
    }
    keep_pairs(r, &r->delivery.jobs, 0, VV_DELIVERY_STATE_DUE, false);
    keep_pairs(r, &r->delivery.stuck, a->stuck, VV_DELIVERY_STATE_DUE, false);
    keep_pairs(r, &r->delivery.held, a->held, VV_DELIVERY_STATE_WAITING, false);
}

static bool again_reserve(struct vv_buffer *pairs, size_t more)
{
    size_t size = pairs->size;
    vv_buffer_extend(pairs, more);
    bool has_room = !pairs->failed;
    pairs->failed = false;
    pairs->size = size;
    return has_room;
}

/* Reserves room in every list that a value can move to. Otherwise a failed
 * allocation could lose pairs, and all would have to be matched again. */
static bool again_has_memory(const struct retrying *a)
{
    struct varve_restoration *r = a->r;
    size_t pairs =
        a->candidate.size / sizeof(struct candidate) * sizeof(struct vv_pair);
    bool has =
        !a->candidate.failed && !r->delivery.jobs.pairs.failed &&
        again_reserve(&r->delivery.stuck.pairs, r->delivery.jobs.pairs.size) &&
        again_reserve(&r->delivery.held.pairs, r->delivery.jobs.pairs.size) &&
        again_reserve(&r->delivery.mismatched.pairs, pairs);
    r->delivery.jobs.pairs.failed = false;
    return has;
}

/* Decides again about nodes of the file that are no longer dropped. A node of
 * another kind in the program is a mismatch. */
static void decide_objects(const struct retrying *a)
{
    size_t count;
    const struct candidate *candidate = all_candidates(a, &count);
    for (size_t i = 0; i < count; i++) {
        if (candidate[i].value != VV_NONE)
            continue;
        vv_set_dropped(
            &a->r->delivery.delivery_states, candidate[i].file, false);
        vv_decide(&a->r->delivery, candidate[i].node, candidate[i].file);
    }
}

/* Ends the walk, because callbacks may remove nodes. */
static varve_status deliver(
    struct retrying *a, struct vv_walk *walk, varve_error *error)
{
    struct varve_restoration *r = a->r;
    for (size_t i = 0; i < walk->count; i++)
        retry_with_slots(a, walk, walk->steps[i].node);
    vv_walk_end_in_place(walk);
    if (!again_has_memory(a))
        return vv_fail_memory(error, "values to restore again");
    keep_pairs(
        r, &r->delivery.mismatched, 0, VV_DELIVERY_STATE_MISMATCHED, true);
    decide_objects(a);
    return vv_arrive(r, error);
}

varve_status varve_restore_again(
    varve_restoration *r, varve_node *node, varve_error *error)
{
    struct vv_walk walk;
    if (!r && node && !vv_is_nil(node))
        return vv_fail_none(error, "restoration", "a read");
    if (!r || !node || vv_is_nil(node) || !r->pairing.graph ||
        node->graph != r->pairing.graph || r->pairing.is_dry || r->is_busy)
        return vv_fail(error, VARVE_MISUSE, "%s: varve_restore_again: %s",
            r ? r->file.path : "restoration",
            !node || vv_is_nil(node) ? "the node is NULL"
            : r->pairing.is_dry      ? "this was a dry run"
            : r->is_busy             ? "the restoration is running a callback"
                                     : "the node is in another graph");
    if (vv_has_run_out(r)) /* matches are incomplete until a retry */
        return vv_fail_run_out(r, error);
    if (!vv_sweep(&r->matching))
        return vv_fail_memory(error, "a restoration");
    VV_TRY(vv_structs_look(node, error));
    VV_TRY(vv_overlap_check(node, error));
    if (!vv_reserve_at_risk(node->graph))
        return vv_fail_memory(error, "a restoration");
    VV_TRY(vv_walk_begin(&walk, node, error));
    vv_put_at_risk(node->graph, 0); /* the program has seen these values */
    vv_settle_pairs(&r->delivery.stuck);
    vv_settle_pairs(&r->delivery.held);
    /* A failure removes the pairs that are added after these positions. */
    struct retrying a = {
        .r = r,
        .stuck = r->delivery.stuck.pairs.size,
        .held = r->delivery.held.pairs.size,
    };
    vv_buffer_init(&a.candidate, &r->pairing.context.allocator);
    varve_status status = deliver(&a, &walk, error);
    if (status)
        again_put_back(&a);
    vv_delivery_check(&r->delivery);
    vv_clear_if_mended(r);
    vv_buffer_clear(&a.candidate);
    return status;
}
