/* operations_node.c - Tests slots, names, tags, values and types, and invalid
 * changes of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "mix/files.h"
#include "mix/operations.h"
#include "mix/structs.h"
#include "mix/trouble.h"

void mix_add_slot(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t owner = mix_pick(g, mix_is_parent, a / MIX_GRAPHS);
    uint8_t variable = mix_pick(g, mix_is_ordinary, b);
    uint8_t place = mix_free_place(&g->shape);
    uint8_t name = c % 2; /* of the pool */
    if (owner == MIX_NONE || variable == MIX_NONE || place == MIX_NONE ||
        g->shape.slot_count == MIX_SLOTS ||
        mix_slot_at(&g->shape, owner, variable, name) != MIX_NONE)
        return;
    struct mix_node *node = &g->shape.nodes[place];
    *node = (struct mix_node){ .kind = VARVE_VARIABLE,
        .holds = true,
        .dtype = VARVE_FLOAT32,
        .alias = MIX_NONE,
        .global = MIX_NONE,
        .value = mix_fresh(m, 2) };
    g->shape.slots[g->shape.slot_count++] =
        (struct mix_slot){ owner, variable, name, place };
    mix_say(m, "g%dn%d = varve_add_slot(g%dn%d, g%dn%d, \"%s\"); = %d", at,
        place, at, owner, at, variable, mix_name(name), node->value.numbers[0]);
    void *memory = g->memory[place] = malloc(2 * sizeof(float));
    MIX_CHECK(memory, "the machine is out of memory");
    mix_store(memory, node->dtype, &node->value);
    mix_trouble_begin(m);
    do
        g->nodes[place] = varve_add_slot(g->nodes[owner], g->nodes[variable],
            mix_name(name), mix_view(memory, node->dtype, 2));
    while (mix_is_to_repeat(
        m, at, varve_node_kind(g->nodes[place]) != VARVE_NIL));
    mix_changed(m, at);
}

void mix_alias(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, mix_is_child, b);
    if (n == MIX_NONE || g->shape.nodes[n].alias != MIX_NONE)
        return;
    g->shape.nodes[n].alias = c % MIX_NAMES;
    mix_say(m, "varve_alias(g%dn%d, \"%s\");", at, n, mix_name(c % MIX_NAMES));
    mix_trouble_begin(m);
    do
        varve_alias(g->nodes[n], mix_name(c % MIX_NAMES));
    while (mix_is_to_repeat(m, at, mix_is_well(m, at)));
    mix_changed(m, at);
}

void mix_tag(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, mix_is_variable, b);
    (void)c;
    if (n == MIX_NONE)
        return;
    struct mix_node *node = &g->shape.nodes[n];
    node->is_local = !node->is_local;
    mix_say(m, "varve_%s(g%dn%d, VARVE_TAG_LOCAL);",
        node->is_local ? "tag" : "untag", at, n);
    mix_trouble_begin(m);
    do
        (node->is_local ? varve_tag : varve_untag)(
            g->nodes[n], VARVE_TAG_LOCAL);
    while (mix_is_to_repeat(m, at,
        varve_has_tag(g->nodes[n], VARVE_TAG_LOCAL) == node->is_local));
    g->version++;
}

/* The program changes a value. */
static void set_value(
    struct mix *m, uint8_t at, uint8_t n, struct mix_value value)
{
    struct mix_graph *g = &m->graphs[at];
    struct mix_node *node = &g->shape.nodes[n];
    value.form = node->value.form;
    node->value = value;
    if (node->kind == VARVE_VARIABLE)
        mix_fill(varve_value(g->nodes[n]), &value);
    else if (g->text[n])
        mix_text_set(g->text[n], &value);
    else
        memcpy(g->memory[n], &value, sizeof value);
    mix_fix_again(g, n);
}

void mix_compute(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    bool all = c & 1;
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        struct mix_node *node = &g->shape.nodes[n];
        if (!mix_is_value(node) || !node->holds || node->is_opaque ||
            (g->member[n] && g->member[n]->is_counter) ||
            (!all && n != b % MIX_NODES))
            continue;
        set_value(m, at, n, mix_fresh(m, node->value.count));
        mix_say(m, "g%dn%d = %d;", at, n, node->value.numbers[0]);
    }
}

static void rebind(
    struct mix *m, uint8_t at, uint8_t n, const struct mix_value *value)
{
    struct mix_graph *g = &m->graphs[at];
    struct mix_node *node = &g->shape.nodes[n];
    void *memory = malloc(
        value->count * varve_dtype_size((varve_dtype)node->dtype) + 1);
    MIX_CHECK(memory, "the machine is out of memory");
    mix_store(memory, node->dtype, value);
    mix_say(m, "varve_rebind(g%dn%d, [%d]); = %d", at, n, value->count,
        value->numbers[0]);
    varve_rebind(g->nodes[n], mix_view(memory, node->dtype, value->count));
    mix_set_value(g, n, value);
    free(g->memory[n]);
    g->memory[n] = memory;
    mix_fix_again(g, n);
}

void mix_rebind(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, mix_is_variable, b);
    (void)c;
    if (n == MIX_NONE || g->shape.nodes[n].is_owned)
        return;
    struct mix_value value = mix_fresh(m, g->shape.nodes[n].value.count);
    rebind(m, at, n, &value);
}

/* --- Shapes --------------------------------------------------------------- */

