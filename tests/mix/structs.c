/* structs.c - Models structs: their nodes, rebinding, and resize buffers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/structs.h"

#include <string.h>

/* --- Values --------------------------------------------------------------- */

static uint8_t number_at(uint8_t dtype, const void *element)
{
    double d = 0;
    float f = 0;
    int32_t i = 0;
    uint16_t upper;
    uint32_t bits;
    switch (dtype) {
    case VARVE_FLOAT64: memcpy(&d, element, 8); return (uint8_t)d;
    case VARVE_INT32: memcpy(&i, element, 4); return (uint8_t)i;
    case VARVE_UINT8: return *(const uint8_t *)element;
    case VARVE_BFLOAT16:
        memcpy(&upper, element, 2);
        bits = (uint32_t)upper << 16;
        memcpy(&f, &bits, 4);
        return (uint8_t)f;
    default: memcpy(&f, element, 4); return (uint8_t)f;
    }
}

static struct mix_value value_of(const struct mix_struct_kind *kind,
    const struct mix_member *member, const void *object)
{
    struct mix_value value = { .form = member->form };
    const unsigned char *memory = mix_member_at(member, object);
    size_t size = varve_dtype_size((varve_dtype)member->dtype);
    if (member->kind == VARVE_FIELD_IS_TEXT) {
        value.count = (uint8_t)strlen((const char *)memory);
        memcpy(value.numbers, memory, value.count);
        return value;
    }
    value.count = mix_member_count(kind, member, object);
    for (uint8_t i = 0; i < value.count; i++)
        value.numbers[i] = number_at(member->dtype, memory + i * size);
    return value;
}

/* (Bytes of a state that is not text may contain NUL.) */
bool mix_text_is(
    struct mix_graph *g, uint8_t n, const struct mix_value *value)
{
    char wanted[MIX_TEXT];
    mix_text_set(wanted, value);
    if (memcmp(wanted, g->text[n], MIX_TEXT) != 0)
        return false;
    if (value == &g->shape.nodes[n].value)
        g->shape.nodes[n].value.count = (uint8_t)strlen(wanted);
    return true;
}

/* --- Nodes ---------------------------------------------------------------- */

/* Returns the number of places that resize buffers may take. */
static uint8_t places_of(
    const struct mix_struct_kind *kind, const void *object)
{
    uint8_t sum = 0;
    for (uint8_t i = 0; i < kind->member_count; i++) {
        const struct mix_member *member = &kind->members[i];
        uint8_t each = member->of ? (uint8_t)(member->of->member_count + 1) : 1;
        if (!mix_member_waits(member, object))
            continue;
        if (member->kind == VARVE_FIELD_IS_LIST)
            each = (uint8_t)(1 + each * MIX_MOST_COUNTED);
        sum = (uint8_t)(sum + each);
    }
    return sum;
}

/* Returns a free place, other than one that was just removed and is still
 * referenced. */
static uint8_t place_in(const struct mix_graph *g)
{
    uint8_t n = 0;
    while (n < MIX_NODES &&
           (g->shape.nodes[n].kind || mix_has(g->going, n)))
        n++;
    MIX_CHECK(n < MIX_NODES, "no place for a member");
    return n;
}

/* Removes a node as varve_remove does. */
static void take_out(struct mix_graph *g, uint8_t node)
{
    g->going |= mix_remove(&g->shape, node);
}

static void put_members(struct mix_graph *g, uint8_t node,
    const struct mix_struct_kind *kind, void *object);

static uint8_t put_node(struct mix_graph *g, uint8_t parent, uint8_t name,
    uint8_t kind, const struct mix_member *member)
{
    uint8_t n = place_in(g);
    g->shape.nodes[n] = (struct mix_node){ .kind = kind,
        .alias = member ? member->older : MIX_NONE,
        .global = MIX_NONE };
    MIX_CHECK(mix_add_edge(&g->shape, parent, name, n), "too many edges");
    g->member[n] = member;
    return n;
}

