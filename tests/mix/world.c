/* world.c - Begins and ends a run, and contains its allocator and the selection
 * of objects for operations.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "mix/jobs.h"
#include "mix/mix.h"
#include "mix/place.h"
#include "mix/structs.h"
#include "mix/trouble.h"

/* --- Output --------------------------------------------------------------- */

void mix_say(const struct mix *m, const char *format, ...)
{
    va_list arguments;
    if (!m->traces)
        return;
    va_start(arguments, format);
    fputs("    ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

char *mix_failed_at;

void mix_wrong(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    if (mix_failed_at)
        snprintf(mix_failed_at, MIX_PLACE_SIZE, "%s:%d", strrchr(file, '/') + 1,
            line);
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

void mix_expect(struct mix *m, const char *call, varve_status found,
    varve_status wanted, varve_status other)
{
    MIX_CHECK(found == wanted || found == other,
        "%s: expected %s, found %s: %s", call, varve_status_name(wanted),
        varve_status_name(found), found ? m->error.message : "");
}

/* --- Memory --------------------------------------------------------------- */

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    struct mix *m = user;
    MIX_CHECK(!old == !old_size && old_size <= m->bytes_in_use,
        "a block of %zu bytes is freed that was not allocated", old_size);
    if (new_size && m->failing >= 0 && m->tried++ >= m->failing)
        return NULL;
    m->bytes_in_use += new_size;
    m->bytes_in_use -= old_size;
    m->blocks += (new_size > 0) - (old_size > 0);
    if (!new_size) {
        free(old);
        return NULL;
    }
    m->bytes_ever += new_size;
    void *block = realloc(old, new_size);
    MIX_CHECK(block, "the machine is out of memory");
    return block;
}

/* --- Choosing ------------------------------------------------------------- */

const char *mix_path(const struct mix *m, const char *format, ...)
{
    static char paths[4][256];
    static unsigned turn;
    char name[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", m->place, name);
    return path;
}

static void make_graph(struct mix *m, uint8_t at)
{
    struct mix_graph *g = &m->graphs[at];
    memset(g, 0, sizeof *g);
    mix_say(m, "g%d = varve_graph_new(&allocator);", at);
    g->graph = vv_graph_new_in(&m->context);
    g->nodes[0] = varve_graph_root(g->graph);
    g->shape.nodes[0] = (struct mix_node){
        .kind = VARVE_OBJECT, .alias = MIX_NONE, .global = MIX_NONE
    };
}

uint8_t mix_pick_graph(struct mix *m, uint8_t by)
{
    uint8_t at = by % MIX_GRAPHS;
    if (!m->graphs[at].graph)
        make_graph(m, at);
    return at;
}

uint8_t mix_pick(const struct mix_graph *graph, mix_is *is, uint8_t by)
{
    uint8_t found[MIX_NODES];
    uint8_t count = 0;
    for (uint8_t i = 0; i < MIX_NODES; i++)
        if (graph->shape.nodes[i].kind && is(graph, i))
            found[count++] = i;
    return count ? found[by % count] : MIX_NONE;
}

bool mix_is_parent(const struct mix_graph *g, uint8_t n)
{
    return g->shape.nodes[n].kind != VARVE_VARIABLE &&
           g->shape.nodes[n].edge_count < MIX_FEW_EDGES;
}

bool mix_is_object(const struct mix_graph *g, uint8_t n)
{
    return !mix_is_value(&g->shape.nodes[n]);
}

bool mix_is_list(const struct mix_graph *g, uint8_t n)
{
    return g->shape.nodes[n].kind == VARVE_LIST;
}

bool mix_is_variable(const struct mix_graph *g, uint8_t n)
{
    return g->shape.nodes[n].kind == VARVE_VARIABLE;
}

bool mix_is_ordinary(const struct mix_graph *g, uint8_t n)
{
    return mix_is_variable(g, n) && mix_slot_is(&g->shape, n) == MIX_NONE;
}

bool mix_is_any(const struct mix_graph *g, uint8_t n)
{
    (void)g;
    (void)n;
    return true;
}

bool mix_is_child(const struct mix_graph *g, uint8_t n)
{
    (void)g;
    return n != 0;
}

uint8_t mix_new_name(const struct mix_graph *g, uint8_t parent, uint8_t by)
{
    const struct mix_node *node = &g->shape.nodes[parent];
    if (node->kind == VARVE_LIST)
        return (uint8_t)(MIX_POSITIONS + node->edge_count);
    for (uint8_t i = 0; i < MIX_NAMES + 2; i++) {
        uint8_t name = (uint8_t)((by + i) % (MIX_NAMES + 2));
        if (name >= MIX_NAMES)
            name = (uint8_t)(MIX_POSITIONS + name - MIX_NAMES);
        if (mix_child(&g->shape, parent, name) == MIX_NONE)
            return name;
    }
    return MIX_NONE;
}

struct mix_value mix_fresh(struct mix *m, uint8_t count)
{
    struct mix_value value = { .count = count };
    for (uint8_t i = 0; i < count; i++)
        value.numbers[i] = (uint8_t)(1 + m->fresh++ % 126);
    return value;
}

void mix_set_value(
    struct mix_graph *g, uint8_t node, const struct mix_value *value)
{
    g->version += !mix_has_shape_of(&g->shape.nodes[node].value, value);
    g->shape.nodes[node].value = *value;
}

/* --- Run ------------------------------------------------------------------ */

/* Graphs are freed first; their pending saves are then complete. */
static void free_all(struct mix *m)
{
    mix_gate_open(m);
    for (int i = 0; i < MIX_OPENS; i++)
        if (m->opens[i].restoration && !m->opens[i].manager)
            varve_restoration_free(m->opens[i].restoration);
    for (int i = 0; i < MIX_SNAPSHOTS; i++)
        varve_snapshot_free(m->snapshots[i].snapshot);
    for (int i = 0; i < MIX_RINGS; i++)
        varve_ring_free(m->rings[i].ring);
    for (int i = 0; i < MIX_MANAGERS; i++)
        varve_manager_free(m->managers[i].manager);
    for (int i = 0; i < MIX_SAVERS; i++)
        varve_saver_free(m->savers[i].saver);
    for (int i = 0; i < MIX_GRAPHS; i++) {
        if (m->graphs[i].graph)
            varve_graph_free(m->graphs[i].graph);
        for (int n = 0; n < MIX_NODES; n++)
            free(m->graphs[i].memory[n]);
        mix_structs_end(&m->graphs[i]);
    }
    mix_resize_buffers_end(m);
    for (int i = 0; i < m->job_count; i++)
        varve_job_free(m->jobs[i].job);
}

static void do_all(struct mix *m)
{
    for (size_t at = 0; at + 4 <= m->size; at += 4) {
        const uint8_t *b = m->bytes + at;
        unsigned number = b[0] % mix_operation_count;
        const struct mix_entry *entry = &mix_operations[number];
        if (!entry->run || mix_is_left_out(m->without, number))
            continue;
        entry->run(m, b[1], b[2], b[3]);
        mix_look(m);
    }
}

void mix_run(const struct mix_program *program)
{
    struct mix *m = calloc(1, sizeof *m);
    MIX_CHECK(m, "the machine is out of memory");
    m->bytes = program->bytes;
    m->size = program->size;
    m->traces = program->traces;
    m->without = program->without;
    m->allocator = (varve_allocator){ allocate, m };
    m->failing = m->failing_copy = -1;
    mix_system_begin(m);
    int open_before = mix_place_descriptors();
    snprintf(m->place, sizeof m->place, "%s", program->place);
    do_all(m);
    free_all(m);
    mix_system_end(m);
    mix_place_empty(m->place);
    MIX_CHECK(m->blocks == 0 && m->bytes_in_use == 0,
        "%ld blocks with %zu bytes were not freed", (long)m->blocks,
        (size_t)m->bytes_in_use);
    MIX_CHECK(
        mix_place_descriptors() == open_before, "descriptors were left open");
    free(m);
}
