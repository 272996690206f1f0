/* ranks.c - Builds the graphs of several ranks from one shape. All nodes are
 * first created below the root of a separate graph, which is not saved, and
 * then get their edges.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/ranks.h"

#include <stdio.h>
#include <string.h>

#include "graph.h"

/* --- Shape ---------------------------------------------------------------- */

/* Returns true if a slot can be created like its variable, with the same
 * slice. */
static bool is_like(const struct mix_shape *shape, const struct mix_slot *s)
{
    const struct mix_node *slot = &shape->nodes[s->node];
    const struct mix_node *like = &shape->nodes[s->variable];
    return slot->dtype == like->dtype &&
           mix_has_shape_of(&slot->value, &like->value);
}

/* Slots are divided like their variables. */
static void cut_slots(struct mix_cut *cut)
{
    for (uint8_t i = 0; i < cut->shape.slot_count; i++) {
        const struct mix_slot *s = &cut->shape.slots[i];
        cut->cut &= ~mix_one(s->node);
        if (is_like(&cut->shape, s) && mix_has(cut->cut, s->variable))
            cut->cut |= mix_one(s->node);
    }
}

struct mix_cut mix_cut_of(
    const struct mix_shape *shape, uint8_t root, uint8_t size, uint8_t how)
{
    struct mix_cut cut = { .shape = mix_saved(shape, root),
        .size = size,
        .is_backwards = how & 1 };
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        struct mix_node *node = &cut.shape.nodes[n];
        node->is_slice = node->demands = false;
        node->is_fixed = node->is_later = false;
        node->alias = MIX_NONE;
        if (mix_is_value(node) && !node->holds)
            node->is_local = true;
        if (node->kind == VARVE_VARIABLE && node->dtype != VARVE_STRING &&
            node->value.form == MIX_FLAT && !(how >> (1 + n % 7) & 1))
            cut.cut |= mix_one(n);
    }
    cut_slots(&cut);
    return cut;
}

/* Returns the first row of a rank. */
static uint8_t first_of(const struct mix_cut *cut, uint8_t rows, uint8_t rank)
{
    return (uint8_t)(rows * rank / cut->size);
}

static void choose_part(const struct mix_cut *cut, uint8_t n, uint8_t number,
    struct mix_rank_value *v)
{
    const struct mix_value *whole = &cut->shape.nodes[n].value;
    uint8_t at =
        cut->is_backwards ? (uint8_t)(cut->size - 1 - number) : number;
    v->value = *whole;
    v->is_slice = mix_has(cut->cut, n);
    if (!v->is_slice)
        return;
    v->start = first_of(cut, whole->count, at);
    v->value = (struct mix_value){ .count = (uint8_t)(
        first_of(cut, whole->count, (uint8_t)(at + 1)) - v->start) };
    memcpy(v->value.numbers, whole->numbers + v->start, v->value.count);
}

/* --- States --------------------------------------------------------------- */

static varve_status save_state(void *self, varve_sink *sink)
{
    const struct mix_value *value = self;
    varve_put(sink, value->numbers, value->count);
    return VARVE_OK;
}

static varve_status load_state(void *self, const void *bytes, size_t size)
{
    struct mix_value *value = self;
    if (size > MIX_NUMBERS)
        return VARVE_MISMATCH;
    *value = (struct mix_value){ .count = (uint8_t)size };
    if (size)
        memcpy(value->numbers, bytes, size);
    return VARVE_OK;
}

static const varve_state_callbacks state_callbacks = { save_state, load_state };

/* --- Nodes ---------------------------------------------------------------- */

enum { BEFORE = 127 }; /* occurs in no file */

static varve_tensor view_of(
    const struct mix_node *node, struct mix_rank_value *v)
{
    return varve_view(
        v->memory, (varve_dtype)node->dtype, mix_extents(&v->value));
}

static varve_node *make(varve_node *parent, const char *name,
    const struct mix_node *node, struct mix_rank_value *v)
{
    switch (node->kind) {
    case VARVE_LIST: return varve_add_list(parent, name);
    case VARVE_DICT: return varve_add_dict(parent, name);
    case VARVE_STATE:
        return varve_add_state(parent, name, &state_callbacks, &v->value);
    case VARVE_VARIABLE: break;
    default: return varve_add_object(parent, name);
    }
    if (!v->is_slice)
        return varve_add_variable(parent, name, view_of(node, v));
    return varve_add_slice(parent, name, view_of(node, v),
        VARVE_SHAPE(node->value.count), (uint64_t[]){ v->start });
}