static void put_element(struct mix_graph *g, uint8_t list,
    const struct mix_struct_kind *kind, void *object)
{
    uint8_t name = (uint8_t)(MIX_POSITIONS + g->shape.nodes[list].edge_count);
    uint8_t n = put_node(g, list, name, VARVE_OBJECT, NULL);
    put_members(g, n, kind, object);
}

static void put_value(struct mix_graph *g, uint8_t n,
    const struct mix_struct_kind *kind, const struct mix_member *member,
    void *object)
{
    struct mix_node *node = &g->shape.nodes[n];
    bool is_text = member->kind == VARVE_FIELD_IS_TEXT;
    node->holds = true;
    node->dtype = is_text ? VARVE_UINT8 : member->dtype;
    node->is_fixed = member->is_counter;
    node->is_later = member->is_later;
    node->value = value_of(kind, member, object);
    g->text[n] = is_text ? mix_member_at(member, object) : NULL;
}

static void put_member(struct mix_graph *g, uint8_t parent,
    const struct mix_struct_kind *kind, const struct mix_member *member,
    void *object)
{
    static const uint8_t kinds[] = { [VARVE_FIELD_IS_VALUE] = VARVE_VARIABLE,
        [VARVE_FIELD_IS_TEXT] = VARVE_STATE,
        [VARVE_FIELD_IS_STRUCT] = VARVE_OBJECT,
        [VARVE_FIELD_IS_LIST] = VARVE_LIST };
    if (mix_member_waits(member, object)) {
        g->waiting[parent] |= mix_one((unsigned)(member - kind->members));
        return;
    }
    uint8_t n = put_node(g, parent, member->name, kinds[member->kind], member);
    unsigned char *memory = mix_member_at(member, object);
    if (member->kind == VARVE_FIELD_IS_STRUCT) {
        put_members(g, n, member->of, memory);
        return;
    }
    if (member->kind != VARVE_FIELD_IS_LIST) {
        put_value(g, n, kind, member, object);
        return;
    }
    for (uint8_t i = 0; i < mix_member_count(kind, member, object); i++)
        put_element(g, n, member->of, memory + i * member->of->size);
}

/* Reserves places for nodes of resize buffers. */
void mix_note_resize_buffers(struct mix_graph *g)
{
    g->shape.reserved = 0;
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        if (!g->of[n])
            continue;
        uint8_t count = places_of(g->of[n], g->object[n]);
        g->shape.reserved = (uint8_t)(g->shape.reserved + count);
        g->shape.nodes[n].demands = count != 0;
    }
}

static void put_members(struct mix_graph *g, uint8_t node,
    const struct mix_struct_kind *kind, void *object)
{
    g->of[node] = kind;
    g->object[node] = object;
    for (uint8_t i = 0; i < kind->member_count; i++)
        put_member(g, node, kind, &kind->members[i], object);
}

uint8_t mix_struct_put(struct mix_graph *g, uint8_t parent, uint8_t name,
    const struct mix_struct_kind *kind, void *object)
{
    uint8_t n = put_node(g, parent, name, VARVE_OBJECT, NULL);
    g->has_retired |= kind->retires;
    put_members(g, n, kind, object);
    mix_note_resize_buffers(g);
    return n;
}

void mix_struct_find(struct mix_graph *g)
{
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint8_t n = 0; n < MIX_NODES; n++)
            for (uint8_t e = 0; g->nodes[n] && e < g->shape.nodes[n].edge_count;
                 e++) {
                struct mix_edge edge = g->shape.nodes[n].edges[e];
                if (g->nodes[edge.child])
                    continue;
                g->nodes[edge.child] =
                    varve_find(g->nodes[n], mix_name(edge.name));
                goes_on = g->nodes[edge.child];
            }
    }
}

/* --- Rebinding ------------------------------------------------------------ */

static bool can_rebind(
    const struct mix_graph *g, uint8_t node, const void *object);

