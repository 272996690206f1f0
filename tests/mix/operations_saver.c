/* operations_saver.c - Tests savers of graphs that change in the meantime.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/managed.h"
#include "mix/operations.h"
#include "mix/parts.h"
#include "mix/trouble.h"

/* --- Names ---------------------------------------------------------------- */

static void note_held(struct mix *m, uint8_t graph)
{
    mix_set held = 0;
    for (int i = 0; i < MIX_SAVERS; i++)
        for (uint8_t k = 0; k < MIX_NAMES && m->savers[i].saver; k++)
            if (m->savers[i].graph == graph && m->savers[i].node[k] != MIX_NONE)
                held |= mix_one(m->savers[i].node[k]);
    if (graph != MIX_NONE)
        m->graphs[graph].shape.held = held;
}

static uint8_t name_of(const struct mix_saver *s, uint8_t node)
{
    uint8_t k = 0;
    while (k < MIX_NAMES && s->node[k] != node)
        k++;
    return k < MIX_NAMES ? k : MIX_NONE;
}

static struct mix_saver *take_saver(
    struct mix *m, uint8_t at, uint8_t graph, uint8_t how)
{
    struct mix_saver *s = &m->savers[at];
    const varve_saver_options options = { .keep = MIX_KEEP, .async = how & 1 };
    if (s->saver)
        return s;
    mix_say(m, "v%d = varve_saver_new(g%d, .keep = %d%s%s%s);", at, graph,
        MIX_KEEP, how & 1 ? ", .async" : "", how & 2 ? "; .incremental" : "",
        how & 8 ? "; .compress" : "");
    memset(s, 0, sizeof *s);
    memset(s->node, MIX_NONE, sizeof s->node);
    s->graph = graph;
    s->is_async = how & 1;
    s->write = mix_write_options(m, how);
    mix_trouble_begin(m);
    s->saver = varve_saver_new(m->graphs[graph].graph, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_saver_new", s->saver ? VARVE_OK : m->error.status,
        VARVE_OK, s->saver ? VARVE_OK : other);
    return s;
}

void mix_name_in_saver(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), number = b % MIX_SAVERS;
    uint8_t name = (uint8_t)(b / MIX_SAVERS % (MIX_NAMES - 1));
    struct mix_saver *s = take_saver(m, number, at, 0);
    struct mix_graph *g = &m->graphs[at];
    uint8_t node = mix_pick(g, mix_is_ordinary, c);
    if (!s->saver || s->graph != at || node == MIX_NONE)
        return;
    bool is_new = s->node[name] == MIX_NONE && name_of(s, node) == MIX_NONE;
    mix_say(m, "varve_saver_add(v%d, \"%s\", g%dn%d);", number, mix_name(name),
        at, node);
    mix_trouble_begin(m);
    varve_status status =
        varve_saver_add(s->saver, mix_name(name), g->nodes[node], &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_saver_add", status,
        is_new ? VARVE_OK : VARVE_DUPLICATE, other);
    if (status == VARVE_OK)
        s->node[name] = node;
    note_held(m, at);
}

/* A saver that saves asynchronously or incrementally. */
void mix_make_saver(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    take_saver(m, b % MIX_SAVERS, mix_pick_graph(m, a), c % 16);
}

void mix_end_saver(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_saver *s = &m->savers[b % MIX_SAVERS];
    mix_finish_by(m, MIX_BY_SAVER, b % MIX_SAVERS);
    uint8_t graph = s->graph;
    (void)a;
    (void)c;
    if (!s->saver)
        return;
    mix_say(m, "varve_saver_free(v%d);", b % MIX_SAVERS);
    varve_saver_free(s->saver);
    memset(s, 0, sizeof *s);
    note_held(m, graph);
}

/* --- Files ---------------------------------------------------------------- */

/* Returns the content of a file of a saver: a root with the named variables. */
static struct mix_file file_of(const struct mix *m, const struct mix_saver *s)
{
    struct mix_shape shape = { 0 };
    shape.nodes[0] = (struct mix_node){
        .kind = VARVE_OBJECT, .alias = MIX_NONE, .global = MIX_NONE
    };
    for (uint8_t k = 0; k < MIX_NAMES; k++) {
        if (s->node[k] == MIX_NONE)
            continue;
        shape.nodes[k + 1] = m->graphs[s->graph].shape.nodes[s->node[k]];
        mix_add_edge(&shape, 0, k, (uint8_t)(k + 1));
    }
    return mix_file_of(&shape, 0, VARVE_FORMAT_VARVE);
}

static bool is_empty(const struct mix_saver *s)
{
    for (uint8_t k = 0; k < MIX_NAMES; k++)
        if (s->node[k] != MIX_NONE)
            return false;
    return true;
}

void mix_note_by_saver(
    struct mix *m, const struct mix_job *job, varve_status status)
{
    struct mix_saver *s = &m->savers[job->by];
    if (status == VARVE_OK)
        s->last = job->file;
    MIX_CHECK(varve_saver_count(s->saver) <= MIX_KEEP, "%zu files of a saver",
        varve_saver_count(s->saver));
    if (s->last.is_there)
        mix_look_at_file(m, varve_saver_latest(s->saver), &s->last);
}

