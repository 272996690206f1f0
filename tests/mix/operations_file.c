/* operations_file.c - Tests files of every format, written and read into graphs
 * that change in the meantime.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/parts.h"
#include "mix/trouble.h"
#include "structure.h"

/* --- Writing -------------------------------------------------------------- */

/* Returns a container of a graph; usually its root. */
static uint8_t choose_root(const struct mix_graph *g, uint8_t by)
{
    return by < 192 ? 0 : mix_pick(g, mix_is_object, by);
}

static void write_one(struct mix *m, uint8_t at, uint8_t root, uint8_t slot,
    const varve_write_options *options)
{
    struct mix_graph *g = &m->graphs[at];
    struct mix_file *file = &m->files[slot];
    varve_format format = options->format;
    struct mix_file new = mix_file_of(&g->shape, root, format);
    char path[256];
    if (mix_is_refused(m, at, root, slot))
        return;
    mix_finish_file(m, slot, at);
    mix_gate_open(m);
    strcpy(path, mix_file_path(m, slot, format));
    mix_say(m, "varve_write(g%dn%d, \"%s\"%s%s%s%s);", at, root, path,
        options->incremental ? ", .incremental" : "",
        options->increment.base ? ", .increment.base = " : "",
        options->increment.base ? options->increment.base : "",
        options->compress ? ", .compress" : "");
    mix_trouble_begin(m);
    varve_status status =
        varve_write(g->nodes[root], path, options, &m->error);
    varve_status other = mix_trouble_end(m);
    if (mix_was_reported(m, at, status, true))
        return;
    status = mix_in_place(m, status);
    if (format == VARVE_FORMAT_VARVE || !new.is_loose ||
        status != VARVE_DUPLICATE)
        mix_expect(m, "varve_write", status, VARVE_OK, other);
    if (status == VARVE_OK) {
        *file = new;
        m->wrote_beside |= slot == MIX_BESIDE;
    }
    if (file->is_there)
        mix_look_at_file(m, mix_file_path(m, slot, file->format), file);
}

void mix_write(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    write_one(m, at, choose_root(&m->graphs[at], c), b % MIX_ORDINARY_FILES,
        &(varve_write_options){ .pending = VARVE_PENDING_OMIT,
            .no_sync = true,
            .compress = b / MIX_ORDINARY_FILES % 2 * MIX_LEVEL });
}

/* Writes changes only, relative to the existing file or another one. */
void mix_write_incremental(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    uint8_t slot = b % MIX_ORDINARY_FILES;
    uint8_t other = b / MIX_ORDINARY_FILES % MIX_ORDINARY_FILES;
    char base[256];
    strcpy(base, mix_file_path(m, other, VARVE_FORMAT_VARVE));
    mix_finish_file(m, other, at);
    write_one(m, at, choose_root(&m->graphs[at], c), slot,
        &(varve_write_options){ .pending = VARVE_PENDING_OMIT,
            .incremental = true,
            .no_sync = c & 1,
            .compress = c / 4 % 2 * MIX_LEVEL,
            .increment = { .base = c & 2 ? base : NULL,
                .only_dirty = c & 8,
                .verify_clean = (c & 24) == 24 } });
}

/* Writes to the name of a hint, a ledger or a prefix. */
void mix_write_beside(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    uint8_t slot = MIX_ORDINARY_FILES + b % (MIX_FILES - MIX_ORDINARY_FILES);
    write_one(m, at, 0, slot,
        &(varve_write_options){ .pending = VARVE_PENDING_OMIT,
            .no_sync = true,
            .compress = c % 2 * MIX_LEVEL });
}

void mix_write_foreign(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static const varve_format formats[] = { VARVE_FORMAT_TENSORFLOW,
        VARVE_FORMAT_TENSORFLOW_NAMES, VARVE_FORMAT_SAFETENSORS,
        VARVE_FORMAT_NPZ };
    uint8_t at = mix_pick_graph(m, a);
    write_one(m, at, 0, b % MIX_ORDINARY_FILES,
        &(varve_write_options){ .pending = VARVE_PENDING_OMIT,
        .format = formats[c % 4], .no_sync = true });
}

