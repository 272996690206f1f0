/* delivery_state.c - Decides about the value of a node when its bindings
 * change, also below rank-local nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "delivery_state.h"

#include <string.h>

#include "allocator.h"
#include "convert.h"
#include "fixed_value.h"
#include "name.h"
#include "own_part.h"
#include "private.h"
#include "resizing.h"
#include "scope.h"
#include "slice.h"
#include "typed_memory.h"
#include "variable.h"

/* --- Parts of other processes --------------------------------------------- */

/* Excludes nodes that only the parts of other processes lead to. */

enum vv_private_skip vv_private_skip(const struct vv_delivery *d, uint32_t file)
{
    return d->not_own ? (enum vv_private_skip)d->not_own[file] : VV_OWN;
}

const char *vv_not_own_text(const struct vv_delivery *d, uint32_t file)
{
    switch (vv_private_skip(d, file)) {
    case VV_OF_ANOTHER: return "rank-local, of another rank";
    case VV_LEFT:
        return "rank-local, of a job with another number of ranks: dropped";
    case VV_TO_FOLD:
    case VV_FOLDED: return "rank-local, merged by the callback";
    case VV_OWN: break;
    }
    return NULL;
}

bool vv_is_left_to_program(const struct vv_delivery *d, const varve_node *node)
{
    uint32_t file = vv_file_node_of(&d->pairing->matches, node);
    const struct vv_private *private = vv_private_of(node);
    return private && file != VV_NONE &&
           (private->options.drop || private->options.merge) &&
           !vv_own_fits(vv_index_of(d->pairing), node, file);
}

/* --- Excluding ---------------------------------------------------------- */

/* Excludes pending values. A value that a rename leads to may still be
 * delivered. */
static void private_skip_leave_out(struct vv_delivery *d, const uint8_t *why)
{
    const struct vv_pairing *p = d->pairing;
    const struct vv_index *index = vv_index_of(p);
    for (uint32_t i = 0; i < index->node_count; i++) {
        if (why[i])
            d->not_own[i] = why[i];
    }
    for (uint32_t v = 0; v < index->value_count; v++) {
        uint32_t at = vv_at32(index->value_nodes, v);
        if (why[at] && !p->matches.node_of[at] &&
            d->delivery_states.of[v] == VV_DELIVERY_STATE_WAITING)
            vv_change_delivery_state(
                &d->delivery_states, v, VV_DELIVERY_STATE_EXCLUDED);
    }
}

void vv_leave_out_others(struct vv_delivery *d)
{
    const varve_allocator *a = &d->pairing->context.allocator;
    size_t nodes = vv_index_of(d->pairing)->node_count;
    size_t count = d->cuts.size / sizeof(struct vv_own_cut);
    if (count == 0)
        return;
    uint8_t *why = vv_allocate(a, nodes);
    struct vv_own_cut *cuts = (struct vv_own_cut *)(void *)d->cuts.data;
    if (why && vv_own_reach(vv_index_of(d->pairing), a, cuts, count, why))
        private_skip_leave_out(d, why);
    else
        vv_note_loss(d);
    vv_release(a, why, nodes);
    d->cuts.size = 0;
}

/* Excludes all children except the one called `name`; NULL: excludes all.
 * Returns false if out of memory. */
static bool leave_out_all_but(struct vv_delivery *d, enum vv_private_skip why,
    uint32_t file, const char *name)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    struct vv_own_cut cut = { file, VV_NONE, (uint8_t)why };
    uint32_t id =
        name ? vv_index_find_name(index, name, strlen(name)) : VV_NONE;
    if (id != VV_NONE)
        cut.kept = vv_index_find_child(index, file, id);
    if (!d->not_own)
        d->not_own = vv_allocate_zeroed(
            &d->pairing->context.allocator, index->node_count);
    if (d->not_own)
        vv_buffer_add(&d->cuts, &cut, sizeof cut);
    if (!d->not_own || d->cuts.failed) {
        d->cuts.failed = false;
        vv_note_loss(d);
        return false;
    }
    d->not_own[file] = why == VV_OF_ANOTHER ? VV_OWN : (uint8_t)why;
    return true;
}

/* --- Deciding ------------------------------------------------------------- */

/* Returns true if the options include the part of this process. */
static bool private_skip_is_taken(
    const struct vv_delivery *d, varve_node *node, const char *name)
{
    const varve_node *mine = varve_find(node, name);
    return vv_scope_takes(&d->pairing->scopes, mine ? mine : node);
}

