/* visit_groups.c - Visits collective calls of a single process, and functions
 * that divide values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

void visit_groups(struct guest *g)
{
    struct state s;
    varve_processes *all;
    const varve_comm *comm;
    varve_restoration *r;
    varve_job *job;
    state_open(&s, g);
    MAKES(g, all, varve_processes_new(1, NULL, &g->error));
    MAKES(g, comm, varve_processes_join(all, 0, &g->error));
    GOOD(g, varve_write_all(comm, s.root, "a.varve", NULL, &g->error));
    LEAVES(g, 0, ANY);
    MAKES(g, r, varve_read_all(comm, s.root, "a", NULL, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_restoration_free(r));
    GOOD(g, varve_save_all(comm, s.root, "b", NULL, &g->error));
    LEAVES(g, 0, ANY);
    const varve_write_options incremental = { .incremental = true };
    for (int i = 0; i < 2; i++)
        GOOD(g, varve_save_all(comm, s.root, "b", &incremental, &g->error));
    LEAVES(g, 0, ANY);
    LEAVES(g, ANY, ANY);
    MAKES(g, job, varve_write_all_async(comm, s.root, "a.varve", NULL,
        &g->error));
    LEAVES(g, ANY, ANY);
    GOOD(g, varve_job_wait(job, &g->error));
    CALL(g, varve_job_free(job));
    LEAVES(g, ANY, ANY);
    MAKES(g, job, varve_save_all_async(comm, s.root, "b", &incremental,
        &g->error));
    LEAVES(g, ANY, ANY);
    GOOD(g, varve_job_wait(job, &g->error));
    CALL(g, varve_job_free(job));
    LEAVES(g, ANY, ANY);
    MAKES(g, r, varve_restore_all(comm, s.root, "b", NULL, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_restoration_free(r));
    FAILS(g, VARVE_MISUSE, varve_agree(comm, VARVE_MISUSE, &g->error));
    CALL(g, (void)varve_any(comm, true));
    CALL(g, varve_processes_free(all));
    LEAVES(g, ANY, ANY);
    CALL(g, state_close(&s));
}

void visit_shares(struct guest *g)
{
    float values[SMALL] = { 0 };
    uint64_t loads[2] = { 0 };
    varve_tensor value = varve_array(values, SMALL);
    CALL(g, (void)varve_place_round_robin(3, 2));
    CALL(g, (void)varve_place_by_load(loads, 2, 5));
    CALL(g, (void)varve_place_by_path("path", NULL, 2));
    CALL(g, (void)varve_parts_at_most(&value, 0, 8, 0));
    CALL(g, (void)varve_parts_at_least(&value, 0, 8, 0));
    CALL(g, (void)varve_part_at(&value, 0, 2, 1));
}
