/* 01_train.c - Trains a network to continue a text. It can be killed at any
 * time and resumes exactly.
 *
 *     01_train [--steps N] [--save-every K] [--keep N] [--seed S]
 *              [--directory DIR] [--quiet] [TEXT]
 *
 * Introduces the complete workflow:
 *
 * - components with nodes of their own in the graph;
 * - variables whose memory the library allocates, and slot variables;
 * - random streams and a shuffled data set whose positions are saved;
 * - a run that resumes, saves, deletes old checkpoints and stops on a signal;
 * - events for TensorBoard.
 *
 * The graph contains everything that the next step depends on: parameters,
 * optimizer state, the position in the data, and random streams. So the last
 * checkpoint is the same, bit for bit, if the program was killed in between.
 *
 * 01_parts.c implements the optimizer, the layers and the data.
 * support/text_model.c has the arithmetic and does not use checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

#include "01_parts.h"
#include "support/arguments.h"

enum { PRINT_EVERY = 25, SAMPLE_SIZE = 300 };
enum { STOPPED = 75 }; /* exit status: EX_TEMPFAIL of sysexits.h */

static const double smoothing = 0.05;

/* --- The state of the training ------------------------------------------- */

struct training {
    const struct arguments *arguments;
    struct text text;
    varve_records *records; /* windows of the text */
    varve_events *events;   /* NULL: none are recorded */
    varve_run *run;         /* the graph, and its checkpoints */
    varve_node *embedding;
    struct layer layers[LAYERS];
    struct network network;
    struct adam adam;
    varve_random initial; /* draws the initial values */
    varve_random noise;   /* adds noise to the text */
    int64_t step;
    double loss;      /* in bits per character, smoothed */
    bool was_stopped; /* before the last step */
};

static void warn(const char *what)
{
    fprintf(stderr, "01_train: warning: %s\n", what);
}

/* Failure to record events does not stop the training. */
static void open_events(struct training *t)
{
    char directory[4096];
    varve_error error;
    snprintf(directory, sizeof directory, "%s/events", t->arguments->directory);
    t->events = varve_events_open(directory, NULL, &error);
    if (!t->events)
        warn(error.message);
}

/* Adds everything that is saved. The layers have no variables yet. */
static void declare(struct training *t)
{
    t->loss = log2(CODES);
    /* [declare] */
    t->run = varve_run_new(NULL);
    varve_node *root = varve_run_root(t->run);
    varve_node *model = varve_add_object(root, "model");
    t->embedding = varve_add_object(model, "embedding");
    varve_node *layers = varve_add_list(model, "layers");
    for (size_t i = 0; i < LAYERS; i++)
        layer_init(&t->layers[i], varve_add_object(layers, VARVE_APPEND),
            &t->network.layer[i], i + 1 < LAYERS ? HIDDEN : CODES);
    adam_init(&t->adam, varve_add_object(root, "optimizer"));

    varve_set_seed(varve_run_graph(t->run), t->arguments->seed);
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
    if (varve_run_warning(t->run))
        warn(varve_run_warning(t->run));
    if (t->arguments->quiet)
        return;
    if (varve_run_is_resumed(t->run))
        printf("resumed at step %" PRId64 " from %s\n", t->step,
            varve_restoration_path(
                varve_manager_restoration(varve_run_manager(t->run))));
    else
        printf("fresh start: %zu characters, %zu parameters\n", t->text.size,
            t->adam.used);
}

/* Checks that nothing was forgotten: every variable has a value, every saved
 * value was restored, and the data are those of the saved position. */
static varve_status check(struct training *t, varve_error *error)
{
    varve_status status =
        varve_require_ready(varve_run_root(t->run), NULL, error);
    if (!status) /* the check of the first step, made early */
        status =
            varve_manager_assert_consumed(varve_run_manager(t->run), error);
    if (!status)
        status = varve_records_check(t->records, error);
    return status;
}

/* [start] */
/* Resumes before the model is built: values remain pending until the layers are
 * added. */
