/* files.c - Models the content of files, and the results of reading, writing
 * and copying them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/files.h"

#include <string.h>

#include "mix/trouble.h"

const char *mix_file_path(
    const struct mix *m, uint8_t slot, varve_format format)
{
    static const char *const meeting[] = { "p.varve", "p.latest",
        "m0/ckpt.ledger" };
    if (slot >= MIX_ORDINARY_FILES)
        return mix_path(m, "%s", meeting[slot - MIX_ORDINARY_FILES]);
    switch (format) {
    case VARVE_FORMAT_TENSORFLOW: return mix_path(m, "f%d-tf", slot);
    case VARVE_FORMAT_TENSORFLOW_NAMES: return mix_path(m, "f%d-tn", slot);
    case VARVE_FORMAT_SAFETENSORS: return mix_path(m, "f%d.safetensors", slot);
    case VARVE_FORMAT_NPZ: return mix_path(m, "f%d.npz", slot);
    default: return mix_path(m, "f%d.varve", slot);
    }
}

/* Returns true if a format stores the value as a state, since it does not
 * support the type. */
static bool is_raw(const struct mix_node *node, varve_format format)
{
    return format == VARVE_FORMAT_NPZ && node->kind == VARVE_VARIABLE &&
           node->dtype == VARVE_BFLOAT16;
}

static void make_raw(struct mix_node *node)
{
    struct mix_value value = { .count = (uint8_t)(2 * node->value.count) };
    /* otherwise it is too large for any state */
    node->holds &= value.count <= MIX_NUMBERS;
    if (node->holds)
        mix_store(value.numbers, node->dtype, &node->value);
    node->kind = VARVE_STATE;
    node->dtype = VARVE_UINT8;
    node->value = value;
}

/* Removes containers without values below them, which formats with a flat list
 * of names do not store. List positions do not change. */
static void drop_empty(struct mix_shape *shape)
{
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (shape->nodes[n].kind == VARVE_LIST)
            shape->nodes[n].kind = VARVE_DICT;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint8_t n = 1; n < MIX_NODES; n++) {
            const struct mix_node *node = &shape->nodes[n];
            bool is_empty = node->kind && !mix_is_value(node) &&
                            !node->edge_count;
            goes_on |= is_empty;
            if (is_empty)
                mix_remove(shape, n);
        }
    }
}

/* Returns true if a file with a flat list of names determines the matching:
 * every node has one path, and a value if its kind can have one. */
static bool is_plain(const struct mix_shape *shape, varve_format format)
{
    unsigned edges = 0, nodes = 0;
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &shape->nodes[n];
        if (!node->kind)
            continue;
        nodes++;
        edges += node->edge_count;
        if (node->global != MIX_NONE || node->kind == VARVE_STATE ||
            (node->kind == VARVE_VARIABLE && !mix_is_saved(node)) ||
            node->dtype == VARVE_STRING || node->dtype == VARVE_COMPLEX128 ||
            (is_raw(node, format) && 2 * node->value.count > MIX_NUMBERS))
            return false;
        for (uint8_t e = 0; e < node->edge_count; e++)
            if (node->edges[e].name == MIX_NAMES - 1)
                return false;
    }
    return edges + 1 == nodes && !shape->slot_count;
}

void mix_empty(struct mix_node *node)
{
    node->holds = false;
    node->value = (struct mix_value){ .count = node->value.count,
        .form = node->value.form };
}

struct mix_file mix_file_of(
    const struct mix_shape *shape, uint8_t root, varve_format format)
{
    struct mix_file file = { .is_there = true, .format = format };
    file.shape = mix_saved(shape, root);
    file.is_loose =
        format != VARVE_FORMAT_VARVE && !is_plain(&file.shape, format);
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        struct mix_node *node = &file.shape.nodes[n];
        /* a saved value is the whole one */
        node->value.count = mix_whole(node);
        if (is_raw(node, format))
            make_raw(node);
        node->is_owned = true;
        node->is_opaque = node->kind == VARVE_STATE;
        node->is_slice = false;
        node->alias = MIX_NONE; /* belongs to the program */
        if (node->is_local)
            mix_empty(node);
    }
    if (!file.is_loose && format != VARVE_FORMAT_VARVE &&
        format != VARVE_FORMAT_TENSORFLOW)
        drop_empty(&file.shape);
    return file;
}

uint64_t mix_directory_next(
    const struct mix_directory *directory, uint64_t counter)
{
    uint8_t count = directory->count;
    uint64_t highest = count ? directory->numbers[count - 1] : 0;
    return 1 + (highest > counter ? highest : counter);
}

uint64_t mix_directory_add(
    struct mix_directory *directory, uint64_t counter, struct mix_file file)
{
    uint64_t number = mix_directory_next(directory, counter);
    uint8_t at = directory->count++;
    directory->numbers[at] = number;
    directory->is_pinned[at] = false;
    file.counter = directory->numbers[at];
    directory->files[at] = file;
    return file.counter;
}

