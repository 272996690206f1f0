/* operations_graph.c - Tests nodes that are added, removed, shared, replaced
 * and moved.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/trouble.h"

/* --- New nodes ------------------------------------------------------------ */

struct mix_new {
    uint8_t graph, parent, name, place;
};

/* Chooses the position of a new node. Returns false if there is no room. */
static bool choose(struct mix *m, uint8_t a, uint8_t b, struct mix_new *new)
{
    new->graph = mix_pick_graph(m, a);
    const struct mix_graph *g = &m->graphs[new->graph];
    new->parent = mix_pick(g, mix_is_parent, a / MIX_GRAPHS);
    new->place = mix_free_place(&g->shape);
    if (new->parent == MIX_NONE || new->place == MIX_NONE)
        return false;
    new->name = mix_new_name(g, new->parent, b);
    return new->name != MIX_NONE;
}

static struct mix_node *put(
    struct mix *m, const struct mix_new *new, struct mix_node node)
{
    struct mix_shape *shape = &m->graphs[new->graph].shape;
    node.alias = node.global = MIX_NONE;
    shape->nodes[new->place] = node;
    mix_add_edge(shape, new->parent, new->name, new->place);
    return &shape->nodes[new->place];
}

/* Creates a node. It may be called twice, since the first call may fail. */
typedef varve_node *make_node(
    varve_node *parent, const char *name, const void *how);

static void make(struct mix *m, const struct mix_new *new, make_node *function,
    const void *how)
{
    struct mix_graph *g = &m->graphs[new->graph];
    varve_node **node = &g->nodes[new->place];
    mix_trouble_begin(m);
    do
        *node = function(g->nodes[new->parent], mix_name(new->name), how);
    while (mix_is_to_repeat(
        m, new->graph, varve_node_kind(*node) != VARVE_NIL));
    mix_changed(m, new->graph);
}

void mix_end_graph(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = a % MIX_GRAPHS;
    (void)b;
    if (!m->graphs[at].graph || c > 64)
        return;
    mix_say(m, "varve_graph_free(g%d);", at);
    mix_gate_open(m);
    varve_graph_free(m->graphs[at].graph);
    mix_finish_ended(m, at);
    mix_forget_graph(m, at);
}

struct container {
    const char *name;
    varve_node *(*add)(varve_node *, const char *);
    uint8_t kind;
};

static varve_node *make_container(
    varve_node *parent, const char *name, const void *how)
{
    const struct container *container = how;
    return container->add(parent, name);
}

void mix_add_container(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static const struct container kinds[] = {
        { "object", varve_add_object, VARVE_OBJECT },
        { "list", varve_add_list, VARVE_LIST },
        { "dict", varve_add_dict, VARVE_DICT },
    };
    struct mix_new new;
    if (!choose(m, a, b, &new))
        return;
    unsigned k = c % 3;
    mix_say(m, "g%dn%d = varve_add_%s(g%dn%d, \"%s\");", new.graph, new.place,
        kinds[k].name, new.graph, new.parent, mix_name(new.name));
    put(m, &new, (struct mix_node){ .kind = kinds[k].kind });
    make(m, &new, make_container, &kinds[k]);
}

static struct mix_node choose_variable(struct mix *m, uint8_t c)
{
    static const uint8_t dtypes[] = { VARVE_FLOAT32, VARVE_FLOAT32,
        VARVE_FLOAT32, VARVE_FLOAT64, VARVE_INT32, VARVE_STRING, VARVE_BFLOAT16,
        VARVE_UINT8 };
    return (struct mix_node){
        .kind = VARVE_VARIABLE,
        .dtype = dtypes[c & 7],
        .holds = true,
        .value = mix_fresh(m, c & 0x18 ? 2 : (uint8_t)(c >> 5 & 3)),
    };
}

