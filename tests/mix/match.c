/* match.c - Predicts the result of a restoration, by simpler rules than those
 * of the library: all pairs of nodes reached by edges with the same names,
 * among these the ones without a competing claim. If claims conflict, either
 * result is accepted.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/structs.h"

/* --- Pairs ---------------------------------------------------------------- */

struct pairs {
    mix_set all[MIX_NODES];  /* by program node: matching file nodes */
    mix_set sure[MIX_NODES]; /* those that are certain */
};

/* Returns the child of a file node that corresponds to an edge of the
 * program. */
static uint8_t counterpart(const struct mix_open *open,
    const struct mix_shape *program, uint8_t parent, struct mix_edge edge,
    uint8_t at)
{
    const struct mix_shape *file = &open->file.shape;
    if (parent == open->root && edge.name == open->renamed)
        return mix_child(file, 0, open->old_name);
    uint8_t child = mix_child(file, at, edge.name);
    uint8_t alias = program->nodes[edge.child].alias;
    if (child == MIX_NONE && alias != MIX_NONE)
        child = mix_child(file, at, alias);
    return child;
}

typedef bool add_pair(const struct mix_open *open,
    const struct mix_shape *program, struct pairs *pairs, uint8_t node,
    uint8_t f);

static bool add_any(const struct mix_open *open,
    const struct mix_shape *program, struct pairs *pairs, uint8_t node,
    uint8_t f)
{
    (void)open;
    (void)program;
    bool is_new = !mix_has(pairs->all[node], f);
    pairs->all[node] |= mix_one(f);
    return is_new;
}

/* Adds a pair if no other program node matches the file node and, for a value,
 * the program node matches no other file node. */
static bool add_sure(const struct mix_open *open,
    const struct mix_shape *program, struct pairs *pairs, uint8_t node,
    uint8_t f)
{
    bool is_value = mix_is_value(&open->file.shape.nodes[f]) ||
                    mix_is_value(&program->nodes[node]);
    if (mix_has(pairs->sure[node], f) || mix_has(open->unsure, node) ||
        mix_has(open->unsure_in_file, f) || mix_has(open->moved[node], f))
        return false;
    for (uint8_t p = 0; p < MIX_NODES; p++)
        if (p != node && mix_has(pairs->all[p], f))
            return false;
    if (is_value && pairs->all[node] != mix_one(f))
        return false;
    pairs->sure[node] |= mix_one(f);
    return true;
}

/* Adds pairs for all slots of matched owners and variables. Returns true if a
 * pair is new. */
static bool follow_slots(const struct mix_open *open,
    const struct mix_shape *program, struct pairs *pairs, const mix_set *from,
    add_pair *add)
{
    const struct mix_shape *file = &open->file.shape;
    bool grew = false;
    for (uint8_t i = 0; i < program->slot_count; i++)
        for (uint8_t k = 0; k < file->slot_count; k++) {
            const struct mix_slot *s = &program->slots[i];
            const struct mix_slot *t = &file->slots[k];
            if (s->name == t->name && mix_has(from[s->owner], t->owner) &&
                mix_has(from[s->variable], t->variable))
                grew |= add(open, program, pairs, s->node, t->node);
        }
    return grew;
}

static bool follow_edges(const struct mix_open *open,
    const struct mix_shape *program, struct pairs *pairs, const mix_set *from,
    add_pair *add)
{
    bool grew = false;
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t e = 0; from[p] && e < program->nodes[p].edge_count; e++)
            for (uint8_t f = 0; f < MIX_NODES; f++) {
                struct mix_edge edge = program->nodes[p].edges[e];
                uint8_t to =
                    mix_has(from[p], f)
                        ? counterpart(open, program, p, edge, f)
                        : MIX_NONE;
                if (to != MIX_NONE)
                    grew |= add(open, program, pairs, edge.child, to);
            }
    return grew;
}

/* Adds pairs by global names, and for files of other formats. A value without a
 * match may match any named value; a value with an alias may too, since its own
 * name may be used for another value of the file. */
