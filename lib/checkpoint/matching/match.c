/* match.c - Traverses both graphs at once, breadth first, along edges of equal
 * names. Only edges of the program are followed. Other nodes of the file stay
 * unbound, and their values are pending.
 *
 * SPDX-License-Identifier: MIT
 */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "delivery_state.h"
#include "edge.h"
#include "node_names.h"
#include "offering.h"
#include "on_demand.h"
#include "own_part.h"
#include "slot.h"

/* --- Global names --------------------------------------------------------- */

/* Sets m->name to the path of a node without escapes. Returns false if the path
 * is not a valid name. */
static bool set_flat_name(struct vv_matching *m, const varve_node *node)
{
    bool is_name = vv_visited_paths_name(&m->pairing->ways, node, &m->name);
    vv_look_for_lost_ways(m);
    return is_name;
}

static uint32_t find_flat_name(const struct vv_matching *m)
{
    return vv_saved_global(
        &m->pairing->saved, (const char *)m->name.data, m->name.size);
}

/* Returns true if the file identifies values by keys only. In other files
 * global names are labels, and a path of the program with the same spelling
 * does not match them. */
static bool has_keys(const struct vv_matching *m)
{
    const struct vv_saved_graph *saved = &m->pairing->saved;
    return vv_saved_has_globals(saved) &&
           (saved->parsed->names_are_keys || m->pairing->is_by_label);
}

/* Returns the node of the file whose key is the path of a child that `parent`
 * does not have, or VV_NONE. */
static uint32_t by_name_child(
    struct vv_matching *m, varve_node *parent, const char *name)
{
    if (!has_keys(m) ||
        !vv_visited_paths_is_visited(&m->pairing->ways, parent) ||
        !set_flat_name(m, parent))
        return VV_NONE;
    if (m->name.size)
        vv_buffer_add8(&m->name, '/');
    vv_buffer_add_string(&m->name, name);
    if (!m->name.failed)
        return find_flat_name(m);
    vv_out_of_memory(m);
    return VV_NONE;
}

static uint32_t find_home(struct vv_matching *m, const varve_node *node)
{
    const struct vv_saved_graph *saved = &m->pairing->saved;
    const struct vv_name *name = vv_global_name(node);
    uint32_t found = VV_NONE;
    if (name)
        found = vv_saved_at_parts(saved, name->bytes, name->size);
    if (found != VV_NONE && vv_saved_value(saved, found) == VV_NONE)
        found = VV_NONE; /* only values have global names */
    if (found == VV_NONE && name)
        found = vv_saved_global(saved, name->bytes, name->size);
    if (found == VV_NONE && has_keys(m) && set_flat_name(m, node) &&
        m->name.size)
        found = find_flat_name(m);
    return found;
}

/* Visits the complete program when the first global name is used. Later
 * additions are visited as they are made. Nodes are not offered children again,
 * because the program may have removed some. */
static void begin_visits(struct vv_matching *m)
{
    m->is_by_name = true;
    vv_visited_paths_unvisit_all(&m->pairing->ways);
    if (vv_matching_reserve_numbers(m))
        vv_visit(m, m->pairing->root, &(struct vv_path_step){ 0 });
}

void vv_by_name_changed(struct vv_matching *m, varve_node *node)
{
    if (!vv_global_name(node) || !m->pairing->root)
        return;
    if (!m->is_by_name)
        begin_visits(m);
    else if (vv_is_known(m->pairing, node))
        vv_consider_by_name(m, node);
}

/* Binds the queued nodes by name. This can queue further nodes. */
static void by_name_match(struct vv_matching *m)
{
    const struct vv_matches *matches = &m->pairing->matches;
    size_t count = vv_work_queue_unnamed_count(&m->work_queue);
    if (count) /* untracked nodes must not claim values */
        vv_sweep_or_fail(m);
    for (size_t i = 0; i < count; i++) {
        varve_node *node = vv_work_queue_unnamed_at(&m->work_queue, i);
        if (vv_is_holder(matches, node, vv_file_node_of(matches, node)) ||
            !vv_is_known(m->pairing, node))
            continue;
        uint32_t file = find_home(m, node);
        if (file != VV_NONE)
            vv_bind(m, node, file, VV_BY_GLOBAL_NAME);
    }
    vv_work_queue_end_unnamed(&m->work_queue);
}

