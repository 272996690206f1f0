/* operations_struct.c - Tests structs that are added, rebound, saved, and
 * restored into later versions, and values that must match rather than be
 * restored.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/struct.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/structs.h"
#include "mix/trouble.h"

/* Adds a struct with another table or a wrong size; nothing must be added. */
static void add_wrong(struct mix *m, uint8_t at, uint8_t parent, uint8_t name,
    const struct mix_struct_kind *kind, void *object)
{
    const struct mix_graph *g = &m->graphs[at];
    varve_node *nil = varve_add_sized_struct(g->nodes[parent], mix_name(name),
        kind->fields, object, kind->size + 1);
    MIX_CHECK(varve_node_kind(nil) == VARVE_NIL, "a struct of another size");
    mix_expect(m, "varve_graph_clear_error",
        varve_graph_clear_error(g->graph, &m->error), VARVE_MISUSE,
        VARVE_MISUSE);
}

void mix_add_struct(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    const struct mix_struct_kind *kind = mix_struct_kinds[c % MIX_STRUCT_KINDS];
    uint8_t parent = mix_pick(g, mix_is_parent, a / MIX_GRAPHS);
    uint8_t name = parent == MIX_NONE ? parent : mix_new_name(g, parent, b);
    if (name == MIX_NONE)
        return;
    void *object = mix_struct_new(m, g, kind, c / MIX_STRUCT_KINDS);
    uint8_t places = 16;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        places = (uint8_t)(places - !g->shape.nodes[n].kind);
    if (places > 0 && places < 128)
        return;
    add_wrong(m, at, parent, name, kind, object);
    uint8_t place = mix_struct_put(g, parent, name, kind, object);
    mix_say(m, "g%dn%d = varve_add_struct(g%dn%d, \"%s\", %s);", at, place, at,
        parent, mix_name(name), kind->name);
    mix_trouble_begin(m);
    do
        g->nodes[place] = varve_add_sized_struct(g->nodes[parent],
            mix_name(name), kind->fields, object, kind->size);
    while (mix_is_to_repeat(
        m, at, varve_node_kind(g->nodes[place]) != VARVE_NIL));
    mix_struct_find(g);
    mix_changed(m, at);
}

static bool is_struct(const struct mix_graph *g, uint8_t n)
{
    return g->of[n] != NULL;
}

/* The program changes a fixed value and records it again. */
void mix_fix_again(struct mix_graph *g, uint8_t n)
{
    if (g->shape.nodes[n].is_fixed && g->nodes[n] &&
        varve_has_tag(g->nodes[n], VARVE_TAG_FIXED))
        varve_tag(g->nodes[n], VARVE_TAG_FIXED);
}

static void fix_all_again(struct mix_graph *g)
{
    for (uint8_t n = 0; n < MIX_NODES; n++)
        mix_fix_again(g, n);
}

/* Struct changes that were not reported must be detected by every call that
 * accesses values. */
static void look_again(varve_node *node)
{
    varve_error error = { 0 };
    varve_snapshot *taken = varve_snapshot_new(node, &error);
    MIX_CHECK(taken, "a snapshot of a struct: %s", error.message);
    varve_snapshot_free(taken);
}

void mix_rebind_struct(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, is_struct, b);
    if (n == MIX_NONE || g->of[n]->counter == SIZE_MAX)
        return;
    bool stays =
        (c & 8) && !g->shape.held && mix_struct_can_change(g, n);
    void *object = mix_struct_new(m, g, g->of[n], c);
    if (!mix_struct_can_rebind(g, n, object))
        return;
    if (stays)
        object = mix_struct_change(m, g, n, c);
    if (!object)
        return;
    bool is_reported = !stays || (c & 16);
    mix_say(m, "%s(g%dn%d, %s %s);",
        is_reported ? "varve_rebind_struct" : "changed, and varve_snapshot_new",
        at, n, stays ? "this" : "another", g->of[n]->name);
    mix_set gone = mix_struct_rebind(g, n, object);
    if (is_reported) {
        mix_trouble_begin(m); /* mix_is_to_repeat is the end of the section */
    } else {
        fix_all_again(g);
        look_again(g->nodes[n]);
    }
    while (is_reported) {
        varve_rebind_struct(g->nodes[n], object);
        is_reported = mix_is_to_repeat(m, at, mix_is_well(m, at));
    }
    mix_forget_nodes(m, at, gone);
    mix_struct_find(g);
    fix_all_again(g);
    for (uint8_t i = 0; i < MIX_NODES; i++)
        mix_moved(m, at, i);
    mix_changed(m, at);
}

static bool can_be_fixed(const struct mix_graph *g, uint8_t n)
{
    return mix_is_variable(g, n) && !g->member[n];
}

/* Makes a value fixed, so that a restoration must find it unchanged, or ends
 * that. */
void mix_fix(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, can_be_fixed, b);
    (void)c;
    if (n == MIX_NONE)
        return;
    struct mix_node *node = &g->shape.nodes[n];
    node->is_fixed = !node->is_fixed;
    mix_say(m, "varve_%s(g%dn%d, VARVE_TAG_FIXED);",
        node->is_fixed ? "tag" : "untag", at, n);
    mix_trouble_begin(m);
    do
        (node->is_fixed ? varve_tag : varve_untag)(
            g->nodes[n], VARVE_TAG_FIXED);
    while (mix_is_to_repeat(m, at,
        varve_has_tag(g->nodes[n], VARVE_TAG_FIXED) == node->is_fixed));
    g->version++;
}

static uint8_t name_of_struct(const struct mix_graph *g)
{
    const struct mix_node *root = &g->shape.nodes[0];
    for (uint8_t e = 0; e < root->edge_count; e++)
        if (root->edges[e].name < MIX_NAMES && g->of[root->edges[e].child])
            return root->edges[e].name;
    return MIX_NONE;
}

/* A program writes a struct, and another program reads it into the same or a
 * later version. */
void mix_regrow(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t from = mix_pick_graph(m, a), to = (uint8_t)((a + 1) % MIX_GRAPHS);
    uint8_t name = name_of_struct(&m->graphs[from]);
    if (name == MIX_NONE)
        mix_add_struct(m, from, b, c / 16);
    mix_look(m);
    name = name_of_struct(&m->graphs[from]);
    if (name == MIX_NONE)
        return;
    mix_write(m, from, b % MIX_ORDINARY_FILES, 0);
    mix_end_graph(m, to, 0, 0);
    mix_add_struct(m, to, name, c);
    mix_look(m);
    mix_read(m, to, b % MIX_ORDINARY_FILES, b / 64 % 2);
}