static void *memory_for(const struct mix_node *node)
{
    void *memory = malloc(
        node->value.count * varve_dtype_size((varve_dtype)node->dtype) + 1);
    MIX_CHECK(memory, "the machine is out of memory");
    mix_store(memory, node->dtype, &node->value);
    return memory;
}

static varve_node *make_variable(
    varve_node *parent, const char *name, const void *how)
{
    const varve_tensor *view = how;
    return varve_add_variable(parent, name, *view);
}

void mix_add_variable(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_new new;
    if (!choose(m, a, b, &new))
        return;
    const struct mix_node *node = put(m, &new, choose_variable(m, c));
    void *memory = memory_for(node);
    m->graphs[new.graph].memory[new.place] = memory;
    mix_say(m, "g%dn%d = varve_add_variable(g%dn%d, \"%s\", %s[%d]); = %d",
        new.graph, new.place, new.graph, new.parent, mix_name(new.name),
        varve_dtype_name((varve_dtype)node->dtype), node->value.count,
        node->value.numbers[0]);
    varve_tensor view = mix_view(memory, node->dtype, node->value.count);
    make(m, &new, make_variable, &view);
}

static varve_status initialize(const varve_tensor *tensor, void *user)
{
    const struct mix_value *value = user;
    mix_store(tensor->data, (uint8_t)tensor->dtype, value);
    return VARVE_OK;
}

/* The argument of an initializer must live as long as its node. */
static struct mix_value *keep_value(
    struct mix *m, uint8_t graph, uint8_t place)
{
    struct mix_value *value = malloc(sizeof *value);
    MIX_CHECK(value, "the machine is out of memory");
    *value = m->graphs[graph].shape.nodes[place].value;
    m->graphs[graph].memory[place] = value;
    return value;
}

struct allocated {
    varve_dtype dtype;
    struct mix_value *value;
};

static varve_node *make_allocated(
    varve_node *parent, const char *name, const void *how)
{
    const struct allocated *allocated = how;
    return varve_add_allocated_variable(parent, name, allocated->dtype,
        VARVE_SHAPE(allocated->value->count), initialize, allocated->value);
}

void mix_add_allocated(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_new new;
    if (!choose(m, a, b, &new))
        return;
    struct mix_node *node = put(m, &new, choose_variable(m, c));
    struct mix_value *value = keep_value(m, new.graph, new.place);
    node->is_owned = true;
    mix_say(m,
        "g%dn%d = varve_add_allocated_variable(g%dn%d, \"%s\", %s[%d]); = %d",
        new.graph, new.place, new.graph, new.parent, mix_name(new.name),
        varve_dtype_name((varve_dtype)node->dtype), node->value.count,
        value->numbers[0]);
    make(m, &new, make_allocated,
        &(struct allocated){ (varve_dtype)node->dtype, value });
}

/* --- Slices --------------------------------------------------------------- */

/* Only the last graph has slices, so that the others can be saved. */
static struct mix_node choose_slice(
    struct mix *m, uint8_t graph, uint8_t b, uint8_t c)
{
    struct mix_node node = choose_variable(m, c);
    bool is_shorter = b & 128;
    if (node.dtype == VARVE_STRING)
        node.dtype = VARVE_FLOAT32;
    node.is_slice = true;
    node.whole = node.value.count;
    if (graph != MIX_GRAPHS - 1)
        return node;
    node.start = (uint8_t)(c / 32 % (node.whole + 1));
    node.value.count = (uint8_t)(node.whole - node.start);
    if (is_shorter && node.value.count)
        node.value.count--;
    return node;
}

static void say_slice(
    const struct mix *m, const struct mix_new *new, const char *call)
{
    const struct mix_node *node =
        &m->graphs[new->graph].shape.nodes[new->place];
    mix_say(m, "g%dn%d = %s(g%dn%d, \"%s\", %s[%d] of [%d] from %d); = %d",
        new->graph, new->place, call, new->graph, new->parent,
        mix_name(new->name), varve_dtype_name((varve_dtype)node->dtype),
        node->value.count, node->whole, node->start, node->value.numbers[0]);
}