/* --- Paths: edges and slots ----------------------------------------------- */

/* Returns the node that the file has under a name below a node that `parent` is
 * bound to. */
static uint32_t match_child_in_file(
    const struct vv_matching *m, const varve_node *parent, struct vv_text name)
{
    const struct vv_matches *matches = &m->pairing->matches;
    const struct vv_index *index = vv_index_of(m->pairing);
    uint32_t file = VV_NONE;
    uint32_t id = vv_index_find_name(index, name.bytes, name.size);
    uint32_t at = id == VV_NONE ? VV_NONE : vv_file_node_of(matches, parent);
    for (; at != VV_NONE && file == VV_NONE;
         at = vv_next_partner(matches, parent, at)) {
        if (vv_own_fits(index, parent, at))
            file = vv_index_find_child(index, at, id);
    }
    return file;
}

static uint32_t match_slot_in_file(const struct vv_pairing *p,
    const varve_node *owner, const varve_node *variable, const char *name)
{
    const struct vv_index *index = vv_index_of(p);
    uint32_t id = vv_index_find_name(index, name, strlen(name));
    uint32_t at = vv_file_node_of(&p->matches, variable);
    uint32_t by = vv_file_node_of(&p->matches, owner);
    uint32_t found = VV_NONE;
    if (id == VV_NONE || at == VV_NONE)
        return VV_NONE;
    for (; by != VV_NONE && found == VV_NONE;
         by = vv_next_partner(&p->matches, owner, by))
        found = vv_index_find_slot(index, by, at, id);
    return found;
}

/* A resume cannot distinguish a rename that is needed from one that was applied
 * before the checkpoint was saved, if the checkpoint also has a node by the
 * name in the program. */
static void note_if_ambiguous(
    struct vv_pairing *p, uint32_t renamed, uint32_t by_name)
{
    if (by_name != VV_NONE && by_name != renamed && !p->selection.ambiguous)
        p->selection.ambiguous = p->ways.decided;
}

static bool find_renamed(struct vv_matching *m, const varve_node *parent,
    struct vv_text name, uint32_t *file)
{
    struct vv_pairing *p = m->pairing;
    bool is_renamed = vv_find_renamed(&p->ways, parent, name, file);
    vv_look_for_lost_ways(m);
    if (is_renamed && *file != VV_NONE && p->selection.is_resume)
        note_if_ambiguous(p, *file, match_child_in_file(m, parent, name));
    return is_renamed;
}

static bool find_renamed_slot(struct vv_matching *m, const varve_node *owner,
    const varve_node *variable, const char *name, uint32_t *file)
{
    struct vv_pairing *p = m->pairing;
    bool is_renamed =
        vv_find_renamed_slot(&p->ways, owner, variable, name, file);
    vv_look_for_lost_ways(m);
    if (is_renamed && *file != VV_NONE && p->selection.is_resume)
        note_if_ambiguous(
            p, *file, match_slot_in_file(p, owner, variable, name));
    return is_renamed;
}

/* Returns the node that an edge leads to by an alias. Used if the file does not
 * have the name of the edge. */
static uint32_t child_by_alias(
    struct vv_matching *m, uint32_t file, const varve_node *child)
{
    uint32_t found = VV_NONE;
    const struct vv_alias *alias = vv_first_alias(child);
    for (; found == VV_NONE && alias; alias = alias->next)
        found = vv_child_in_file(&m->pairing->names, file, alias->name);
    return found;
}

/* Returns the rank of a match by an edge. A node that is shared in the file has
 * one first path; any other path ranks lower. */