void mix_save_by_saver(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_saver *s = &m->savers[b % MIX_SAVERS];
    const varve_saver_save_options options = {
        .has_step = true, .step = c, .write = &s->write
    };
    (void)a;
    if (!s->saver || s->graph == MIX_NONE || mix_names_part(m, s))
        return;
    mix_finish_by(m, MIX_BY_SAVER, b % MIX_SAVERS);
    if (!s->is_async || m->graphs[s->graph].unreported)
        mix_finish(m, s->graph);
    struct mix_file new = file_of(m, s);
    if (s->is_async)
        mix_prepare_gate(m, s->graph, &s->write);
    char prefix[256];
    strcpy(prefix, mix_path(m, "v%d", b % MIX_SAVERS));
    mix_say(m, "varve_saver_save(v%d, .step = %d);", b % MIX_SAVERS, c);
    mix_trouble_begin(m);
    varve_status status =
        varve_saver_save(s->saver, prefix, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    if (s->is_async && mix_was_reported(m, s->graph, status, false))
        return;
    status = mix_in_place(m, status);
    mix_expect(m, "varve_saver_save", status,
        is_empty(s) ? VARVE_MISUSE : VARVE_OK, other);
    if (status == VARVE_OK && s->is_async) {
        mix_note_flight(
            m, MIX_BY_SAVER, s->graph, b % MIX_SAVERS, &new, other);
        return;
    }
    if (status == VARVE_OK)
        s->last = new;
    MIX_CHECK(varve_saver_count(s->saver) <= MIX_KEEP, "%zu files of a saver",
        varve_saver_count(s->saver));
    if (s->last.is_there)
        mix_look_at_file(m, varve_saver_latest(s->saver), &s->last);
}

/* Returns the expected status of a restore; if all values fit, sets them in the
 * shape. */
static varve_status restored(
    const struct mix_saver *s, struct mix_shape *shape)
{
    bool misses = false, mismatches = false;
    for (uint8_t k = 0; k < MIX_NAMES; k++) {
        const struct mix_node *saved = &s->last.shape.nodes[k + 1];
        if (s->node[k] == MIX_NONE)
            continue;
        struct mix_node *node = &shape->nodes[s->node[k]];
        if (!saved->kind)
            misses = true;
        else if (!mix_is_saved(saved))
            misses = true;
        else if (saved->dtype != node->dtype ||
                 ((saved->value.count != mix_whole(node) ||
                      saved->value.form != node->value.form) &&
                     !node->takes_shape))
            mismatches = true;
        else if (node->is_fixed && node->holds &&
                 memcmp(node->value.numbers,
                     mix_part(node, &saved->value).numbers,
                     node->value.count) != 0)
            mismatches = true;
        if (!mix_is_saved(saved))
            continue;
        node->value = mix_part(node, &saved->value);
        node->holds = true;
    }
    return mismatches ? VARVE_MISMATCH : misses ? VARVE_UNMATCHED : VARVE_OK;
}

static bool is_sure(const struct mix *m, const struct mix_saver *s)
{
    for (uint8_t k = 0; k < MIX_NAMES; k++) {
        if (s->last.shape.nodes[k + 1].is_local ||
            (s->last.shape.nodes[k + 1].kind &&
                s->last.shape.nodes[k + 1].global != MIX_NONE))
            return false;
        if (s->node[k] != MIX_NONE &&
            m->graphs[s->graph].shape.nodes[s->node[k]].global != MIX_NONE)
            return false;
        if (s->node[k] != MIX_NONE &&
            m->graphs[s->graph].shape.nodes[s->node[k]].is_local)
            return false;
    }
    return true;
}

void mix_restore_by_saver(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_saver *s = &m->savers[b % MIX_SAVERS];
    mix_finish_by(m, MIX_BY_SAVER, b % MIX_SAVERS);
    (void)a;
    (void)c;
    if (!s->saver || s->graph == MIX_NONE || !s->last.is_there || is_empty(s) ||
        !is_sure(m, s))
        return;
    struct mix_graph *g = &m->graphs[s->graph];
    struct mix_shape after = g->shape;
    uint64_t number = ++m->restorations;
    varve_status wanted = restored(s, &after);
    char path[256];
    strcpy(path, varve_saver_latest(s->saver));
    mix_say(m, "varve_saver_restore(v%d, \"%s\");", b % MIX_SAVERS, path);
    mix_trouble_begin(m);
    varve_status status =
        varve_saver_restore(s->saver, path, NULL, NULL, &m->error);
    varve_status other = mix_trouble_end(m);
    if (wanted != VARVE_MISMATCH || status != VARVE_UNMATCHED)
        mix_expect(m, "varve_saver_restore", status, wanted, other);
    if (status)
        return;
    g->shape = after;
    for (uint8_t k = 0; k < MIX_NAMES; k++)
        if (s->node[k] != MIX_NONE)
            g->restored_by[s->node[k]] = number;
}