static void add_named(const struct mix_open *open,
    const struct mix_shape *program, struct pairs *pairs, mix_set reached)
{
    const struct mix_node *saved = open->file.shape.nodes;
    bool is_foreign = open->file.format != VARVE_FORMAT_VARVE;
    mix_set values = 0; /* other formats contain only saved values */
    for (uint8_t f = 0; f < MIX_NODES; f++)
        values |= (is_foreign ? mix_is_saved : mix_is_value)(&saved[f])
                      ? mix_one(f)
                      : 0;
    for (uint8_t p = 0; p < MIX_NODES && open->is_loose; p++) {
        const struct mix_node *node = &program->nodes[p];
        bool has_other = is_foreign && node->alias != MIX_NONE;
        if (!mix_has(reached, p) || !mix_is_value(node) ||
            ((pairs->all[p] & values) && !has_other))
            continue;
        for (uint8_t f = 0; f < MIX_NODES; f++)
            if (mix_is_value(&saved[f]) &&
                (saved[f].global != MIX_NONE || node->global != MIX_NONE ||
                    is_foreign))
                pairs->all[p] |= mix_one(f);
    }
}

static void find_pairs(const struct mix_open *open,
    const struct mix_shape *program, struct pairs *pairs)
{
    mix_set reached = mix_reach(program, open->root);
    memset(pairs, 0, sizeof *pairs);
    for (uint8_t p = 0; p < MIX_NODES; p++)
        if (mix_has(reached, p))
            pairs->all[p] = open->seen[p];
    add_any(open, program, pairs, open->root, 0);
    while (follow_edges(open, program, pairs, pairs->all, add_any) ||
           follow_slots(open, program, pairs, pairs->all, add_any))
        ;
    add_named(open, program, pairs, reached);
    while (follow_edges(open, program, pairs, pairs->all, add_any) ||
           follow_slots(open, program, pairs, pairs->all, add_any))
        ;
    add_sure(open, program, pairs, open->root, 0);
    while (follow_edges(open, program, pairs, pairs->sure, add_sure) ||
           follow_slots(open, program, pairs, pairs->sure, add_sure))
        ;
}

static void moved(
    struct mix_open *open, const struct mix_shape *program, uint8_t list)
{
    const struct mix_node *node = &program->nodes[list];
    for (uint8_t e = 0; e < node->edge_count; e++)
        for (uint8_t f = 0; f < MIX_NODES; f++) {
            uint8_t child = node->edges[e].child;
            uint8_t to = mix_has(open->seen[list], f)
                             ? counterpart(
                                   open, program, list, node->edges[e], f)
                             : MIX_NONE;
            if (to != MIX_NONE && open->seen[child] &&
                !mix_has(open->seen[child], to))
                open->moved[child] |= mix_one(to);
        }
}

/* Elements of a list that were matched keep their matches. When everything is
 * matched again, they may also match the values at their new positions. */
void mix_moved(struct mix *m, uint8_t graph, uint8_t list)
{
    for (int i = 0; i < MIX_OPENS; i++)
        if (m->opens[i].restoration && m->opens[i].graph == graph)
            moved(&m->opens[i], &m->graphs[graph].shape, list);
}

/* --- Results of pairs ----------------------------------------------------- */

static bool kinds_meet(
    const struct mix_node *node, const struct mix_node *saved)
{
    if (mix_is_value(node) || mix_is_value(saved))
        return node->kind == saved->kind;
    return true;
}

/* Returns true if the file's node cannot be restored into the program's
 * node. */
