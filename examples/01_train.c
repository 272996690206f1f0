/* 01_train.c - a network that learns to write like a text, is killed at any
 * moment, and goes on as if nothing had happened.
 *
 *     01_train [--steps N] [--save-every K] [--keep N] [--seed S]
 *              [--directory DIR] [--quiet] [TEXT]
 *
 * Introduces the whole round: components that live at nodes of a graph,
 * variables whose memory the library allocates, slot variables; random streams
 * and a shuffled data set that remember where they are; a manager that resumes,
 * saves and deletes what is old; events that TensorBoard shows. All that the
 * next step depends on is in the graph: parameters, the optimizer's state, the
 * place in the data, the random streams. So the last checkpoint is the same,
 * bit for bit, however often the run was killed.
 *
 * What lives in the graph, optimizer, layers and data, is in 01_parts.c. The
 * arithmetic is in support/text_model.c and knows nothing of checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

#include "01_parts.h"
#include "support/arguments.h"

enum { PRINT_EVERY = 25, SAMPLE_SIZE = 300 };

static const double smoothing = 0.05;

/* --- All of the training ------------------------------------------------ */

struct training {
    const struct arguments *arguments;
    struct text text;
    varve_records *records; /* windows of the text */
    varve_events *events;   /* NULL: none are recorded */
    varve_graph *graph;
    varve_manager *manager; /* of the checkpoints */
    varve_node *embedding;
    struct layer layers[LAYERS];
    struct network network;
    struct adam adam;
    varve_random initial; /* draws the first values */
    varve_random noise;   /* blurs the text */
    int64_t step;
    double loss; /* in bits per character, smoothed */
};

static void warn(const char *what)
{
    fprintf(stderr, "01_train: warning: %s\n", what);
}

/* A run without events is still a run: this does not fail. */
static void open_events(struct training *t)
{
    char directory[4096];
    varve_error error;
    snprintf(directory, sizeof directory, "%s/events", t->arguments->directory);
    t->events = varve_events_open(directory, NULL, &error);
    if (!t->events)
        warn(error.message);
}

/* Names everything that has a place in a checkpoint. The layers stay empty. */
static void declare(struct training *t)
{
    t->loss = log2(CODES);
    /* [declare] */
    t->graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(t->graph);
    varve_node *model = varve_add_object(root, "model");
    t->embedding = varve_add_object(model, "embedding");
    varve_node *layers = varve_add_list(model, "layers");
    for (size_t i = 0; i < LAYERS; i++)
        layer_init(&t->layers[i], varve_add_object(layers, VARVE_APPEND),
            &t->network.layer[i], i + 1 < LAYERS ? HIDDEN : CODES);
    adam_init(&t->adam, varve_add_object(root, "optimizer"));

    varve_set_seed(t->graph, t->arguments->seed);
    varve_add_random(model, "initial", &t->initial, 0);
    varve_add_random(root, "noise", &t->noise, 0);
    varve_add_records(root, "data", t->records);
    varve_add_events(root, "events", t->events);
    varve_add_variable(root, "step", varve_scalar(&t->step));
    varve_add_variable(root, "loss", varve_scalar(&t->loss));
    /* [/declare] */
}

static void build(struct training *t)
{
    t->network.embedding = embedding_build(t->embedding, &t->adam, &t->initial);
    size_t inputs = CONTEXT * WIDTH;
    for (size_t i = 0; i < LAYERS; i++) {
        layer_build(&t->layers[i], inputs, &t->adam, &t->initial);
        inputs = t->network.layer[i].outputs;
    }
}

/* --- Resuming ----------------------------------------------------------- */

static void say_where(const struct training *t)
{
    const varve_restoration *found = varve_manager_restoration(t->manager);
    const char *bad;
    for (size_t i = 0; (bad = varve_manager_passed_over(t->manager, i)); i++)
        warn(bad);
    if (t->arguments->quiet)
        return;
    if (found)
        printf("resumed at step %" PRId64 " from %s\n", t->step,
            varve_restoration_path(found));
    else
        printf("fresh start: %zu characters to learn, %zu numbers to find\n",
            t->text.size, t->adam.used);
}

/* [check] */
/* That nothing was forgotten: every variable has a value, every saved value has
 * found its home, and the data are those that the position is a position in. */
static varve_status check(struct training *t, varve_error *error)
{
    varve_restoration *found = varve_manager_restoration(t->manager);
    varve_status status =
        varve_require_ready(varve_graph_root(t->graph), NULL, error);
    if (!status && found)
        status = varve_assert_consumed(found, error);
    if (!status)
        status = varve_records_check(t->records, error);
    return status;
}
/* [/check] */

/* [start] */
/* Resumes first and builds then: values wait for the layers to appear. */
static varve_status start(struct training *t, varve_error *error)
{
    const struct arguments *a = t->arguments;
    varve_manager_options options = {
        .interval_steps = a->save_every,
        .keep_last = a->keep,
        .keep_best = a->keep > 0, /* beside them the one of the least loss */
        .metric = "loss",
    };
    declare(t);
    t->manager = varve_manager_new(
        varve_graph_root(t->graph), a->directory, &options, error);
    if (!t->manager)
        return error->status;
    varve_status status = varve_manager_resume(t->manager, error);
    if (status)
        return status;
    build(t);
    status = check(t, error);
    if (!status)
        say_where(t);
    return status;
}
/* [/start] */

/* --- Saving, also when somebody wants the program to end ---------------- */

