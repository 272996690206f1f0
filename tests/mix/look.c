/* look.c - Compares all objects with the model, and updates the model after
 * changes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "mix/files.h"
#include "mix/structs.h"
#include "mix/views.h"

/* --- Comparing ------------------------------------------------------------ */

static bool node_holds(
    struct mix_graph *g, uint8_t n, const struct mix_value *value)
{
    const struct mix_node *node = &g->shape.nodes[n];
    if (node->kind == VARVE_VARIABLE)
        return mix_holds(varve_value(g->nodes[n]), node->dtype, value) &&
               mix_has_gaps(varve_value(g->nodes[n]), g->memory[n]);
    return g->text[n] ? mix_text_is(g, n, value)
                      : mix_equal(g->memory[n], value);
}

/* Checks that a node has its expected value or one of the possible values. */
static void look_at_value(struct mix_graph *g, int number, uint8_t n)
{
    struct mix_node *node = &g->shape.nodes[n];
    if (mix_is_value(node) && g->maybe_count[n])
        node->holds |= varve_state_of(g->nodes[n]) == VARVE_RESTORED;
    if (!mix_is_value(node) || !node->holds || node->is_opaque)
        return;
    if (!node_holds(g, n, &node->value)) {
        uint8_t i = 0;
        while (i < g->maybe_count[n] && !node_holds(g, n, &g->maybe[n][i]))
            i++;
        MIX_CHECK(i < g->maybe_count[n],
            "g%dn%d: expected another value (%d first, of %d), found what is "
            "there",
            number, n, node->value.numbers[0], node->value.count);
        mix_set_value(g, n, &g->maybe[n][i]);
    }
}

/* A variable without elements and value has a value after a mismatch of another
 * one; this cannot be detected from its memory. */
static void look_for_nothing(struct mix_graph *g, uint8_t n)
{
    struct mix_node *node = &g->shape.nodes[n];
    if (node->kind == VARVE_VARIABLE && !node->holds && !node->value.count)
        node->holds = varve_state_of(g->nodes[n]) != VARVE_DECLARED;
}

static void look_at_edges(const struct mix_graph *g, int number, uint8_t n)
{
    const struct mix_node *node = &g->shape.nodes[n];
    MIX_CHECK(varve_node_kind(g->nodes[n]) == (varve_kind)node->kind,
        "g%dn%d: wrong kind", number, n);
    MIX_CHECK(varve_edge_count(g->nodes[n]) == node->edge_count,
        "g%dn%d: expected %d edges, found %zu", number, n, node->edge_count,
        varve_edge_count(g->nodes[n]));
    for (uint8_t e = 0; e < node->edge_count; e++)
        MIX_CHECK(varve_find(g->nodes[n], mix_name(node->edges[e].name)) ==
                      g->nodes[node->edges[e].child],
            "g%dn%d: \"%s\" leads elsewhere than to n%d", number, n,
            mix_name(node->edges[e].name), node->edges[e].child);
}

void mix_look(struct mix *m)
{
    for (int i = 0; i < MIX_GRAPHS; i++) {
        struct mix_graph *g = &m->graphs[i];
        if (!g->graph)
            continue;
        mix_expect(m, "varve_graph_check",
            varve_graph_check(g->graph, &m->error), VARVE_OK, VARVE_OK);
        for (uint8_t n = 0; n < MIX_NODES; n++) {
            if (!g->shape.nodes[n].kind)
                continue;
            look_at_edges(g, i, n);
            look_for_nothing(g, n);
            look_at_value(g, i, n);
            g->maybe_count[n] = 0;
        }
        for (uint8_t s = 0; s < g->shape.slot_count; s++) {
            const struct mix_slot *slot = &g->shape.slots[s];
            MIX_CHECK(
                varve_find_slot(g->nodes[slot->owner], g->nodes[slot->variable],
                    mix_name(slot->name)) == g->nodes[slot->node],
                "g%dn%d: the slot \"%s\" is another", i, slot->owner,
                mix_name(slot->name));
        }
    }
}

/* --- Files ---------------------------------------------------------------- */

enum { MOST_BYTES = MIX_NUMBERS * (8 + MIX_LONG_TEXT) }; /* of a value */