static void private_skip_refuse(
    struct vv_delivery *d, varve_node *node, uint32_t file)
{
    vv_enlist(d, &d->mismatched, node, file);
    d->has_new_mismatch = true;
}

void vv_decide_own(struct vv_delivery *d, varve_node *node, uint32_t file)
{
    const struct vv_private *private = vv_private_of(node);
    char name[24];
    name[vv_decimal(private->rank, name)] = '\0';
    if (vv_own_fits(vv_index_of(d->pairing), node, file)) {
        leave_out_all_but(d, VV_OF_ANOTHER, file, name);
    } else if (vv_private_skip(d, file) == VV_FOLDED ||
               vv_is_dropped(&d->delivery_states, file)) {
        return;
    } else if (private->options.drop || !private_skip_is_taken(d, node, name)) {
        leave_out_all_but(d, VV_LEFT, file, NULL);
    } else if (private->options.merge) {
        if (leave_out_all_but(d, VV_TO_FOLD, file, NULL) &&
            !d->pairing->is_dry && !vv_find_pair(&d->folds, node, file, 0))
            vv_enlist(d, &d->folds, node, file);
    } else {
        private_skip_refuse(d, node, file);
    }
}

/* --- Merging ------------------------------------------------------------ */

bool vv_take_fold(struct vv_delivery *d, struct vv_pair *pair)
{
    if (!vv_take_pair(&d->folds, pair))
        return false;
    d->not_own[pair->file] = VV_FOLDED;
    return true;
}

void vv_put_fold(struct vv_delivery *d, const struct vv_pair *pair)
{
    d->not_own[pair->file] = VV_TO_FOLD;
    vv_enlist(d, &d->folds, pair->node, pair->file);
}

/* --- Decisions ------------------------------------------------------------ */

/* Decides about a value when its node is bound: whether it fits, is included,
 * is due, and whether other nodes receive copies. */

/* --- Values ------------------------------------------------------------- */

bool vv_is_resized(const struct vv_delivery *d, const varve_node *node,
    const varve_tensor *saved)
{
    const varve_tensor *wanted = &node->variable->tensor;
    return wanted->rank == saved->rank && wanted->dtype != VARVE_STRING &&
           !vv_part_of(node) && saved->dtype != VARVE_STRING &&
           !vv_shape_equal(wanted, saved) && !vv_takes_shape(node, saved) &&
           vv_scope_resizes(&d->pairing->scopes, node);
}

static bool type_fits(const struct vv_delivery *d, const varve_node *node,
    varve_dtype saved, varve_dtype wanted)
{
    if (saved == wanted)
        return true;
    if (!vv_scope_casts(&d->pairing->scopes, node))
        return false;
    switch (d->options->cast) {
    case VARVE_CAST_WIDEN: return vv_convert_is_widening(saved, wanted);
    case VARVE_CAST_ANY: return vv_convert_is_possible(saved, wanted);
    default: return false;
    }
}

bool vv_whole_fits(const struct vv_delivery *d, const varve_node *node,
    const varve_tensor *saved)
{
    if (node->kind == VARVE_STATE)
        return true;
    const varve_tensor wanted = vv_whole_of(node);
    if (!type_fits(d, node, saved->dtype, wanted.dtype))
        return false;
    if (vv_shape_equal(saved, &wanted) || vv_takes_shape(node, saved))
        return true;
    if (d->options->reshape && !vv_part_of(node) &&
        varve_tensor_count(saved) == varve_tensor_count(&wanted))
        return true;
    return vv_is_resized(d, node, saved);
}

/* Returns true if both slices have the same tensor, start and shape. */
static bool part_fits(const struct vv_delivery *d, const varve_node *node,
    const varve_tensor *saved, const varve_slice *part)
{
    const varve_slice *wanted = node->variable ? vv_part_of(node) : NULL;
    size_t size = part->shape.rank * sizeof *part->start;
    return wanted &&
           type_fits(d, node, saved->dtype, node->variable->tensor.dtype) &&
           vv_shape_equal(saved, &node->variable->tensor) &&
           memcmp(wanted->shape.extents, part->shape.extents, size) == 0 &&
           memcmp(wanted->start, part->start, size) == 0;
}

bool vv_value_fits(
    const struct vv_delivery *d, const varve_node *node, uint32_t value)
{
    varve_slice part;
    const varve_tensor saved = vv_saved(d->pairing, value);
    return vv_saved_part(d->pairing, value, &part)
               ? part_fits(d, node, &saved, &part)
               : vv_whole_fits(d, node, &saved);
}

