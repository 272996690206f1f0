/* keras_moments.c - Walks the weights and looks up the optimizer state of each
 * by its path.
 *
 * SPDX-License-Identifier: MIT
 */
#include "keras_moments.h"

#include <string.h>

#include "failure.h"
#include "keras_slots.h"
#include "name.h"

enum { MOST_LEVELS = 8, LOOKS_FOR_EDGE = 64 };

struct finding {
    struct vv_hdf5_graph *g;
    size_t owner;           /* number of the item optimizer_weights */
    struct vv_buffer paths; /* terminated paths of open groups */
    struct vv_buffer open;  /* struct step */
    struct vv_buffer text;
    uint64_t looks; /* remaining visits of edges */
};

/* A group on the path to weights. */
struct step {
    size_t group;
    size_t path; /* offset in `paths` */
    int level;
};

static const char *const slots[] = { "momentum", "velocity", "velocity_hat",
    "norm", "accumulator", "linear", "accumulated_grad",
    "accumulated_delta_var", "average_gradient" };

/* Returns the size of a name without a trailing `:0`. */
static size_t bare_size(const char *name)
{
    size_t size = strlen(name);
    return vv_text_ends_in(name, size, ":0") ? size - 2 : size;
}

/* Returns the item to which a path from a group leads, or SIZE_MAX. */
static size_t descend(struct finding *f, size_t at, const char *path)
{
    while (*path && at != SIZE_MAX && f->looks > 0) {
        size_t size = strcspn(path, "/");
        f->looks--;
        f->text.size = 0;
        vv_buffer_add(&f->text, path, size);
        at = vv_hdf5_child(f->g, at, vv_buffer_string(&f->text));
        path += size + (path[size] == '/');
    }
    return f->looks > 0 && !f->text.failed ? at : SIZE_MAX;
}

static void keras_moments_add(
    struct finding *f, size_t weight, size_t moment, const char *name)
{
    if (moment == SIZE_MAX || !vv_keras_is_same(f->g, weight, moment))
        return;
    vv_draft_slot(f->g->draft, vv_hdf5_item_at(f->g, f->owner)->node,
        vv_hdf5_item_at(f->g, weight)->node, name, bare_size(name),
        vv_hdf5_item_at(f->g, moment)->node);
}

/* Adds the moments at `<slot>/<path>`. */
static void add_below_slots(
    struct finding *f, size_t group, size_t weight, const char *path)
{
    struct vv_hdf5_item all = *vv_hdf5_item_at(f->g, group);
    for (size_t i = 0; i < all.count && f->looks > 0; i++) {
        const struct vv_hdf5_edge *e = vv_hdf5_edge_at(f->g, all.first + i);
        f->looks--;
        if (vv_hdf5_item_at(f->g, e->item)->is_group)
            keras_moments_add(f, weight, descend(f, e->item, path), e->name);
    }
}

/* Adds the moments at `<path>/<slot>`. */
static void add_below_path(
    struct finding *f, size_t group, size_t weight, const char *bare)
{
    size_t at = descend(f, group, bare);
    if (at == SIZE_MAX || !vv_hdf5_item_at(f->g, at)->is_group)
        return;
    struct vv_hdf5_item all = *vv_hdf5_item_at(f->g, at);
    for (size_t i = 0; i < all.count && f->looks > 0; i++) {
        const struct vv_hdf5_edge *e = vv_hdf5_edge_at(f->g, all.first + i);
        f->looks--;
        keras_moments_add(f, weight, e->item, e->name);
    }
}

/* Adds the moments at `<path with '_'>_<slot>`. */
static void add_in_one(
    struct finding *f, size_t group, size_t weight, const char *bare)
{
    for (size_t i = 0; i < sizeof slots / sizeof *slots && f->looks > 0; i++) {
        f->looks--;
        f->text.size = 0;
        for (const char *c = bare; *c; c++)
            vv_buffer_add8(&f->text, (uint8_t)(*c == '/' ? '_' : *c));
        vv_buffer_add8(&f->text, '_');
        vv_buffer_add_string(&f->text, slots[i]);
        size_t moment = vv_hdf5_child(f->g, group, vv_buffer_string(&f->text));
        keras_moments_add(f, weight, moment, slots[i]);
    }
}

static void find_moments(struct finding *f, size_t weight, const char *path)
{
    struct vv_hdf5_item owner = *vv_hdf5_item_at(f->g, f->owner);
    char bare[VV_LONGEST_PATH + 1];
    size_t size = bare_size(path);
    memcpy(bare, path, size);
    bare[size] = 0;
    for (size_t i = 0; i < owner.count && f->looks > 0; i++) {
        size_t group = vv_hdf5_edge_at(f->g, owner.first + i)->item;
        f->looks--;
        if (!vv_hdf5_item_at(f->g, group)->is_group)
            continue;
        add_below_slots(f, group, weight, path);
        add_below_path(f, group, weight, bare);
        add_in_one(f, group, weight, bare);
    }
}

/* Opens the children of a group, and adds the moments of its weights. */
static void keras_moments_take(struct finding *f, struct step step)
{
    struct vv_hdf5_item all = *vv_hdf5_item_at(f->g, step.group);
    for (size_t i = 0; i < all.count && f->looks > 0 && !f->paths.failed; i++) {
        const struct vv_hdf5_edge *e = vv_hdf5_edge_at(f->g, all.first + i);
        struct step next = { e->item, f->paths.size, step.level + 1 };
        char path[VV_LONGEST_PATH + 1];
        const char *above = (const char *)f->paths.data + step.path;
        size_t before = step.level > 1 ? strlen(above) : 0;
        size_t size = strlen(e->name);
        f->looks--;
        if (before + size + 2 > sizeof path)
            continue;
        memcpy(path, before ? above : "", before);
        path[before] = '/';
        memcpy(path + before + (before > 0), e->name, size + 1);
        if (!vv_hdf5_item_at(f->g, e->item)->is_group) {
            if (step.level > 0)
                find_moments(f, e->item, path);
        } else if (step.level < MOST_LEVELS) {
            vv_buffer_add(&f->paths, path, strlen(path) + 1);
            vv_buffer_add(&f->open, &next, sizeof next);
        }
    }
}

/* The path of a weight is relative to its layer. */
varve_status vv_keras_add_moments(struct vv_hdf5_graph *g)
{
    const varve_allocator *a = g->items.allocator;
    struct finding f = { .g = g,
        .owner = vv_hdf5_child(g, 0, "optimizer_weights"),
        .looks = LOOKS_FOR_EDGE * (uint64_t)vv_hdf5_edge_count(g) };
    struct step step = { .group = vv_hdf5_child(g, 0, "model_weights") };
    if (f.owner == SIZE_MAX || step.group == SIZE_MAX ||
        g->draft->slots.size > 0)
        return VARVE_OK;
    vv_buffer_init(&f.paths, a);
    vv_buffer_init(&f.open, a);
    vv_buffer_init(&f.text, a);
    vv_buffer_add8(&f.paths, 0);
    vv_buffer_add(&f.open, &step, sizeof step);
    while (f.open.size > 0 && !f.open.failed && !f.paths.failed) {
        f.open.size -= sizeof step;
        memcpy(&step, f.open.data + f.open.size, sizeof step);
        keras_moments_take(&f, step);
    }
    bool failed = f.paths.failed || f.open.failed || f.text.failed;
    vv_buffer_clear(&f.paths);
    vv_buffer_clear(&f.open);
    vv_buffer_clear(&f.text);
    return failed ? vv_fail_memory(g->error, "slots") : VARVE_OK;
}
