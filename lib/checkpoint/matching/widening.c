/* widening.c - Applies the patterns of each option to a new edge or slot.
 *
 * SPDX-License-Identifier: MIT
 */
#include "widening.h"

#include "binding.h"
#include "delivery_state.h"

/* Decides again about a node that was excluded until now. */
static void decide_again(struct vv_matching *m, varve_node *node)
{
    struct vv_pairing *p = m->pairing;
    uint32_t file = vv_file_node_of(&p->matches, node);
    if (!vv_scope_takes(&p->scopes, node))
        return;
    for (; file != VV_NONE; file = vv_next_partner(&p->matches, node, file)) {
        uint32_t value = vv_value_of(p, file);
        if (vv_is_holder(&p->matches, node, file))
            vv_take_in(m->delivery, node, file);
        else if (value != VV_NONE &&
                 vv_is_left_out(&m->delivery->delivery_states, value))
            vv_bind(m, node, file, vv_how_of(&p->matches, node));
    }
}

/* Adds the new paths to one option. After a failure they are matched again by a
 * retry. */
static void widening_add(struct vv_matching *m, enum vv_scope option,
    const struct vv_scope_news *news)
{
    const struct vv_spread *spread = &m->pairing->scopes.of[option];
    varve_error error;
    size_t first;
    if (vv_scope_add(&m->pairing->scopes, option, news, &first, &error) &&
        !m->pairing->failure.status)
        m->pairing->failure = error;
    if (option != VV_ONLY && option != VV_EXCEPT)
        return;
    for (size_t i = first; i < spread->count; i++)
        decide_again(m, spread->pairs[i].object);
}

static void add_to_all(struct vv_matching *m, const struct vv_scope_news *news)
{
    widening_add(m, VV_ONLY, news);
    widening_add(m, VV_EXCEPT, news);
    widening_add(m, VV_RESIZE, news);
    widening_add(m, VV_CAST_ONLY, news);
}

void vv_widen_by_edge(struct vv_matching *m, struct vv_edge *edge)
{
    add_to_all(
        m, &(struct vv_scope_news){ .root = m->pairing->root, .edge = edge });
}

void vv_widen_by_slot(struct vv_matching *m, struct vv_slot *slot)
{
    add_to_all(
        m, &(struct vv_scope_news){ .root = m->pairing->root, .slot = slot });
}
