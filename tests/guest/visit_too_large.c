/* visit_too_large.c - Visits files that exceed the size limit of the process:
 * each call must return an error, and none may be ended by SIGXFSZ.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

static void fail_in_formats(struct guest *g, struct state *s)
{
    static const varve_format formats[] = { VARVE_FORMAT_VARVE,
        VARVE_FORMAT_TENSORFLOW, VARVE_FORMAT_TENSORFLOW_NAMES,
        VARVE_FORMAT_SAFETENSORS, VARVE_FORMAT_NPZ };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const varve_write_options writing = { .format = formats[i] };
        FAILS(
            g, VARVE_NO_SPACE, varve_write(s->root, "a", &writing, &g->error));
    }
}

static void fail_behind(struct guest *g, struct state *s)
{
    varve_job *job;
    LEAVES(g, ANY, ANY);
    MAKES(g, job, varve_write_async(s->root, "a", NULL, &g->error));
    LEAVES(g, ANY, ANY);
    FAILS(g, VARVE_NO_SPACE, varve_job_wait(job, &g->error));
    CALL(g, varve_job_free(job));
}

static void fail_to_record(struct guest *g, struct state *s)
{
    varve_events *e;
    LEAVES(g, 1, 1);
    MAKES(g, e, varve_events_open("events", NULL, &g->error));
    for (int i = 0; i < 200; i++)
        varve_events_histogram(e, i, "h", s->weights, 2000);
    CALL(g, (void)varve_events_flush(e, &g->error));
    guest_expect(g, g->error.status == VARVE_NO_SPACE, "a flush");
    LEAVES(g, -1, -1);
    CALL(g, varve_events_free(e));
}

void visit_too_large(struct guest *g)
{
    struct state s;
    varve_snapshot *snapshot;
    varve_manager *manager;
    const varve_write_options incremental = { .incremental = true };
    state_open(&s, g);
    fail_in_formats(g, &s);
    FAILS(g, VARVE_NO_SPACE, varve_save(s.root, "b", NULL, &g->error));
    FAILS(g, VARVE_NO_SPACE, varve_save(s.root, "b", &incremental, &g->error));
    fail_behind(g, &s);
    MAKES(g, snapshot, varve_snapshot_new(s.root, &g->error));
    FAILS(g, VARVE_NO_SPACE,
        varve_snapshot_write(snapshot, "s.varve", NULL, &g->error));
    CALL(g, varve_snapshot_free(snapshot));
    LEAVES(g, 0, ANY);
    MAKES(g, manager, varve_manager_new(s.root, "run", NULL, &g->error));
    LEAVES(g, 0, ANY);
    FAILS(g, VARVE_NO_SPACE, varve_manager_save(manager, 1, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_manager_free(manager));
    fail_to_record(g, &s);
    LEAVES(g, ANY, 0); /* the thread of the graph's jobs ends */
    CALL(g, state_close(&s));
}