static bool is_kept_by(varve_format format, const struct mix_node *node)
{
    bool is_array =
        format == VARVE_FORMAT_SAFETENSORS || format == VARVE_FORMAT_NPZ;
    if (!mix_is_saved(node))
        return false;
    if (is_array && node->kind == VARVE_STATE)
        return false;
    if (format == VARVE_FORMAT_SAFETENSORS)
        return node->dtype != VARVE_STRING && node->dtype != VARVE_COMPLEX128;
    return true;
}

static void look_at_bytes(struct mix *m, varve_reader *reader, const char *path,
    const struct mix_node *node, varve_format format)
{
    varve_saved_node saved;
    unsigned char bytes[MOST_BYTES];
    MIX_CHECK(varve_reader_find(reader, path, &saved), "\"%s\" is not in %s",
        path, varve_reader_path(reader));
    MIX_CHECK(saved.has_value && saved.size <= sizeof bytes,
        "\"%s\" has no value in %s", path, varve_reader_path(reader));
    mix_expect(m, "varve_reader_read",
        varve_reader_read(reader, saved.id, bytes, sizeof bytes, &m->error),
        VARVE_OK, VARVE_OK);
    if (node->kind == VARVE_STATE) {
        bool is_whole =
            node->is_opaque ||
            (saved.size == node->value.count &&
                memcmp(bytes, node->value.numbers, node->value.count) == 0);
        MIX_CHECK(is_whole || format != VARVE_FORMAT_VARVE,
            "the state \"%s\" has other bytes in %s", path,
            varve_reader_path(reader));
        return;
    }
    if (node->dtype == VARVE_STRING || format != VARVE_FORMAT_VARVE)
        return; /* reading it compares the values */
    saved.value.data = bytes;
    MIX_CHECK(mix_holds(&saved.value, node->dtype, &node->value),
        "\"%s\" has another value in %s", path, varve_reader_path(reader));
}

void mix_look_at_file(
    struct mix *m, const char *path, const struct mix_file *file)
{
    static struct mix_paths paths;
    long failing = m->failing;
    m->failing = -1;
    varve_reader *reader = varve_reader_open(path, &m->allocator, &m->error);
    MIX_CHECK(reader, "reading %s after a write: %s", path, m->error.message);
    mix_expect(m, "varve_reader_verify",
        varve_reader_verify(reader, NULL, &m->error), VARVE_OK, VARVE_OK);
    mix_paths(&file->shape, &paths);
    for (uint8_t n = 0; n < MIX_NODES && !file->is_loose; n++) {
        const struct mix_node *node = &file->shape.nodes[n];
        if (is_kept_by(file->format, node))
            look_at_bytes(m, reader, paths.of[n], node, file->format);
    }
    if (file->format == VARVE_FORMAT_VARVE)
        MIX_CHECK(varve_reader_node_count(reader) ==
                      (size_t)__builtin_popcountll(mix_reach(&file->shape, 0)),
            "%s has %zu nodes", path, varve_reader_node_count(reader));
    varve_reader_free(reader);
    if (file->format == VARVE_FORMAT_VARVE)
        mix_look_at_encoding(m, path);
    m->failing = failing;
}

bool mix_file_holds(
    struct mix *m, const char *path, const struct mix_file *file)
{
    static struct mix_paths paths;
    varve_reader *reader = varve_reader_open(path, &m->allocator, &m->error);
    MIX_CHECK(reader, "reading %s: %s", path, m->error.message);
    size_t count = (size_t)__builtin_popcountll(mix_reach(&file->shape, 0));
    bool is_it = varve_reader_node_count(reader) == count;
    mix_paths(&file->shape, &paths);
    for (uint8_t n = 0; n < MIX_NODES && is_it; n++) {
        const struct mix_node *node = &file->shape.nodes[n];
        unsigned char bytes[MOST_BYTES];
        varve_saved_node saved;
        if (!mix_is_saved(node))
            continue;
        is_it = varve_reader_find(reader, paths.of[n], &saved) &&
                saved.kind == (varve_kind)node->kind && saved.has_value &&
                varve_reader_read(reader, saved.id, bytes, sizeof bytes,
                    &m->error) == VARVE_OK;
        saved.value.data = bytes;
        if (is_it && node->kind == VARVE_VARIABLE &&
            node->dtype != VARVE_STRING)
            is_it = mix_holds(&saved.value, node->dtype, &node->value);
    }
    varve_reader_free(reader);
    return is_it;
}

