/* fate.c - what becomes of a value when its node is bound: whether it fits, is
 * taken, is due, and whether others are given a copy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fate.h"

#include <assert.h>

#include "binding.h"
#include "convert.h"
#include "scope.h"
#include "shape.h"
#include "variable.h"

/* --- Changes ------------------------------------------------------------ */

#define TO(fate) (1u << VV_FATE_##fate)

/* What vv_decide finds, of a value that has not come to anybody. */
#define DECIDED (TO(DUE) | TO(EXCLUDED) | TO(SUPERSEDED) | TO(MISMATCHED))

/* What may follow what: the table of docs/architecture.md. */
static const unsigned may_follow[] = {
    [VV_FATE_WAITING] = DECIDED | TO(DROPPED),
    [VV_FATE_DUE] =
        DECIDED | TO(WAITING) | TO(APPLIED) | TO(LENT) | TO(DROPPED),
    [VV_FATE_APPLIED] = TO(DUE),
    [VV_FATE_LENT] = TO(DUE) | TO(WAITING) | TO(APPLIED),
    [VV_FATE_SUPERSEDED] = TO(DUE),
    [VV_FATE_EXCLUDED] = DECIDED | TO(WAITING),
    [VV_FATE_MISMATCHED] = DECIDED | TO(WAITING) | TO(DROPPED),
    [VV_FATE_DROPPED] = TO(DUE),
};

void vv_change_fate(
    struct varve_restoration *r, uint32_t value, enum vv_fate fate)
{
    assert(
        r->fates[value] == fate || (may_follow[r->fates[value]] & 1u << fate));
    (void)may_follow; /* without assertions */
    r->fates[value] = (uint8_t)fate;
}

/* --- Values ------------------------------------------------------------- */

bool vv_is_resized(const struct varve_restoration *r, const varve_node *node,
    const varve_tensor *saved)
{
    const varve_tensor *wanted = &node->variable->tensor;
    return r->pairing.selection.resize && wanted->rank == saved->rank &&
           wanted->dtype != VARVE_STRING && saved->dtype != VARVE_STRING &&
           !vv_shape_equal(wanted, saved) &&
           vv_scope_resizes(&r->pairing, node);
}

static bool type_fits(
    const struct varve_restoration *r, varve_dtype saved, varve_dtype wanted)
{
    if (saved == wanted)
        return true;
    switch (r->pairing.selection.options.cast) {
    case VARVE_CAST_WIDEN: return vv_convert_is_widening(saved, wanted);
    case VARVE_CAST_ANY: return vv_convert_is_possible(saved, wanted);
    default: return false;
    }
}

bool vv_value_fits(struct varve_restoration *r, const varve_node *node,
    const varve_tensor *saved)
{
    if (node->kind == VARVE_STATE)
        return true;
    const varve_tensor *wanted = &node->variable->tensor;
    if (!type_fits(r, saved->dtype, wanted->dtype))
        return false;
    if (vv_shape_equal(saved, wanted))
        return true;
    if (r->pairing.selection.options.reshape &&
        varve_tensor_count(saved) == varve_tensor_count(wanted))
        return true;
    return vv_is_resized(r, node, saved);
}

/* A library-owned variable without a value waits for this one and does not run
 * its initializer; unless only a part of it will be filled. */
static void claim(struct varve_restoration *r, varve_node *node, uint32_t value)
{
    struct vv_variable *variable = node->variable;
    if (!variable || !variable->is_owned || node->value_state != VARVE_DECLARED)
        return;
    varve_tensor saved = vv_saved(&r->pairing, value);
    if (vv_is_resized(r, node, &saved))
        vv_variable_settle(node);
    else
        node->value_state = VARVE_PENDING;
}

bool vv_is_final(const struct varve_restoration *r, uint32_t value)
{
    return vv_is_delivered(r, value) || r->fates[value] == VV_FATE_DROPPED;
}

/* What becomes of a value that the options take. */
static enum vv_fate fate_of(
    const struct varve_restoration *r, const varve_node *node, uint32_t file)
{
    if (node->restored_by > r->observer.number)
        return VV_FATE_SUPERSEDED;
    if (r->pairing.value_of[file] == VV_NONE ||
        vv_index_kind(vv_index_of(&r->pairing), file) != node->kind)
        return VV_FATE_MISMATCHED;
    return VV_FATE_DUE;
}

void vv_decide(struct varve_restoration *r, varve_node *node, uint32_t file)
{
    uint32_t value = r->pairing.value_of[file];
    bool wants = node->kind == VARVE_VARIABLE || node->kind == VARVE_STATE;
    bool is_saved =
        value != VV_NONE && vv_index_is_saved(vv_index_of(&r->pairing), value);
    if ((value == VV_NONE && !wants) || (value != VV_NONE && !is_saved) ||
        (value != VV_NONE && vv_is_final(r, value)))
        return;
    if (!wants &&
        vv_index_has_tag(vv_index_of(&r->pairing), file, VARVE_TAG_OPTIONAL))
        return; /* what it is in the file does not matter */
    enum vv_fate fate = fate_of(r, node, file);
    if (!vv_scope_takes(&r->pairing, node))
        fate = VV_FATE_EXCLUDED;
    if (value != VV_NONE)
        vv_change_fate(r, value, fate);
    if (fate == VV_FATE_MISMATCHED) {
        vv_add_pair(&r->pairing, &r->mismatched, node, file);
        r->has_new_mismatch = true;
    }
    if (fate != VV_FATE_DUE)
        return;
    vv_add_pair(&r->pairing, &r->jobs, node, value);
    if (!r->pairing.is_dry)
        claim(r, node, value);
}