static void save_one(
    struct mix *m, uint8_t at, const varve_write_options *options)
{
    struct mix_graph *g = &m->graphs[at];
    if (m->saved.count + m->job_count >= MIX_KEPT ||
        mix_is_refused(m, at, 0, 2))
        return;
    mix_finish_saves(m, at);
    mix_gate_open(m);
    mix_say(m, "varve_save(g%dn0, \"p\"%s%s);", at,
        options->incremental ? ", .incremental" : "",
        options->compress ? ", .compress" : "");
    mix_trouble_begin(m);
    varve_status status =
        varve_save(g->nodes[0], mix_path(m, "p"), options, &m->error);
    varve_status other = mix_trouble_end(m);
    if (mix_was_reported(m, at, status, true))
        return;
    status = mix_in_place(m, status);
    mix_expect(m, "varve_save", status, VARVE_OK, other);
    if (status == VARVE_OK) {
        g->counter = mix_directory_add(&m->saved, g->counter,
            mix_file_of(&g->shape, 0, VARVE_FORMAT_VARVE));
        m->wrote_beside = false;
    }
    MIX_CHECK(varve_save_counter(g->nodes[0]) == g->counter,
        "the save counter is %d", (int)varve_save_counter(g->nodes[0]));
    for (uint8_t slot = MIX_ORDINARY_FILES; slot < MIX_FILES; slot++)
        if (m->files[slot].is_there)
            mix_look_at_file(m, mix_file_path(m, slot, m->files[slot].format),
                &m->files[slot]);
}

void mix_save(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    save_one(m, mix_pick_graph(m, a),
        &(varve_write_options){ .pending = VARVE_PENDING_OMIT,
            .no_sync = c & 1, .compress = c / 2 % 2 * MIX_LEVEL });
}

void mix_save_incremental(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    save_one(m, mix_pick_graph(m, a),
        &(varve_write_options){ .pending = VARVE_PENDING_OMIT, .no_sync = c & 1,
            .compress = c / 2 % 2 * MIX_LEVEL,
            .incremental = true });
}

/* --- Reading -------------------------------------------------------------- */

/* Checks that states are saved for undoing a failure, but never the state that
 * is loaded last. */
static void look_at_saves(
    const struct mix *m, const struct mix_open *open, unsigned before)
{
    const struct mix_shape *shape = &m->graphs[open->graph].shape;
    unsigned states = 0;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        states += shape->nodes[n].kind == VARVE_STATE;
    MIX_CHECK(m->saves - before <= (states ? states - 1 : 0),
        "a read saved %u states of %u", m->saves - before, states);
}

void mix_read_one(struct mix *m, struct mix_open *open, const char *path,
    const varve_read_options *options)
{
    open->number = ++m->restorations;
    enum mix_fit fit = mix_match(m, open);
    unsigned saves = m->saves;
    m->may_half = true;
    m->is_streaming = options->passes == VARVE_ONE_PASS;
    mix_say(m, "r%td = varve_read(g%dn%d, \"%s\"%s%s%s%s%s);", open - m->opens,
        open->graph, open->root, path, open->casts ? ", .cast" : "",
        options->only ? ", .only = " : "", options->only ? options->only : "",
        options->except ? ", .except = " : "",
        options->except ? options->except : "");
    mix_trouble_begin(m);
    varve_restoration *r = varve_read(
        m->graphs[open->graph].nodes[open->root], path, options, &m->error);
    varve_status other = mix_trouble_end(m);
    look_at_saves(m, open, saves);
    mix_open_end(m, open, r, fit, other);
}

static struct mix_open *read_whole(struct mix *m, uint8_t a, uint8_t b,
    uint8_t c, const varve_read_options *options)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_FILES;
    mix_finish_file(m, slot, MIX_NONE);
    struct mix_open *open = mix_open_place(m);
    const struct mix_file *file = &m->files[slot];
    if (!open || !file->is_there)
        return NULL;
    uint8_t root = choose_root(&m->graphs[at], (uint8_t)(b | (c & 64) << 1));
    char path[256];
    strcpy(path, mix_file_path(m, slot, file->format));
    mix_open_begin(m, open, at, root, file);
    open->casts = options->cast != VARVE_CAST_NONE;
    open->streams = options->passes == VARVE_ONE_PASS;
    mix_read_one(m, open, path, options);
    return open;
}