/* --- Updating ------------------------------------------------------------- */

void mix_close(struct mix *m, struct mix_open *open)
{
    if (!open->restoration)
        return;
    mix_say(m, "varve_restoration_free(r%td);", open - m->opens);
    if (!open->manager)
        varve_restoration_free(open->restoration);
    memset(open, 0, sizeof *open);
}

struct mix_open *mix_open_place(struct mix *m)
{
    for (int i = 0; i < MIX_OPENS; i++)
        if (!m->opens[i].restoration)
            return &m->opens[i];
    return NULL;
}

static struct mix_open *newest_below(
    struct mix *m, uint8_t graph, uint64_t number)
{
    struct mix_open *found = NULL;
    for (int i = 0; i < MIX_OPENS; i++) {
        struct mix_open *o = &m->opens[i];
        if (o->restoration && o->graph == graph && o->number < number &&
            (!found || o->number > found->number))
            found = o;
    }
    return found;
}

static uint8_t number_of_name(const char *name)
{
    for (unsigned n = 0; n < MIX_NONE; n++) {
        if (n == MIX_NAMES)
            n = MIX_POSITIONS;
        if (strcmp(mix_name((uint8_t)n), name) == 0)
            return (uint8_t)n;
    }
    return MIX_NONE;
}

/* Adds an edge to the model. Returns false if its name is not used by programs:
 * files with a flat list of names create such edges for path components, to
 * nodes that have another path. The edge is then removed. */
static bool follow_edge(struct mix_graph *g, uint8_t n, const varve_edge *edge)
{
    uint8_t name = number_of_name(edge->name), child = 0;
    if (name != MIX_NONE && mix_child(&g->shape, n, name) != MIX_NONE)
        return true;
    while (child < MIX_NODES && g->nodes[child] != edge->node)
        child++;
    MIX_CHECK(child < MIX_NODES, "unexpected child \"%s\"", edge->name);
    if (name == MIX_NONE) {
        MIX_CHECK(
            strchr(edge->name, '/'), "unexpected name \"%s\"", edge->name);
        varve_untrack(g->nodes[n], edge->name);
        return false;
    }
    MIX_CHECK(mix_add_edge(&g->shape, n, name, child), "too many edges");
    g->version++;
    return true;
}

static void follow_edges(struct mix_graph *g, uint8_t n)
{
    const varve_edge *e = varve_edge_first(g->nodes[n]);
    while (e)
        e = follow_edge(g, n, e) ? varve_edge_next(e)
                                 : varve_edge_first(g->nodes[n]);
}

void mix_follow_shared(struct mix *m, uint8_t graph)
{
    struct mix_graph *g = &m->graphs[graph];
    mix_follow_resize_buffers(m, graph);
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        if (!g->shape.nodes[n].kind || !g->shape.nodes[n].demands)
            continue;
        follow_edges(g, n);
    }
}

void mix_arrive(struct mix *m, uint8_t graph)
{
    struct mix_graph *g = &m->graphs[graph];
    bool demands = m->has_demanded || mix_demands(&g->shape);
    mix_follow_shared(m, graph);
    varve_status status = varve_graph_check(g->graph, &m->error);
    struct mix_open *o = newest_below(m, graph, UINT64_MAX);
    while (o) {
        uint64_t number = o->number;
        enum mix_fit fit = mix_match(m, o);
        MIX_CHECK(fit != MIX_MISMATCHES || status == VARVE_MISMATCH,
            "a deferred value does not fit, and the graph has %s",
            varve_status_name(status));
        /* Children were created on demand one by one. */
        bool is_piecemeal = fit == MIX_MISMATCHES && demands;
        if (fit != MIX_MISMATCHES || is_piecemeal) {
            o->is_loose |= fit != MIX_FITS && status;
            mix_deliver(m, o);
        }
        /* A newer restoration that creates children serves them after an older
         * one has seen them. */
        if (status && (fit != MIX_FITS || demands)) {
            if (o->manager) {
                mix_say(m, "varve_drop_pending(r%td, NULL);", o - m->opens);
                mix_expect(m, "varve_drop_pending",
                    varve_drop_pending(o->restoration, NULL, &m->error),
                    VARVE_OK, VARVE_OK);
                memset(o, 0, sizeof *o);
            } else {
                mix_close(m, o);
            }
        }
        o = newest_below(m, graph, number);
    }
}

