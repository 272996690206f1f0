/* 01_parts.c - Implements the optimizer, the layers and the data of 01_train.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "01_parts.h"

#include <math.h>

static const double learning_rate = 0.008;

/* --- Adam --------------------------------------------------------------- */

void adam_init(struct adam *adam, varve_node *at)
{
    adam->node = at;
    varve_add_variable(at, "step", varve_scalar(&adam->step));
}

/* A slot: a moving average that Adam keeps for a variable. It belongs to both
 * nodes. */
static float *adam_slot(
    struct adam *adam, varve_node *variable, const char *name)
{
    const varve_tensor *value = varve_value(variable);
    /* [slot] */
    return varve_data(varve_add_allocated_slot(adam->node, variable, name,
        value->dtype, varve_shape_of(value->rank, value->shape), NULL, NULL));
    /* [/slot] */
}

/* Adds a variable to the optimizer. */
static struct parameter *adam_add(struct adam *adam, varve_node *variable)
{
    struct parameter *p = &adam->parameters[adam->count++];
    const varve_tensor *value = varve_value(variable);
    if (!value)
        return p; /* the variable could not be added; varve_require_ready
                     reports the error */
    varve_tag(variable, VARVE_TAG_TRAINABLE);
    p->count = (size_t)varve_tensor_count(value);
    p->value = value->data;
    p->m = adam_slot(adam, variable, "m");
    p->v = adam_slot(adam, variable, "v");
    p->gradient = adam->gradients + adam->used;
    adam->used += p->count;
    return p;
}

void adam_apply(struct adam *adam)
{
    adam->step++;
    for (size_t i = 0; i < adam->count; i++)
        adam_update(&adam->parameters[i], adam->step, learning_rate);
}

/* --- Layers ------------------------------------------------------------- */

/* Called only for variables whose value is not restored from a checkpoint. */
static varve_status glorot(const varve_tensor *tensor, void *user)
{
    varve_random *random = user;
    double limit = sqrt(6.0 / (double)(tensor->shape[0] + tensor->shape[1]));
    varve_random_fill_uniform_float32(random, tensor->data,
        (size_t)varve_tensor_count(tensor), -limit, limit);
    return VARVE_OK;
}

void layer_init(
    struct layer *layer, varve_node *at, struct dense *dense, size_t outputs)
{
    layer->node = at;
    layer->dense = dense;
    dense->outputs = outputs;
}

/* [build] */
/* Called when the number of inputs is known. If values of this layer are
 * pending, they are restored here. */
void layer_build(
    struct layer *layer, size_t inputs, struct adam *adam, varve_random *random)
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

struct parameter *embedding_build(
    varve_node *at, struct adam *adam, varve_random *random)
{
    return adam_add(
        adam, varve_add_allocated_variable(at, "table", VARVE_FLOAT32,
                  VARVE_SHAPE(CODES, WIDTH), glorot, random));
}

/* --- Data --------------------------------------------------------------- */

static varve_status read_window(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    (void)error; /* the text is in memory, so reading cannot fail */
    const struct text *text = self;
    varve_put(sink, text->codes + index, WINDOW);
    return VARVE_OK;
}

/* The windows overlap: one begins at each character. Each epoch has another
 * order. */
varve_records *open_windows(
    struct text *text, uint64_t seed, varve_error *error)
{
    varve_source source = {
        .name = "the windows of the text",
        .count = text->size - CONTEXT,
        .fingerprint = { text_hash(text), text->size },
        .read = read_window,
        .self = text,
    };
    varve_records_options options = {
        .shuffle = true, .seed = seed, .batch = BATCH, .drop_last = true
    };
    return varve_records_open(&source, &options, error);
}