static enum vv_match_rank how_by_edge(struct vv_matching *m,
    const varve_node *parent, const struct vv_name *name, uint32_t file,
    uint32_t child)
{
    struct vv_pairing *p = m->pairing;
    const struct vv_saved_graph *saved = &p->saved;
    enum vv_match_rank how = vv_how_of(&p->matches, parent);
    if (how != VV_BY_PATH || !saved->has_shared)
        return how;
    bool is_first =
        child != saved->root && saved->paths.parents[child] == file &&
        vv_at32(vv_index_of(p)->edge_names, saved->paths.ways[child]) ==
            vv_name_in_file(&p->names, name);
    return is_first ? how : VV_BY_OTHER_PATH;
}

/* Returns true if a rename applies to an edge, which is then matched by it. */
static bool match_renamed(struct vv_matching *m, struct vv_edge *edge)
{
    const struct vv_name *name = vv_edge_name(edge);
    struct vv_visited_paths *ways = &m->pairing->ways;
    varve_node *child = edge->public.node;
    uint32_t found;
    if (!vv_visited_paths_matter(
            ways)) /* the usual case: there are no renames */
        return false;
    vv_visit(m, child,
        &(struct vv_path_step){
            .parent = edge->parent->number + 1, .name = name });
    bool is_renamed = find_renamed(
        m, edge->parent, (struct vv_text){ name->bytes, name->size }, &found);
    vv_note_renamed(ways, child, edge->parent, name, is_renamed);
    if (is_renamed && found != VV_NONE)
        vv_bind(m, child, found, VV_BY_RENAME);
    return is_renamed;
}

/* Matches an edge below one node of the file that its parent is bound to. */
static void match_at(struct vv_matching *m, struct vv_edge *edge, uint32_t at)
{
    struct vv_pairing *p = m->pairing;
    varve_node *child = edge->public.node;
    const struct vv_name *name = vv_edge_name(edge);
    if (!vv_own_fits(vv_index_of(p), edge->parent, at))
        return;
    uint32_t found = vv_child_in_file(&p->names, at, name);
    if (found != VV_NONE)
        vv_bind(m, child, found, how_by_edge(m, edge->parent, name, at, found));
    else if ((found = child_by_alias(m, at, child)) != VV_NONE)
        vv_defer(m, child, found, VV_BY_ALIAS);
}

/* Matches an edge below `file`, or below all nodes of the file that its parent
 * is bound to if `file` is VV_NONE. */
static void match_edge(
    struct vv_matching *m, struct vv_edge *edge, uint32_t file)
{
    struct vv_pairing *p = m->pairing;
    const varve_node *parent = edge->parent;
    if (!vv_matching_reserve_numbers(m) || !vv_is_known(p, parent) ||
        vv_own_is_cut(&p->matches, &p->ways, vv_index_of(p), parent) ||
        match_renamed(m, edge))
        return;
    const bool is_one = file != VV_NONE;
    if (!is_one)
        file = vv_file_node_of(&p->matches, parent);
    else if (!vv_is_bound_or_claims(&p->matches, parent, file))
        return; /* it was unbound since */
    for (uint32_t next; file != VV_NONE; file = next) {
        next = is_one ? VV_NONE : vv_next_partner(&p->matches, parent, file);
        match_at(m, edge, file);
    }
}

void vv_match_edge(struct vv_matching *m, struct vv_edge *edge)
{
    match_edge(m, edge, VV_NONE);
}

void vv_match_moved(struct vv_matching *m, struct vv_edge *edge)
{
    const varve_node *child = edge->public.node;
    bool was_matched =
        vv_file_node_of(&m->pairing->matches, child) != VV_NONE ||
        child->restored_by == m->pairing->number;
    if (!was_matched)
        vv_match_edge(m, edge);
}

uint32_t vv_match_child(
    struct vv_matching *m, varve_node *parent, const char *name)
{
    uint32_t file = VV_NONE;
    struct vv_text text = { name, strlen(name) };
    if (!vv_is_known(m->pairing, parent) ||
        find_renamed(m, parent, text, &file))
        return file;
    file = match_child_in_file(m, parent, text);
    return file != VV_NONE ? file : by_name_child(m, parent, name);
}

uint32_t vv_match_slot_of(struct vv_matching *m, varve_node *owner,
    varve_node *variable, const char *name)
{
    const struct vv_pairing *p = m->pairing;
    uint32_t found;
    if (vv_is_known(p, owner) && vv_is_known(p, variable) &&
        find_renamed_slot(m, owner, variable, name, &found))
        return found;
    return match_slot_in_file(p, owner, variable, name);
}

