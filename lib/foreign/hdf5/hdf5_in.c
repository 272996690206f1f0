/* hdf5_in.c - Recognizes HDF5 files, reads objects and links, and then resolves
 * names and slots of Keras.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_in.h"

#include <string.h>

#include "draft_parts.h"
#include "failure.h"
#include "hdf5_kept.h"
#include "hdf5_graph.h"
#include "keras_moments.h"
#include "keras_names.h"
#include "keras_slots.h"
#include "name.h"
#include "try.h"

/* --- Soft links ----------------------------------------------------------- */

/* Resolves soft links, which are paths in the file. libhdf5 is not used for
 * this, because it would follow them into other files. */

enum { MOST_ROUNDS = 8, MOST_STEPS = 256 };

/* Sets `name` to the next name of a path. Returns the rest of the path, or NULL
 * if there is no name. */
static const char *next_name(const char *path, struct vv_buffer *name)
{
    while (*path == '/')
        path++;
    size_t size = strcspn(path, "/");
    name->size = 0;
    if (size == 0)
        return NULL;
    vv_buffer_add(name, path, size);
    return path + size;
}

/* Returns the item to which a path leads, or SIZE_MAX if it cannot be resolved
 * yet. */
static size_t hdf5_soft_follow(
    struct vv_hdf5_graph *g, const struct vv_hdf5_edge *edge)
{
    size_t at = edge->soft[0] == '/' ? 0 : edge->parent;
    const char *path = edge->soft;
    for (int i = 0; (path = next_name(path, &g->text)); i++) {
        const char *name = vv_buffer_string(&g->text);
        if (strcmp(name, ".") != 0)
            at = vv_hdf5_child(g, at, name);
        if (at == SIZE_MAX || i == MOST_STEPS || g->text.failed)
            return SIZE_MAX;
    }
    return *edge->soft ? at : SIZE_MAX;
}

static bool hdf5_soft_follow_all(struct vv_hdf5_graph *g)
{
    bool has_more = false;
    for (size_t i = 0; i < vv_hdf5_edge_count(g); i++) {
        struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, i);
        if (!e->soft || e->item != SIZE_MAX)
            continue;
        e->item = hdf5_soft_follow(g, e);
        has_more |= e->item != SIZE_MAX;
    }
    return has_more;
}

/* A link that can be resolved becomes another edge to its target. Any other
 * link becomes an object tagged `hdf5:soft:<path>`. */
static varve_status hdf5_follow_soft(struct vv_hdf5_graph *g)
{
    if (!g->has_soft || g->draft->failed)
        return VARVE_OK;
    for (int i = 0; i < MOST_ROUNDS && hdf5_soft_follow_all(g); i++)
        continue;
    for (size_t i = 0; i < vv_hdf5_edge_count(g); i++) {
        struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, i);
        if (!e->soft || e->item != SIZE_MAX)
            continue;
        size_t mark = vv_hdf5_add_mark(g, "soft", e->soft);
        vv_hdf5_edge_at(g, i)->item = mark;
        if (mark == SIZE_MAX)
            return vv_fail_memory(g->error, "links of an HDF5 file");
    }
    return g->text.failed ? vv_fail_memory(g->error, "links of an HDF5 file")
                          : VARVE_OK;
}

/* --- Slots ---------------------------------------------------------------- */

/* Recognizes slots as Varve writes them: `<owner>/@slots/<slot>/<path of the
 * variable>`. */

struct found {
    const char *name;      /* of the slot */
    size_t slot, variable; /* numbers of items */
};

struct finding {
    struct vv_hdf5_graph *g;
    struct vv_buffer pairs; /* struct found: groups to visit */
    struct vv_buffer slots; /* struct found */
    uint64_t steps;         /* remaining steps, because links can form cycles */
};

static bool hdf5_slots_is_variable(const struct vv_hdf5_graph *g, size_t item)
{
    return vv_draft_node_at(g->draft, vv_hdf5_item_at(g, item)->node)->kind ==
           VARVE_VARIABLE;
}

/* Compares a group of a slot with the group at the same path. Returns false if
 * they do not match. */
static bool hdf5_slots_take(struct finding *f, struct found pair)
{
    const struct vv_hdf5_item group = *vv_hdf5_item_at(f->g, pair.slot);
    for (size_t i = 0; i < group.count; i++) {
        const struct vv_hdf5_edge *e = vv_hdf5_edge_at(f->g, group.first + i);
        struct found next = { pair.name ? pair.name : e->name, e->item,
            pair.name ? vv_hdf5_child(f->g, pair.variable, e->name)
                      : pair.variable };
        if (f->steps == 0 || next.variable == SIZE_MAX)
            return false;
        f->steps--;
        bool is_slot = pair.name && hdf5_slots_is_variable(f->g, next.slot);
        if (is_slot ? !hdf5_slots_is_variable(f->g, next.variable)
                    : !vv_hdf5_item_at(f->g, next.slot)->is_group)
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
        vv_draft_slot(f->g->draft, vv_hdf5_item_at(f->g, owner)->node,
            vv_hdf5_item_at(f->g, all[i].variable)->node, name, strlen(name),
            vv_hdf5_item_at(f->g, all[i].slot)->node);
    }
}