/* Creates a slot like its variable if possible, with the same slice. */
static varve_node *make_slot(struct mix_rank *rank,
    const struct mix_shape *shape, const struct mix_slot *s)
{
    const struct mix_node *slot = &shape->nodes[s->node];
    struct mix_rank_value *v = &rank->values[s->node];
    varve_node *owner = rank->nodes[s->owner];
    varve_node *variable = rank->nodes[s->variable];
    if (!v->is_slice)
        return varve_add_slot(
            owner, variable, mix_name(s->name), view_of(slot, v));
    varve_node *made =
        varve_add_slot_like(owner, variable, mix_name(s->name), NULL, NULL);
    mix_store(varve_data(made), slot->dtype, &v->value);
    return made;
}

static void fill(struct mix_rank *rank, const struct mix_cut *cut,
    uint8_t number, bool has_values)
{
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &cut->shape.nodes[n];
        struct mix_rank_value *v = &rank->values[n];
        if (!mix_is_value(node))
            continue;
        choose_part(cut, n, number, v);
        if (!has_values)
            memset(v->value.numbers, BEFORE, v->value.count);
        if (node->kind == VARVE_VARIABLE)
            mix_store(v->memory, node->dtype, &v->value);
    }
}

static void make_nodes(struct mix_rank *rank, const struct mix_shape *shape)
{
    char name[8];
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &shape->nodes[n];
        snprintf(name, sizeof name, "n%d", n);
        if (node->kind && mix_slot_is(shape, n) == MIX_NONE)
            rank->nodes[n] = make(varve_graph_root(rank->graph), name, node,
                &rank->values[n]);
    }
    for (uint8_t i = 0; i < shape->slot_count; i++)
        rank->nodes[shape->slots[i].node] =
            make_slot(rank, shape, &shape->slots[i]);
}

static void mark(struct mix_rank *rank, const struct mix_shape *shape)
{
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &shape->nodes[n];
        for (uint8_t e = 0; e < node->edge_count; e++)
            varve_track(rank->nodes[n], mix_name(node->edges[e].name),
                rank->nodes[node->edges[e].child]);
        if (node->kind && node->is_local)
            varve_tag(rank->nodes[n], VARVE_TAG_LOCAL);
        if (node->kind && node->global != MIX_NONE)
            varve_set_global_name(rank->nodes[n], mix_name(node->global));
    }
}

void mix_rank_begin(struct mix *m, struct mix_rank *rank,
    const struct mix_cut *cut, uint8_t number, bool has_values)
{
    *rank = (struct mix_rank){ .graph = vv_graph_new_in(&m->context) };
    fill(rank, cut, number, has_values);
    make_nodes(rank, &cut->shape);
    mark(rank, &cut->shape);
    mix_expect(m, "varve_graph_check",
        varve_graph_check(rank->graph, &m->error), VARVE_OK, VARVE_OK);
}

void mix_rank_end(struct mix_rank *rank)
{
    varve_graph_free(rank->graph);
}

void mix_rank_change(struct mix_rank *rank, const struct mix_cut *cut)
{
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &cut->shape.nodes[n];
        struct mix_value *value = &rank->values[n].value;
        if (!mix_is_value(node))
            continue;
        memset(value->numbers, BEFORE, value->count);
        if (node->kind == VARVE_VARIABLE)
            mix_store(varve_data(rank->nodes[n]), node->dtype, value);
    }
}

/* --- Checking ------------------------------------------------------------- */

static struct mix_value wanted(const struct mix_rank_value *v,
    const struct mix_node *saved, bool is_restored)
{
    struct mix_value value = saved->value;
    if (v->is_slice) {
        value.count = v->value.count;
        memcpy(value.numbers, saved->value.numbers + v->start, value.count);
    }
    if (!is_restored || !mix_is_saved(saved))
        memset(value.numbers, BEFORE, value.count);
    return value;
}

bool mix_rank_holds(const struct mix_rank *rank,
    const struct mix_shape *shape, bool is_restored)
{
    bool holds = true;
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &shape->nodes[n];
        const struct mix_rank_value *v = &rank->values[n];
        if (!mix_is_value(node))
            continue;
        struct mix_value value = wanted(v, node, is_restored);
        holds &= node->kind == VARVE_STATE
                     ? mix_equal(&v->value, &value)
                     : mix_holds(
                           varve_value(rank->nodes[n]), node->dtype, &value);
    }
    return holds;
}