static bool is_mismatch(const struct mix_open *open,
    const struct mix_node *node, const struct mix_node *saved)
{
    if (mix_is_value(saved) && !mix_is_saved(saved))
        return false;
    if (!kinds_meet(node, saved))
        return true;
    if (node->kind != VARVE_VARIABLE)
        return false;
    bool has_rank = node->value.form == saved->value.form;
    bool has_count = mix_whole(node) == saved->value.count;
    bool is_resized = open->resizes && has_rank &&
                      node->dtype != VARVE_STRING &&
                      saved->dtype != VARVE_STRING && !mix_is_part(node);
    bool is_reshaped = open->reshapes && has_count && !mix_is_part(node);
    return (!(has_rank && has_count) && !is_resized && !is_reshaped &&
               !node->takes_shape) ||
           (open->casts ? !mix_can_cast(saved->dtype, node->dtype)
                        : saved->dtype != node->dtype);
}

/* Returns true if the node must keep its value and the file contains another
 * one. */
static bool is_other(const struct mix_open *open, const struct mix_node *node,
    const struct mix_node *saved)
{
    if (!node->is_fixed || !mix_is_saved(saved))
        return false;
    struct mix_value part = mix_part(node, &saved->value);
    if (!node->holds) /* gets memory, of which a part is filled */
        return open->resizes && !mix_has_shape_of(&node->value, &part);
    if (!open->reshapes || node->takes_shape)
        return !mix_equal(&node->value, &part);
    part.form = node->value.form;
    return !mix_equal(&node->value, &part);
}

static bool does_not_fit(const struct mix_open *open,
    const struct mix_node *node, const struct mix_node *saved)
{
    return is_mismatch(open, node, saved) || is_other(open, node, saved);
}

/* Returns true if a file node has more than one edge or slot. */
static bool is_shared(const struct mix_shape *file, uint8_t f)
{
    unsigned ways = mix_slot_is(file, f) != MIX_NONE;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        for (uint8_t e = 0; e < file->nodes[n].edge_count; e++)
            ways += file->nodes[n].edges[e].child == f;
    return ways > 1;
}

/* Returns true if the node may be reached by an alias. */
static bool is_by_alias(const struct mix_shape *program, uint8_t node)
{
    bool is = false;
    for (uint8_t n = 0; n < MIX_NODES && !is; n++)
        is = program->nodes[n].kind && program->nodes[n].alias != MIX_NONE &&
             mix_has(mix_reach(program, n), node);
    return is;
}

/* Returns true if nothing more is delivered for this pair. A value is delivered
 * once, and to a node without a value. Exceptions: a rename can request a copy,
 * and a node that is added later gets one if it has the first of several paths,
 * or the name for which another node has an alias. */
static bool is_at_rest(const struct mix_open *open,
    const struct mix_shape *program, uint8_t node, uint8_t f)
{
    if (mix_has(open->dropped, f))
        return true;
    uint8_t taker = open->taker[f];
    bool has_alias = taker < MIX_NODES && is_by_alias(program, taker);
    bool may_have_copy =
        open->renamed != MIX_NONE ||
        (taker != node && (has_alias || is_shared(&open->file.shape, f)));
    return (open->is_taken[f] && !may_have_copy) || mix_has(open->fed, node);
}

/* Returns the value of a node after delivery: a slice gets its part, and the
 * remainder of a larger value is unchanged. */
static struct mix_value brought(const struct mix_open *open,
    const struct mix_node *node, const struct mix_node *saved)
{
    struct mix_value value = node->value;
    if (node->kind != VARVE_VARIABLE || mix_is_part(node) || node->takes_shape)
        return mix_part(node, &saved->value);
    if (!open->resizes) {
        value = saved->value;
        value.form = node->value.form; /* reshaped */
        return value;
    }
    for (uint8_t i = 0; i < value.count && i < saved->value.count; i++)
        value.numbers[i] = saved->value.numbers[i];
    return value;
}

static bool is_sure(const struct mix_open *open, const struct pairs *pairs,
    uint8_t node, uint8_t f)
{
    bool is_copy = open->is_taken[f] && open->taker[f] != node;
    return mix_has(pairs->sure[node], f) && !open->is_loose && !is_copy;
}

/* Returns the nodes below the child of the root's edge `name` or, if `others`,
 * those reached by other edges. */
