/* jobs.c - Models asynchronous saves: pending jobs, their results, and a gate
 * that delays them.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "mix/jobs.h"

#include <string.h>
#include <unistd.h>

#include "background.h"
#include "mix/files.h"
#include "mix/managed.h"

enum { MOMENT = 20 }; /* microseconds */

/* --- Gate ----------------------------------------------------------------- */

int mix_gate(void *user, uint64_t done, uint64_t total, const char *what)
{
    struct mix *m = user;
    (void)done;
    (void)total;
    (void)what;
    while (atomic_load(&m->is_gate_closed))
        usleep(MOMENT);
    return 0;
}

void mix_gate_open(struct mix *m)
{
    atomic_store(&m->is_gate_closed, false);
}

void mix_gate_close(struct mix *m)
{
    atomic_store(&m->is_gate_closed, true);
}

/* --- Pending saves -------------------------------------------------------- */

static bool has_handle(const struct mix_job *job)
{
    return job->kind == MIX_WRITTEN || job->kind == MIX_NUMBERED;
}

static struct mix_job *first_of(struct mix *m, uint8_t graph)
{
    for (uint8_t i = 0; i < m->job_count; i++)
        if (m->jobs[i].graph == graph)
            return &m->jobs[i];
    return NULL;
}

static void remove_job(struct mix *m, struct mix_job *job)
{
    size_t behind = (size_t)(m->jobs + m->job_count - (job + 1));
    memmove(job, job + 1, behind * sizeof *job);
    m->job_count--;
}

struct mix_job *mix_job_new(
    struct mix *m, enum mix_job_kind kind, uint8_t graph, uint8_t by)
{
    if (m->job_count == MIX_JOBS)
        mix_land(m, m->jobs[0].graph);
    struct mix_job *job = &m->jobs[m->job_count++];
    *job = (struct mix_job){ .kind = kind, .graph = graph, .by = by };
    job->counter = m->graphs[graph].counter;
    return job;
}

void mix_jobs_met(struct mix *m, varve_status status)
{
    for (uint8_t i = 0; i < m->job_count; i++) {
        m->jobs[i].may_fail |= mix_bit(status);
        m->jobs[i].may_be_unknown |= m->trouble_before == MIX_FAILING_CALL;
    }
}

bool mix_is_saving(const struct mix *m, uint8_t graph)
{
    for (uint8_t i = 0; i < m->job_count; i++)
        if (m->jobs[i].graph == graph)
            return true;
    return false;
}

bool mix_is_replaced(const struct mix *m, enum mix_job_kind kind, uint8_t by)
{
    for (uint8_t i = 0; i < m->job_count; i++)
        if (m->jobs[i].kind == kind && m->jobs[i].by == by)
            return true;
    return false;
}

bool mix_is_counting(const struct mix *m, uint8_t graph)
{
    for (uint8_t i = 0; i < m->job_count; i++)
        if (m->jobs[i].graph == graph && (m->jobs[i].kind == MIX_NUMBERED ||
                                             m->jobs[i].kind == MIX_MANAGED))
            return true;
    return false;
}

/* --- Results -------------------------------------------------------------- */

/* Raises the counter of a graph, also in its pending saves. */
static void count(struct mix *m, uint8_t graph, uint64_t number)
{
    struct mix_graph *g = &m->graphs[graph];
    if (g->counter < number)
        g->counter = number;
    for (uint8_t i = 0; i < m->job_count; i++)
        if (m->jobs[i].graph == graph && m->jobs[i].counter < number)
            m->jobs[i].counter = number;
}

static void note_file(
    struct mix *m, const struct mix_job *job, varve_status status)
{
    if (status)
        return;
    m->files[job->by] = job->file;
    m->wrote_beside |= job->by == MIX_BESIDE;
    if (!m->is_superseded && !mix_is_replaced(m, MIX_WRITTEN, job->by))
        mix_look_at_file(m, mix_file_path(m, job->by, VARVE_FORMAT_VARVE),
            &m->files[job->by]);
}

static void note_numbered(
    struct mix *m, const struct mix_job *job, varve_status status)
{
    if (status)
        return;
    uint64_t number = mix_directory_add(&m->saved, job->counter, job->file);
    m->wrote_beside = false;
    count(m, job->graph, number);
    mix_look_at_file(m, mix_path(m, "p-%d.varve", (int)number),
        &m->saved.files[m->saved.count - 1]);
}

