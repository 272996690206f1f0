/* operations_order.c - Tests that a program built in two orders restores the
 * same values from the same file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"

struct build {
    varve_graph *graph;
    varve_node *nodes[MIX_NODES];
    unsigned char memory[MIX_NODES][64];
    uint8_t made[MIX_NODES]; /* edges of each node */
    uint32_t random;
};

static unsigned draw(struct build *b, unsigned below)
{
    b->random = b->random * 1664525 + 1013904223;
    return (b->random >> 16) % below;
}

static varve_node *make(struct build *b, const struct mix_node *node,
    varve_node *parent, const char *name, void *memory)
{
    static const struct mix_value before = { .count = MIX_NUMBERS,
        .numbers = { 127, 127, 127, 127 } };
    struct mix_value value = before;
    (void)b;
    switch (node->kind) {
    case VARVE_LIST: return varve_add_list(parent, name);
    case VARVE_DICT: return varve_add_dict(parent, name);
    case VARVE_VARIABLE: break;
    default: return varve_add_object(parent, name);
    }
    value.count = node->value.count;
    value.form = node->value.form;
    mix_store(memory, node->dtype, &value);
    if (node->is_slice)
        return varve_add_slice(parent, name,
            mix_view(memory, node->dtype, value.count),
            VARVE_SHAPE(node->whole), (uint64_t[]){ node->start });
    return varve_add_variable(parent, name,
        varve_view(memory, (varve_dtype)node->dtype, mix_extents(&value)));
}

/* Adds the next edge of a node: in a list the next position, else any. The
 * model's copy contains the edges that were added first. */
static void add_edge(struct build *b, struct mix_shape *shape, uint8_t n)
{
    struct mix_node *node = &shape->nodes[n];
    unsigned left = (unsigned)node->edge_count - b->made[n];
    uint8_t at = b->made[n]++;
    if (node->kind != VARVE_LIST) {
        unsigned other = at + draw(b, left);
        struct mix_edge edge = node->edges[other];
        node->edges[other] = node->edges[at];
        node->edges[at] = edge;
    }
    struct mix_edge edge = node->edges[at];
    const struct mix_node *child = &shape->nodes[edge.child];
    if (b->nodes[edge.child]) {
        varve_track(b->nodes[n], mix_name(edge.name), b->nodes[edge.child]);
        return;
    }
    b->nodes[edge.child] =
        make(b, child, b->nodes[n], mix_name(edge.name), b->memory[edge.child]);
    if (child->alias != MIX_NONE)
        varve_alias(b->nodes[edge.child], mix_name(child->alias));
}

static void add_slots(struct build *b, const struct mix_shape *shape)
{
    for (uint8_t i = 0; i < shape->slot_count; i++) {
        const struct mix_slot *s = &shape->slots[i];
        const struct mix_value before = { .count = 2,
            .numbers = { 127, 127 } };
        if (b->nodes[s->node])
            continue; /* a shared child that was already created */
        mix_store(b->memory[s->node], VARVE_FLOAT32, &before);
        b->nodes[s->node] = varve_add_slot(b->nodes[s->owner],
            b->nodes[s->variable], mix_name(s->name),
            mix_view(b->memory[s->node], VARVE_FLOAT32, 2));
    }
}

static void build(struct mix *m, struct build *b, struct mix_shape shape)
{
    b->graph = varve_graph_new(&m->allocator);
    b->nodes[0] = varve_graph_root(b->graph);
    for (;;) {
        uint8_t open[MIX_NODES];
        unsigned count = 0;
        for (uint8_t n = 0; n < MIX_NODES; n++)
            if (b->nodes[n] && b->made[n] < shape.nodes[n].edge_count)
                open[count++] = n;
        if (!count)
            break;
        add_edge(b, &shape, open[draw(b, count)]);
    }
    add_slots(b, &shape);
}

static varve_status read_into(struct mix *m, struct build *b, const char *path)
{
    const varve_read_options options = { .cast = VARVE_CAST_ANY };
    varve_restoration *r = varve_read(b->nodes[0], path, &options, &m->error);
    varve_restoration_free(r);
    return r ? VARVE_OK : m->error.status;
}

static void compare(const struct build *one, const struct build *two,
    const struct mix_shape *shape)
{
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &shape->nodes[n];
        if (node->kind != VARVE_VARIABLE || node->dtype == VARVE_STRING)
            continue;
        size_t size =
            node->value.count * varve_dtype_size((varve_dtype)node->dtype);
        MIX_CHECK(memcmp(one->memory[n], two->memory[n], size) == 0,
            "the order of building decides what n%d gets", n);
    }
}

void mix_build_twice(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static struct build one, two;
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_FILES;
    mix_finish_file(m, slot, MIX_NONE);
    const struct mix_file *file = &m->files[slot];
    if (!file->is_there)
        return;
    struct mix_shape shape = mix_saved(&m->graphs[at].shape, 0);
    one = (struct build){ .random = c };
    two = (struct build){ .random = c + 256u };
    mix_say(m, "(a program like g%d, built in two orders, reads file %d)", at,
        slot);
    build(m, &one, shape);
    build(m, &two, shape);
    const char *path = mix_file_path(m, slot, file->format);
    varve_status first = read_into(m, &one, path);
    varve_status second = read_into(m, &two, path);
    MIX_CHECK(first == second, "the order of building decides: %s or %s",
        varve_status_name(first), varve_status_name(second));
    compare(&one, &two, &shape);
    varve_graph_free(one.graph);
    varve_graph_free(two.graph);
}
