/* binding.c - Binds nodes of the program to nodes of the file, and decides
 * which of several claims wins.
 *
 * SPDX-License-Identifier: MIT
 */
#include "binding.h"

#include "delivery_state.h"
#include "on_demand.h"
#include "slot.h"
#include "unbind.h"

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
 * matched and then removed by the program. The file has nothing for it. */
static bool binding_replaces_object(
    const struct vv_matching *m, const varve_node *node, uint32_t file)
{
    return m->pairing->matches.is_past[file] &&
           (node->variable || node->kind == VARVE_STATE) &&
           vv_value_of(m->pairing, file) == VV_NONE;
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