/* --- Opening -------------------------------------------------------------- */

static bool has_global_names(const struct mix_shape *shape)
{
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (shape->nodes[n].kind && shape->nodes[n].global != MIX_NONE)
            return true;
    return false;
}

void mix_look_for_names(struct mix *m, uint8_t graph)
{
    if (!has_global_names(&m->graphs[graph].shape))
        return;
    for (int i = 0; i < MIX_OPENS; i++)
        if (m->opens[i].restoration && m->opens[i].graph == graph)
            m->opens[i].is_loose = true;
}

void mix_open_begin(struct mix *m, struct mix_open *open, uint8_t graph,
    uint8_t root, const struct mix_file *file)
{
    memset(open, 0, sizeof *open);
    memset(open->taker, MIX_NONE, sizeof open->taker);
    open->graph = graph;
    open->root = root;
    open->only = open->except = open->renamed = MIX_NONE;
    open->file = *file;
    open->is_loose = file->is_loose || has_global_names(&file->shape) ||
                     has_global_names(&m->graphs[graph].shape);
}

void mix_open_rename(struct mix_open *open, uint8_t renamed, uint8_t old_name)
{
    open->renamed = renamed;
    open->old_name = old_name;
    /* Its values have names of their own. */
    open->is_loose |= open->file.format != VARVE_FORMAT_VARVE;
}

/* Compares the report with the model if only one result is correct. */
static void look_at_report(struct mix *m, struct mix_open *open, size_t taken)
{
    const struct mix_shape *program = &m->graphs[open->graph].shape;
    mix_set reached = mix_reach(program, open->root);
    size_t saved = 0, wanted = 0;
    if (open->is_loose || open->unsure || open->unsure_in_file ||
        open->only != MIX_NONE || open->except != MIX_NONE ||
        open->renamed != MIX_NONE)
        return;
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        saved += mix_is_saved(&open->file.shape.nodes[n]) &&
                 !mix_has(open->lost, n);
        wanted += mix_has(reached, n) && mix_is_value(&program->nodes[n]) &&
                  !program->nodes[n].is_local && !mix_has(open->fed, n) &&
                  !program->nodes[n].is_later;
    }
    varve_report *report = varve_report_new(open->restoration, &m->error);
    MIX_CHECK(report, "no report: %s", m->error.message);
    size_t matched = varve_report_count(report, VARVE_FINDING_MATCHED);
    MIX_CHECK(matched == taken, "expected %zu matches, found %zu:\n%s", taken,
        matched, varve_report_text(report));
    varve_report_free(report);
    size_t waiting = varve_pending_count(open->restoration);
    MIX_CHECK(waiting == saved - taken,
        "expected %zu pending values, found %zu", saved - taken, waiting);
    if (m->graphs[open->graph].has_retired)
        return;
    mix_expect(m, "varve_assert_consumed",
        varve_assert_consumed(open->restoration, &m->error),
        waiting || wanted || open->lost ? VARVE_UNMATCHED : VARVE_OK,
        waiting || wanted || open->lost ? VARVE_UNMATCHED : VARVE_OK);
}

/* Handles a failed read, before which any value of the file may have been
 * delivered. */
static void end_half_done(struct mix *m, struct mix_open *open)
{
    bool may_be =
        (open->streams && m->trouble_before != MIX_NO_TROUBLE) ||
        mix_may_be_half(m);
    MIX_CHECK(may_be, "a read was only partly undone");
    open->is_loose = true;
    mix_deliver(m, open);
    mix_take_half(m, open->graph);
    memset(open, 0, sizeof *open);
}

