/* operations_manage.c - Tests managers of graphs that change in the meantime.
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

/* --- Options -------------------------------------------------------------- */

varve_write_options mix_write_options(struct mix *m, uint8_t how)
{
    return (varve_write_options){ .pending = VARVE_PENDING_OMIT,
        .incremental = how & 2,
        .compress = how / 8 % 2 * MIX_LEVEL,
        .progress = (how & 5) == 5 ? mix_gate : NULL,
        .progress_user = m,
    };
}

void mix_prepare_gate(
    struct mix *m, uint8_t graph, const varve_write_options *write)
{
    mix_gate_open(m);
    if (write->progress && !m->trouble && !mix_is_saving(m, graph))
        mix_gate_close(m);
}

void mix_note_flight(struct mix *m, enum mix_job_kind kind, uint8_t graph,
    uint8_t by, const struct mix_file *file, varve_status other)
{
    struct mix_job *job = mix_job_new(m, kind, graph, by);
    job->file = *file;
    job->may_fail = mix_bit(other);
    job->may_be_unknown = m->trouble_before == MIX_FAILING_CALL;
}

/* --- Managers ------------------------------------------------------------- */

static void manage(
    struct mix *m, uint8_t at, uint8_t number, uint8_t except, uint8_t how)
{
    struct mix_manager *manager = &m->managers[number];
    const varve_level level = { .directory = mix_path(m, "l%d", number),
        .keep_last = 1 };
    const varve_manager_options options = { .keep_last = MIX_KEEP,
        .async = how & 1,
        .levels = &level,
        .level_count = how / 16 % 2,
        .write = &manager->write,
        .read = &manager->read,
        .run = "mix",
        .may_start_new_run = true };
    if (manager->manager)
        return;
    manager->graph = at;
    manager->directory = number;
    manager->except = except;
    manager->read.except = except == MIX_NONE ? NULL : mix_name(except);
    manager->is_async = how & 1;
    manager->has_level = options.level_count;
    manager->write = mix_write_options(m, how);
    mix_say(m,
        "m%d = varve_manager_new(g%dn0, \"m%d\", .keep_last = %d%s%s%s%s%s%s);",
        number, at, number, MIX_KEEP, how & 1 ? ", .async" : "",
        how & 2 ? ", .write.incremental" : "",
        how & 8 ? ", .write.compress" : "", how & 16 ? ", .levels" : "",
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

/* A manager that resumes without the nodes below an edge of the root. */
void mix_manage_part(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    manage(m, mix_pick_graph(m, a), b % MIX_MANAGERS, c % (MIX_NAMES - 1), 0);
}

/* A manager that saves asynchronously or incrementally, or has a second
 * tier. */
void mix_manage_otherwise(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    manage(m, mix_pick_graph(m, a), b % MIX_MANAGERS, MIX_NONE, c % 32);
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
    varve_checkpoint_info managed;
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
    if (m->files[MIX_LEDGER].is_there && manager->directory == 0 &&
        !m->is_superseded)
        mix_look_at_file(
            m, mix_file_path(m, MIX_LEDGER, 0), &m->files[MIX_LEDGER]);
}

/* Returns true if the newest checkpoint has a pin left over by a failed save
 * that could not remove it. */
static bool adopt_pin(const struct mix_manager *manager, uint64_t number)
{
    size_t count = varve_manager_count(manager->manager);
    varve_checkpoint_info managed;
    return count &&
           varve_manager_at(manager->manager, count - 1, &managed) &&
           managed.number == number && managed.is_pinned;
}

/* Afterwards the second tier must have a copy of the newest checkpoint, even if
 * copying failed before. */
static void drain(struct mix *m, uint8_t number, bool is_known)
{
    const struct mix_manager *manager = &m->managers[number];
    const struct mix_directory *d = &m->managed[number];
    varve_level_state state;
    if (!manager->has_level)
        return;
    mix_say(m, "varve_manager_drain(m%d, -1);", number);
    mix_expect(m, "varve_manager_drain",
        varve_manager_drain(manager->manager, -1, &m->error), VARVE_OK,
        VARVE_OK);
    MIX_CHECK(varve_manager_level_at(manager->manager, 0, &state) &&
                  state.waiting == 0,
        "%zu pending copies", state.waiting);
    if (!is_known || !d->count || d->may_have_more)
        return;
    MIX_CHECK(state.latest, "a tier has no copy");
    mix_look_at_file(m, state.latest, &d->files[d->count - 1]);
}

/* Steps that failed after a save are completed after the next one. */
static void tidy(
    struct mix *m, uint8_t number, bool had_trouble, bool is_pinned)
{
    struct mix_manager *manager = &m->managers[number];
    const struct mix_directory *d = &m->managed[number];
    drain(m, number, !had_trouble);
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
    if (!manager->is_async || g->unreported ||
        mix_is_counting(m, manager->graph))
        mix_finish(m, manager->graph);
    struct mix_job saved = { .kind = MIX_MANAGED,
        .graph = manager->graph,
        .by = number,
        .pins = options.pin,
        .counter = g->counter,
        .file = mix_file_of(&g->shape, 0, VARVE_FORMAT_VARVE) };
    if (manager->is_async)
        mix_prepare_gate(m, manager->graph, &manager->write);
    mix_say(m, "varve_manager_save(m%d, %d%s);", number, c,
        options.pin ? ", .pin" : "");
    mix_trouble_begin(m);
    varve_status status =
        varve_manager_save_with(manager->manager, c, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    if (manager->is_async &&
        mix_was_reported(m, manager->graph, status, false)) {
        if (options.pin)
            d->maybe_pinned = mix_directory_next(d, g->counter);
        return;
    }
    status = mix_in_place(m, status);
    if (options.pin && other && status == VARVE_IO)
        status = other; /* a pin whose directory could not be synced */
    mix_expect(m, "varve_manager_save", status, VARVE_OK, other);
    if (manager->is_async && status == VARVE_OK) {
        mix_note_flight(
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

/* Returns the checkpoint that was restored: an older one if the newest could
 * not be read. */
static uint8_t find_resumed(struct mix *m, const struct mix_manager *manager)
{
    struct mix_directory *d = &m->managed[manager->directory];
    const varve_restoration *r = varve_manager_restoration(manager->manager);
    uint64_t number = r ? varve_restoration_counter(r) : 0;
    uint8_t at = (uint8_t)(d->count - 1);
    if (!varve_manager_skipped(manager->manager, 0))
        return at;
    MIX_CHECK(m->trouble_before == MIX_FAILING_CALL, "%s was skipped",
        varve_manager_skipped(manager->manager, 0));
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
    /* The counter depends on when completed saves are noticed. */
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
    drain(m, b % MIX_MANAGERS, status == VARVE_OK && !other);
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

/* Returns true if the directory contains the pin. */
static bool is_pinned(
    struct mix *m, const struct mix_manager *manager, uint64_t number)
{
    varve_checkpoint_info managed = { 0 };
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