/* Returns true if the child with the member's name was certainly, or certainly
 * not, created from the member. */
static bool can_rebind_member(const struct mix_graph *g, uint8_t node,
    const struct mix_member *member, const void *object)
{
    uint8_t child = mix_child(&g->shape, node, member->name);
    bool has_kind =
        member->kind == VARVE_FIELD_IS_VALUE ||
        member->kind == VARVE_FIELD_IS_LIST;
    if (child == MIX_NONE)
        return true;
    if (has_kind)
        return g->member[child] == member && !g->shape.nodes[child].is_owned;
    if (member->kind == VARVE_FIELD_IS_STRUCT && g->of[child] == member->of &&
        !mix_member_waits(member, object))
        return can_rebind(g, child, mix_member_at(member, object));
    return true;
}

static bool can_rebind(
    const struct mix_graph *g, uint8_t node, const void *object)
{
    const struct mix_struct_kind *kind = g->of[node];
    bool can = true;
    for (uint8_t i = 0; i < kind->member_count; i++)
        can = can && can_rebind_member(g, node, &kind->members[i], object);
    return can;
}

/* Elements are pairs, whose members contain no structs. */
static bool can_rebind_lists(const struct mix_graph *g)
{
    bool can = true;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (g->of[n] == mix_pair_kind)
            can = can && can_rebind(g, n, g->object[n]);
    return can;
}

bool mix_struct_can_rebind(
    const struct mix_graph *g, uint8_t node, const void *object)
{
    uint8_t room = 0;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        room = (uint8_t)(room + !g->shape.nodes[n].kind);
    struct mix_graph after = *g;
    if (room < 16 || !can_rebind(g, node, object) || !can_rebind_lists(g))
        return false;
    void *memory;
    memcpy(&memory, &object, sizeof memory);
    return !mix_has(mix_struct_rebind(&after, node, memory), node);
}

/* Returns true if all existing members of a struct are its own, so that no
 * other node uses its memory. */
static bool is_intact(
    const struct mix_graph *g, uint8_t node, const void *object);

static bool has_own(const struct mix_graph *g, uint8_t node,
    const struct mix_struct_kind *kind, const struct mix_member *member,
    const void *object)
{
    uint8_t child = mix_child(&g->shape, node, member->name);
    const unsigned char *memory = mix_member_at(member, object);
    if (mix_member_waits(member, object))
        return child == MIX_NONE;
    if (child == MIX_NONE || g->member[child] != member || g->memory[child])
        return false;
    const struct mix_node *made = &g->shape.nodes[child];
    if (member->kind == VARVE_FIELD_IS_STRUCT)
        return is_intact(g, child, memory);
    if (member->kind != VARVE_FIELD_IS_LIST)
        return true;
    bool is = made->edge_count == mix_member_count(kind, member, object);
    for (uint8_t i = 0; is && i < made->edge_count; i++)
        is = is_intact(g, made->edges[i].child, memory + i * member->of->size);
    return is;
}

static bool is_intact(
    const struct mix_graph *g, uint8_t node, const void *object)
{
    const struct mix_struct_kind *kind = g->of[node];
    bool is = kind && g->object[node] == object;
    for (uint8_t i = 0; is && i < kind->member_count; i++)
        is = has_own(g, node, kind, &kind->members[i], object);
    return is;
}

bool mix_struct_can_change(const struct mix_graph *g, uint8_t node)
{
    return is_intact(g, node, g->object[node]);
}

static void rebind_struct(
    struct mix_graph *g, uint8_t node, void *object);