/* Returns true if another node of the program holds the value that this
 * variable claims, and the variable receives no copy. */
static bool is_without_value(
    const struct vv_matching *m, const varve_node *variable)
{
    const struct vv_pairing *p = m->pairing;
    uint32_t file = vv_file_node_of(&p->matches, variable);
    return !vv_is_holder(&p->matches, variable, file) &&
           vv_value_of(p, file) != VV_NONE &&
           !vv_wants_copy(m->delivery, variable, file);
}

/* Binds a slot. If its owner and variable hold their nodes of the file, it wins
 * over slots whose owner or variable only claims them. A variable that receives
 * no value receives no slots. */
static void bind_slot(
    struct vv_matching *m, const struct vv_slot *slot, uint32_t file)
{
    const struct vv_matches *matches = &m->pairing->matches;
    const varve_node *owner = slot->owner;
    const varve_node *variable = slot->public.variable;
    if (is_without_value(m, variable))
        return;
    enum vv_match_rank by = vv_how_of(matches, owner);
    enum vv_match_rank on = vv_how_of(matches, variable);
    enum vv_match_rank how = by > on ? by : on;
    if (vv_is_holder(matches, owner, vv_file_node_of(matches, owner)) &&
        vv_is_holder(matches, variable, vv_file_node_of(matches, variable)))
        vv_bind(m, slot->public.node, file, how);
    else
        vv_defer(m, slot->public.node, file, how);
}

void vv_match_slot(struct vv_matching *m, struct vv_slot *slot)
{
    const struct vv_pairing *p = m->pairing;
    if (!vv_matching_reserve_numbers(m) || !vv_is_known(p, slot->owner) ||
        !vv_is_known(p, slot->public.variable))
        return;
    vv_visit(m, slot->public.node,
        &(struct vv_path_step){
            .parent = slot->owner->number + 1,
            .variable = slot->public.variable->number + 1,
            .name = slot->name,
        });
    uint32_t file;
    const varve_node *variable = slot->public.variable;
    const char *name = slot->name->bytes;
    if (find_renamed_slot(m, slot->owner, variable, name, &file)) {
        if (file != VV_NONE)
            vv_bind(m, slot->public.node, file, VV_BY_RENAME);
    } else if ((file = match_slot_in_file(p, slot->owner, variable, name)) !=
               VV_NONE) {
        bind_slot(m, slot, file);
    }
}

/* --- Queues ------------------------------------------------------------- */

/* Matches a slot of an owner that is bound to a further node of the file. */
static void match_slot_by(
    struct vv_matching *m, struct vv_slot *slot, uint32_t owner)
{
    struct vv_pairing *p = m->pairing;
    const struct vv_matches *matches = &p->matches;
    uint32_t variable = vv_file_node_of(matches, slot->public.variable);
    uint32_t id = vv_name_in_file(&p->names, slot->name);
    if (variable == VV_NONE || id == VV_NONE ||
        vv_file_node_of(matches, slot->public.node) != VV_NONE)
        return;
    uint32_t renamed,
        file = vv_index_find_slot(vv_index_of(p), owner, variable, id);
    if (file != VV_NONE &&
        !find_renamed_slot(
            m, slot->owner, slot->public.variable, slot->name->bytes, &renamed))
        bind_slot(m, slot, file);
}