struct slice {
    const struct mix_node *node;
    void *memory; /* or the argument of the initializer */
};

static varve_node *make_slice(
    varve_node *parent, const char *name, const void *how)
{
    const struct slice *slice = how;
    const struct mix_node *node = slice->node;
    return varve_add_slice(parent, name,
        mix_view(slice->memory, node->dtype, node->value.count),
        VARVE_SHAPE(node->whole), (uint64_t[]){ node->start });
}

void mix_add_slice(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_new new;
    if (!choose(m, a, b, &new))
        return;
    const struct mix_node *node =
        put(m, &new, choose_slice(m, new.graph, b, c));
    struct slice slice = { node, memory_for(node) };
    m->graphs[new.graph].memory[new.place] = slice.memory;
    say_slice(m, &new, "varve_add_slice");
    make(m, &new, make_slice, &slice);
}

static varve_node *make_allocated_slice(
    varve_node *parent, const char *name, const void *how)
{
    const struct slice *slice = how;
    const struct mix_node *node = slice->node;
    const varve_box box = { { node->start }, { node->value.count } };
    return varve_add_allocated_slice(parent, name, (varve_dtype)node->dtype,
        VARVE_SHAPE(node->whole), &box, initialize, slice->memory);
}

void mix_add_allocated_slice(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_new new;
    if (!choose(m, a, b, &new))
        return;
    struct mix_node *node = put(m, &new, choose_slice(m, new.graph, b, c));
    node->is_owned = true;
    say_slice(m, &new, "varve_add_allocated_slice");
    make(m, &new, make_allocated_slice,
        &(struct slice){ node, keep_value(m, new.graph, new.place) });
}

/* A slot with the type and shape of its variable, and of the same slice. */
void mix_add_slot_like(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), name = c % 2;
    struct mix_graph *g = &m->graphs[at];
    uint8_t owner = mix_pick(g, mix_is_parent, a / MIX_GRAPHS);
    uint8_t variable = mix_pick(g, mix_is_ordinary, b);
    uint8_t place = mix_free_place(&g->shape);
    if (owner == MIX_NONE || variable == MIX_NONE || place == MIX_NONE ||
        g->shape.slot_count == MIX_SLOTS ||
        mix_slot_at(&g->shape, owner, variable, name) != MIX_NONE)
        return;
    const struct mix_node *like = &g->shape.nodes[variable];
    g->shape.nodes[place] = (struct mix_node){ .kind = VARVE_VARIABLE,
        .holds = true,
        .is_owned = true,
        .dtype = like->dtype,
        .is_slice = like->is_slice,
        .whole = like->whole,
        .start = like->start,
        .alias = MIX_NONE,
        .global = MIX_NONE,
        .value = mix_fresh(m, like->value.count) };
    g->shape.slots[g->shape.slot_count++] =
        (struct mix_slot){ owner, variable, name, place };
    g->shape.nodes[place].value.form = like->value.form;
    struct mix_value *value = keep_value(m, at, place);
    mix_say(m, "g%dn%d = varve_add_slot_like(g%dn%d, g%dn%d, \"%s\"); = %d",
        at, place, at, owner, at, variable, mix_name(name), value->numbers[0]);
    mix_trouble_begin(m);
    do
        g->nodes[place] = varve_add_slot_like(g->nodes[owner],
            g->nodes[variable], mix_name(name), initialize, value);
    while (mix_is_to_repeat(
        m, at, varve_node_kind(g->nodes[place]) != VARVE_NIL));
    mix_changed(m, at);
}

/* --- States --------------------------------------------------------------- */

struct state {
    struct mix_value value; /* first member: compared by mix_look */
    struct mix *mix;
};

static varve_status save_state(void *self, varve_sink *sink)
{
    struct state *state = self;
    state->mix->saves++;
    varve_put(sink, state->value.numbers, state->value.count);
    return VARVE_OK;
}

