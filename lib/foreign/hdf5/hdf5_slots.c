/* hdf5_slots.c - Walks the groups below a slot in parallel with those below the
 * root.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_slots.h"

#include <string.h>

#include "draft_parts.h"
#include "failure.h"
#include "hdf5_name.h"
#include "try.h"

struct found {
    const char *name;      /* of the slot */
    size_t slot, variable; /* numbers of things */
};

struct finding {
    struct vv_hdf5_graph *g;
    struct vv_buffer pairs; /* struct found: groups to visit */
    struct vv_buffer slots; /* struct found */
    uint64_t steps;         /* remaining steps, because links can form cycles */
};

static bool hdf5_slots_is_variable(const struct vv_hdf5_graph *g, size_t thing)
{
    return vv_draft_node_at(g->draft, vv_hdf5_thing_at(g, thing)->node)->kind ==
           VARVE_VARIABLE;
}

/* Compares a group of a slot with the group at the same path. Returns false if
 * they do not match. */
static bool hdf5_slots_take(struct finding *f, struct found pair)
{
    const struct vv_hdf5_thing group = *vv_hdf5_thing_at(f->g, pair.slot);
    for (size_t i = 0; i < group.count; i++) {
        const struct vv_hdf5_edge *e = vv_hdf5_edge_at(f->g, group.first + i);
        struct found next = { pair.name ? pair.name : e->name, e->thing,
            pair.name ? vv_hdf5_child(f->g, pair.variable, e->name)
                      : pair.variable };
        if (f->steps == 0 || next.variable == SIZE_MAX)
            return false;
        f->steps--;
        bool is_slot = pair.name && hdf5_slots_is_variable(f->g, next.slot);
        if (is_slot ? !hdf5_slots_is_variable(f->g, next.variable)
                    : !vv_hdf5_thing_at(f->g, next.slot)->is_group)
            return false;
        vv_buffer_add(is_slot ? &f->slots : &f->pairs, &next, sizeof next);
    }
    return true;
}

static bool hdf5_slots_find(struct finding *f, size_t slots)
{
    struct found pair = { NULL, slots, 0 };
    bool is_good = true;
    f->pairs.size = f->slots.size = 0;
    vv_buffer_add(&f->pairs, &pair, sizeof pair);
    while (f->pairs.size > 0 && is_good && !f->pairs.failed) {
        f->pairs.size -= sizeof pair;
        memcpy(&pair, f->pairs.data + f->pairs.size, sizeof pair);
        is_good = hdf5_slots_take(f, pair);
    }
    return is_good;
}

static void hdf5_slots_add(struct finding *f, size_t owner)
{
    const struct found *all = (const struct found *)(const void *)f->slots.data;
    for (size_t i = 0; i < f->slots.size / sizeof *all; i++) {
        const char *name = vv_hdf5_unescape(&f->g->text, all[i].name);
        if (!name)
            return;
        vv_draft_slot(f->g->draft, vv_hdf5_thing_at(f->g, owner)->node,
            vv_hdf5_thing_at(f->g, all[i].variable)->node, name, strlen(name),
            vv_hdf5_thing_at(f->g, all[i].slot)->node);
    }
}

varve_status vv_hdf5_add_slots(struct vv_hdf5_graph *g)
{
    size_t count = vv_hdf5_edge_count(g);
    struct finding f = { .g = g, .steps = count };
    vv_buffer_init(&f.pairs, g->edges.allocator);
    vv_buffer_init(&f.slots, g->edges.allocator);
    for (size_t i = 0; i < count && !g->draft->failed; i++) {
        struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, i);
        if (strcmp(e->name, VV_HDF5_SLOTS) != 0 ||
            !vv_hdf5_thing_at(g, e->thing)->is_group ||
            !hdf5_slots_find(&f, e->thing) || f.slots.size == 0)
            continue;
        hdf5_slots_add(&f, e->parent);
        e->is_left_out = true;
    }
    bool failed = f.pairs.failed || f.slots.failed || g->text.failed;
    vv_buffer_clear(&f.pairs);
    vv_buffer_clear(&f.slots);
    return failed ? vv_fail_memory(g->error, "slots") : VARVE_OK;
}
