/* private_skip.c - Excludes nodes that only the parts of other processes lead
 * to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_skip.h"

#include <string.h>

#include "allocator.h"
#include "delivery_state.h"
#include "name.h"
#include "own_part.h"
#include "private.h"
#include "scope.h"

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
