/* operations_job.c - Tests asynchronous saves of graphs that change in the
 * meantime.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/parts.h"
#include "mix/trouble.h"

/* --- Starting ------------------------------------------------------------- */

/* Returns the options for the bits of an argument. With a progress callback,
 * the save is held at the gate unless another one waits there. */
static varve_write_options choose_options(
    struct mix *m, uint8_t graph, uint8_t how)
{
    bool is_held = (how & 8) && !m->trouble && !mix_is_saving(m, graph);
    mix_gate_open(m);
    if (is_held)
        mix_gate_close(m);
    return (varve_write_options){ .pending = VARVE_PENDING_OMIT,
        .incremental = how & 1,
        .async.zero_copy = how & 2,
        .no_sync = how & 4,
        .compress = how % 3 == 1 ? MIX_LEVEL : 0,
        .progress = how & 8 ? mix_gate : NULL,
        .progress_user = m,
        .async.in_flight = how & 16 ? 1 : 0,
        .increment.only_dirty = (how & 129) == 129,
    };
}

static void begin(struct mix *m, struct mix_job new, varve_job *job,
    varve_status other)
{
    varve_status status = job ? VARVE_OK : m->error.status;
    if (mix_was_reported(m, new.graph, status, false))
        return;
    mix_expect(m, "an asynchronous save", status, VARVE_OK,
        job ? VARVE_OK : other);
    if (!job)
        return;
    struct mix_job *flight = mix_job_new(m, new.kind, new.graph, new.by);
    flight->job = job;
    flight->may_fail = mix_bit(other);
    flight->may_be_unknown = m->trouble_before == MIX_FAILING_CALL;
    flight->file = new.file;
}

void mix_write_behind(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_ORDINARY_FILES;
    struct mix_graph *g = &m->graphs[at];
    uint8_t root = c & 32 ? mix_pick(g, mix_is_object, c / 64) : 0;
    if (mix_is_refused(m, at, root, 3))
        return;
    mix_finish_file(m, slot, at);
    const varve_write_options options = choose_options(m, at, c);
    struct mix_job new = { .kind = MIX_WRITTEN, .graph = at, .by = slot };
    new.file = mix_file_of(&g->shape, root, VARVE_FORMAT_VARVE);
    const char *path = mix_file_path(m, slot, VARVE_FORMAT_VARVE);
    mix_say(m, "b%d = varve_write_async(g%dn%d, \"%s\"%s%s%s%s);", m->job_count,
        at, root, path, options.incremental ? ", .incremental" : "",
        options.compress ? ", .compress" : "",
        options.async.zero_copy ? ", .async.zero_copy" : "",
        options.progress ? ", held" : "");
    mix_trouble_begin(m);
    varve_job *job =
        varve_write_async(g->nodes[root], path, &options, &m->error);
    begin(m, new, job, mix_trouble_end(m));
}

void mix_save_behind(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    (void)b;
    if (m->saved.count + m->job_count >= MIX_KEPT ||
        mix_is_refused(m, at, 0, 3))
        return;
    mix_finish_saves(m, at);
    const varve_write_options options = choose_options(m, at, c);
    struct mix_job new = { .kind = MIX_NUMBERED, .graph = at };
    new.file = mix_file_of(&g->shape, 0, VARVE_FORMAT_VARVE);
    mix_say(m, "b%d = varve_save_async(g%dn0, \"p\"%s%s%s%s);", m->job_count,
        at, options.incremental ? ", .incremental" : "",
        options.compress ? ", .compress" : "",
        options.async.zero_copy ? ", .async.zero_copy" : "",
        options.progress ? ", held" : "");
    mix_trouble_begin(m);
    varve_job *job =
        varve_save_async(g->nodes[0], mix_path(m, "p"), &options, &m->error);
    begin(m, new, job, mix_trouble_end(m));
}

/* --- Pending saves -------------------------------------------------------- */

/* Returns a job with a handle. */
static struct mix_job *choose(struct mix *m, uint8_t by)
{
    for (uint8_t i = 0; i < m->job_count; i++) {
        struct mix_job *job = &m->jobs[(by + i) % m->job_count];
        if (job->job)
            return job;
    }
    return NULL;
}

/* All jobs before it are then complete as well. */
void mix_wait(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_job *job = choose(m, a);
    (void)b;
    (void)c;
    if (!job)
        return;
    const varve_job *waited = job->job;
    uint8_t graph = job->graph;
    mix_gate_open(m);
    varve_status status = varve_job_wait(job->job, &m->error);
    for (bool is_over = false; !is_over;) {
        const struct mix_job *first = m->jobs;
        while (first->graph != graph)
            first++;
        MIX_CHECK(!first->job || varve_job_is_done(first->job),
            "a save comes before an earlier one");
        is_over = first->job == waited;
        varve_status again = mix_land(m, graph);
        MIX_CHECK(!is_over || again == status ||
                      status == VARVE_UNKNOWN_OUTCOME,
            "a second wait returns another status");
    }
}

void mix_ask_job(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_job *job = choose(m, a);
    uint64_t done, total;
    (void)b;
    if (!job)
        return;
    mix_say(m, "varve_job_progress(b%td, ...); ...", job - m->jobs);
    varve_job_progress(job->job, &done, &total);
    MIX_CHECK(done <= total, "%llu of %llu bytes", (unsigned long long)done,
        (unsigned long long)total);
    bool has_path = varve_job_path(job->job) != NULL;
    MIX_CHECK(
        !has_path || varve_job_is_done(job->job), "a path before the end");
    if (c & 1)
        mix_expect(m, "varve_job_wait_staged",
            varve_job_wait_staged(job->job, &m->error), VARVE_OK, VARVE_OK);
}

void mix_cancel(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_job *job = choose(m, a);
    (void)b;
    (void)c;
    if (!job)
        return;
    mix_say(m, "varve_job_cancel(b%td);", job - m->jobs);
    varve_job_cancel(job->job);
    job->is_cancelled = true;
}

/* Frees a job without waiting: its error is returned by the next save. */
void mix_end_job(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    (void)c;
    if (m->job_count)
        mix_land_unreported(m, m->jobs[a % m->job_count].graph);
}