static varve_status load_state(void *self, const void *bytes, size_t size)
{
    struct state *state = self;
    const uint8_t *from = bytes;
    if (size > MIX_NUMBERS)
        return VARVE_MISMATCH;
    state->mix->loads++;
    state->value = (struct mix_value){ .count = (uint8_t)size };
    for (size_t i = 0; i < size; i++)
        state->value.numbers[i] = from[i];
    return VARVE_OK;
}

static const varve_state_callbacks state_callbacks = { save_state, load_state };

static varve_node *make_state(
    varve_node *parent, const char *name, const void *how)
{
    return varve_add_state(parent, name, &state_callbacks, *(void *const *)how);
}

void mix_add_state(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_new new;
    if (!choose(m, a, b, &new))
        return;
    const struct mix_node *node = put(m, &new,
        (struct mix_node){ .kind = VARVE_STATE,
            .holds = true,
            .dtype = VARVE_UINT8,
            .value = mix_fresh(m, c % 5) });
    struct state *state = malloc(sizeof *state);
    MIX_CHECK(state, "the machine is out of memory");
    *state = (struct state){ node->value, m };
    m->graphs[new.graph].memory[new.place] = state;
    mix_say(m, "g%dn%d = varve_add_state(g%dn%d, \"%s\"); = %d of %d bytes",
        new.graph, new.place, new.graph, new.parent, mix_name(new.name),
        node->value.numbers[0], node->value.count);
    make(m, &new, make_state, &state);
}

/* --- Edges ---------------------------------------------------------------- */

static bool has_edges(const struct mix_graph *g, uint8_t n)
{
    return varve_edge_count(g->nodes[n]) == g->shape.nodes[n].edge_count;
}

static bool leads_to(
    const struct mix_graph *g, uint8_t parent, uint8_t name, uint8_t child)
{
    return varve_find(g->nodes[parent], mix_name(name)) == g->nodes[child];
}

void mix_track(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t parent = mix_pick(g, mix_is_parent, a / MIX_GRAPHS);
    uint8_t child = mix_pick(g, mix_is_any, c);
    uint8_t name = mix_new_name(g, parent == MIX_NONE ? 0 : parent, b);
    if (parent == MIX_NONE || name == MIX_NONE)
        return;
    mix_say(m, "varve_track(g%dn%d, \"%s\", g%dn%d);", at, parent,
        mix_name(name), at, child);
    mix_add_edge(&g->shape, parent, name, child);
    mix_trouble_begin(m);
    do
        varve_track(g->nodes[parent], mix_name(name), g->nodes[child]);
    while (mix_is_to_repeat(m, at, leads_to(g, parent, name, child)));
    mix_changed(m, at);
}

/* Chooses a node with an edge, and the edge. Returns false if there is none. */
static bool choose_edge(
    const struct mix_graph *g, uint8_t by, uint8_t *parent, uint8_t *edge)
{
    unsigned count = 0;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        count += g->shape.nodes[n].edge_count;
    unsigned left = count ? by % count : 0;
    for (*parent = 0; count && *parent < MIX_NODES; ++*parent) {
        *edge = (uint8_t)left;
        if (left < g->shape.nodes[*parent].edge_count)
            return true;
        left -= g->shape.nodes[*parent].edge_count;
    }
    return false;
}

void mix_replace(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), parent, edge;
    struct mix_graph *g = &m->graphs[at];
    uint8_t child = mix_pick(g, mix_is_any, c);
    if (!choose_edge(g, b, &parent, &edge))
        return;
    uint8_t name = g->shape.nodes[parent].edges[edge].name;
    mix_say(m, "varve_replace(g%dn%d, \"%s\", g%dn%d);", at, parent,
        mix_name(name), at, child);
    g->shape.nodes[parent].edges[edge].child = child;
    mix_trouble_begin(m);
    do
        varve_replace(g->nodes[parent], mix_name(name), g->nodes[child]);
    while (mix_is_to_repeat(m, at, leads_to(g, parent, name, child)));
    mix_changed(m, at);
}