void mix_changed(struct mix *m, uint8_t graph)
{
    m->graphs[graph].version++;
    mix_arrive(m, graph);
}

static void forget_in_open(struct mix_open *o, mix_set gone)
{
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (mix_has(gone, n))
            o->seen[n] = o->moved[n] = 0;
    for (uint8_t f = 0; f < MIX_NODES; f++)
        if (o->taker[f] != MIX_NONE && mix_has(gone, o->taker[f]))
            o->taker[f] = MIX_NODES; /* a node that was removed */
    o->fed &= ~gone;
    o->unsure &= ~gone;
    if (mix_has(gone, o->root))
        o->graph = MIX_NONE;
}

/* A snapshot of removed nodes is not used any more. */
static void forget_in_snapshot(
    struct mix_snapshot *s, uint8_t graph, mix_set gone)
{
    if (s->graph == graph && (mix_has(gone, s->root) || (s->taken & gone)))
        s->graph = MIX_NONE;
}

static void forget_in_snapshots(struct mix *m, uint8_t graph, mix_set gone)
{
    for (int i = 0; i < MIX_SNAPSHOTS; i++)
        forget_in_snapshot(&m->snapshots[i], graph, gone);
    for (int i = 0; i < MIX_RINGS; i++)
        for (int k = 0; k < MIX_DEEP; k++)
            forget_in_snapshot(&m->rings[i].at[k], graph, gone);
}

void mix_forget_nodes(struct mix *m, uint8_t graph, mix_set gone)
{
    struct mix_graph *g = &m->graphs[graph];
    forget_in_snapshots(m, graph, gone);
    for (int i = 0; i < MIX_OPENS; i++)
        if (m->opens[i].restoration && m->opens[i].graph == graph)
            forget_in_open(&m->opens[i], gone);
    for (int i = 0; i < MIX_SAVERS; i++)
        for (uint8_t k = 0; k < MIX_NAMES; k++)
            if (m->savers[i].graph == graph &&
                m->savers[i].node[k] != MIX_NONE &&
                mix_has(gone, m->savers[i].node[k]))
                m->savers[i].node[k] = MIX_NONE;
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        if (!mix_has(gone, n))
            continue;
        free(g->memory[n]);
        g->memory[n] = NULL;
        g->text[n] = NULL;
        g->member[n] = NULL;
        g->of[n] = NULL;
        g->object[n] = NULL;
        g->waiting[n] = 0;
        g->nodes[n] = NULL;
        g->restored_by[n] = g->maybe_by[n] = 0;
    }
    mix_note_resize_buffers(g);
}

void mix_forget_graph(struct mix *m, uint8_t graph)
{
    struct mix_graph *g = &m->graphs[graph];
    for (uint8_t n = 0; n < MIX_NODES; n++)
        free(g->memory[n]);
    mix_structs_end(g);
    for (int i = 0; i < MIX_OPENS; i++)
        if (m->opens[i].graph == graph)
            m->opens[i].graph = MIX_NONE;
    forget_in_snapshots(m, graph, ~(mix_set)0);
    for (int i = 0; i < MIX_RINGS; i++)
        if (m->rings[i].graph == graph)
            m->rings[i].graph = MIX_NONE;
    for (int i = 0; i < MIX_SAVERS; i++)
        if (m->savers[i].graph == graph)
            m->savers[i].graph = MIX_NONE;
    for (int i = 0; i < MIX_MANAGERS; i++)
        if (m->managers[i].graph == graph)
            m->managers[i].graph = MIX_NONE;
    memset(g, 0, sizeof *g);
}