static mix_set reach_by(
    const struct mix_shape *program, uint8_t root, uint8_t name, bool others)
{
    const struct mix_node *node = &program->nodes[root];
    mix_set first = others ? mix_one(root) : 0;
    mix_set found = first;
    for (uint8_t e = 0; e < node->edge_count; e++)
        if ((node->edges[e].name == name) != others &&
            !mix_leads_back(program, root, node->edges[e].child))
            found |= mix_reach_down(program, mix_one(node->edges[e].child));
    mix_set by_edges = mix_reach_edges(program, mix_one(root));
    for (uint8_t i = 0; i < program->slot_count; i++)
        if (mix_has(found, program->slots[i].owner) &&
            mix_has(by_edges, program->slots[i].variable))
            found |= mix_one(program->slots[i].node);
    return found;
}

mix_set mix_only(const struct mix_shape *shape, uint8_t root, uint8_t name)
{
    return reach_by(shape, root, name, false);
}

mix_set mix_except(const struct mix_shape *shape, uint8_t root, uint8_t name)
{
    return reach_by(shape, root, name, true);
}

/* The nodes selected by the options: `only` selects a node by any of its paths,
 * `except` excludes a node if all of its paths match. */
struct wanted {
    mix_set surely;
    mix_set maybe; /* by paths that are created on demand, or existed before */
};
static struct wanted wanted(
    const struct mix_open *open, const struct mix_shape *program)
{
    mix_set found = ~(mix_set)0;
    if (open->only != MIX_NONE)
        found &= mix_only(program, open->root, open->only);
    if (open->except != MIX_NONE)
        found &= mix_except(program, open->root, open->except);
    bool is_open = mix_demands(program) || open->has_read;
    return (struct wanted){ found, is_open ? ~(mix_set)0 : found };
}

/* Returns true if the program has had a node for an object of the file. A
 * variable or state that takes its place does not meet that object. */
static bool was_matched(const struct mix_open *open, uint8_t f)
{
    uint8_t kind = open->file.shape.nodes[f].kind;
    bool found = open->taker[f] != MIX_NONE;
    for (uint8_t p = 0; p < MIX_NODES; p++)
        found |= mix_has(open->seen[p], f);
    return found && open->has_read && kind != VARVE_VARIABLE &&
           kind != VARVE_STATE;
}

enum mix_fit mix_match(struct mix *m, struct mix_open *open)
{
    const struct mix_graph *g = &m->graphs[open->graph];
    const struct mix_shape *program = &g->shape;
    struct pairs pairs;
    bool is_foreign = open->file.format != VARVE_FORMAT_VARVE;
    enum mix_fit fit = is_foreign && open->is_loose ? MIX_UNSURE : MIX_FITS;
    struct wanted takes = wanted(open, program);
    find_pairs(open, program, &pairs);
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t f = 0; f < MIX_NODES; f++) {
            const struct mix_node *saved = &open->file.shape.nodes[f];
            if (!mix_has(pairs.all[p], f) || is_at_rest(open, program, p, f) ||
                !mix_has(takes.maybe, p) || g->restored_by[p] > open->number ||
                !(is_mismatch(open, &program->nodes[p], saved) ||
                    (is_other(open, &program->nodes[p], saved) &&
                        !mix_has(open->damaged, f))))
                continue;
            if (is_sure(open, &pairs, p, f) && mix_has(takes.surely, p) &&
                !was_matched(open, f) &&
                g->maybe_by[p] <= open->number)
                return MIX_MISMATCHES;
            fit = MIX_UNSURE;
        }
    return fit;
}

static bool is_claimed(const struct pairs *pairs, uint8_t f)
{
    for (uint8_t p = 0; p < MIX_NODES; p++)
        if (mix_has(pairs->all[p], f))
            return true;
    return false;
}