void mix_read(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    const varve_read_options options = {
        .cast = c & 1 ? VARVE_CAST_ANY : VARVE_CAST_NONE,
        .passes = (c & 6) == 2   ? VARVE_ONE_PASS
                  : (c & 6) == 6 ? VARVE_TWO_PASSES
                                 : VARVE_PASSES_AUTO,
        .no_verify = (c & 6) == 4,
    };
    read_whole(m, a, b, c, &options);
}

/* Salvages an intact file, with the same result as a read. Lost values cannot
 * be restored again, so neither this call nor a later one may fail. */
void mix_salvage(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    const varve_read_options options = {
        .cast = c & 1 ? VARVE_CAST_ANY : VARVE_CAST_NONE,
        .passes = c & 2 ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
        .salvage.on = true,
    };
    if (m->trouble == MIX_FAILING_CALL)
        return;
    mix_say(m, "(.salvage.on:)");
    struct mix_open *open = read_whole(m, a, b, c, &options);
    if (!open || !open->restoration)
        return;
    MIX_CHECK(
        varve_finding_count(open->restoration, VARVE_FINDING_DAMAGED) == 0,
        "a value of a good file is lost");
    mix_end_open(m, (uint8_t)(open - m->opens), 0, 0);
}

/* Reads with patterns. Later deliveries are not predicted. */
void mix_read_part(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_FILES;
    uint8_t name = (uint8_t)(c / 2 % (MIX_NAMES - 1));
    mix_finish_file(m, slot, MIX_NONE);
    struct mix_open *open = mix_open_place(m);
    const struct mix_file *file = &m->files[slot];
    if (!open || !file->is_there)
        return;
    const varve_read_options options = {
        .only = c & 1 ? mix_name(name) : NULL,
        .except = c & 1 ? NULL : mix_name(name),
    };
    char path[256];
    strcpy(path, mix_file_path(m, slot, file->format));
    mix_open_begin(m, open, at, 0, file);
    *(c & 1 ? &open->only : &open->except) = name;
    mix_read_one(m, open, path, &options);
}

/* Counts the mismatches of a dry run, which must equal those of the read. */
static size_t count_mismatches(struct mix *m, const struct mix_open *open,
    const char *path, const varve_read_options *options)
{
    varve_restoration *r = varve_dry_run(
        m->graphs[open->graph].nodes[open->root], path, options, &m->error);
    MIX_CHECK(r, "no dry run: %s", m->error.message);
    varve_report *report = varve_report_new(r, &m->error);
    MIX_CHECK(report, "a dry run without a report: %s", m->error.message);
    size_t count = varve_report_count(report, VARVE_FINDING_MISMATCHED);
    varve_report_free(report);
    varve_restoration_free(r);
    return count;
}

/* Values that a dry run does not compare. */
static bool has_fixed(const struct mix_shape *shape)
{
    bool has = false;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        has |= shape->nodes[n].is_fixed;
    return has;
}

/* Reads with other shapes and names, as a dry run and then actually. */
void mix_read_otherwise(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_FILES, names = c / 8;
    mix_finish_file(m, slot, MIX_NONE);
    struct mix_open *open = mix_open_place(m);
    const struct mix_file *file = &m->files[slot];
    if (!open || !file->is_there)
        return;
    mix_open_begin(m, open, at, 0, file);
    bool is_plain = !mix_demands(&m->graphs[at].shape);
    if (is_plain && names < (MIX_NAMES - 1) * (MIX_NAMES - 1))
        mix_open_rename(open, names % (MIX_NAMES - 1), names / (MIX_NAMES - 1));
    const bool renames = open->renamed != MIX_NONE;
    const varve_rename rename = { mix_name(open->renamed % MIX_NAMES),
        mix_name(open->old_name) };
    const varve_read_options options = {
        .cast = c & 1 ? VARVE_CAST_ANY : VARVE_CAST_NONE,
        .resize = c & 2 ? "**" : NULL,
        .reshape = c & 4,
        .rename = { .list = renames ? &rename : NULL,
        .count = renames },
    };
    open->casts = c & 1;
    open->resizes = c & 2;
    open->reshapes = c & 4;
    char path[256];
    strcpy(path, mix_file_path(m, slot, file->format));
    mix_say(m, "(%s%s%s%s%s:)", c & 2 ? ".resize " : "",
        c & 4 ? ".reshape " : "", renames ? rename.program : "",
        renames ? " -> " : "", renames ? rename.file : "");
    size_t mismatches =
        is_plain ? count_mismatches(m, open, path, &options) : 0;
    mix_read_one(m, open, path, &options);
    MIX_CHECK(open->restoration || m->error.status != VARVE_MISMATCH ||
                  !is_plain || mismatches || has_fixed(&m->graphs[at].shape),
        "a dry run without a mismatch, and the read has one");
}