static void rebind_list(struct mix_graph *g, uint8_t list,
    const struct mix_struct_kind *kind, const struct mix_member *member,
    void *object)
{
    struct mix_node *node = &g->shape.nodes[list];
    uint8_t count = mix_member_count(kind, member, object);
    unsigned char *memory = mix_member_at(member, object);
    while (node->edge_count > count) {
        uint8_t last = (uint8_t)(node->edge_count - 1);
        uint8_t child = node->edges[last].child;
        if (g->of[child] == member->of)
            take_out(g, child);
        else
            mix_drop_edge(&g->shape, list, last);
    }
    for (uint8_t i = 0; i < node->edge_count; i++)
        if (g->of[node->edges[i].child] == member->of)
            rebind_struct(
                g, node->edges[i].child, memory + i * member->of->size);
    while (node->kind && node->edge_count < count)
        put_element(g, list, member->of,
            memory + node->edge_count * member->of->size);
}

static void rebind_member(struct mix_graph *g, uint8_t node,
    const struct mix_struct_kind *kind, const struct mix_member *member,
    void *object)
{
    uint8_t child = mix_child(&g->shape, node, member->name);
    bool is_made =
        child != MIX_NONE && (member->kind == VARVE_FIELD_IS_STRUCT
                                     ? g->of[child] == member->of
                                     : g->member[child] == member);
    g->waiting[node] &= ~mix_one((unsigned)(member - kind->members));
    if (child == MIX_NONE) {
        put_member(g, node, kind, member, object);
        return;
    }
    if (mix_member_waits(member, object)) {
        g->waiting[node] |= mix_one((unsigned)(member - kind->members));
        if (is_made)
            take_out(g, child);
        return;
    }
    if (!is_made)
        return;
    if (member->kind == VARVE_FIELD_IS_STRUCT) {
        rebind_struct(g, child, mix_member_at(member, object));
        return;
    }
    if (member->kind == VARVE_FIELD_IS_LIST) {
        rebind_list(g, child, kind, member, object);
        return;
    }
    if (member->kind == VARVE_FIELD_IS_TEXT)
        g->text[child] = mix_member_at(member, object);
    g->shape.nodes[child].value = value_of(kind, member, object);
}

static void rebind_struct(struct mix_graph *g, uint8_t node, void *object)
{
    const struct mix_struct_kind *kind = g->of[node];
    g->object[node] = object;
    for (uint8_t i = 0; i < kind->member_count && g->shape.nodes[node].kind;
         i++)
        rebind_member(g, node, kind, &kind->members[i], object);
}

mix_set mix_struct_rebind(struct mix_graph *g, uint8_t node, void *object)
{
    g->going = 0;
    rebind_struct(g, node, object);
    mix_set gone = g->going;
    g->going = 0;
    return gone;
}

/* --- Resize buffers ------------------------------------------------------- */

/* Follows counters that a resize callback has set in structs that are still
 * bound. */
static void follow_counters(struct mix_graph *g)
{
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_member *member = g->member[n];
        if (!member || !member->is_counter)
            continue;
        for (uint8_t o = 0; o < MIX_NODES; o++)
            if (g->of[o] && g->of[o]->counter != SIZE_MAX &&
                varve_data(g->nodes[n]) ==
                    (unsigned char *)g->object[o] + g->of[o]->counter)
                g->shape.nodes[n].value.numbers[0] =
                    mix_counted(g->of[o], g->object[o]);
    }
}

void mix_follow_resize_buffers(struct mix *m, uint8_t graph)
{
    struct mix_graph *g = &m->graphs[graph];
    bool has_new = false;
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_struct_kind *kind = g->of[n];
        for (uint8_t i = 0; kind && i < kind->member_count; i++) {
            const struct mix_member *member = &kind->members[i];
            if (!member->has_room || mix_member_waits(member, g->object[n]) ||
                !mix_has(g->waiting[n], i))
                continue;
            g->waiting[n] &= ~mix_one(i);
            mix_say(m, "    (room for \"%s\" of g%dn%d)",
                mix_name(member->name), graph, n);
            has_new = true;
            /* Without memory, no node uses it. */
            if (varve_find(g->nodes[n], mix_name(member->name)))
                put_member(g, n, kind, member, g->object[n]);
        }
    }
    if (!has_new)
        return;
    mix_struct_find(g);
    follow_counters(g);
    mix_note_resize_buffers(g);
    g->version++;
}