static void start(struct training *t)
{
    const struct arguments *a = t->arguments;
    const varve_run_options options = {
        .manager = { .interval_steps = a->save_every,
            .keep_last = a->keep,
            .keep_best = a->keep > 0, /* and that of the smallest loss */
            .metric = "loss" },
        .handle_signals = true, /* a second Ctrl-C ends it at once */
    };
    declare(t);
    varve_run_open(t->run, a->directory, &options);
    build(t);
}
/* [/start] */

/* --- Saving ------------------------------------------------------------- */

/* Ends a step. Events are written before a save, so that the events up to a
 * checkpoint exist beside it. */
static void end_step(struct training *t, bool is_last)
{
    const varve_manager_save_options options = {
        .has_metric = true, .metric = t->loss, .force = is_last
    };
    varve_manager *manager = varve_run_manager(t->run);
    varve_error lost; /* errors in events do not stop the training */
    if ((is_last || varve_manager_is_due(manager, t->step)) &&
        varve_events_flush(t->events, &lost))
        warn(lost.message);
    varve_run_step_with(t->run, t->step, &options);
    if (varve_manager_saved(manager) && !t->arguments->quiet)
        printf("saved %s\n", varve_manager_saved(manager));
    if (varve_manager_warning(manager))
        warn(varve_manager_warning(manager));
}

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
            varve_run_root(t->run), &trained, record_histogram, t, &error))
        warn(error.message);
    if (!t->arguments->quiet)
        printf(
            "step %5" PRId64 "  %.3f bits per character\n", t->step, t->loss);
}
/* [/histogram] */

/* If the last step was done in an earlier run, nothing is computed. */
static varve_status train(struct training *t, varve_error *error)
{
    while (t->step < t->arguments->steps && varve_run_should_continue(t->run)) {
        varve_status status = learn(t, error);
        if (status)
            return status;
        bool is_last = t->step == t->arguments->steps;
        if (is_last || t->step % PRINT_EVERY == 0)
            report(t);
        end_step(t, is_last);
    }
    return VARVE_OK;
}

/* --- The program -------------------------------------------------------- */

/* The text of the command line, or one that most systems have. */
static const char *load_text(struct text *text, const char *path)
{
    if (!path && text_load(text, "/usr/share/common-licenses/GPL-3"))
        return NULL;
    path = path ? path : "README.md";
    return text_load(text, path) ? NULL : path;
}

/* A stream that is split off draws the sample, so that the training does not
 * change. */
static void write_sample(struct training *t)
{
    char sample[SAMPLE_SIZE + 1];
    varve_random random = varve_random_split(&t->noise, "sample");
    network_write(&t->network, text_code('\n'), sample, SAMPLE_SIZE, &random);
    varve_events_text(t->events, t->step, "sample", sample);
    if (!t->arguments->quiet)
        puts(sample);
}

/* Errors of the run are returned when it ends. */
static varve_status run(struct training *t, varve_error *error)
{
    open_events(t);
    t->records = open_windows(&t->text, t->arguments->seed, error);
    if (!t->records)
        return error->status;
    start(t);
    if (!varve_run_should_continue(t->run))
        return VARVE_OK;
    varve_status status = check(t, error);
    if (!status) {
        say_where(t);
        status = train(t, error);
    }
    if (!status && t->step >= t->arguments->steps)
        write_sample(t);
    else if (!status && varve_run_was_stopped(t->run))
        printf("stopped at step %" PRId64
               "; start the program again to resume\n",
            t->step);
    return status;
}

/* After an error in the middle of a step nothing more is saved. */
static varve_status end(
    struct training *t, varve_status status, varve_error *error)
{
    t->was_stopped =
        t->step < t->arguments->steps && varve_run_was_stopped(t->run);
    if (!status && t->run)
        status = varve_run_end(t->run, error);
    else
        varve_run_free(t->run);
    varve_records_free(t->records);
    varve_events_free(t->events);
    text_free(&t->text);
    return status;
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
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* flush each line */
    varve_error error;
    varve_status status = run(&training, &error);
    status = end(&training, status, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : training.was_stopped ? STOPPED : 0;
}