void mix_restore(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    mix_finish_saves(m, MIX_NONE);
    struct mix_graph *g = &m->graphs[at];
    struct mix_open *open = mix_open_place(m);
    (void)b;
    (void)c;
    if (!open || !m->saved.count || m->wrote_beside)
        return;
    const struct mix_file *file = &m->saved.files[m->saved.count - 1];
    mix_open_begin(m, open, at, 0, file);
    open->number = ++m->restorations;
    enum mix_fit fit = mix_match(m, open);
    mix_say(m, "r%td = varve_restore(g%dn0, \"p\");", open - m->opens, at);
    mix_trouble_begin(m);
    varve_restoration *r =
        varve_restore(g->nodes[0], mix_path(m, "p"), NULL, &m->error);
    varve_status other = mix_trouble_end(m);
    if (r)
        g->counter = m->saved.numbers[m->saved.count - 1];
    mix_open_end(m, open, r, fit, other);
    if (mix_is_counting(m, at))
        return; /* a save of a manager raises it */
    MIX_CHECK(varve_save_counter(g->nodes[0]) == g->counter,
        "the save counter is %d", (int)varve_save_counter(g->nodes[0]));
}

static struct mix_open *choose_open(struct mix *m, uint8_t by)
{
    for (unsigned i = 0; i < MIX_OPENS; i++) {
        struct mix_open *open = &m->opens[(by + i) % MIX_OPENS];
        if (open->restoration)
            return open;
    }
    return NULL;
}

void mix_end_open(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_open *open = choose_open(m, a);
    (void)b;
    (void)c;
    if (open && !open->manager)
        mix_close(m, open);
}

void mix_drop(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_open *open = choose_open(m, a);
    (void)b;
    (void)c;
    if (!open)
        return;
    mix_say(m, "varve_drop_pending(r%td, NULL);", open - m->opens);
    mix_expect(m, "varve_drop_pending",
        varve_drop_pending(open->restoration, NULL, &m->error), VARVE_OK,
        VARVE_OK);
    MIX_CHECK(varve_pending_count(open->restoration) == 0,
        "a dropped value is still pending");
    /* Values excluded by a pattern are not pending, but may be requested
     * later. */
    bool is_all = open->only == MIX_NONE && open->except == MIX_NONE;
    for (uint8_t f = 0; f < MIX_NODES; f++)
        if (!mix_is_value(&open->file.shape.nodes[f]))
            open->dropped |= mix_one(f);
        else if (is_all)
            open->is_taken[f] = true;
}

void mix_plan(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_FILES;
    mix_finish_file(m, slot, MIX_NONE);
    const struct mix_file *file = &m->files[slot];
    const varve_rename rename = { "**/a", "**/b" };
    const varve_read_options options = {
        .rename = { .list = c & 1 ? &rename : NULL, .count = c & 1 }
    };
    if (!file->is_there)
        return;
    mix_say(m, "varve_dry_run(g%dn0, file %d);", at, slot);
    mix_trouble_begin(m);
    varve_restoration *r = varve_dry_run(m->graphs[at].nodes[0],
        mix_file_path(m, slot, file->format), &options, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_dry_run", r ? VARVE_OK : m->error.status, VARVE_OK,
        r ? VARVE_OK : other);
    varve_report *report = r ? varve_report_new(r, &m->error) : NULL;
    MIX_CHECK(!r || report, "a dry run without a report: %s", m->error.message);
    varve_report_free(report);
    varve_restoration_free(r);
}