bool mix_has_match(
    const struct mix *m, const struct mix_open *open, bool surely)
{
    struct pairs pairs;
    find_pairs(open, &m->graphs[open->graph].shape, &pairs);
    mix_set found = 0;
    for (uint8_t p = 0; p < MIX_NODES; p++)
        if (p != open->root)
            found |= surely ? pairs.sure[p] : pairs.all[p];
    return found != 0;
}

bool mix_has_resize_buffers(const struct mix *m, const struct mix_open *open)
{
    const struct mix_graph *g = &m->graphs[open->graph];
    const struct mix_shape *file = &open->file.shape;
    struct pairs pairs;
    find_pairs(open, &g->shape, &pairs);
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t f = 0; f < MIX_NODES && g->waiting[p]; f++)
            for (uint8_t i = 0; i < g->of[p]->member_count; i++) {
                const struct mix_member *member = &g->of[p]->members[i];
                uint8_t child = mix_child(file, f, member->name);
                bool is_coming =
                    mix_has(g->waiting[p], i) && mix_has(pairs.sure[p], f) &&
                    child != MIX_NONE && !is_claimed(&pairs, child) &&
                    file->nodes[child].kind == VARVE_VARIABLE &&
                    file->nodes[child].value.form == member->form &&
                    file->nodes[child].value.count > 0;
                if (is_coming && member->kind == VARVE_FIELD_IS_VALUE)
                    return false;
            }
    return true;
}

/* Returns true if the node reads damaged elements. A slice without elements
 * reads nothing. */
static bool is_damaged(
    const struct mix_open *open, const struct mix_node *node, uint8_t f)
{
    bool reads = !mix_is_part(node) || node->value.count;
    return mix_has(open->damaged, f) && reads;
}

static void may_be(
    struct mix_graph *g, struct mix_open *open, uint8_t p, uint8_t f)
{
    const struct mix_node *saved = &open->file.shape.nodes[f];
    open->unsure |= mix_one(p);
    open->unsure_in_file |= mix_one(f);
    if (does_not_fit(open, &g->shape.nodes[p], saved) ||
        g->maybe_count[p] == MIX_MAYBE || g->restored_by[p] > open->number ||
        is_damaged(open, &g->shape.nodes[p], f))
        return;
    if (g->maybe_by[p] < open->number)
        g->maybe_by[p] = open->number;
    g->maybe[p][g->maybe_count[p]++] =
        brought(open, &g->shape.nodes[p], saved);
}

static void take(
    struct mix_graph *g, struct mix_open *open, uint8_t p, uint8_t f)
{
    if (g->restored_by[p] > open->number) {
        open->unsure_in_file |= mix_one(f); /* superseded */
        return;
    }
    if (g->maybe_by[p] > open->number) { /* possibly superseded */
        may_be(g, open, p, f);
        return;
    }
    if (is_damaged(open, &g->shape.nodes[p], f)) {
        open->is_taken[f] = true;
        open->taker[f] = p;
        open->lost |= mix_one(f);
        return;
    }
    struct mix_value value =
        brought(open, &g->shape.nodes[p], &open->file.shape.nodes[f]);
    mix_set_value(g, p, &value);
    g->shape.nodes[p].holds = true;
    g->restored_by[p] = open->number;
    g->maybe_count[p] = 0;
    open->fed |= mix_one(p);
    open->is_taken[f] = true;
    open->taker[f] = p;
}

/* The state of the variables below a state in the file. */
enum readiness { READY, WAITS, MAY_WAIT };
static enum readiness readiness_of(const struct mix_open *open, uint8_t f)
{
    const struct mix_node *state = &open->file.shape.nodes[f];
    enum readiness found = READY;
    for (uint8_t e = 0; e < state->edge_count; e++) {
        uint8_t child = state->edges[e].child;
        const struct mix_node *node = &open->file.shape.nodes[child];
        if (node->kind != VARVE_VARIABLE || !mix_is_saved(node) ||
            open->is_taken[child])
            continue;
        if (!mix_has(open->unsure_in_file, child) && open->only == MIX_NONE &&
            open->except == MIX_NONE)
            return WAITS;
        found = MAY_WAIT;
    }
    return found;
}

