/* life.c - Runs one life of a program: resumes, checks the restored state, and
 * continues.
 *
 * SPDX-License-Identifier: MIT
 */
#include "life.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <varve/processes.h>
#include <varve/varve.h>

#include "support/proof.h"

#ifdef VV_HAVE_ZSTD
enum { PACKS = 1 };
#else
enum { PACKS = 0 };
#endif

enum { PATH_SIZE = 4096 };

struct life {
    const varve_comm *comm;
    const struct plan *plan;
    varve_graph *graph;
    varve_manager *manager;
    void *state;
    int64_t step;
    int64_t saving; /* step of the current save; -1: none */
    bool is_wrong;
};

/* --- A rank that dies ----------------------------------------------------- */

struct mortal {
    varve_comm comm;
    const varve_comm *inner;
    int64_t left;
};

static const varve_comm *count_down(void *self)
{
    struct mortal *m = self;
    if (m->left >= 0 && m->left-- == 0)
        kill(getpid(), SIGKILL);
    return m->inner;
}

static varve_status agree(void *self, uint64_t *value)
{
    const varve_comm *c = count_down(self);
    return c->agree(c->self, value);
}

static varve_status gather(
    void *self, const void *bytes, size_t size, void *all)
{
    const varve_comm *c = count_down(self);
    return c->gather(c->self, bytes, size, all);
}

static varve_status gather_varied(void *self, const void *bytes, size_t size,
    void *all, const uint64_t *sizes)
{
    const varve_comm *c = count_down(self);
    return c->gather_varied(c->self, bytes, size, all, sizes);
}

static varve_status broadcast(void *self, void *bytes, size_t size)
{
    const varve_comm *c = count_down(self);
    return c->broadcast(c->self, bytes, size);
}

static varve_status shift(void *self, const varve_shift *step)
{
    const varve_comm *c = count_down(self);
    return c->shift(c->self, step);
}

static varve_status barrier(void *self)
{
    const varve_comm *c = count_down(self);
    return c->barrier(c->self);
}

/* Calls on a duplicated communicator are not counted: only a timer kills during
 * them. */
static varve_status duplicate(void *self, varve_comm **copy)
{
    const varve_comm *c = count_down(self);
    return c->duplicate(c->self, copy);
}

static struct mortal make_mortal(const varve_comm *inner, int64_t calls)
{
    return (struct mortal){ .inner = inner,
        .left = calls,
        .comm = { .rank = inner->rank,
            .size = inner->size,
            .node = inner->node,
            .agree = agree,
            .gather = gather,
            .gather_varied = gather_varied,
            .broadcast = broadcast,
            .barrier = barrier,
            .shift = inner->shift ? shift : NULL,
            .duplicate = inner->duplicate ? duplicate : NULL } };
}

/* --- What was meant, and what was reported -------------------------------- */

struct note {
    int64_t step;
    uint64_t sum;
};

static FILE *open_notes(
    const struct plan *plan, const char *name, const char *mode)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", plan->directory, name);
    return fopen(path, mode);
}

/* Appends a record on rank 0. Records survive, because only processes are
 * killed. */
static void note(
    const struct life *l, const char *name, int64_t step, uint64_t sum)
{
    const struct note one = { step, sum };
    FILE *file = l->comm->rank == 0 ? open_notes(l->plan, name, "ab") : NULL;
    if (!file)
        return;
    setvbuf(file, NULL, _IONBF, 0);
    if (fwrite(&one, sizeof one, 1, file) != 1)
        abort();
    fclose(file);
}

/* Returns true if this state was recorded, and sets the last recorded step. */
static bool is_noted(
    const struct life *l, const char *name, uint64_t sum, int64_t *last)
{
    struct note one;
    bool is_found = false;
    FILE *file = open_notes(l->plan, name, "rb");
    *last = 0;
    while (file && fread(&one, sizeof one, 1, file) == 1) {
        is_found = is_found || (one.step == l->step && one.sum == sum);
        *last = one.step;
    }
    if (file)
        fclose(file);
    return is_found;
}