void mix_open_end(struct mix *m, struct mix_open *open, varve_restoration *r,
    enum mix_fit fit, varve_status other)
{
    varve_status status = r ? VARVE_OK : m->error.status;
    /* More raw bytes than a state of the program accepts. */
    bool is_refused = status == VARVE_CALLBACK &&
                      open->file.format == VARVE_FORMAT_NPZ;
    open->restoration = r;
    unsigned version = m->graphs[open->graph].version;
    bool demanded = mix_demands(&m->graphs[open->graph].shape);
    mix_repair(m, open->graph, other);
    mix_follow_shared(m, open->graph);
    /* Nodes were created on demand. */
    if (version != m->graphs[open->graph].version)
        fit = mix_match(m, open);
    else if (fit == MIX_FITS && mix_match(m, open) != fit)
        fit = MIX_UNSURE;
    if (status == VARVE_PARTIALLY_RESTORED) {
        end_half_done(m, open);
        return;
    }
    if (status == VARVE_UNMATCHED) {
        MIX_CHECK(open->file.format != VARVE_FORMAT_VARVE ||
                      !mix_has_match(m, open, true),
            "something matches: %s", m->error.message);
    } else if (status == VARVE_OK || status != other || other == VARVE_OK) {
        MIX_CHECK(fit != MIX_MISMATCHES || status == VARVE_MISMATCH,
            "expected a mismatch, found %s", varve_status_name(status));
        if (fit != MIX_MISMATCHES)
            mix_expect(m, "the read", status, VARVE_OK,
                fit != MIX_UNSURE ? VARVE_OK
                : is_refused      ? VARVE_CALLBACK
                                  : VARVE_MISMATCH);
    }
    uint8_t graph = open->graph;
    bool is_plain = open->only == MIX_NONE && open->except == MIX_NONE &&
                    open->renamed == MIX_NONE && !open->is_loose;
    MIX_CHECK(!r || other || !is_plain || mix_has_resize_buffers(m, open),
        "a value was not resized to the shape in the file");
    if (r)
        look_at_report(m, open, mix_deliver(m, open));
    else
        memset(open, 0, sizeof *open);
    /* For patterns and renames, only the read itself is modelled. */
    if (r && (open->only != MIX_NONE || open->except != MIX_NONE ||
                 open->renamed != MIX_NONE))
        open->is_loose = true;
    if (r)
        open->has_read = true;
    m->has_demanded = demanded;
    if (demanded)
        /* values of older restorations for the new nodes */
        mix_arrive(m, graph);
    m->has_demanded = false;
}

/* --- Copies --------------------------------------------------------------- */

/* Sets the places that the nodes of a copy get, in order. */
static uint8_t find_places(const struct mix_shape *shape,
    const struct mix_shape *copy, uint8_t places[MIX_NODES])
{
    uint8_t at = 0, left = 0;
    memset(places, MIX_NONE, MIX_NODES);
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        if (!copy->nodes[n].kind)
            continue;
        while (at < MIX_NODES && shape->nodes[at].kind)
            at++;
        if (at == MIX_NODES)
            return MIX_NONE;
        places[n] = at++;
    }
    for (; at < MIX_NODES; at++)
        left = (uint8_t)(left + !shape->nodes[at].kind);
    return left < shape->reserved ? MIX_NONE : places[0];
}

uint8_t mix_copy_room(
    const struct mix_shape *shape, const struct mix_shape *copy)
{
    uint8_t places[MIX_NODES];
    if (shape->slot_count + copy->slot_count > MIX_SLOTS)
        return MIX_NONE;
    return find_places(shape, copy, places);
}

static bool is_named(const struct mix_shape *shape, uint8_t global)
{
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (shape->nodes[n].kind && shape->nodes[n].global == global)
            return true;
    return false;
}

void mix_copy_in(struct mix_shape *shape, const struct mix_shape *copy)
{
    uint8_t places[MIX_NODES];
    find_places(shape, copy, places);
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        if (places[n] == MIX_NONE)
            continue;
        struct mix_node node = copy->nodes[n];
        node.is_owned = node.kind == VARVE_VARIABLE;
        node.is_opaque = node.kind == VARVE_STATE;
        if (node.global != MIX_NONE && is_named(shape, node.global))
            node.global = MIX_NONE;
        for (uint8_t e = 0; e < node.edge_count; e++)
            node.edges[e].child = places[node.edges[e].child];
        shape->nodes[places[n]] = node;
    }
    for (uint8_t i = 0; i < copy->slot_count; i++) {
        struct mix_slot s = copy->slots[i];
        shape->slots[shape->slot_count++] = (struct mix_slot){ places[s.owner],
            places[s.variable], s.name, places[s.node] };
    }
}

void mix_follow(struct mix_graph *g, uint8_t place, varve_node *node)
{
    mix_set todo = mix_one(place);
    g->nodes[place] = node;
    while (todo) {
        uint8_t n = (uint8_t)__builtin_ctzll(todo);
        todo &= todo - 1;
        for (uint8_t e = 0; e < g->shape.nodes[n].edge_count; e++) {
            struct mix_edge edge = g->shape.nodes[n].edges[e];
            if (g->nodes[edge.child])
                continue;
            g->nodes[edge.child] = varve_find(g->nodes[n], mix_name(edge.name));
            MIX_CHECK(g->nodes[edge.child], "a copy has no edge \"%s\"",
                mix_name(edge.name));
            todo |= mix_one(edge.child);
        }
    }
    for (uint8_t i = 0; i < g->shape.slot_count; i++) {
        const struct mix_slot *s = &g->shape.slots[i];
        if (g->nodes[s->node])
            continue;
        g->nodes[s->node] = varve_find_slot(
            g->nodes[s->owner], g->nodes[s->variable], mix_name(s->name));
        MIX_CHECK(
            g->nodes[s->node], "a copy has no slot \"%s\"", mix_name(s->name));
    }
}