bool vv_brings_shape(
    const struct vv_delivery *d, const varve_node *node, uint32_t value)
{
    if (!vv_resizing_of(node))
        return false; /* the usual case */
    varve_tensor saved = vv_saved(d->pairing, value);
    return vv_takes_shape(node, &saved);
}

/* Returns true if the library owns the memory of a variable and it has no
 * value. A variable may still be marked as pending for another value. */
static bool is_empty(const varve_node *node)
{
    return node->variable && vv_variable_is_owned(node->variable) &&
           (node->value_state == VARVE_DECLARED ||
               (node->value_state == VARVE_PENDING &&
                   !node->variable->tensor.data));
}

/* Marks an empty variable without memory as pending for this value, so that its
 * initializer does not run. If the value will fill only a part of it, the
 * initializer runs instead. */
static inline void claim(
    struct vv_delivery *d, varve_node *node, uint32_t value)
{
    if (!is_empty(node))
        return;
    varve_tensor saved = vv_saved(d->pairing, value);
    if (vv_is_resized(d, node, &saved)) {
        node->value_state = VARVE_DECLARED;
        vv_variable_settle(node);
    } else if (!node->variable->tensor.data) {
        node->value_state = VARVE_PENDING;
    }
}

/* Returns the state of a value that the options include. */
static enum vv_delivery_state delivery_state_of(const struct vv_delivery *d,
    const varve_node *node, uint32_t file, uint32_t value)
{
    if (node->restored_by > d->pairing->number)
        return VV_DELIVERY_STATE_SUPERSEDED;
    if (value == VV_NONE ||
        vv_index_kind(vv_index_of(d->pairing), file) != node->kind)
        return VV_DELIVERY_STATE_MISMATCHED;
    return VV_DELIVERY_STATE_DUE;
}

void vv_decide(struct vv_delivery *d, varve_node *node, uint32_t file)
{
    uint32_t value = vv_value_of(d->pairing, file);
    if (value == VV_NONE && vv_private_of(node)) {
        vv_decide_own(d, node, file);
        return;
    }
    bool wants = node->kind == VARVE_VARIABLE || node->kind == VARVE_STATE;
    bool is_at_rest =
        value == VV_NONE ? !wants || vv_is_dropped(&d->delivery_states, file)
                         : !vv_index_is_saved(vv_index_of(d->pairing), value) ||
                               vv_is_final(&d->delivery_states, value);
    if (is_at_rest)
        return;
    if (!wants &&
        vv_index_has_tag(vv_index_of(d->pairing), file, VARVE_TAG_OPTIONAL))
        return; /* its kind in the file does not matter */
    enum vv_delivery_state delivery_state =
        delivery_state_of(d, node, file, value);
    if (!vv_scope_takes(&d->pairing->scopes, node))
        delivery_state = VV_DELIVERY_STATE_EXCLUDED;
    if (value != VV_NONE)
        vv_change_delivery_state(&d->delivery_states, value, delivery_state);
    if (delivery_state == VV_DELIVERY_STATE_MISMATCHED) {
        vv_enlist(d, &d->mismatched, node, file);
        d->has_new_mismatch = true;
    }
    if (delivery_state != VV_DELIVERY_STATE_DUE)
        return;
    vv_enlist(d, &d->jobs, node, value);
    if (!d->pairing->is_dry)
        claim(d, node, value);
}

void vv_set_delivery_state(struct vv_delivery *d, const varve_node *node,
    uint32_t value, enum vv_delivery_state delivery_state)
{
    if (vv_is_holder(&d->pairing->matches, node,
            vv_at32(vv_index_of(d->pairing)->value_nodes, value)))
        vv_change_delivery_state(&d->delivery_states, value, delivery_state);
}

/* --- Copies ------------------------------------------------------------- */

static bool delivery_state_always(const void *item, const void *key)
{
    (void)item;
    (void)key;
    return true;
}

static bool may_copy(const struct vv_delivery *d)
{
    return d->options->copy_shared || d->pairing->selection.rename_count;
}

/* Returns true if a value has been delivered to the path of a node before. */
static bool was_served(const struct vv_delivery *d, const varve_node *node)
{
    uint64_t place;
    return !vv_find_place(&d->pairing->ways, node, &place) ||
           vv_map_find(&d->served, place, delivery_state_always, NULL);
}