static void note(struct mix *m, const struct mix_job *job, varve_status status)
{
    uint64_t number = 0;
    switch (job->kind) {
    case MIX_WRITTEN: note_file(m, job, status); break;
    case MIX_NUMBERED: note_numbered(m, job, status); break;
    case MIX_MANAGED: number = mix_note_managed(m, job, status); break;
    case MIX_BY_SAVER: mix_note_by_saver(m, job, status); break;
    }
    if (number)
        count(m, job->graph, number);
}

/* Checks the status of a wait. An unknown outcome counts as success: the file
 * is in place, although it may be lost in a power failure. */
static varve_status check(
    struct mix *m, const struct mix_job *job, varve_status status)
{
    if (status == VARVE_UNKNOWN_OUTCOME && job->may_be_unknown)
        return VARVE_OK;
    MIX_CHECK(!status || (job->may_fail & mix_bit(status)) ||
                  (job->is_cancelled && status == VARVE_CANCELLED),
        "an asynchronous save: found %s: %s", varve_status_name(status),
        m->error.message);
    return status;
}

static varve_status wait_for(struct mix *m, const struct mix_job *job)
{
    switch (job->kind) {
    case MIX_MANAGED:
        mix_say(m, "varve_manager_wait(m%d);", job->by);
        return varve_manager_wait(m->managers[job->by].manager, &m->error);
    case MIX_BY_SAVER:
        mix_say(m, "varve_saver_wait(v%d);", job->by);
        return varve_saver_wait(m->savers[job->by].saver, &m->error);
    default:
        mix_say(m, "varve_job_wait(b%td); varve_job_free(b%td);",
            job - m->jobs, job - m->jobs);
        return varve_job_wait(job->job, &m->error);
    }
}

varve_status mix_land(struct mix *m, uint8_t graph)
{
    struct mix_job *job = first_of(m, graph);
    mix_gate_open(m);
    varve_status status = check(m, job, wait_for(m, job));
    const struct mix_job over = *job;
    if (has_handle(job)) {
        MIX_CHECK(varve_job_is_done(job->job), "a job continues after a wait");
        MIX_CHECK((varve_job_path(job->job) != NULL) == !status,
            "a failed save has a path, or a successful one has none");
        varve_job_free(job->job);
    }
    remove_job(m, job);
    note(m, &over, status);
    return status;
}

/* Derives success from the path of the job. An error that was not returned here
 * must be returned by the next save. */
varve_status mix_land_unreported(struct mix *m, uint8_t graph)
{
    struct mix_job *job = first_of(m, graph);
    if (!has_handle(job) || job->is_cancelled)
        return mix_land(m, graph);
    mix_say(m, "varve_job_free(b%td);", job - m->jobs);
    mix_gate_open(m);
    while (!varve_job_is_done(job->job))
        usleep(MOMENT);
    bool is_there = varve_job_path(job->job) != NULL;
    const struct mix_job over = *job;
    MIX_CHECK(is_there || job->may_fail, "an asynchronous save has failed");
    varve_job_free(job->job);
    remove_job(m, job);
    if (!is_there)
        m->graphs[graph].unreported |= over.may_fail;
    else if (over.may_be_unknown)
        m->graphs[graph].may_report_unknown = true;
    note(m, &over, is_there ? VARVE_OK : VARVE_IO);
    return is_there ? VARVE_OK : VARVE_IO;
}

/* --- Waiting -------------------------------------------------------------- */

void mix_finish(struct mix *m, uint8_t graph)
{
    struct mix_graph *g = &m->graphs[graph];
    while (first_of(m, graph))
        mix_land(m, graph);
    if (!g->unreported && !g->may_report_unknown)
        return;
    varve_status status = vv_background_settle(g->graph, &m->error);
    MIX_CHECK((mix_bit(status) & g->unreported) ||
                  (g->may_report_unknown &&
                      (!status || status == VARVE_UNKNOWN_OUTCOME)),
        "an error that was not returned before: found %s",
        varve_status_name(status));
    g->unreported = 0;
    g->may_report_unknown = false;
}

