/* visit_layers.c - Visits incremental saves, page tracking, and asynchronous
 * saves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

/* Compresses. Without Zstandard the call must report that. */
static void pack(struct guest *g, struct state *s)
{
    const varve_write_options packed = { .compress = 1 };
    varve_status status;
    varve_restoration *r;
    CALL(g, status = varve_write(s->root, "packed", &packed, &g->error));
    guest_expect(g, status == VARVE_OK || status == VARVE_TOO_NEW, "compress");
    if (status)
        return;
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_read(s->root, "packed", NULL, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_restoration_free(r));
    GOOD(g, varve_repack("packed", NULL, NULL, &g->error));
}

/* Tracks pages. This keeps a descriptor open if the system supports it. */
static void track(struct guest *g, struct state *s)
{
    const varve_write_options tracked = { .incremental = true,
        .increment.track = true };
    for (unsigned i = 0; i < 3; i++) {
        s->weights[i] = 6;
        LEAVES(g, 0, i == 0 ? ANY : 0);
        GOOD(g, varve_save(s->root, "t", &tracked, &g->error));
    }
}

void visit_layers(struct guest *g)
{
    struct state s;
    varve_restoration *r;
    varve_write_options incremental = { .incremental = true };
    state_open(&s, g);
    for (unsigned i = 0; i < 3; i++) {
        s.weights[i] = 5;
        incremental.increment.only_dirty = i == 2;
        GOOD(g, varve_save(s.root, "l", &incremental, &g->error));
    }
    LEAVES(g, 0, ANY); /* also incremental */
    MAKES(g, r, varve_restore(s.root, "l", NULL, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_restoration_free(r));
    GOOD(g, varve_repack("l", NULL, NULL, &g->error));
    GOOD(g, varve_prune_data_files_with(".", true, NULL, &g->error));
    GOOD(g, varve_prune_data_files(".", &g->error));
    pack(g, &s);
    track(g, &s);
    LEAVES(g, 0, ANY);
    CALL(g, state_close(&s));
}

/* --- In the background ---------------------------------------------------- */

/* Ends a job. While it runs, its files are open and it uses threads. In a child
 * that was forked meanwhile the job belongs to the parent and its files stay
 * open. */
static void end(struct guest *g, varve_job *job, bool was_child)
{
    varve_status status;
    LEAVES(g, ANY, ANY);
    CALL(g, status = varve_job_wait_staged(job, &g->error));
    LEAVES(g, ANY, ANY);
    CALL(g, status = varve_job_wait(job, &g->error));
    if (status != VARVE_CANCELLED || was_child == g->is_child)
        guest_expect_status(g, status, VARVE_OK, "varve_job_wait");
    CALL(g, varve_job_path(job));
    CALL(g, varve_job_free(job));
}

static void write_behind(struct guest *g, struct state *s, bool is_at_rest)
{
    varve_job *job;
    varve_write_options writing = state_writing();
    uint64_t done, total;
    bool was_child = g->is_child;
    writing.async.zero_copy = is_at_rest;
    LEAVES(g, ANY, ANY);
    MAKES(g, job, varve_write_async(s->root, "a", &writing, &g->error));
    LEAVES(g, ANY, ANY);
    CALL(g, varve_job_progress(job, &done, &total));
    LEAVES(g, ANY, ANY);
    CALL(g, (void)varve_job_is_done(job));
    end(g, job, was_child);
}

void visit_jobs(struct guest *g)
{
    struct state s;
    varve_job *job;
    state_open(&s, g);
    write_behind(g, &s, false);
    write_behind(g, &s, true);
    LEAVES(g, ANY, ANY);
    MAKES(g, job, varve_save_async(s.root, "b", NULL, &g->error));
    LEAVES(g, ANY, ANY);
    CALL(g, varve_job_cancel(job));
    LEAVES(g, ANY, ANY);
    CALL(g, varve_job_free(job));
    CALL(g, (void)varve_save_counter(s.root));
    REFUSES(g, VARVE_MISUSE,
        varve_write_async(
            s.root, "a", &(varve_write_options){ .compress = 99 }, &g->error));
    LEAVES(g, g->is_child ? ANY : -1, 0); /* the thread of the graph's jobs */
    CALL(g, state_close(&s));
    LEAVES(g, 0, g->is_child ? ANY : 0);
}
