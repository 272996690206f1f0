/* running.c - Saves while a program runs, in several ways, for docs/howto.
 *
 *     running keep|levels|sigterm|memory|cancel
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

static int64_t step;
static double loss;

static varve_status take_step(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    step++;
    loss = 1.0 + (double)((step - 4) * (step - 4)); /* the fourth is the best */
    return VARVE_OK;
}

static varve_graph *build(varve_node **root)
{
    varve_graph *graph = varve_graph_new(NULL);
    *root = varve_graph_root(graph);
    varve_add_variable(*root, "step", varve_scalar(&step));
    varve_add_variable(*root, "loss", varve_scalar(&loss));
    return graph;
}

static void tell_what_stays(varve_manager *manager)
{
    varve_checkpoint_info at;
    for (size_t i = 0; varve_manager_at(manager, i, &at); i++)
        printf("%s, step %d: %s\n", at.path, (int)at.step, at.kept);
}

static varve_status keep(varve_error *error)
{
    varve_node *root;
    varve_graph *graph = build(&root);
    /* [keep] */
    varve_manager_options options = {
        .keep_last = 2,
        .keep_best = 1,
        .metric = "loss",           /* a smaller metric is better */
        .keep_every_seconds = 3600, /* and one of each hour, without limit */
    };
    /* [/keep] */
    varve_manager *manager = varve_manager_new(root, "run", &options, error);
    varve_status status = manager ? VARVE_OK : error->status;
    while (!status && step < 9) {
        status = take_step();
        varve_manager_save_options save = { .has_metric = true,
            .metric = loss };
        if (!status)
            status = varve_manager_save_with(manager, step, &save, error);
    }
    if (!status)
        tell_what_stays(manager);
    varve_manager_free(manager);
    varve_graph_free(graph);
    return status;
}

static void tell_how_far(const varve_manager *manager)
{
    varve_level_state at;
    for (size_t i = 0; varve_manager_level_at(manager, i, &at); i++)
        printf("%s: step %d, %d pending, %d skipped, %s\n", at.directory,
            (int)at.step, (int)at.waiting, (int)at.left_out,
            at.failure ? at.failure : "no failure");
}

static varve_status levels(varve_error *error)
{
    varve_node *root;
    varve_graph *graph = build(&root);
    /* [levels] */
    const varve_level levels[] = {
        { .directory = "shared",
            .every_steps = 3,
            .keep_last = 2,
            .max_pending = 3 },
        { .directory = "archive",
            .every_steps = 9,
            .bytes_per_second = 50 << 20 }, /* all are kept */
    };
    varve_manager_options options = {
        .keep_last = 2, .levels = levels, .level_count = 2
    };
    varve_manager *manager = varve_manager_new(root, "run", &options, error);
    varve_status status =
        manager ? varve_manager_resume(manager, error) : error->status;
    /* [/levels] */
    if (!status && varve_manager_restoration(manager))
        printf("resumed from %s\n",
            varve_restoration_path(varve_manager_restoration(manager)));
    while (!status && step < 9) {
        status = take_step();
        if (!status)
            status = varve_manager_save(manager, step, error);
    }
    if (!status)
        status = varve_manager_drain(manager, 60, error);
    if (!status)
        status = varve_manager_prune(manager, error);
    if (!status)
        tell_how_far(manager);
    varve_manager_free(manager);
    varve_graph_free(graph);
    return status;
}

/* [on-term] */
static varve_manager *signalled;
static volatile sig_atomic_t is_ending;

static void on_term(int number)
{
    (void)number;
    varve_manager_request_save(signalled); /* the next save is due */
    is_ending = 1;
}
/* [/on-term] */

static varve_status train(varve_manager *manager, varve_error *error)
{
    varve_status status = varve_manager_resume(manager, error);
    signalled = manager;
    signal(SIGTERM, on_term);
    while (!status && !is_ending && step < 100000) {
        status = take_step();
        bool ends = is_ending; /* test it before the save, not after it */
        if (!status)
            status = varve_manager_save(manager, step, error);
        if (ends)
            break;
    }
    signal(SIGTERM, SIG_DFL);
    return status;
}

static varve_status sigterm(varve_error *error)
{
    varve_node *root;
    varve_graph *graph = build(&root);
    varve_manager_options options = { .interval_steps = 1000 };
    varve_manager *manager = varve_manager_new(root, "run", &options, error);
    varve_status status = manager ? train(manager, error) : error->status;
    if (!status)
        printf("ended at step %d, saved %s\n", (int)step,
            varve_manager_saved(manager) ? "it" : "nothing");
    varve_manager_free(manager);
    varve_graph_free(graph);
    return status;
}

struct budget {
    size_t used, most, limit;
};

/* Called from one thread at a time, because `threads` is 1. */
static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    struct budget *b = user;
    if (new_size > old_size && new_size - old_size > b->limit - b->used)
        return NULL; /* VARVE_NO_MEMORY; nothing has changed */
    void *block = NULL;
    if (new_size == 0)
        free(old);
    else if (!(block = realloc(old, new_size)))
        return NULL;
    b->used = b->used - old_size + new_size;
    b->most = b->used > b->most ? b->used : b->most;
    return block;
}

static varve_status memory(varve_error *error)
{
    enum { COUNT = 16 << 20 }; /* 64 MiB of floats */
    struct budget budget = { .limit = 8 << 20 };
    float *weights = calloc(COUNT, sizeof *weights);
    /* [memory] */
    varve_allocator allocator = { .function = allocate, .user = &budget };
    varve_graph *graph = varve_graph_new(&allocator);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "weights", varve_array(weights, COUNT));
    varve_read_options options = { .resources = { .staging_size = 1 << 20,
                                       .threads = 1 } };
    varve_status status = varve_write(root, "large.varve", NULL, error);
    varve_restoration *r =
        status ? NULL : varve_read(root, "large.varve", &options, error);
    /* [/memory] */
    if (r)
        printf("64 MiB were saved and restored with %s than 8 MiB\n",
            budget.most < 8 << 20 ? "less" : "more");
    status = status ? status : r ? VARVE_OK : error->status;
    varve_restoration_free(r);
    varve_graph_free(graph);
    free(weights);
    return status;
}

/* Called during the save, on the calling thread. */
static int on_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    (void)what;
    return done >= total / 2; /* nonzero cancels */
}

static varve_status cancel(varve_error *error)
{
    enum { COUNT = 4 << 20 };
    float *weights = calloc(COUNT, sizeof *weights);
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "weights", varve_array(weights, COUNT));
    varve_write_options options = { .progress = on_progress };
    varve_status status = varve_write(root, "big.varve", &options, error);
    printf("%s\n", varve_status_name(status));
    varve_graph_free(graph);
    free(weights);
    return status == VARVE_CANCELLED ? VARVE_OK : VARVE_MISUSE;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        varve_status (*show)(varve_error *error);
    } shows[] = { { "keep", keep }, { "levels", levels },
        { "sigterm", sigterm }, { "memory", memory }, { "cancel", cancel } };
    varve_error error = { .message = "usage: running keep|sigterm|..." };
    varve_status status = VARVE_MISUSE;
    for (size_t i = 0; argc == 2 && i < sizeof shows / sizeof *shows; i++)
        if (strcmp(argv[1], shows[i].name) == 0)
            status = shows[i].show(&error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