void mix_untrack(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), parent, edge;
    struct mix_graph *g = &m->graphs[at];
    (void)c;
    if (!choose_edge(g, b, &parent, &edge))
        return;
    uint8_t name = g->shape.nodes[parent].edges[edge].name;
    mix_say(m, "varve_untrack(g%dn%d, \"%s\");", at, parent, mix_name(name));
    mix_drop_edge(&g->shape, parent, edge);
    mix_trouble_begin(m);
    do
        varve_untrack(g->nodes[parent], mix_name(name));
    while (mix_is_to_repeat(m, at, has_edges(g, parent)));
    mix_moved(m, at, parent);
    mix_changed(m, at);
}

void mix_remove_node(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t node = mix_pick(g, mix_is_child, b);
    (void)c;
    if (node == MIX_NONE)
        return;
    mix_say(m, "varve_remove(g%dn%d);", at, node);
    varve_node *going = g->nodes[node];
    mix_set gone = mix_remove(&g->shape, node);
    varve_remove(going);
    mix_forget_nodes(m, at, gone);
    for (uint8_t n = 0; n < MIX_NODES; n++)
        mix_moved(m, at, n);
    mix_changed(m, at);
}

/* --- Lists ---------------------------------------------------------------- */

void mix_move_in_list(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t list = mix_pick(g, mix_is_list, a / MIX_GRAPHS);
    uint8_t child = mix_pick(g, mix_is_any, b);
    if (list == MIX_NONE || g->shape.nodes[list].edge_count >= MIX_FEW_EDGES)
        return;
    struct mix_node *node = &g->shape.nodes[list];
    uint8_t count = node->edge_count;
    uint8_t index = (uint8_t)(c % (count + 1));
    mix_say(m, "varve_list_insert(g%dn%d, %d, g%dn%d);", at, list, index, at,
        child);
    mix_add_edge(&g->shape, list, (uint8_t)(MIX_POSITIONS + count), child);
    for (uint8_t i = count; i > index; i--)
        node->edges[i].child = node->edges[i - 1].child;
    node->edges[index].child = child;
    mix_trouble_begin(m);
    do
        varve_list_insert(g->nodes[list], index, g->nodes[child]);
    while (mix_is_to_repeat(m, at, has_edges(g, list)));
    mix_moved(m, at, list);
    mix_changed(m, at);
}

static bool has_order(const struct mix_graph *g, uint8_t list)
{
    const struct mix_node *node = &g->shape.nodes[list];
    bool has = true;
    for (uint8_t i = 0; i < node->edge_count; i++)
        has = has &&
              leads_to(g, list, node->edges[i].name, node->edges[i].child);
    return has;
}

void mix_reorder(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), old[MIX_EDGES];
    struct mix_graph *g = &m->graphs[at];
    uint8_t list = mix_pick(g, mix_is_list, a / MIX_GRAPHS);
    size_t order[MIX_EDGES];
    if (list == MIX_NONE || g->shape.nodes[list].edge_count < 2)
        return;
    struct mix_node *node = &g->shape.nodes[list];
    uint8_t count = node->edge_count;
    for (uint8_t i = 0; i < count; i++) {
        bool is_backward = c & 1;
        order[i] = (size_t)((is_backward ? count - 1 - i : i) + b) % count;
        old[i] = node->edges[i].child;
    }
    for (uint8_t i = 0; i < count; i++)
        node->edges[i].child = old[order[i]];
    mix_say(m, "varve_list_reorder(g%dn%d, { %zu, %zu, ... }, %d);", at, list,
        order[0], order[1], count);
    mix_trouble_begin(m);
    do
        varve_list_reorder(g->nodes[list], order, count);
    while (mix_is_to_repeat(m, at, has_order(g, list)));
    mix_moved(m, at, list);
    mix_changed(m, at);
}
