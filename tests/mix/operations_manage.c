/* operations_manage.c - savers and managers, of graphs that go on changing.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/managed.h"
#include "mix/operations.h"
#include "mix/parts.h"
#include "mix/trouble.h"

/* --- Savers: names ---------------------------------------------------------
 */

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

static varve_write_options write_options(struct mix *m, uint8_t how)
{
    return (varve_write_options){
        .layered = how & 2,
        .compress = how / 8 % 2 * MIX_LEVEL,
        .progress = (how & 5) == 5 ? mix_gate : NULL,
        .progress_user = m,
    };
}

static struct mix_saver *take_saver(
    struct mix *m, uint8_t at, uint8_t graph, uint8_t how)
{
    struct mix_saver *s = &m->savers[at];
    const varve_saver_options options = { .keep = MIX_KEEP, .async = how & 1 };
    if (s->saver)
        return s;
    mix_say(m, "v%d = varve_saver_new(g%d, .keep = %d%s%s%s);", at, graph,
        MIX_KEEP, how & 1 ? ", .async" : "", how & 2 ? "; .layered" : "",
        how & 8 ? "; .compress" : "");
    memset(s, 0, sizeof *s);
    memset(s->node, MIX_NONE, sizeof s->node);
    s->graph = graph;
    s->is_async = how & 1;
    s->write = write_options(m, how);
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

/* One that saves in the background, or layers. */
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

/* --- Savers: files ---------------------------------------------------------
 */

/* What a save of a saver gives: a root with the variables that have names. */
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

/* Before a save whose progress may wait at the gate: it is closed where nothing
 * waits for it. */
static void prepare_gate(
    struct mix *m, uint8_t graph, const varve_write_options *write)
{
    mix_gate_open(m);
    if (write->progress && !m->trouble && !mix_is_saving(m, graph))
        mix_gate_close(m);
}

static void note_flight(struct mix *m, enum mix_job_kind kind, uint8_t graph,
    uint8_t by, const struct mix_file *file, varve_status other)
{
    struct mix_job *job = mix_job_new(m, kind, graph, by);
    job->file = *file;
    job->may_fail = mix_bit(other);
    job->may_be_unknown = m->trouble_before == MIX_FAILING_CALL;
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
    if (!s->is_async || m->graphs[s->graph].untold)
        mix_finish(m, s->graph);
    struct mix_file new = file_of(m, s);
    if (s->is_async)
        prepare_gate(m, s->graph, &s->write);
    char prefix[256];
    strcpy(prefix, mix_path(m, "v%d", b % MIX_SAVERS));
    mix_say(m, "varve_saver_save(v%d, .step = %d);", b % MIX_SAVERS, c);
    mix_trouble_begin(m);
    varve_status status =
        varve_saver_save(s->saver, prefix, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    if (s->is_async && mix_was_told(m, s->graph, status, false))
        return;
    status = mix_in_place(m, status);
    mix_expect(m, "varve_saver_save", status,
        is_empty(s) ? VARVE_MISUSE : VARVE_OK, other);
    if (status == VARVE_OK && s->is_async) {
        note_flight(
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

/* What must become of the names; the values, where all of them fit. */
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
            continue;
        else if (saved->dtype != node->dtype ||
                 saved->value.count != mix_whole(node))
            mismatches = true;
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

/* --- Managers --------------------------------------------------------------
 */

static void manage(
    struct mix *m, uint8_t at, uint8_t number, uint8_t except, uint8_t how)
{
    struct mix_manager *manager = &m->managers[number];
    const varve_manager_options options = { .keep_last = MIX_KEEP,
        .async = how & 1,
        .write = &manager->write,
        .read = &manager->read };
    if (manager->manager)
        return;
    manager->graph = at;
    manager->directory = number;
    manager->except = except;
    manager->read.except = except == MIX_NONE ? NULL : mix_name(except);
    manager->is_async = how & 1;
    manager->write = write_options(m, how);
    mix_say(m,
        "m%d = varve_manager_new(g%dn0, \"m%d\", .keep_last = %d%s%s%s%s%s);",
        number, at, number, MIX_KEEP, how & 1 ? ", .async" : "",
        how & 2 ? ", .write.layered" : "",
        how & 8 ? ", .write.compress" : "",
        manager->read.except ? ", .read.except = " : "",
        manager->read.except ? manager->read.except : "");
    mix_trouble_begin(m);
    manager->manager = varve_manager_new(m->graphs[at].nodes[0],
        mix_path(m, "m%d", number), &options, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_manager_new",
        manager->manager ? VARVE_OK : m->error.status, VARVE_OK,
        manager->manager ? VARVE_OK : other);
}

void mix_manage(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)c;
    manage(m, mix_pick_graph(m, a), b % MIX_MANAGERS, MIX_NONE, 0);
}

/* One that resumes without what is below an edge of the root. */
void mix_manage_part(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    manage(m, mix_pick_graph(m, a), b % MIX_MANAGERS, c % (MIX_NAMES - 1), 0);
}

/* One that saves in the background, or layers. */
void mix_manage_otherwise(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    manage(m, mix_pick_graph(m, a), b % MIX_MANAGERS, MIX_NONE, c % 16);
}

void mix_prune(struct mix_directory *d)
{
    for (uint8_t i = 0; i + MIX_KEEP < d->count;) {
        if (d->is_pinned[i]) {
            i++;
            continue;
        }
        for (uint8_t k = i; k + 1 < d->count; k++) {
            d->numbers[k] = d->numbers[k + 1];
            d->is_pinned[k] = d->is_pinned[k + 1];
            d->files[k] = d->files[k + 1];
        }
        d->count--;
    }
}

void mix_look_at_directory(struct mix *m, const struct mix_manager *manager)
{
    const struct mix_directory *d = &m->managed[manager->directory];
    varve_managed managed;
    size_t count = varve_manager_count(manager->manager);
    MIX_CHECK(count == d->count || (d->may_have_more && count > d->count),
        "expected %d checkpoints, found %zu", d->count, count);
    for (uint8_t i = 0; i < d->count && count == d->count; i++) {
        MIX_CHECK(varve_manager_at(manager->manager, i, &managed), "no %d", i);
        MIX_CHECK(managed.number == d->numbers[i],
            "expected checkpoint %d, found %d", (int)d->numbers[i],
            (int)managed.number);
        MIX_CHECK(
            managed.is_pinned == d->is_pinned[i], "%s: its pin", managed.path);
        if (i + 1 == d->count)
            mix_look_at_file(m, managed.path, &d->files[i]);
    }
    if (m->files[MIX_LEDGER].is_there && manager->directory == 0)
        mix_look_at_file(
            m, mix_file_path(m, MIX_LEDGER, 0), &m->files[MIX_LEDGER]);
}

/* Whether the newest has a pin that is older: of a save that failed, where it
 * could not be removed. */
static bool adopt_pin(const struct mix_manager *manager, uint64_t number)
{
    size_t count = varve_manager_count(manager->manager);
    varve_managed managed;
    return count &&
           varve_manager_at(manager->manager, count - 1, &managed) &&
           managed.number == number && managed.is_pinned;
}

/* What went wrong behind the save is done after the next one. */
static void tidy(
    struct mix *m, uint8_t number, bool had_trouble, bool is_pinned)
{
    struct mix_manager *manager = &m->managers[number];
    const struct mix_directory *d = &m->managed[number];
    if (!had_trouble) {
        mix_expect(m, "varve_manager_prune",
            varve_manager_prune(manager->manager, &m->error), VARVE_OK,
            VARVE_OK);
        mix_look_at_directory(m, manager);
    } else if (is_pinned) {
        mix_expect(m, "varve_manager_pin",
            varve_manager_pin(
                manager->manager, d->numbers[d->count - 1], &m->error),
            VARVE_OK, VARVE_OK);
    }
}

uint64_t mix_note_managed(
    struct mix *m, const struct mix_job *job, varve_status status)
{
    const struct mix_manager *manager = &m->managers[job->by];
    struct mix_directory *d = &m->managed[job->by];
    uint64_t number = 0;
    if (status == VARVE_OK) {
        number = mix_directory_add(d, job->counter, job->file);
        d->is_pinned[d->count - 1] =
            job->pins || adopt_pin(manager, d->maybe_pinned);
        mix_prune(d);
    } else if (job->pins) {
        d->maybe_pinned = mix_directory_next(d, job->counter);
    }
    tidy(m, job->by, job->may_fail || job->may_be_unknown,
        job->pins && number > 0);
    return number;
}

void mix_save_managed(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t number = b % MIX_MANAGERS;
    struct mix_manager *manager = &m->managers[number];
    struct mix_directory *d = &m->managed[number];
    const varve_manager_save_options options = { .pin = c % 8 == 0 };
    mix_finish_by(m, MIX_MANAGED, number);
    if (!manager->manager || manager->graph == MIX_NONE ||
        d->count == MIX_KEPT || mix_is_refused(m, manager->graph, 0, a))
        return;
    struct mix_graph *g = &m->graphs[manager->graph];
    if (!manager->is_async || g->untold || mix_is_counting(m, manager->graph))
        mix_finish(m, manager->graph);
    struct mix_job saved = { .kind = MIX_MANAGED,
        .graph = manager->graph,
        .by = number,
        .pins = options.pin,
        .counter = g->counter,
        .file = mix_file_of(&g->shape, 0, VARVE_FORMAT_VARVE) };
    if (manager->is_async)
        prepare_gate(m, manager->graph, &manager->write);
    mix_say(m, "varve_manager_save(m%d, %d%s);", number, c,
        options.pin ? ", .pin" : "");
    mix_trouble_begin(m);
    varve_status status =
        varve_manager_save_with(manager->manager, c, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    if (manager->is_async &&
        mix_was_told(m, manager->graph, status, false)) {
        if (options.pin)
            d->maybe_pinned = mix_directory_next(d, g->counter);
        return;
    }
    status = mix_in_place(m, status);
    if (options.pin && other && status == VARVE_IO)
        status = other; /* a pin whose directory could not be synced */
    mix_expect(m, "varve_manager_save", status, VARVE_OK, other);
    if (manager->is_async && status == VARVE_OK) {
        note_flight(
            m, MIX_MANAGED, manager->graph, number, &saved.file, other);
        m->jobs[m->job_count - 1].pins = options.pin;
        return;
    }
    saved.may_fail = mix_bit(other);
    saved.may_be_unknown = m->trouble_before != MIX_NO_TROUBLE && other;
    uint64_t counter = mix_note_managed(m, &saved, status);
    if (counter)
        g->counter = counter;
    MIX_CHECK(varve_save_counter(g->nodes[0]) == g->counter,
        "the save counter is %d", (int)varve_save_counter(g->nodes[0]));
}

static struct mix_open *open_of(
    struct mix *m, const struct mix_manager *manager)
{
    for (int i = 0; i < MIX_OPENS; i++)
        if (m->opens[i].restoration && m->opens[i].manager == manager)
            return &m->opens[i];
    return NULL;
}

/* Where the newest could not be read it may be passed over: an older one that
 * was restored instead. */
static uint8_t find_resumed(struct mix *m, const struct mix_manager *manager)
{
    struct mix_directory *d = &m->managed[manager->directory];
    const varve_restoration *r = varve_manager_restoration(manager->manager);
    uint64_t number = r ? varve_restoration_counter(r) : 0;
    uint8_t at = (uint8_t)(d->count - 1);
    if (!varve_manager_passed_over(manager->manager, 0))
        return at;
    MIX_CHECK(m->trouble_before == MIX_FAILING_CALL, "%s was passed over",
        varve_manager_passed_over(manager->manager, 0));
    d->may_have_more = true;
    while (at > 0 && d->numbers[at] != number)
        at--;
    return at;
}

static enum mix_fit begin_resume(struct mix *m, struct mix_open *open,
    const struct mix_manager *manager, uint8_t at)
{
    const struct mix_directory *d = &m->managed[manager->directory];
    mix_open_begin(m, open, manager->graph, 0, &d->files[at]);
    open->except = manager->except;
    open->number = ++m->restorations;
    return mix_match(m, open);
}

void mix_resume(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_manager *manager = &m->managers[b % MIX_MANAGERS];
    mix_finish_by(m, MIX_MANAGED, b % MIX_MANAGERS);
    const struct mix_directory *d = &m->managed[b % MIX_MANAGERS];
    struct mix_open *open = mix_open_place(m);
    (void)a;
    (void)c;
    if (!manager->manager || manager->graph == MIX_NONE || !open || !d->count)
        return;
    struct mix_graph *g = &m->graphs[manager->graph];
    /* When what is done is noticed matters for the counter. */
    if (mix_is_counting(m, manager->graph))
        mix_finish_saves(m, MIX_NONE);
    struct mix_open *older = open_of(m, manager);
    enum mix_fit fit =
        begin_resume(m, open, manager, (uint8_t)(d->count - 1));
    mix_say(m, "varve_manager_resume(m%d); its restoration is r%td",
        b % MIX_MANAGERS, open - m->opens);
    mix_trouble_begin(m);
    varve_status status = varve_manager_resume(manager->manager, &m->error);
    varve_status other = mix_trouble_end(m);
    varve_restoration *r = varve_manager_restoration(manager->manager);
    if (older && (!status || r != older->restoration))
        memset(older, 0, sizeof *older);
    uint8_t at = find_resumed(m, manager);
    if (!status && at + 1 < d->count)
        fit = begin_resume(m, open, manager, at);
    if (!status)
        g->counter = d->numbers[at];
    open->manager = manager;
    mix_open_end(m, open, status ? NULL : r, fit, other);
}

void mix_end_manager(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_manager *manager = &m->managers[b % MIX_MANAGERS];
    mix_finish_by(m, MIX_MANAGED, b % MIX_MANAGERS);
    (void)a;
    (void)c;
    if (!manager->manager)
        return;
    struct mix_open *open = open_of(m, manager);
    mix_say(m, "varve_manager_free(m%d);", b % MIX_MANAGERS);
    if (open)
        memset(open, 0, sizeof *open);
    varve_manager_free(manager->manager);
    memset(manager, 0, sizeof *manager);
}

/* As the directory has it. */
static bool is_pinned(
    struct mix *m, const struct mix_manager *manager, uint64_t number)
{
    varve_managed managed = { 0 };
    mix_expect(m, "varve_manager_refresh",
        varve_manager_refresh(manager->manager, &m->error), VARVE_OK, VARVE_OK);
    for (size_t i = 0; varve_manager_at(manager->manager, i, &managed); i++)
        if (managed.number == number)
            return managed.is_pinned;
    mix_wrong(__FILE__, __LINE__, "checkpoint %d is gone", (int)number);
}

void mix_pin(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_manager *manager = &m->managers[b % MIX_MANAGERS];
    mix_finish_by(m, MIX_MANAGED, b % MIX_MANAGERS);
    struct mix_directory *d = &m->managed[b % MIX_MANAGERS];
    (void)a;
    if (!manager->manager || !d->count)
        return;
    uint8_t at = c % d->count;
    bool *pinned = &d->is_pinned[at];
    mix_say(m, "varve_manager_%s(m%d, %d);", *pinned ? "unpin" : "pin",
        b % MIX_MANAGERS, (int)d->numbers[at]);
    mix_trouble_begin(m);
    varve_status status =
        (*pinned ? varve_manager_unpin : varve_manager_pin)(
            manager->manager, d->numbers[at], &m->error);
    varve_status other = mix_trouble_end(m);
    if (other && status == VARVE_IO)
        status = other; /* a pin whose directory could not be synced */
    mix_expect(m, "a pin", status, VARVE_OK, other);
    if (other)
        *pinned = is_pinned(m, manager, d->numbers[at]);
    else
        *pinned = !*pinned;
}
