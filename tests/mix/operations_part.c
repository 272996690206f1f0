/* operations_part.c - Tests graphs made from a part of a file, which may be
 * replaced in the meantime: they must contain either the old or the new part,
 * complete.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/trouble.h"
#include "structure.h"
#include "support/faulty_system.h"

/* The thread that writes a file while it is read. */
struct writer {
    struct mix *m;
    const struct mix_graph *graph;
    const char *path;
    struct mix_file file;
    int64_t number; /* in its metadata; unique for each file */
    bool has_written;
};

static void replace(void *user)
{
    struct writer *w = user;
    const varve_metadata metadata = {
        .name = "number",
        .kind = VARVE_METADATA_INTEGER,
        .integer = w->number
    };
    const varve_write_options options = { .pending = VARVE_PENDING_OMIT,
        .no_sync = true,
        .compress = w->number % 2 ? MIX_LEVEL : 0,
        .metadata = &metadata,
        .metadata_count = 1 };
    w->file = mix_file_of(&w->graph->shape, 0, VARVE_FORMAT_VARVE);
    mix_expect(w->m, "varve_write",
        varve_write(w->graph->nodes[0], w->path, &options, &w->m->error),
        VARVE_OK, VARVE_OK);
    w->has_written = true;
}

static bool is_newer(const varve_graph *graph, const struct writer *writer)
{
    size_t count;
    const varve_metadata *metadata = varve_graph_metadata(graph, &count);
    return count == 1 && metadata->integer == writer->number;
}

/* Nodes that were excluded exist without values. */
static void adopt(struct mix_graph *g, varve_graph *graph,
    const struct mix_file *file, const varve_read_options *options,
    uint8_t name)
{
    memset(g, 0, sizeof *g);
    g->graph = graph;
    g->shape = file->shape;
    g->counter = file->counter;
    mix_set takes = options->only ? mix_only(&g->shape, 0, name)
                                  : mix_except(&g->shape, 0, name);
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (!mix_has(takes, n))
            mix_empty(&g->shape.nodes[n]);
    mix_follow(g, 0, varve_graph_root(graph));
}

static varve_graph *make(struct mix *m, struct writer *writer, uint8_t call,
    const varve_read_options *options)
{
    const struct faulty_plan plan = {
        .number = call, .way = FAULTY_STOPS, .stop = replace, .user = writer
    };
    mix_trouble_begin(m);
    if (m->trouble == MIX_NO_TROUBLE && writer->graph)
        faulty_plan(m->faulty, &plan);
    varve_graph *graph =
        vv_graph_from_in(&m->context, writer->path, options, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_graph_from_part", graph ? VARVE_OK : m->error.status,
        VARVE_OK, graph ? VARVE_OK : other);
    return graph;
}

void mix_from_part(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = a % MIX_GRAPHS, slot = b % MIX_ORDINARY_FILES;
    uint8_t other = b / MIX_ORDINARY_FILES % MIX_GRAPHS;
    uint8_t name = (uint8_t)(c / 2 % (MIX_NAMES - 1));
    struct mix_file *file = &m->files[slot];
    struct mix_graph *g = &m->graphs[at];
    /* System calls are counted: no other thread may make any. */
    mix_finish_all(m);
    if (!file->is_there || file->format != VARVE_FORMAT_VARVE)
        return;
    if (g->graph && c & 128)
        mix_end_graph(m, at, 0, 0);
    if (g->graph)
        return;
    const varve_read_options options = {
        .only = c & 1 ? mix_name(name) : NULL,
        .except = c & 1 ? NULL : mix_name(name),
    };
    struct writer writer = { .m = m,
        .graph = m->graphs[other].graph &&
                         !mix_has_parts(&m->graphs[other].shape, 0)
                     ? &m->graphs[other]
                     : NULL,
        .path = mix_file_path(m, slot, file->format),
        .number = (int64_t)++m->fresh };
    mix_say(m, "g%d = varve_graph_from_part(file %d, .%s = %s);", at, slot,
        options.only ? "only" : "except", mix_name(name));
    varve_graph *graph = make(m, &writer, a / MIX_GRAPHS % 16, &options);
    if (writer.has_written)
        mix_say(m, "    (meanwhile g%d is written there)", other);
    if (graph)
        adopt(g, graph, is_newer(graph, &writer) ? &writer.file : file,
            &options, name);
    if (writer.has_written)
        *file = writer.file;
}