void mix_finish_all(struct mix *m)
{
    for (uint8_t i = 0; i < MIX_GRAPHS; i++)
        if (m->graphs[i].graph)
            mix_finish(m, i);
}

static bool writes(const struct mix_job *job, enum mix_job_kind kind, int by)
{
    return job->kind == kind && (by < 0 || job->by == by);
}

static void finish(
    struct mix *m, enum mix_job_kind kind, int by, uint8_t but_of)
{
    for (uint8_t i = 0; i < m->job_count;) {
        const struct mix_job *job = &m->jobs[i];
        bool is_it = job->graph != but_of && writes(job, kind, by);
        i = is_it ? 0 : (uint8_t)(i + 1);
        if (is_it)
            mix_land(m, job->graph);
    }
}

/* Waits for saves to a file name that is also used for hints or ledgers before
 * the file is compared, so that no other save writes it in the meantime. */
void mix_finish_file(struct mix *m, uint8_t slot, uint8_t but_of)
{
    finish(m, MIX_WRITTEN, slot, but_of);
    if (slot < MIX_ORDINARY_FILES)
        return;
    finish(m, MIX_NUMBERED, -1, but_of);
    finish(m, MIX_MANAGED, -1, but_of);
    finish(m, MIX_BY_SAVER, -1, but_of);
}

void mix_finish_saves(struct mix *m, uint8_t but_of)
{
    finish(m, MIX_NUMBERED, -1, but_of);
}

void mix_finish_by(struct mix *m, enum mix_job_kind kind, uint8_t by)
{
    finish(m, kind, by, MIX_NONE);
}

struct earlier_errors {
    unsigned may_be; /* mask of possible statuses */
    bool is_sure;    /* one of them is certain */
};

static struct earlier_errors take_unreported(struct mix *m, uint8_t graph)
{
    struct mix_graph *g = &m->graphs[graph];
    struct earlier_errors earlier = { g->unreported, g->unreported != 0 };
    if (g->may_report_unknown)
        earlier.may_be |= mix_bit(VARVE_UNKNOWN_OUTCOME);
    g->unreported = 0;
    g->may_report_unknown = false;
    return earlier;
}

static void land_and_ask(
    struct mix *m, uint8_t graph, struct earlier_errors *earlier)
{
    for (struct mix_job *job; (job = first_of(m, graph));) {
        bool is_private = !has_handle(job);
        bool may_be_unknown = job->may_be_unknown;
        varve_status status = mix_land(m, graph);
        if (is_private)
            continue;
        if (may_be_unknown)
            earlier->may_be |= mix_bit(VARVE_UNKNOWN_OUTCOME);
        if (status && status != VARVE_CANCELLED)
            *earlier =
                (struct earlier_errors){ earlier->may_be | mix_bit(status),
                    true };
    }
}

static void look_at_end(struct mix *m, uint8_t graph)
{
    for (uint8_t i = 0; i < m->job_count; i++)
        MIX_CHECK(m->jobs[i].graph != graph || !has_handle(&m->jobs[i]) ||
                      varve_job_is_done(m->jobs[i].job),
            "a save did not wait for pending ones");
}

void mix_finish_ended(struct mix *m, uint8_t graph)
{
    look_at_end(m, graph);
    while (first_of(m, graph))
        mix_land(m, graph);
}

bool mix_was_reported(
    struct mix *m, uint8_t graph, varve_status status, bool comes_after)
{
    const varve_error error = m->error;
    const char *words = strstr(error.message, "asynchronous save");
    bool is_reported = status && words && strstr(words, " failed");
    struct earlier_errors earlier = take_unreported(m, graph);
    bool must = earlier.is_sure;
    if (comes_after)
        look_at_end(m, graph);
    if (comes_after || is_reported) {
        m->is_superseded = true;
        land_and_ask(m, graph, &earlier);
        m->is_superseded = false;
        must |= comes_after && earlier.is_sure;
    }
    MIX_CHECK(
        !must || is_reported, "an error that was not returned is lost");
    MIX_CHECK(!is_reported || (earlier.may_be & mix_bit(status)),
        "returned an error that did not occur: %s", error.message);
    m->error = error;
    return is_reported;
}