void vv_set_fate(struct varve_restoration *r, const varve_node *node,
    uint32_t value, enum vv_fate fate)
{
    if (vv_is_holder(&r->pairing, node,
            vv_at32(vv_index_of(&r->pairing)->value_nodes, value)))
        vv_change_fate(r, value, fate);
}

/* --- Copies ------------------------------------------------------------- */

static bool always(const void *item, const void *key)
{
    (void)item;
    (void)key;
    return true;
}

static bool may_copy(const struct varve_restoration *r)
{
    return r->pairing.selection.options.copy_shared ||
           r->pairing.selection.rename_count;
}

/* Whether a value has come to the place of a node before. */
static bool was_served(
    const struct varve_restoration *r, const varve_node *node)
{
    return node->number >= r->pairing.via_capacity ||
           vv_map_find(
               &r->served, r->pairing.vias[node->number].place, always, NULL);
}

void vv_note_served(struct varve_restoration *r, const varve_node *node)
{
    if (may_copy(r) && !was_served(r, node))
        vv_map_add(&r->served, r->pairing.vias[node->number].place, r);
}

void vv_note_delivered(
    struct varve_restoration *r, varve_node *node, uint32_t value)
{
    bool is_lent = vv_how_of(&r->pairing, node) >= VV_BY_OTHER_PATH;
    node->restored_by = r->observer.number;
    vv_set_fate(r, node, value, is_lent ? VV_FATE_LENT : VV_FATE_APPLIED);
    vv_note_served(r, node);
}

bool vv_wants_copy(
    const struct varve_restoration *r, const varve_node *node, uint32_t file)
{
    const varve_node *holder = r->pairing.node_of[file];
    return r->pairing.selection.options.copy_shared ||
           vv_how_of(&r->pairing, node) == VV_BY_RENAME ||
           (holder && vv_how_of(&r->pairing, holder) == VV_BY_RENAME);
}

void vv_copy(struct varve_restoration *r, varve_node *node, uint32_t file)
{
    uint32_t value = r->pairing.value_of[file];
    if (value == VV_NONE ||
        !vv_index_is_saved(vv_index_of(&r->pairing), value) ||
        vv_index_kind(vv_index_of(&r->pairing), file) != node->kind ||
        r->fates[value] == VV_FATE_DROPPED || !vv_wants_copy(r, node, file) ||
        node->restored_by >= r->observer.number ||
        !vv_scope_takes(&r->pairing, node))
        return;
    if (was_served(r, node))
        return;
    if (!vv_map_reserve(&r->served, r->served.count + 1)) {
        vv_out_of_memory(&r->pairing);
        return;
    }
    vv_add_pair(&r->pairing, &r->jobs, node, value);
    if (!r->pairing.is_dry)
        claim(r, node, value);
}

/* --- What pairing asks and tells --------------------------------------------
 */

/* No value is on its way to the node any more. */
static void drop_jobs(struct varve_restoration *r, const varve_node *node)
{
    vv_drop_pairs(&r->jobs, node);
    vv_drop_pairs(&r->held, node);
    vv_drop_pairs(&r->stuck, node);
    vv_drop_pairs(&r->mismatched, node);
}

static void part(struct varve_restoration *r, varve_node *node, uint32_t value)
{
    if (value != VV_NONE && !vv_is_final(r, value))
        vv_change_fate(r, value, VV_FATE_WAITING);
    drop_jobs(r, node);
    if (node->variable && node->value_state == VARVE_PENDING)
        node->value_state = VARVE_DECLARED;
}

/* It keeps what it was given, or gets a copy where that is asked for. */
static void outdo(struct varve_restoration *r, varve_node *node, uint32_t file)
{
    uint32_t value = r->pairing.value_of[file];
    drop_jobs(r, node);
    vv_variable_give_up(node);
    if (r->fates[value] == VV_FATE_LENT || !vv_is_final(r, value))
        vv_change_fate(r, value, VV_FATE_WAITING);
    vv_copy(r, node, file);
}

static void confirm(
    struct varve_restoration *r, varve_node *node, uint32_t file)
{
    uint32_t value = r->pairing.value_of[file];
    (void)node;
    if (value != VV_NONE && r->fates[value] == VV_FATE_LENT)
        vv_change_fate(r, value, VV_FATE_APPLIED);
}

static bool is_mismatched(
    const struct varve_restoration *r, const varve_node *node)
{
    size_t count;
    const struct vv_pair *pairs = vv_pairs(&r->mismatched, &count);
    while (count > 0 && pairs[count - 1].node != node)
        count--;
    return count > 0;
}

/* A variable or state for which the file has an object is noted once. */
static void take_in(
    struct varve_restoration *r, varve_node *node, uint32_t file)
{
    uint32_t value = r->pairing.value_of[file];
    if (value == VV_NONE ? !is_mismatched(r, node)
                         : r->fates[value] == VV_FATE_EXCLUDED)
        vv_decide(r, node, file);
}

static bool is_left_out(const struct varve_restoration *r, uint32_t value)
{
    return r->fates[value] == VV_FATE_EXCLUDED;
}

const struct vv_value_calls vv_delivery = {
    .paired = vv_decide,
    .claimed = vv_copy,
    .outdone = outdo,
    .confirmed = confirm,
    .parted = part,
    .taken_in = take_in,
    .is_final = vv_is_final,
    .is_left_out = is_left_out,
};
