/* delivery.c - Sets up and frees a delivery, and checks its lists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "delivery.h"

#include <assert.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"

/* --- Setup -------------------------------------------------------------- */

enum { LISTS = 5 };

static void list_lists(struct vv_delivery *d, struct vv_pair_list **list)
{
    struct vv_pair_list *all[LISTS] = { &d->jobs, &d->held, &d->stuck,
        &d->mismatched, &d->folds };
    memcpy(list, all, sizeof all);
}

void vv_delivery_init(struct vv_delivery *d, const struct vv_pairing *pairing,
    const struct vv_opened *file)
{
    struct vv_pair_list *lists[LISTS];
    const varve_allocator *a = &pairing->context.allocator;
    d->pairing = pairing;
    d->options = &pairing->selection.options;
    d->file = file;
    vv_buffer_init(&d->cuts, a);
    vv_buffer_init(&d->cast_misfits, a);
    vv_damages_init(&d->damages, a);
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_pair_list_init(lists[i], a);
    vv_map_init(&d->served, a);
    vv_readahead_init(&d->readahead, a);
}

/* Reserves room for as many jobs as the program and the file both have values.
 */
varve_status vv_delivery_begin(struct vv_delivery *d, varve_error *error)
{
    uint32_t count = vv_index_of(d->pairing)->value_count;
    size_t values = d->pairing->graph->number_limit;
    if (!vv_delivery_states_begin(&d->delivery_states,
            &d->pairing->context.allocator, vv_index_of(d->pairing)))
        return vv_fail_memory(error, "a restoration");
    if (values > count)
        values = count;
    vv_buffer_reserve(&d->jobs.pairs, values * sizeof(struct vv_pair));
    return VARVE_OK;
}

void vv_delivery_end(struct vv_delivery *d)
{
    struct vv_pair_list *lists[LISTS];
    vv_delivery_states_end(&d->delivery_states);
    vv_release(&d->pairing->context.allocator, d->not_own,
        vv_index_of(d->pairing)->node_count);
    vv_buffer_clear(&d->cuts);
    vv_buffer_clear(&d->cast_misfits);
    vv_damages_end(&d->damages);
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_pair_list_clear(lists[i]);
    vv_map_clear(&d->served);
    vv_readahead_end(&d->readahead);
}

void vv_delivery_forget_graph(struct vv_delivery *d)
{
    struct vv_pair_list *lists[LISTS];
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_empty_pairs(lists[i]);
    d->cuts.size = 0;
}

/* --- Other processes ---------------------------------------------------- */

varve_status vv_delivery_exchange_status(
    struct vv_delivery *d, varve_status status, varve_error *error)
{
    struct vv_collective_open *consent = d->consent;
    if (!consent || consent->was_asked)
        return status;
    consent->was_asked = true;
    return consent->ask(consent->user, status, error);
}

uint64_t vv_staging_limit(const struct vv_delivery *d)
{
    uint64_t wanted = d->options->resources.staging_size;
    bool is_shared = d->consent && d->consent->reads_once;
    return wanted      ? wanted
           : is_shared ? VV_STAGING_SIZE_OF_MANY
                       : VV_STAGING_SIZE;
}

/* --- Lists -------------------------------------------------------------- */

void vv_note_loss(struct vv_delivery *d)
{
    d->has_lost = true;
    if (!d->failure.status && !d->pairing->failure.status)
        vv_fail_memory(&d->failure, "matching a checkpoint");
}

/* --- Invariants --------------------------------------------------------- */

#ifndef NDEBUG
enum {
    MOST_CHECKED = 256
}; /* more values and pairs are not checked,
      because it takes long */

/* Returns true if a value is in the list that its delivery state requires. If
 * memory ran out, lists may be incomplete. */
static bool is_listed(const struct vv_delivery *d, uint32_t value)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    uint32_t file = vv_at32(index->value_nodes, value);
    const varve_node *node = d->pairing->matches.node_of[file];
    if (d->has_lost || d->pairing->failure.status)
        return true;
    switch ((enum vv_delivery_state)d->delivery_states.of[value]) {
    case VV_DELIVERY_STATE_DUE:
        return node && vv_has_pair(d->pairing->is_dry ? &d->jobs : &d->stuck,
                           node, value);
    case VV_DELIVERY_STATE_MISMATCHED:
        return node && vv_has_pair(&d->mismatched, node, file);
    case VV_DELIVERY_STATE_WAITING:
        return !node || !vv_index_is_saved(index, value) ||
               vv_index_kind(index, file) != node->kind ||
               vv_has_pair(&d->held, node, value);
    default: return true;
    }
}

/* Returns true if all holders in a list have the delivery state of that list.
 */
static bool have_delivery_state(const struct vv_delivery *d,
    const struct vv_pair_list *list, enum vv_delivery_state delivery_state)
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
        if (value != VV_NONE &&
            d->delivery_states.of[value] != delivery_state &&
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
    assert(have_delivery_state(d, &d->jobs, VV_DELIVERY_STATE_DUE));
    assert(have_delivery_state(d, &d->stuck, VV_DELIVERY_STATE_DUE));
    assert(have_delivery_state(d, &d->held, VV_DELIVERY_STATE_WAITING));
    assert(
        have_delivery_state(d, &d->mismatched, VV_DELIVERY_STATE_MISMATCHED));
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