static void bring(struct mix_graph *g, struct mix_open *open,
    const struct pairs *pairs, uint8_t kind)
{
    struct wanted takes = wanted(open, &g->shape);
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t f = 0; f < MIX_NODES; f++) {
            const struct mix_node *saved = &open->file.shape.nodes[f];
            if (!mix_has(pairs->all[p], f) || saved->kind != kind ||
                !mix_has(takes.maybe, p) || !mix_is_saved(saved) ||
                is_at_rest(open, &g->shape, p, f))
                continue;
            enum readiness ready =
                kind == VARVE_STATE ? readiness_of(open, f) : READY;
            bool sure =
                is_sure(open, pairs, p, f) && mix_has(takes.surely, p);
            if (sure && ready == WAITS)
                continue;
            if (sure && ready == READY &&
                !does_not_fit(open, &g->shape.nodes[p], saved))
                take(g, open, p, f);
            else
                may_be(g, open, p, f);
        }
}

/* Marks containers that replaced others as unsure, so that their values are not
 * predicted. */
static void note_places(struct mix_open *open, const struct pairs *pairs)
{
    for (uint8_t p = 0; p < MIX_NODES; p++) {
        open->seen[p] |= pairs->all[p];
        for (uint8_t f = 0; f < MIX_NODES; f++) {
            bool is_value = mix_is_value(&open->file.shape.nodes[f]);
            if (!mix_has(pairs->all[p], f) || is_value)
                continue;
            if (open->taker[f] == MIX_NONE && mix_has(pairs->sure[p], f))
                open->taker[f] = p;
            else if (open->taker[f] != p)
                open->unsure_in_file |= mix_one(f);
        }
    }
}

size_t mix_deliver(struct mix *m, struct mix_open *open)
{
    struct mix_graph *g = &m->graphs[open->graph];
    struct pairs pairs;
    find_pairs(open, &g->shape, &pairs);
    note_places(open, &pairs);
    if (open->unsure_in_file)
        find_pairs(open, &g->shape, &pairs);
    bring(g, open, &pairs, VARVE_VARIABLE);
    bring(g, open, &pairs, VARVE_STATE);
    size_t count = 0;
    for (uint8_t f = 0; f < MIX_NODES; f++)
        count += open->is_taken[f] && !mix_has(open->lost, f);
    return count;
}

void mix_match_again(struct mix *m, struct mix_open *open, uint8_t node)
{
    struct mix_graph *g = &m->graphs[open->graph];
    mix_set below = mix_reach(&g->shape, node), slots = 0;
    struct pairs pairs;
    for (uint8_t i = 0; i < g->shape.slot_count; i++) {
        const struct mix_slot *s = &g->shape.slots[i];
        if (mix_has(below, s->owner) || mix_has(below, s->variable))
            slots |= mix_one(s->node);
    }
    below |= slots;
    find_pairs(open, &g->shape, &pairs);
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t f = 0; f < MIX_NODES; f++) {
            const struct mix_node *saved = &open->file.shape.nodes[f];
            if (mix_has(pairs.all[p], f) && mix_has(below, p) &&
                mix_has(open->dropped, f)) {
                open->dropped &= ~mix_one(f);
                open->unsure_in_file |= mix_one(f);
            }
            if (!mix_has(pairs.all[p], f) || !mix_has(below, p) ||
                !mix_is_saved(saved) || g->restored_by[p] > open->number)
                continue;
            if (open->taker[f] == p && open->is_taken[f] &&
                mix_has(pairs.sure[p], f) && open->only == MIX_NONE &&
                open->except == MIX_NONE && g->maybe_by[p] <= open->number &&
                !does_not_fit(open, &g->shape.nodes[p], saved)) {
                struct mix_value value =
                    brought(open, &g->shape.nodes[p], saved);
                mix_set_value(g, p, &value);
            } else {
                may_be(g, open, p, f);
            }
        }
}