/* Adds slots for such groups to the draft and removes the groups from it. A
 * group that contains anything else stays an ordinary group. */
static varve_status hdf5_add_slots(struct vv_hdf5_graph *g)
{
    size_t count = vv_hdf5_edge_count(g);
    struct finding f = { .g = g, .steps = count };
    vv_buffer_init(&f.pairs, g->edges.allocator);
    vv_buffer_init(&f.slots, g->edges.allocator);
    for (size_t i = 0; i < count && !g->draft->failed; i++) {
        struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, i);
        if (strcmp(e->name, VV_HDF5_SLOTS) != 0 ||
            !vv_hdf5_item_at(g, e->item)->is_group ||
            !hdf5_slots_find(&f, e->item) || f.slots.size == 0)
            continue;
        hdf5_slots_add(&f, e->parent);
        e->is_left_out = true;
    }
    bool failed = f.pairs.failed || f.slots.failed || g->text.failed;
    vv_buffer_clear(&f.pairs);
    vv_buffer_clear(&f.slots);
    return failed ? vv_fail_memory(g->error, "slots") : VARVE_OK;
}

/* --- Reading -------------------------------------------------------------- */

#define MARK "\x89HDF\r\n\x1a\n"
#define MATLAB "MATLAB 7.3"

static bool hdf5_in_begins_with(
    const struct vv_candidate *c, const char *bytes, size_t size)
{
    return c->head_size >= size && memcmp(c->head, bytes, size) == 0;
}

/* Returns true for an archive whose first entry is metadata.json, as Keras
 * writes it. */
static bool is_of_keras(const struct vv_candidate *c)
{
    static const char first[] = "metadata.json";
    enum { LOCAL_SIZE = 30, AT_SIZE = 26 };
    return vv_hdf5_is_archive(c->head, c->head_size) &&
           c->head_size >= LOCAL_SIZE + sizeof first - 1 &&
           c->head[AT_SIZE] == sizeof first - 1 && c->head[AT_SIZE + 1] == 0 &&
           memcmp(c->head + LOCAL_SIZE, first, sizeof first - 1) == 0;
}

static enum vv_probe_result hdf5_in_probe(const struct vv_candidate *c)
{
    static const char *const endings[] = { ".h5", ".hdf5" };
    size_t size = strlen(c->path);
    if (hdf5_in_begins_with(c, MARK, sizeof MARK - 1) ||
        hdf5_in_begins_with(c, MATLAB, sizeof MATLAB - 1) || is_of_keras(c))
        return VV_PROBE_SURE;
    if (vv_text_ends_in(c->path, size, ".keras"))
        return vv_hdf5_is_archive(c->head, c->head_size) ? VV_PROBE_SURE
                                                         : VV_PROBE_NAME;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (vv_text_ends_in(c->path, size, endings[i]))
            return VV_PROBE_NAME;
    }
    return VV_PROBE_NONE;
}

static varve_status add_meaning(
    struct vv_hdf5_graph *g, const struct vv_keras_config *config)
{
    VV_TRY(vv_keras_add_slots(g, config));
    VV_TRY(vv_keras_add_moments(g));
    return vv_keras_name_layers(g, config);
}

static varve_status hdf5_in_read_all(struct vv_hdf5_graph *g)
{
    struct vv_keras_config config;
    VV_TRY(hdf5_follow_soft(g));
    VV_TRY(hdf5_add_slots(g));
    varve_status status = vv_keras_config_read(&config, g->source, g->error);
    if (!status && !g->draft->failed)
        status = add_meaning(g, &config);
    vv_keras_config_clear(&config);
    if (!status && !g->draft->failed)
        status = vv_hdf5_keep_types(g);
    return status ? status : vv_hdf5_graph_end(g);
}

static varve_status hdf5_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct vv_hdf5_source *source;
    struct vv_hdf5_graph graph;
    VV_TRY(vv_hdf5_open(foreign, &source, error));
    varve_status status = vv_hdf5_graph_read(&graph, source, draft, error);
    if (!status && !draft->failed)
        status = hdf5_in_read_all(&graph);
    vv_hdf5_graph_clear(&graph);
    return status;
}

const struct vv_foreign_format vv_hdf5_format = { .format = VARVE_FORMAT_HDF5,
    .probe = hdf5_in_probe,
    .open = hdf5_in_open_source };
