/* 01_train.c - a network that learns to write like a text, is killed at any
 * moment, and goes on as if nothing had happened.
 *
 *     01_train [--steps N] [--save-every K] [--seed S] [--directory DIR]
 *              [--quiet] [TEXT]
 *
 * Introduces the whole round: components that live at nodes of a graph,
 * variables whose memory the library allocates, slot variables, varve_save and
 * varve_restore. All that the next step depends on is in the graph: parameters,
 * the optimizer's state, the place in the text, the random stream. So the last
 * checkpoint is the same, bit for bit, however often the run was interrupted.
 *
 * The arithmetic is in support/text_model.c and knows nothing of Varve.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

#include "support/arguments.h"
#include "support/text_model.h"

enum { PRINT_EVERY = 25, SAMPLE_SIZE = 300 };

static const double learning_rate = 0.008;
static const double smoothing = 0.05;

/* --- Adam: an optimizer that lives at a node ---------------------------- */

struct adam {
    varve_node *node;
    uint64_t step;
    struct parameter parameters[PARAMETERS];
    size_t count;
    float gradients[NUMBERS]; /* of one step only, so not in the graph */
    size_t used;
};

static void adam_init(struct adam *adam, varve_node *at)
{
    adam->node = at;
    varve_add_variable(at, "step", varve_scalar(&adam->step));
}

/* [slot] */
/* A mean that Adam keeps for a variable: it belongs to the pair of the two. */
static float *adam_slot(
    struct adam *adam, varve_node *variable, const char *name)
{
    const varve_tensor *value = varve_value(variable);
    return varve_data(varve_add_allocated_slot(adam->node, variable, name,
        value->dtype, varve_shape_of(value->rank, value->shape), NULL, NULL));
}
/* [/slot] */

/* Takes a variable into training. */
static struct parameter *adam_add(struct adam *adam, varve_node *variable)
{
    struct parameter *p = &adam->parameters[adam->count++];
    const varve_tensor *value = varve_value(variable);
    if (!value)
        return p; /* it could not be made; varve_graph_check will say why */
    p->count = (size_t)varve_tensor_count(value);
    p->value = value->data;
    p->m = adam_slot(adam, variable, "m");
    p->v = adam_slot(adam, variable, "v");
    p->gradient = adam->gradients + adam->used;
    adam->used += p->count;
    return p;
}

static void adam_apply(struct adam *adam)
{
    adam->step++;
    for (size_t i = 0; i < adam->count; i++)
        adam_update(&adam->parameters[i], adam->step, learning_rate);
}

/* --- Layers: each is handed the node it lives at ------------------------ */

/* [initializer] */
/* Runs only for variables that no checkpoint has a value for. */
static varve_status glorot(const varve_tensor *tensor, void *user)
{
    struct stream *random = user;
    float *values = tensor->data;
    double limit = sqrt(6.0 / (double)(tensor->shape[0] + tensor->shape[1]));
    for (uint64_t i = 0; i < varve_tensor_count(tensor); i++)
        values[i] = (float)(limit * (2 * stream_unit(random) - 1));
    return VARVE_OK;
}
/* [/initializer] */

struct layer {
    varve_node *node;
    struct dense *dense; /* its arithmetic */
};

static void layer_init(
    struct layer *layer, varve_node *at, struct dense *dense, size_t outputs)
{
    layer->node = at;
    layer->dense = dense;
    dense->outputs = outputs;
}

/* [build] */
/* Called when the number of inputs is known. If a restoration is waiting for
 * this layer, the saved values arrive here. */
static void layer_build(struct layer *layer, size_t inputs, struct adam *adam,
    struct stream *random)
{
    struct dense *d = layer->dense;
    d->inputs = inputs;
    varve_node *kernel = varve_add_allocated_variable(layer->node, "kernel",
        VARVE_FLOAT32, VARVE_SHAPE(inputs, d->outputs), glorot, random);
    varve_node *bias = varve_add_allocated_variable(layer->node, "bias",
        VARVE_FLOAT32, VARVE_SHAPE(d->outputs), NULL, NULL); /* zeros */
    d->kernel = adam_add(adam, kernel);
    d->bias = adam_add(adam, bias);
}
/* [/build] */

/* --- All of the training ------------------------------------------------ */

struct training {
    varve_graph *graph;
    varve_node *embedding;
    struct layer layers[LAYERS];
    struct network network;
    struct adam adam;
    struct text text;
    char prefix[4096];    /* of the checkpoints */
    uint64_t position;    /* in the text */
    struct stream random; /* for first values and for noise in the text */
    uint64_t step;
    double loss; /* in bits per character, smoothed */
};

/* Names everything that has a place in a checkpoint. The layers stay empty. */
static void declare(struct training *t, uint64_t seed)
{
    t->random.key = seed;
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

    varve_node *random = varve_add_object(root, "random");
    varve_add_variable(random, "key", varve_scalar(&t->random.key));
    varve_add_variable(random, "count", varve_scalar(&t->random.count));
    varve_add_variable(root, "position", varve_scalar(&t->position));
    varve_add_variable(root, "step", varve_scalar(&t->step));
    varve_add_variable(root, "loss", varve_scalar(&t->loss));
/* [/declare] */
}