/* [stop] */
static varve_manager *signalled;
static volatile sig_atomic_t is_stopping;

/* The first signal ends the run after this step; a second one ends it now. */
static void stop(int number)
{
    signal(number, SIG_DFL);
    varve_manager_request_save(signalled);
    is_stopping = 1;
}
/* [/stop] */

static void catch_signals(varve_manager *manager)
{
    signalled = manager;
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
}

/* [save] */
/* Saves if the interval is over, if a signal asked for it, or by force. Events
 * are written first, so that all up to a checkpoint are there beside it. */
static varve_status save(struct training *t, bool force, varve_error *error)
{
    if (!force && !varve_manager_is_due(t->manager, t->step))
        return VARVE_OK;
    varve_error lost; /* what goes wrong with events ends nothing */
    if (varve_events_flush(t->events, &lost))
        warn(lost.message);
    varve_manager_save_options options = {
        .has_metric = true, .metric = t->loss, .force = true
    };
    varve_status status =
        varve_manager_save_with(t->manager, t->step, &options, error);
    if (!status && !t->arguments->quiet)
        printf("saved %s\n", varve_manager_saved(t->manager));
    if (!status && varve_manager_warning(t->manager))
        warn(varve_manager_warning(t->manager));
    return status;
}
/* [/save] */

/* --- The loop ----------------------------------------------------------- */

static varve_status learn(struct training *t, varve_error *error)
{
    varve_batch windows;
    varve_status status = varve_records_next(t->records, &windows, error);
    if (status)
        return status;
    struct batch batch;
    batch_fill(&batch, windows.records[0].data, &t->noise);
    double loss = network_learn(&t->network, &batch);
    t->loss += smoothing * (loss - t->loss);
    adam_apply(&t->adam);
    t->step++;
    varve_events_scalar(t->events, t->step, "loss", loss);
    return VARVE_OK;
}

/* [histogram] */
static varve_status record_histogram(
    void *user, varve_node *variable, const char *path)
{
    struct training *t = user;
    const varve_tensor *value = varve_value(variable);
    varve_events_histogram(t->events, t->step, path, value->data,
        (size_t)varve_tensor_count(value));
    return VARVE_OK;
}

static void report(struct training *t)
{
    varve_error error;
    varve_select trained = { .tag = VARVE_TAG_TRAINABLE };
    if (varve_each(
            varve_graph_root(t->graph), &trained, record_histogram, t, &error))
        warn(error.message);
    if (!t->arguments->quiet)
        printf(
            "step %5" PRId64 "  %.3f bits per character\n", t->step, t->loss);
}
/* [/histogram] */

/* [train] */
/* The first values are saved before the first step: a disk that is full shows
 * now, not after an hour. A finished run that is started again does nothing. */
static varve_status train(struct training *t, varve_error *error)
{
    varve_status status = save(t, false, error);
    while (!status && !is_stopping && t->step < t->arguments->steps) {
        status = learn(t, error);
        bool is_last = t->step == t->arguments->steps;
        if (!status && (is_last || t->step % PRINT_EVERY == 0))
            report(t);
        if (!status)
            status = save(t, is_last, error);
    }
    return status ? status : save(t, false, error); /* if a signal came since */
}
/* [/train] */

/* --- The program -------------------------------------------------------- */

/* The text that was named, or one that most systems have. */
static const char *load_text(struct text *text, const char *path)
{
    if (!path && text_load(text, "/usr/share/common-licenses/GPL-3"))
        return NULL;
    path = path ? path : "README.md";
    return text_load(text, path) ? NULL : path;
}

/* A stream that is split off draws the sample: training goes on as without. */
static void write_sample(struct training *t)
{
    char sample[SAMPLE_SIZE + 1];
    varve_random random = varve_random_split(&t->noise, "sample");
    network_write(&t->network, text_code('\n'), sample, SAMPLE_SIZE, &random);
    varve_events_text(t->events, t->step, "sample", sample);
    if (!t->arguments->quiet)
        puts(sample);
}

static varve_status run(struct training *t, varve_error *error)
{
    open_events(t);
    t->records = open_windows(&t->text, t->arguments->seed, error);
    if (!t->records)
        return error->status;
    varve_status status = start(t, error);
    if (status)
        return status;
    catch_signals(t->manager);
    status = train(t, error);
    if (!status && t->step >= t->arguments->steps)
        write_sample(t);
    else if (!status)
        printf("stopped at step %" PRId64 "; start again to go on\n", t->step);
    return status;
}

static void release(struct training *t)
{
    signalled = NULL;
    varve_manager_free(t->manager);
    varve_graph_free(t->graph);
    varve_records_free(t->records);
    varve_events_free(t->events);
    text_free(&t->text);
}

int main(int argc, char **argv)
{
    static struct training training; /* too large for some stacks */
    struct arguments arguments = {
        .steps = 300,
        .save_every = 50,
        .keep = 5,
        .seed = 1,
        .directory = "run/01_train",
    };
    training.arguments = &arguments;
    if (!arguments_parse(&arguments, argc, argv)) {
        fprintf(stderr,
            "usage: 01_train [--steps N] [--save-every K] [--keep N] "
            "[--seed S] [--directory DIR] [--quiet] [TEXT]\n");
        return 2;
    }
    const char *bad = load_text(&training.text, arguments.text);
    if (bad) {
        fprintf(stderr, "%s: %s\n", bad, strerror(errno));
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* each line at once */
    varve_error error;
    varve_status status = run(&training, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    release(&training);
    return status ? 1 : 0;
}