static int match_compare_edges(const void *left, const void *right)
{
    const struct vv_name *a = vv_edge_name(*(struct vv_edge *const *)left);
    const struct vv_name *b = vv_edge_name(*(struct vv_edge *const *)right);
    size_t size = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->bytes, b->bytes, size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* Returns the edges of a node sorted as in a file, by name or position, or NULL
 * if out of memory. The result does not depend on the order in which the
 * program was built. */
static struct vv_edge **sorted_edges(
    struct vv_matching *m, const varve_node *node)
{
    size_t size = node->edge_count * sizeof(struct vv_edge *);
    struct vv_edge **sorted = vv_buffer_extend(vv_emptied(&m->sorted), size);
    bool in_order = true;
    size_t count = 0;
    if (!sorted) {
        vv_out_of_memory(m);
        return NULL;
    }
    struct vv_edge *previous = NULL, *e = vv_first_edge(node);
    for (; e; previous = e, e = vv_next_edge(e)) {
        sorted[count++] = e;
        in_order =
            in_order && (!previous || match_compare_edges(&previous, &e) < 0);
    }
    if (!in_order && node->kind != VARVE_LIST)
        qsort(sorted, count, sizeof *sorted, match_compare_edges);
    return sorted;
}

static void match_node(struct vv_matching *m, varve_node *node, uint32_t file)
{
    const struct vv_matches *matches = &m->pairing->matches;
    bool is_asked = !m->pairing->is_dry && file != VV_VISIT;
    if (file == VV_VISIT)
        file = VV_NONE;
    bool is_first = file == VV_NONE || file == vv_file_node_of(matches, node);
    struct vv_edge **edges = sorted_edges(m, node);
    for (size_t i = 0; edges && i < node->edge_count; i++)
        match_edge(m, edges[i], file);
    for (struct vv_slot *s = vv_slot_first_of(node); s; s = s->next) {
        if (is_first)
            vv_match_slot(m, s);
        else if (vv_is_holder(matches, node, file))
            match_slot_by(m, s, file);
    }
    struct vv_slot *on = vv_first_slot_for(node);
    for (; on; on = on->next_on)
        vv_match_slot(m, on);
    if (is_asked && vv_on_demand_of(node) &&
        !vv_work_queue_add_offer(&m->work_queue, node, file))
        vv_out_of_memory(m);
}

/* Makes the deferred claims by alias. No claims by path are left. */
static bool match_deferred(struct vv_matching *m)
{
    struct vv_claim claim;
    size_t i = 0;
    for (; vv_work_queue_claim_at(&m->work_queue, i, &claim); i++) {
        if (claim.pair.node)
            vv_bind(m, claim.pair.node, claim.pair.file, claim.how);
    }
    vv_work_queue_end_claims(&m->work_queue);
    return i > 0;
}

void vv_match_queue(struct vv_matching *m)
{
    do {
        struct vv_pair next;
        size_t place;
        while (vv_work_queue_take(&m->work_queue, &next))
            match_node(m, next.node, next.file);
        /* Weaker claims follow when there are no better ones: first those by
         * alias, then nodes made on demand, then global names. */
        if (match_deferred(m))
            continue;
        if (vv_work_queue_take_offer(&m->work_queue, &place))
            vv_offer(m, place);
        else
            by_name_match(m);
    } while (vv_work_queue_has_more(&m->work_queue));
    vv_work_queue_end_demands(&m->work_queue);
    vv_pairing_check(m->pairing);
}

void vv_match_again(struct vv_matching *m, varve_node *node)
{
    bool is_known = vv_is_held(m, node);
    bool is_matched = vv_file_node_of(&m->pairing->matches, node) != VV_NONE;
    struct vv_edge *e = is_matched ? NULL : vv_first_in(node);
    for (; e; e = vv_next_in(e))
        vv_match_edge(m, e);
    if (is_known)
        vv_queue(m, node, VV_NONE);
}

void vv_match_everything(struct vv_matching *m)
{
    vv_match_roots(m);
    for (varve_node *node = vv_newest_node(m->pairing->graph); node;
         node = vv_older_node(node)) {
        if (!vv_is_known(m->pairing, node))
            continue;
        vv_queue(m, node, VV_NONE);
        if (m->is_by_name)
            vv_consider_by_name(m, node);
    }
}

void vv_match_roots(struct vv_matching *m)
{
    struct vv_pairing *p = m->pairing;
    if (!vv_matching_reserve_numbers(m))
        return;
    vv_visit(m, p->root, &(struct vv_path_step){ 0 });
    if (p->matches.node_of[p->saved.root] == p->root)
        vv_queue(m, p->root, VV_NONE);
    else
        vv_bind(m, p->root, p->saved.root, VV_BY_PATH);
}