static bool has_own_shape(const struct mix_graph *g, uint8_t n)
{
    return mix_is_variable(g, n) && !g->shape.nodes[n].is_slice;
}

void mix_reshape(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, has_own_shape, b);
    if (n == MIX_NONE || g->shape.nodes[n].is_owned)
        return;
    struct mix_value value = mix_fresh(m, c % MIX_NUMBERS);
    rebind(m, at, n, &value);
}

/* The run of the callbacks below. Their arguments identify the node. */
static struct mix *machine;

static varve_status make_room(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    (void)user;
    (void)node;
    MIX_CHECK(!coming->data && varve_tensor_count(coming) <= MIX_NUMBERS,
        "room for another value than there is");
    *room = malloc((size_t)varve_tensor_size(coming) + 1);
    MIX_CHECK(*room, "the machine is out of memory");
    return VARVE_OK;
}

static void settle(void *user, varve_node *node, void *room, bool is_taken)
{
    uintptr_t which = (uintptr_t)user;
    struct mix_graph *g = &machine->graphs[which / MIX_NODES];
    void **memory = &g->memory[which % MIX_NODES];
    MIX_CHECK(g->nodes[which % MIX_NODES] == node &&
                  (varve_data(node) == room) == is_taken,
        "room for another node");
    free(is_taken ? *memory : room);
    if (is_taken)
        *memory = room;
}

void mix_let_resize(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static const varve_resizing ours = { make_room, settle };
    static const varve_resizing none = { 0 };
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, has_own_shape, b);
    if (n == MIX_NONE)
        return;
    struct mix_node *node = &g->shape.nodes[n];
    bool may = c % 8 != 0;
    machine = m;
    mix_say(m, "varve_set_resizing(g%dn%d, %s);", at, n,
        !may ? "NULL" : node->is_owned ? "&none" : "&ours");
    varve_set_resizing(g->nodes[n],
        !may             ? NULL
        : node->is_owned ? &none
                         : &ours,
        (void *)(uintptr_t)((unsigned)at * MIX_NODES + n));
    node->takes_shape = may;
}

void mix_retype(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static const uint8_t dtypes[] = { VARVE_FLOAT32, VARVE_COMPLEX128,
        VARVE_UINT8, VARVE_INT32, VARVE_FLOAT64, VARVE_STRING, VARVE_BFLOAT16 };
    uint8_t at = mix_pick_graph(m, a), dtype = dtypes[c % 7];
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, mix_is_variable, b);
    if (n == MIX_NONE)
        return;
    struct mix_node *node = &g->shape.nodes[n];
    varve_status wanted =
        !node->is_owned ? VARVE_MISUSE
        : !mix_can_cast(node->dtype, dtype) ||
                (dtype == VARVE_STRING && node->dtype != VARVE_STRING)
            ? VARVE_MISMATCH
            : VARVE_OK;
    uint64_t inexact = 7;
    mix_say(m, "varve_retype(g%dn%d, %s);", at, n,
        varve_dtype_name((varve_dtype)dtype));
    mix_trouble_begin(m);
    varve_status status =
        varve_retype(g->nodes[n], (varve_dtype)dtype, &inexact, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_retype", status, wanted, other ? other : wanted);
    if (status)
        return;
    MIX_CHECK(inexact == 0, "%d values did not fit", (int)inexact);
    if (node->dtype != dtype)
        g->version++;
    node->dtype = dtype;
}

/* Touches rows or a box; some are out of range. */
void mix_touch(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, mix_is_variable, b);
    const varve_tensor *value = n == MIX_NONE ? NULL : varve_value(g->nodes[n]);
    uint64_t first = c % 4, count = c / 4 % 4;
    varve_box box = { .start = { first }, .extents = { count } };
    if (!value)
        return;
    bool is_box = c & 16 && value->rank > 0;
    for (uint32_t k = 1; k < value->rank; k++)
        box.extents[k] = value->shape[k];
    varve_status wanted = value->rank > 0 && first + count <= value->shape[0]
                              ? VARVE_OK
                              : VARVE_MISUSE;
    mix_say(m, "varve_touch_%s(g%dn%d, %d, %d);", is_box ? "box" : "rows", at,
        n, (int)first, (int)count);
    mix_trouble_begin(m);
    varve_status status =
        is_box ? varve_mark_box_dirty(g->nodes[n], &box, &m->error)
               : varve_mark_rows_dirty(g->nodes[n], first, count, &m->error);
    mix_trouble_end(m);
    mix_expect(m, "varve_mark_dirty", status, wanted, wanted);
}

static bool is_named(const struct mix_shape *shape, uint8_t name)
{
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (shape->nodes[n].kind && shape->nodes[n].global == name)
            return true;
    return false;
}

static bool is_value_node(const struct mix_graph *g, uint8_t n)
{
    return mix_is_value(&g->shape.nodes[n]);
}

/* Values delivered by global name are not predicted. */
void mix_name_globally(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), name = c % MIX_NAMES;
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, is_value_node, b);
    if (n == MIX_NONE || is_named(&g->shape, name))
        return;
    g->shape.nodes[n].global = name;
    mix_look_for_names(m, at);
    mix_say(m, "varve_set_global_name(g%dn%d, \"%s\");", at, n, mix_name(name));
    mix_trouble_begin(m);
    do
        varve_set_global_name(g->nodes[n], mix_name(name));
    while (mix_is_to_repeat(m, at, varve_global_name(g->nodes[n]) != NULL));
    mix_changed(m, at);
}
