/* visit_managers.c - Visits managers, savers, watches and leases.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

static varve_status initialize(void *user)
{
    (void)user;
    guest_called_back("initialize of a manager");
    return VARVE_OK;
}

/* Saves with a manager. After the first save it holds a lock, which is an open
 * file. The child of such a process inherits it, so no other process can save
 * in that directory. */
static void manage(struct guest *g, struct state *s, bool is_async)
{
    const varve_manager_options options = { .keep_last = 2,
        .keep_best = 1,
        .async = is_async,
        .initialize = initialize };
    const char *directory = is_async ? "behind" : "run";
    varve_manager *m;
    LEAVES(g, 0, ANY);
    MAKES(g, m, varve_manager_new(s->root, directory, &options, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_resume(m, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_assert_consumed(m, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_finish_resume(m, &g->error));
    for (int64_t step = 1; step < 5; step++) {
        const varve_manager_save_options save = {
            .has_metric = true, .metric = 0.5 / (double)step, .force = true
        };
        LEAVES(g, ANY, ANY); /* while the save runs */
        GOOD(g, varve_manager_save_with(m, step, &save, &g->error));
        LEAVES(g, ANY, ANY);
        GOOD(g, varve_manager_wait(m, &g->error));
    }
    CALL(g, varve_manager_request_save(m));
    LEAVES(g, ANY, ANY);
    GOOD(g, varve_manager_save(m, 9, &g->error));
    LEAVES(g, ANY, ANY);
    GOOD(g, varve_manager_refresh(m, &g->error));
    varve_checkpoint_info last = { .number = 0 };
    CALL(g, (void)varve_manager_at(m, varve_manager_count(m) - 1, &last));
    uint64_t number = last.number;
    GOOD(g, varve_manager_pin(m, number, &g->error));
    GOOD(g, varve_manager_unpin(m, number, &g->error));
    FAILS(g, VARVE_NOT_FOUND, varve_manager_pin(m, 999, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_prune_dry_run(m, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_prune(m, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_manager_free(m));
}

/* Visits a manager with tiers. Its threads run from the first copy until the
 * manager is freed. */
static void visit_levels(struct guest *g, struct state *s)
{
    const varve_level levels[] = { { .directory = "slow", .keep_last = 1 } };
    const varve_manager_options options = {
        .levels = levels, .level_count = 1
    };
    varve_manager *m;
    LEAVES(g, 0, ANY);
    MAKES(g, m, varve_manager_new(s->root, "fast", &options, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_drain(m, 0, &g->error));
    LEAVES(g, 1, ANY);
    GOOD(g, varve_manager_save(m, 1, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_drain(m, -1, &g->error));
    LEAVES(g, -1, ANY);
    CALL(g, varve_manager_free(m));
}

/* Visits runs. Other tests check signal handlers; these calls must leave
 * none. */
static void visit_runs(struct guest *g)
{
    const varve_run_options options = {
        .manager = { .interval_steps = 2, .keep_last = 2 }
    };
    varve_run *run;
    int64_t step = 0;
    LEAVES(g, 0, 0);
    MAKES(g, run, varve_run_new(NULL));
    varve_node *root;
    MAKES(g, root, varve_run_root(run));
    varve_add_variable(root, "step", varve_scalar(&step));
    LEAVES(g, 0, ANY);
    CALL(g, varve_run_open(run, "ran", &options));
    for (step = 1; step < 4; step++) {
        LEAVES(g, 0, ANY); /* the lock of its manager */
        CALL(g, varve_run_step(run, step));
    }
    const varve_manager_save_options save = { .force = true };
    LEAVES(g, 0, ANY);
    CALL(g, varve_run_step_with(run, step, &save));
    CALL(g, varve_run_stop(run));
    CALL(g, (void)varve_run_check_resume(run));
    CALL(g, (void)varve_run_should_continue(run));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_run_end(run, &g->error));
    FAILS(g, VARVE_MISUSE, varve_run_end(NULL, &g->error));
    CALL(g, varve_run_free(varve_run_new(NULL)));
}

void visit_managers(struct guest *g)
{
    struct state s;
    state_open(&s, g);
    manage(g, &s, false);
    g->is_at_home = true; /* two managers would use the directory */
    visit_levels(g, &s);
    manage(g, &s, true);
    visit_runs(g);
    g->is_at_home = false;
    LEAVES(g, -1, ANY);
    CALL(g, state_close(&s));
}

void visit_savers(struct guest *g)
{
    struct state s;
    varve_saver *saver;
    const varve_saver_options options = { .keep = 2 };
    const char *const paths[] = { "v-1.varve" };
    state_open(&s, g);
    varve_node *model = varve_find(s.root, "model");
    MAKES(g, saver, varve_saver_new(s.graph, &options, &g->error));
    GOOD(g, varve_saver_add_under(saver, "model", model, &g->error));
    GOOD(g,
        varve_saver_add(saver, "step", varve_find(s.root, "step"), &g->error));
    FAILS(g, VARVE_DUPLICATE,
        varve_saver_add(saver, "step", varve_find(s.root, "step"), &g->error));
    for (uint64_t i = 1; i < 4; i++) {
        const varve_saver_save_options save = { .has_step = true, .step = i };
        LEAVES(g, 0, ANY); /* keeps the next file to delete open */
        GOOD(g, varve_saver_save(saver, "v", &save, &g->error));
    }
    GOOD(g, varve_saver_wait(saver, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_saver_restore(saver, "v", NULL, NULL, &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_saver_recover(saver, "v", &g->error));
    LEAVES(g, 0, ANY);
    GOOD(g, varve_saver_set_list(saver, paths, 1, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_saver_free(saver));
    MAKES(g, saver, varve_saver_new(s.graph, &options, &g->error));
    GOOD(g, varve_saver_add_named(saver, model, &g->error));
    CALL(g, varve_saver_free(saver));
    CALL(g, state_close(&s));
}

static bool is_done(void *user)
{
    (void)user;
    guest_called_back("done of a watch");
    return false;
}

void visit_watches(struct guest *g)
{
    struct state s;
    varve_watch *watch;
    varve_lease *lease;
    const char *path;
    const varve_watch_options options = { .done = is_done };
    state_open(&s, g);
    GOOD(g, varve_save(s.root, "w", NULL, &g->error));
    MAKES(g, watch, varve_watch_new("w", &options, &g->error));
    LEAVES(g, 0, 1); /* a lease is an open file */
    GOOD(g, varve_watch_next(watch, 0, &path, &g->error));
    LEAVES(g, 0, ANY);
    FAILS(g, VARVE_TIMEOUT, varve_watch_next(watch, 1, &path, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_watch_free(watch));
    LEAVES(g, 0, 1);
    MAKES(g, lease, varve_lease_new("w", NULL, &g->error));
    GOOD(g, varve_lease_check(lease, &g->error));
    FAILS(g, VARVE_MISUSE, varve_lease_check(NULL, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_lease_free(lease));
    REFUSES(g, VARVE_NOT_FOUND, varve_lease_new("none", NULL, &g->error));
    CALL(g, state_close(&s));
}
