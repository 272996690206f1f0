/* binding.c - Binds nodes of the program to nodes of the file, and unbinds
 * those that the program no longer holds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "binding.h"

#include "delivery_state.h"
#include "edge.h"
#include "on_demand.h"
#include "tag.h"
#include "slot.h"
#include "walk.h"

/* --- Binding -------------------------------------------------------------- */

/* Binds nodes of the program to nodes of the file, and decides which of several
 * claims wins. */

/* Returns true if an object can be bound to one more node of the file. It then
 * takes the children of both. */
static bool may_combine(
    const struct vv_pairing *p, const varve_node *node, uint32_t file)
{
    return !node->variable && node->kind != VARVE_STATE &&
           vv_value_of(p, file) == VV_NONE;
}

/* Returns true if the node was restored from another place of the file. Such a
 * node keeps its value when it moves. */
static bool has_another_value(
    const struct vv_matching *m, const varve_node *node, uint32_t file)
{
    if (node->restored_by != m->pairing->number)
        return false;
    uint32_t value = vv_value_of(m->pairing, file);
    return value == VV_NONE ||
           !vv_is_final(&m->delivery->delivery_states, value);
}

/* Returns true if matching continues below a node. Later additions to it are
 * matched when they are made. */
static inline bool leads_on(const varve_node *node)
{
    return node->first_edge ||
           (node->attachments &&
               (vv_slot_first_of(node) || vv_on_demand_of(node) ||
                   vv_first_slot_for(node)));
}

static inline void queue_if_leads_on(
    struct vv_matching *m, varve_node *node, uint32_t file)
{
    if (leads_on(node))
        vv_queue(m, node, file);
}

/* Returns true if a claim wins over another. A path wins over an alias, and the
 * first of several paths over the others. A rename never takes a value from a
 * path, because the renamed node gets a copy. */
static bool goes_before(enum vv_match_rank how, enum vv_match_rank other)
{
    return (how == VV_BY_PATH && other >= VV_BY_OTHER_PATH) ||
           (how < VV_BY_ALIAS && other >= VV_BY_ALIAS);
}

/* Returns true if a claim wins over that of the holder of a value: by the rank
 * of its name, or because the options exclude the holder. */
static bool binding_is_better(const struct vv_matching *m,
    const varve_node *node, uint32_t file, enum vv_match_rank how)
{
    const struct vv_pairing *p = m->pairing;
    uint32_t value = vv_value_of(p, file);
    if (value == VV_NONE || vv_index_kind(vv_index_of(p), file) != node->kind)
        return false;
    if (vv_is_left_out(&m->delivery->delivery_states, value))
        return vv_scope_takes(&p->scopes, node);
    return goes_before(how, vv_how_of(&p->matches, p->matches.node_of[file])) &&
           vv_scope_takes(&p->scopes, node);
}

static void add_claim(struct vv_matching *m, varve_node *node, uint32_t file)
{
    if (!vv_add_claim(&m->pairing->matches, node, file))
        vv_out_of_memory(m);
}

/* Binds a node to a node of the file. */
static inline void stand_for(struct vv_matching *m, varve_node *node,
    uint32_t file, enum vv_match_rank how)
{
    if (!vv_matches_bind(&m->pairing->matches, node, file, how))
        vv_out_of_memory(m);
}

/* Turns the holder of a value into a claimant. It keeps the value that it has
 * received. */
static void take_from_holder(struct vv_matching *m, uint32_t file)
{
    varve_node *holder = m->pairing->matches.node_of[file];
    add_claim(m, holder, file);
    vv_set_holder(&m->pairing->matches, file, NULL);
    vv_delivery_demote_claim(m->delivery, holder, file);
}

/* Notes that a node was reached by a better path than before. The nodes below
 * it are matched again. */
static void improve(struct vv_matching *m, varve_node *node, uint32_t file,
    enum vv_match_rank how)
{
    struct vv_matches *matches = &m->pairing->matches;
    if (vv_file_node_of(matches, node) != file ||
        !goes_before(how, vv_how_of(matches, node)))
        return;
    if (!vv_set_how(matches, node, how))
        vv_out_of_memory(m);
    if (how < VV_BY_OTHER_PATH && vv_is_holder(matches, node, file))
        vv_confirm(m->delivery, file);
    queue_if_leads_on(m, node, file);
}

/* Adds a second node of the program for a node of the file. */
static void claim_too(struct vv_matching *m, varve_node *node, uint32_t file,
    enum vv_match_rank how)
{
    bool is_new = vv_file_node_of(&m->pairing->matches, node) == VV_NONE;
    add_claim(m, node, file);
    if (!is_new)
        return;
    stand_for(m, node, file, how);
    vv_copy(m->delivery, node, file);
    queue_if_leads_on(m, node, file);
}

/* Frees a node of the file for a new holder. Returns false if another node
 * keeps it, or if the node is bound to another one. */
static bool take_place(struct vv_matching *m, varve_node *node, uint32_t file,
    enum vv_match_rank how)
{
    struct vv_pairing *p = m->pairing;
    struct vv_matches *matches = &p->matches;
    if (matches->node_of[file] && vv_still_holds(m, file)) {
        if (!binding_is_better(m, node, file, how)) {
            if (vv_file_node_of(matches, node) != file)
                claim_too(m, node, file, how);
            else
                improve(m, node, file, how);
            return false;
        }
        take_from_holder(m, file);
    }
    uint32_t known = vv_file_node_of(matches, node);
    if (known != VV_NONE) {
        if (vv_is_claimant(matches, node)) {
            vv_unclaim(m, node);
            vv_drop_pairs(&matches->claims, node);
        }
        if (vv_file_node_of(matches, node) != VV_NONE)
            vv_sweep_or_fail(m);
        known = vv_file_node_of(matches, node);
    }
    if (known != VV_NONE ? !may_combine(p, node, file)
                         : has_another_value(m, node, file)) {
        add_claim(m, node, file);
        return false;
    }
    if (known == VV_NONE || vv_add_partner(matches, known, file))
        return true;
    vv_out_of_memory(m);
    return false;
}

/* Returns true if a variable or state takes the name of an object that was
 * matched and then removed by the program, or of a saved None after the read.
 * The file has nothing for it. */
static bool binding_replaces_object(
    const struct vv_matching *m, const varve_node *node, uint32_t file)
{
    if (!(node->variable || node->kind == VARVE_STATE) ||
        vv_value_of(m->pairing, file) != VV_NONE)
        return false;
    return m->pairing->matches.is_past[file] ||
           (m->is_open &&
               vv_index_has_tag(vv_index_of(m->pairing), file, VV_TAG_NONE));
}

void vv_bind(struct vv_matching *m, varve_node *node, uint32_t file,
    enum vv_match_rank how)
{
    struct vv_matches *matches = &m->pairing->matches;
    if (matches->node_of[file] == node) {
        improve(m, node, file, how);
        return;
    }
    if (!vv_matching_reserve_numbers(m) || !take_place(m, node, file, how) ||
        binding_replaces_object(m, node, file))
        return;
    vv_set_holder(matches, file, node);
    if (vv_file_node_of(matches, node) == VV_NONE)
        stand_for(m, node, file, how);
    vv_decide(m->delivery, node, file);
    queue_if_leads_on(m, node, file);
}

/* --- Options at new paths ------------------------------------------------- */

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

/* --- Unbinding ------------------------------------------------------------ */

/* Unbinds nodes that the program no longer holds. A node without edges is
 * unbound at once. Cycles need a sweep of the whole graph. */

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