void vv_note_served(struct vv_delivery *d, const varve_node *node)
{
    uint64_t place;
    if (may_copy(d) && !was_served(d, node) &&
        vv_find_place(&d->pairing->ways, node, &place))
        vv_map_add(&d->served, place, d);
}

void vv_note_delivered(struct vv_delivery *d, varve_node *node, uint32_t value)
{
    bool is_lent = vv_how_of(&d->pairing->matches, node) >= VV_BY_OTHER_PATH;
    node->restored_by = d->pairing->number;
    node->is_half = false;
    vv_set_delivery_state(d, node, value,
        is_lent ? VV_DELIVERY_STATE_LENT : VV_DELIVERY_STATE_APPLIED);
    if (vv_visited_paths_matter(&d->pairing->ways))
        vv_note_served(d, node);
    if (node->attachments)
        vv_fixed_value_record(node);
}

bool vv_wants_copy(
    const struct vv_delivery *d, const varve_node *node, uint32_t file)
{
    const varve_node *holder = d->pairing->matches.node_of[file];
    return d->options->copy_shared ||
           vv_how_of(&d->pairing->matches, node) == VV_BY_RENAME ||
           (holder && vv_how_of(&d->pairing->matches, holder) == VV_BY_RENAME);
}

void vv_copy(struct vv_delivery *d, varve_node *node, uint32_t file)
{
    uint32_t value = vv_value_of(d->pairing, file);
    if (value == VV_NONE ||
        !vv_index_is_saved(vv_index_of(d->pairing), value) ||
        vv_index_kind(vv_index_of(d->pairing), file) != node->kind ||
        vv_is_given_up(&d->delivery_states, value) ||
        !vv_wants_copy(d, node, file) ||
        node->restored_by >= d->pairing->number ||
        !vv_scope_takes(&d->pairing->scopes, node))
        return;
    if (was_served(d, node))
        return;
    if (!vv_map_reserve(&d->served, d->served.count + 1)) {
        vv_note_loss(d);
        return;
    }
    vv_enlist(d, &d->jobs, node, value);
    if (!d->pairing->is_dry)
        claim(d, node, value);
}

/* --- Calls from matching ------------------------------------------------ */

/* Removes all jobs of a node. */
static void drop_jobs(struct vv_delivery *d, const varve_node *node)
{
    vv_drop_pairs(&d->jobs, node);
    vv_drop_pairs(&d->held, node);
    vv_drop_pairs(&d->stuck, node);
    vv_drop_pairs(&d->mismatched, node);
    vv_drop_pairs(&d->folds, node);
}

void vv_delivery_unbind(struct vv_delivery *d, varve_node *node, uint32_t value)
{
    if (value != VV_NONE && !vv_is_final(&d->delivery_states, value))
        vv_change_delivery_state(
            &d->delivery_states, value, VV_DELIVERY_STATE_WAITING);
    drop_jobs(d, node);
    if (node->variable && node->value_state == VARVE_PENDING)
        node->value_state = VARVE_DECLARED;
}

/* The node keeps the value that it has received, or receives a copy if copies
 * are requested. */
void vv_delivery_demote_claim(
    struct vv_delivery *d, varve_node *node, uint32_t file)
{
    uint32_t value = vv_value_of(d->pairing, file);
    drop_jobs(d, node);
    vv_variable_give_up(node);
    if (d->delivery_states.of[value] == VV_DELIVERY_STATE_LENT ||
        !vv_is_final(&d->delivery_states, value))
        vv_change_delivery_state(
            &d->delivery_states, value, VV_DELIVERY_STATE_WAITING);
    vv_copy(d, node, file);
}

void vv_confirm(struct vv_delivery *d, uint32_t file)
{
    uint32_t value = vv_value_of(d->pairing, file);
    if (value != VV_NONE &&
        d->delivery_states.of[value] == VV_DELIVERY_STATE_LENT)
        vv_change_delivery_state(
            &d->delivery_states, value, VV_DELIVERY_STATE_APPLIED);
}

/* A variable or state that is an object in the file is listed only once. */
void vv_take_in(struct vv_delivery *d, varve_node *node, uint32_t file)
{
    uint32_t value = vv_value_of(d->pairing, file);
    if (value == VV_NONE
            ? !vv_find_pair(&d->mismatched, node, VV_NONE, 0)
            : d->delivery_states.of[value] == VV_DELIVERY_STATE_EXCLUDED)
        vv_decide(d, node, file);
}
