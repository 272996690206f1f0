/* 06_from_keras.c - Restores a model that Keras trained, continues the
 * training, and writes a checkpoint for Keras.
 *
 *     06_from_keras [CHECKPOINT [OUTPUT]]
 *
 * Keras wrote CHECKPOINT with
 *
 *     model = Sequential([Dense(8, activation='relu'), Dense(3)])
 *     optimizer = optimizers.legacy.Adam(learning_rate=0.01)
 *     ...
 *     tf.train.Checkpoint(model=model, optimizer=optimizer).write(CHECKPOINT)
 *
 * CHECKPOINT.npz contains training data and the predictions of Keras before and
 * after the next step. The same Keras program restores OUTPUT with
 * `.read(OUTPUT).assert_consumed()`.
 *
 * Introduces external formats: varve_read detects them, and an option of
 * varve_write selects them. The names are those of Keras. Layers are built
 * late, as in Keras: their values are pending until then.
 *
 * SPDX-License-Identifier: MIT
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include <varve/varve.h>

#include "support/operands.h"
#include "support/two_layers.h"

enum { ROWS = 2, TRAINING_ROWS = 6, STEPS = 100 };

/* Keras may sum in another order, with other rounding errors. */
static const float tolerance = 8 * FLT_EPSILON;

/* --- The model, with the names of Keras ----------------------------------- */

struct model {
    varve_graph *graph;
    varve_node *layers[LAYERS];
    varve_node *optimizer;
    struct two_layers network;
    struct adam adam;
};

/* [declare] */
/* Keras saves each layer under two names. Layers without weights, such as
 * Dropout, are counted only in the first. */
static void declare(struct model *m)
{
    static const char *const names[LAYERS][2] = {
        { "layer-0", "layer_with_weights-0" },
        { "layer-1", "layer_with_weights-1" },
    };
    m->graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(m->graph);
    varve_node *model = varve_add_object(root, "model");
    for (size_t i = 0; i < LAYERS; i++) {
        m->layers[i] = varve_add_object(model, names[i][0]);
        varve_track(model, names[i][1], m->layers[i]);
    }
    m->optimizer = varve_add_object(root, "optimizer");
    struct adam *a = &m->adam;
    varve_add_variable(m->optimizer, "iter", varve_scalar(&a->iter));
    varve_add_variable(
        m->optimizer, "learning_rate", varve_scalar(&a->learning_rate));
    varve_add_variable(m->optimizer, "beta_1", varve_scalar(&a->beta_1));
    varve_add_variable(m->optimizer, "beta_2", varve_scalar(&a->beta_2));
    varve_add_variable(m->optimizer, "decay", varve_scalar(&a->decay));
}
/* [/declare] */

/* [build] */
/* Adds a variable and its two slots. Pending values are restored at once. */
static void add_parameter(struct model *m, struct parameter *p,
    varve_node *layer, const char *name, varve_shape shape)
{
    varve_node *variable = varve_add_allocated_variable(
        layer, name, VARVE_FLOAT32, shape, NULL, NULL);
    p->value = varve_data(variable);
    p->m = varve_data(varve_add_allocated_slot(
        m->optimizer, variable, "m", VARVE_FLOAT32, shape, NULL, NULL));
    p->v = varve_data(varve_add_allocated_slot(
        m->optimizer, variable, "v", VARVE_FLOAT32, shape, NULL, NULL));
    p->count = p->value ? varve_tensor_count(varve_value(variable)) : 0;
}
/* [/build] */

static void build(struct model *m)
{
    static const size_t sizes[LAYERS + 1] = { INPUTS, HIDDEN, OUTPUTS };
    for (size_t i = 0; i < LAYERS; i++) {
        struct dense *d = &m->network.layer[i];
        d->inputs = sizes[i];
        d->outputs = sizes[i + 1];
        add_parameter(m, &d->kernel, m->layers[i], "kernel",
            VARVE_SHAPE(d->inputs, d->outputs));
        add_parameter(
            m, &d->bias, m->layers[i], "bias", VARVE_SHAPE(d->outputs));
    }
}

