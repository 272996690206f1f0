/* unbind.c - Unbinds nodes that the program no longer holds. A node without
 * edges is unbound at once. Cycles need a sweep of the whole graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unbind.h"

#include "edge.h"
#include "delivery_state.h"
#include "slot.h"
#include "walk.h"

enum {
    FEW_STEPS = 64
}; /* number of steps to the root before the whole
      graph is swept */

/* --- Letting go ----------------------------------------------------------- */

/* Queues the claims of other nodes to a node of the file that has lost its
 * holder. */
static void unbind_pass_on(struct vv_matching *m, uint32_t file)
{
    struct vv_matches *matches = &m->pairing->matches;
    size_t count, at = 0;
    const struct vv_pair *pairs = vv_pairs_in(&matches->claims.pairs, &count);
    while ((at = vv_find_pair(&matches->claims, NULL, file, at)) != 0) {
        varve_node *node = pairs[at - 1].node;
        if (vv_file_node_of(matches, node) == file)
            vv_defer(m, node, file, vv_how_of(matches, node));
    }
}

/* Stops offering a node of the file that loses its holder, so that the program
 * does not make room for values that have already arrived. A node whose value
 * is due, held or mismatched is still offered. */
static void unbind_close_offers(struct vv_matching *m, const varve_node *node)
{
    struct vv_matches *matches = &m->pairing->matches;
    const struct vv_delivery_states *delivery_states =
        &m->delivery->delivery_states;
    uint32_t file = vv_file_node_of(matches, node);
    for (; vv_is_holder(matches, node, file);
         file = vv_next_partner(matches, node, file)) {
        uint32_t value = vv_value_of(m->pairing, file);
        if (value == VV_NONE || vv_is_final(delivery_states, value) ||
            vv_is_left_out(delivery_states, value))
            matches->is_past[file] = true;
    }
}

static void unbind_release(struct vv_matching *m, uint32_t file)
{
    struct vv_pairing *p = m->pairing;
    varve_node *node = p->matches.node_of[file];
    uint32_t value = vv_value_of(p, file);
    unbind_close_offers(m, node);
    bool waits =
        value != VV_NONE && !vv_is_final(&m->delivery->delivery_states, value);
    vv_let_go(&p->matches, node);
    vv_visited_paths_unvisit(&p->ways, node);
    vv_delivery_unbind(m->delivery, node, value);
    if (waits)
        unbind_pass_on(m, file);
}

void vv_unclaim(struct vv_matching *m, varve_node *node)
{
    vv_let_go(&m->pairing->matches, node);
    vv_delivery_unbind(m->delivery, node, VV_NONE);
}

void vv_forget_node(struct vv_matching *m, varve_node *node)
{
    struct vv_pairing *p = m->pairing;
    uint32_t file = vv_file_node_of(&p->matches, node);
    if (node == p->root)
        p->root = NULL;
    if (vv_is_holder(&p->matches, node, file))
        unbind_release(m, file);
    else if (file != VV_NONE)
        vv_unclaim(m, node);
    vv_visited_paths_forget(&p->ways, node);
    vv_drop_pairs(&p->matches.claims, node);
    vv_delivery_unbind(m->delivery, node, VV_NONE);
    vv_work_queue_forget(&m->work_queue, node);
    vv_scope_forget(&p->scopes, node);
    vv_pairing_check(p);
}

/* --- All that is out of reach --------------------------------------------- */

/* Removes the claims of unreachable nodes. */
static void sweep_claims(struct vv_matching *m, const struct vv_walk *walk)
{
    struct vv_matches *matches = &m->pairing->matches;
    size_t count;
    struct vv_pair *pairs = vv_pairs(&matches->claims, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (vv_walk_has(walk, pairs[i].node))
            pairs[kept++] = pairs[i];
        else if (vv_is_claimant(matches, pairs[i].node))
            vv_unclaim(m, pairs[i].node);
    }
    vv_cut_pairs(&matches->claims, kept);
}

/* Removes the visits of unreachable nodes that were not bound. */
static void forget_visits(struct vv_pairing *p, const struct vv_walk *walk)
{
    for (const varve_node *n = vv_newest_node(p->graph);
         n && vv_visited_paths_matter(&p->ways); n = vv_older_node(n)) {
        if (!vv_walk_has(walk, n))
            vv_visited_paths_unvisit(&p->ways, n);
    }
}

bool vv_sweep(struct vv_matching *m)
{
    struct vv_pairing *p = m->pairing;
    varve_node **node_of = p->matches.node_of;
    struct vv_walk walk;
    if (!m->needs_sweep || !p->graph || !p->root)
        return true;
    /* Everything that needs memory comes before the first change. */
    if (vv_walk_begin(&walk, p->root, NULL))
        return false;
    if (vv_scope_begin(&p->scopes, p->root, NULL)) {
        vv_walk_end(&walk);
        return false;
    }
    m->needs_sweep = false;
    m->sweeps++;
    sweep_claims(m, &walk);
    for (uint32_t f = 0; f < vv_index_of(p)->node_count; f++) {
        if (node_of[f] && !vv_walk_has(&walk, node_of[f]))
            unbind_release(m, f);
    }
    forget_visits(p, &walk);
    vv_walk_end(&walk);
    vv_pairing_check(p);
    return true;
}

void vv_sweep_or_fail(struct vv_matching *m)
{
    if (!vv_sweep(m))
        vv_out_of_memory(m);
}

/* --- One node ------------------------------------------------------------- */

/* Returns true if the first edges lead up to the root. They nearly always do.
 */
static bool leads_up(const struct vv_pairing *p, const varve_node *node)
{
    const struct vv_edge *e = vv_first_in(node);
    for (int i = 0; e && i < FEW_STEPS && node != p->root; i++) {
        if (vv_is_known(p, e->parent)) {
            node = e->parent;
            e = vv_first_in(node);
        } else {
            e = vv_next_in(e);
        }
    }
    return node == p->root;
}

bool vv_is_held(struct vv_matching *m, const varve_node *node)
{
    if (!vv_is_known(m->pairing, node))
        return false;
    if (m->needs_sweep && !leads_up(m->pairing, node))
        vv_sweep_or_fail(m);
    return vv_is_known(m->pairing, node);
}

/* Unbinds the node if no edge leads to it. Nodes that only it led to follow in
 * the same way. */
bool vv_still_holds(struct vv_matching *m, uint32_t file)
{
    const struct vv_pairing *p = m->pairing;
    const varve_node *node = p->matches.node_of[file];
    if (!m->needs_sweep)
        return true;
    bool led_to = node == p->root || vv_as_slot(node);
    for (const struct vv_edge *e = vv_first_in(node); e && !led_to;
         e = vv_next_in(e))
        led_to = vv_is_known(p, e->parent);
    if (!led_to)
        unbind_release(m, file);
    else
        vv_sweep_or_fail(m);
    return p->matches.node_of[file] != NULL;
}