/* Calls every query of an open restoration. */
void mix_ask(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_open *open = choose_open(m, a);
    (void)b;
    (void)c;
    if (!open)
        return;
    mix_say(m, "varve_report_new(r%td); ...", open - m->opens);
    mix_trouble_begin(m);
    varve_report *report = varve_report_new(open->restoration, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_report_new", report ? VARVE_OK : m->error.status,
        VARVE_OK, report ? VARVE_OK : other);
    MIX_CHECK(
        !report || varve_report_text(report)[0], "an empty report");
    varve_report_free(report);
    varve_status status = varve_assert_consumed(open->restoration, &m->error);
    mix_expect(m, "varve_assert_consumed", status, VARVE_OK, VARVE_UNMATCHED);
    status = varve_assert_nontrivial_match(open->restoration, &m->error);
    mix_expect(
        m, "varve_assert_nontrivial_match", status, VARVE_OK, VARVE_UNMATCHED);
    mix_expect(m, "varve_restoration_verify",
        varve_restoration_verify(open->restoration, &m->error), VARVE_OK,
        VARVE_OK);
    status = varve_restoration_retry(open->restoration, &m->error);
    mix_expect(m, "varve_restoration_retry", status, VARVE_OK, VARVE_MISMATCH);
    if (open->graph != MIX_NONE &&
        mix_demands(&m->graphs[open->graph].shape))
        mix_arrive(m, open->graph); /* values for the new nodes */
    if (status && !open->manager)
        mix_close(m, open);
}

/* --- Graphs from files ---------------------------------------------------- */

void mix_from_file(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = a % MIX_GRAPHS, slot = b % MIX_FILES;
    mix_finish_file(m, slot, MIX_NONE);
    const struct mix_file *file = &m->files[slot];
    struct mix_graph *g = &m->graphs[at];
    (void)c;
    if (g->graph || !file->is_there)
        return;
    mix_say(m, "g%d = varve_graph_from(file %d);", at, slot);
    mix_trouble_begin(m);
    varve_graph *graph = vv_graph_from_in(&m->context,
        mix_file_path(m, slot, file->format), NULL, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_graph_from", graph ? VARVE_OK : m->error.status,
        VARVE_OK, graph ? VARVE_OK : other);
    if (graph && file->format == VARVE_FORMAT_VARVE) {
        memset(g, 0, sizeof *g);
        g->graph = graph;
        g->shape = file->shape;
        g->counter = file->counter;
        mix_follow(g, 0, varve_graph_root(graph));
    } else if (graph) {
        varve_graph_free(graph);
    }
}

static varve_node *graft(struct mix *m, varve_node *parent, uint8_t name,
    uint8_t from, uint8_t node)
{
    return varve_copy_subgraph(
        parent, mix_name(name), m->graphs[from].nodes[node], &m->error);
}

void mix_graft(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t to = mix_pick_graph(m, a), from = mix_pick_graph(m, b);
    struct mix_graph *g = &m->graphs[to];
    uint8_t parent = mix_pick(g, mix_is_parent, a / MIX_GRAPHS);
    uint8_t node = mix_pick(&m->graphs[from], mix_is_any, b / MIX_GRAPHS);
    uint8_t name = parent == MIX_NONE ? parent : mix_new_name(g, parent, c);
    struct mix_shape copy = mix_saved(&m->graphs[from].shape, node);
    uint8_t place = mix_copy_room(&g->shape, &copy);
    if (name == MIX_NONE || place == MIX_NONE)
        return;
    mix_say(m, "g%dn%d = varve_copy_subgraph(g%dn%d, \"%s\", g%dn%d);", to,
        place, to, parent, mix_name(name), from, node);
    mix_copy_in(&g->shape, &copy);
    mix_look_for_names(m, to);
    mix_add_edge(&g->shape, parent, name, place);
    mix_trouble_begin(m);
    varve_node *grafted = graft(m, g->nodes[parent], name, from, node);
    varve_status other = mix_trouble_end(m);
    bool is_in_trouble = !grafted && other && m->error.status == other;
    mix_repair(m, to, other);
    if (is_in_trouble)
        grafted = varve_find(g->nodes[parent], mix_name(name));
    if (is_in_trouble && !grafted)
        grafted = graft(m, g->nodes[parent], name, from, node);
    /* A pending value may not fit. */
    mix_expect(m, "varve_copy_subgraph", grafted ? VARVE_OK : m->error.status,
        VARVE_OK, VARVE_MISMATCH);
    if (!grafted)
        grafted = varve_find(g->nodes[parent], mix_name(name));
    MIX_CHECK(grafted, "a copied subgraph is missing");
    mix_follow(g, place, grafted);
    mix_changed(m, to);
}