/* [restore] */
static varve_status restore(
    struct model *m, const char *path, varve_error *error)
{
    declare(m);
    varve_node *root = varve_graph_root(m->graph);
    varve_restoration *found = varve_read(root, path, NULL, error);
    if (!found)
        return error->status;
    size_t waiting = varve_pending_count(found);
    build(m);
    printf("restored step %d, %zu values were pending\n", (int)m->adam.iter,
        waiting);
    varve_status status = varve_assert_consumed(found, error);
    varve_restoration_free(found);
    return status;
}
/* [/restore] */

/* --- The data: arrays of NumPy, read in the same way ---------------------- */

struct data {
    float x[ROWS * INPUTS];
    float y[ROWS * OUTPUTS], y_next[ROWS * OUTPUTS]; /* predicted by Keras */
    float train_x[TRAINING_ROWS * INPUTS];
    float train_y[TRAINING_ROWS * OUTPUTS];
};

/* [data] */
static varve_status read_data(
    struct data *d, const char *path, varve_error *error)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "x", varve_array(d->x, ROWS, INPUTS));
    varve_add_variable(root, "y", varve_array(d->y, ROWS, OUTPUTS));
    varve_add_variable(root, "y_next", varve_array(d->y_next, ROWS, OUTPUTS));
    varve_add_variable(
        root, "train_x", varve_array(d->train_x, TRAINING_ROWS, INPUTS));
    varve_add_variable(
        root, "train_y", varve_array(d->train_y, TRAINING_ROWS, OUTPUTS));
    varve_restoration *found = varve_read(root, path, NULL, error);
    varve_status status =
        found ? varve_assert_consumed(found, error) : error->status;
    varve_restoration_free(found);
    varve_graph_free(graph);
    return status;
}
/* [/data] */

/* --- Continuing the training ---------------------------------------------- */

/* Returns true if the predictions equal those of Keras. */
static bool is_same(const struct model *m, const struct data *d,
    const float *expected, const char *when)
{
    float y[ROWS * OUTPUTS], most = 0;
    two_layers_predict(&m->network, d->x, ROWS, y);
    for (size_t i = 0; i < ROWS * OUTPUTS; i++) {
        float size = fmaxf(1, fabsf(expected[i]));
        most = fmaxf(most, fabsf(y[i] - expected[i]) / size);
    }
    bool same = most <= tolerance;
    printf("%s: %s\n", when,
        same ? "same prediction as Keras" : "other prediction than Keras");
    return same;
}

static float train(struct model *m, const struct data *d)
{
    float loss =
        two_layers_learn(&m->network, d->train_x, d->train_y, TRAINING_ROWS);
    adam_step(&m->adam, &m->network);
    return loss;
}

/* [write] */
static varve_status write_back(
    const struct model *m, const char *path, varve_error *error)
{
    varve_write_options options = { .format = VARVE_FORMAT_TENSORFLOW };
    return varve_write(varve_graph_root(m->graph), path, &options, error);
}
/* [/write] */

static varve_status go_on(struct model *m, const struct data *d,
    const char *output, varve_error *error)
{
    bool same = is_same(m, d, d->y, "restored");
    float loss = train(m, d);
    same &= is_same(m, d, d->y_next, "after one more step");
    printf("loss %.3f, ", (double)loss);
    for (int i = 1; i < STEPS; i++)
        loss = train(m, d);
    printf("%.3f after %d steps\n", (double)loss, STEPS);
    if (!same) {
        snprintf(error->message, sizeof error->message,
            "the predictions of Keras and C differ");
        return VARVE_MISMATCH;
    }
    return write_back(m, output, error);
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 2, "[CHECKPOINT [OUTPUT]]"))
        return 2;
    const char *path = argc > 1 ? argv[1] : "tests/golden/foreign/keras_adam";
    const char *output = argc > 2 ? argv[2] : "run/06_from_keras/trained";
    struct model model = { .graph = NULL };
    struct data data;
    varve_error error;
    varve_status status;
    char arrays[4096];
    snprintf(arrays, sizeof arrays, "%s.npz", path);
    if ((status = read_data(&data, arrays, &error)) ||
        (status = restore(&model, path, &error)) ||
        (status = go_on(&model, &data, output, &error)))
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(model.graph);
    return status ? 1 : 0;
}