/* --- What is right -------------------------------------------------------- */

uint64_t *live_unbroken(const struct world *world, int64_t steps)
{
    varve_error error = { 0 };
    varve_processes *alone = varve_processes_new(1, NULL, &error);
    const varve_comm *comm = varve_processes_join(alone, 0, &error);
    varve_graph *graph = varve_graph_new(NULL);
    void *state = comm ? world->make(comm, varve_graph_root(graph)) : NULL;
    uint64_t *sums = calloc((size_t)steps + 1, sizeof *sums);
    bool is_good = state && sums && !world->sum(state, sums);
    for (int64_t i = 1; is_good && i <= steps; i++)
        is_good = !world->step(state) && !world->sum(state, sums + i);
    varve_graph_free(graph);
    world->free(state);
    varve_processes_free(alone);
    if (is_good)
        return sums;
    free(sums);
    return NULL;
}

static bool is_as_unbroken(const struct life *l, uint64_t sum)
{
    const struct plan *plan = l->plan;
    if (plan->expected)
        return plan->expected[l->step] == sum;
    uint64_t *sums = live_unbroken(plan->world, l->step);
    bool is_equal = sums && sums[l->step] == sum;
    free(sums);
    return is_equal;
}

/* Checks the restored state on rank 0. */
static void look(struct life *l, uint64_t sum, bool is_resumed)
{
    int64_t saved = 0, meant = 0;
    is_noted(l, "saved", 0, &saved);
    const char *what = NULL;
    if (is_resumed && l->step < saved)
        what = "a saved checkpoint is missing";
    else if (is_resumed && l->step > 0 && !is_noted(l, "meant", sum, &meant))
        what = "the state differs from the recorded one";
    else if (l->plan->world->is_exact && !is_as_unbroken(l, sum))
        what = "the state differs from an uninterrupted run";
    if (!what)
        return;
    fprintf(stderr,
        "lives: %s, %" PRIu32 " ranks, at step %" PRId64 " (saved: %" PRId64
        "), seed %" PRIu64 ": %s\n",
        l->plan->world->name, l->comm->size, l->step, saved, l->plan->seed,
        what);
    l->is_wrong = true;
}

static varve_status sum_and_look(struct life *l, uint64_t *sum, bool is_resumed)
{
    varve_status status = l->plan->world->sum(l->state, sum);
    if (!status && l->comm->rank == 0)
        look(l, *sum, is_resumed);
    uint64_t is_wrong = l->is_wrong;
    if (!status)
        status = l->comm->agree(l->comm->self, &is_wrong);
    l->is_wrong = is_wrong && !status;
    return l->is_wrong ? VARVE_MISMATCH : status;
}

/* --- One life ------------------------------------------------------------- */

static varve_status begin(
    struct life *l, varve_manager_options *options, varve_error *error)
{
    char near[PATH_SIZE], far[PATH_SIZE];
    const varve_level level = {
        .directory = far, .keep_last = 1, .incremental = l->plan->seed % 2
    };
    varve_node *root;
    snprintf(near, sizeof near, "%s/" LIVES_NEAR, l->plan->directory);
    snprintf(far, sizeof far, "%s/far", l->plan->directory);
    const varve_redundancy redundancy = {
        .scheme = l->plan->seed % 2 ? VARVE_XOR : VARVE_PARTNER,
        .group_size = 2 + (uint32_t)(l->plan->seed % 5),
        .domain = l->comm->rank + 1
    };
    if (l->plan->on_nodes) {
        options->redundancy = &redundancy;
    } else {
        options->levels = &level;
        options->level_count = 1;
    }
    l->graph = varve_graph_new(NULL);
    root = varve_graph_root(l->graph);
    varve_add_variable(root, "step", varve_scalar(&l->step));
    l->state = l->plan->world->make(l->comm, root);
    if (!l->state)
        return VARVE_NO_MEMORY;
    l->manager = varve_manager_new(root, near, options, error);
    return l->manager ? VARVE_OK : error->status;
}