static void build(struct training *t)
{
    t->network.embedding = adam_add(&t->adam,
        varve_add_allocated_variable(t->embedding, "table", VARVE_FLOAT32,
            VARVE_SHAPE(CODES, WIDTH), glorot, &t->random));
    size_t inputs = CONTEXT * WIDTH;
    for (size_t i = 0; i < LAYERS; i++) {
        layer_build(&t->layers[i], inputs, &t->adam, &t->random);
        inputs = t->network.layer[i].outputs;
    }
}

static void say_where(
    const struct training *t, const varve_restoration *restoration)
{
    if (restoration)
        printf("resumed at step %" PRIu64 " from %s\n", t->step,
            varve_restoration_path(restoration));
    else
        printf("fresh start: %zu characters to learn, %zu numbers to find\n",
            t->text.size, t->adam.used);
}

/* [start] */
/* Restores first and builds then: values wait for the layers to appear. */
static varve_status start(
    struct training *t, const struct arguments *arguments, varve_error *error)
{
    declare(t, arguments->seed);
    varve_restoration *restoration =
        varve_restore(varve_graph_root(t->graph), t->prefix, NULL, error);
    if (!restoration && error->status != VARVE_NOT_FOUND)
        return error->status;
    build(t);
    varve_status status = varve_graph_check(t->graph, error);
    if (!status && restoration)
        status = varve_assert_consumed(restoration, error);
    if (!status && !arguments->quiet)
        say_where(t, restoration);
    varve_restoration_free(restoration);
    return status;
}
/* [/start] */

/* [save] */
static varve_status save(
    struct training *t, const struct arguments *arguments, varve_error *error)
{
    varve_metadata step = {
        .name = "step",
        .kind = VARVE_METADATA_INTEGER,
        .integer = (int64_t)t->step,
    };
    varve_write_options options = { .metadata = &step, .metadata_count = 1 };
    varve_node *root = varve_graph_root(t->graph);
    varve_status status = varve_save(root, t->prefix, &options, error);
    if (!status && !arguments->quiet)
        printf("saved %s-%" PRIu64 VARVE_SUFFIX "\n", t->prefix,
            varve_save_counter(root));
    return status;
}
/* [/save] */

static void learn(struct training *t)
{
    struct batch batch;
    batch_draw(&batch, &t->text, &t->position, &t->random);
    double loss = network_learn(&t->network, &batch);
    t->loss += smoothing * (loss - t->loss);
    adam_apply(&t->adam);
    t->step++;
}

static varve_status train(
    struct training *t, const struct arguments *arguments, varve_error *error)
{
    varve_status status = VARVE_OK;
    while (!status && t->step < arguments->steps) {
        learn(t);
        bool last = t->step == arguments->steps;
        if (!arguments->quiet && (last || t->step % PRINT_EVERY == 0))
            printf("step %5" PRIu64 "  %.3f bits per character\n", t->step,
                t->loss);
        if (last || t->step % arguments->save_every == 0)
            status = save(t, arguments, error);
    }
    return status;
}

/* --- The program -------------------------------------------------------- */

/* The text that was named, or one that most systems have. */
static const char *load_text(struct text *text, const char *path)
{
    if (!path && text_load(text, "/usr/share/common-licenses/GPL-3"))
        return NULL;
    path = path ? path : "README.md";
    return text_load(text, path) ? NULL : path;
}

/* A copy of the stream draws the sample: training goes on as without it. */
static void write_sample(struct training *t)
{
    struct stream random = t->random;
    network_write(&t->network, text_code('\n'), SAMPLE_SIZE, &random);
}

static varve_status run(struct training *t, const struct arguments *arguments)
{
    varve_error error;
    varve_status status = start(t, arguments, &error);
    if (!status)
        status = train(t, arguments, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else if (!arguments->quiet)
        write_sample(t);
    varve_graph_free(t->graph);
    return status;
}

int main(int argc, char **argv)
{
    static struct training training; /* too large for some stacks */
    struct arguments arguments = {
        .steps = 300, .save_every = 50, .seed = 1, .directory = "run/01_train"
    };
    if (!arguments_parse(&arguments, argc, argv)) {
        fprintf(stderr, "usage: 01_train [--steps N] [--save-every K] "
                        "[--seed S] [--directory DIR] [--quiet] [TEXT]\n");
        return 2;
    }
    const char *bad = load_text(&training.text, arguments.text);
    if (bad) {
        fprintf(stderr, "%s: %s\n", bad, strerror(errno));
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* each line at once */
    snprintf(training.prefix, sizeof training.prefix, "%s/ckpt",
        arguments.directory);
    varve_status status = run(&training, &arguments);
    text_free(&training.text);
    return status ? 1 : 0;
}