static varve_status resume(struct life *l, varve_error *error)
{
    uint64_t sum;
    varve_status status = varve_manager_resume(l->manager, error);
    varve_restoration *r = varve_manager_restoration(l->manager);
    if (!status && r)
        status = varve_agree(l->comm, varve_assert_consumed(r, error), error);
    return status ? status : sum_and_look(l, &sum, true);
}

static void note_saved(struct life *l)
{
    if (l->saving >= 0)
        note(l, "saved", l->saving, 0);
    l->saving = -1;
}

/* Waits for an asynchronous save, which ran during a whole step. */
static varve_status wait_for_save(struct life *l, varve_error *error)
{
    varve_status status = varve_manager_wait(l->manager, error);
    if (!status)
        note_saved(l);
    return status;
}

static varve_status take_step(struct life *l, uint64_t *sum, varve_error *error)
{
    varve_status status = l->plan->world->step(l->state);
    l->step++;
    if (!status)
        status = l->plan->world->sum(l->state, sum);
    if (!status)
        status = wait_for_save(l, error);
    if (status)
        return status;
    note(l, "meant", l->step, *sum);
    if (varve_manager_is_due(l->manager, l->step))
        l->saving = l->step;
    status = varve_manager_save(l->manager, l->step, error);
    if (!status && varve_manager_saved(l->manager))
        note_saved(l);
    return status;
}

static varve_status go_on(struct life *l, varve_error *error)
{
    uint64_t sum = 0;
    varve_status status = VARVE_OK;
    for (int64_t i = 0; !status && i < l->plan->steps; i++)
        status = take_step(l, &sum, error);
    if (!status)
        status = wait_for_save(l, error);
    if (!status)
        status = sum_and_look(l, &sum, false);
    return status ? status : varve_manager_drain(l->manager, -1, error);
}

static int tell(
    const struct life *l, varve_status status, const varve_error *error)
{
    if (l->is_wrong)
        return LIFE_WRONG;
    if (!status)
        return LIFE_ENDED;
    if (status == VARVE_DISCONNECTED)
        return LIFE_DISCONNECTED;
    fprintf(stderr,
        "lives: %s, rank %" PRIu32 " of %" PRIu32 ", at step %" PRId64
        ", seed %" PRIu64 ": %s: %s\n",
        l->plan->world->name, l->comm->rank, l->comm->size, l->step,
        l->plan->seed, varve_status_name(status), error->message);
    return LIFE_WRONG;
}

/* Restricts the options to those that managers of nodes support. */
static void fit_nodes(
    varve_manager_options *options, varve_write_options *write)
{
    write->incremental = false;
    write->collective.files = 0;
    options->async = false;
}

/* The save options differ from life to life. */
int live(const varve_comm *comm, const struct plan *plan)
{
    uint64_t random = plan->seed;
    varve_error error = { 0 };
    struct mortal mortal = make_mortal(comm, plan->dies_at);
    mortal.comm.self = &mortal;
    struct life l = { .comm = &mortal.comm, .plan = plan, .saving = -1 };
    varve_write_options write = { .incremental = proof_next(&random) % 2,
        .compress = proof_next(&random) % 3 == 0 ? PACKS : 0,
        .collective.files = (unsigned)(proof_next(&random) % 4) };
    varve_manager_options options = { .comm = l.comm,
        .write = &write,
        .keep_last = 1 + (size_t)(proof_next(&random) % 3),
        .interval_steps = 1 + proof_next(&random) % 3,
        .async = comm->duplicate && proof_next(&random) % 2 };
    if (plan->on_nodes)
        fit_nodes(&options, &write);
    varve_status status = begin(&l, &options, &error);
    if (!status)
        status = resume(&l, &error);
    if (!status)
        status = go_on(&l, &error);
    int end = tell(&l, status, &error);
    varve_manager_free(l.manager);
    varve_graph_free(l.graph);
    plan->world->free(l.state);
    return end;
}
