/* 15_from_torch.c - Restores a transformer that PyTorch trained, continues the
 * training, and writes a checkpoint for PyTorch.
 *
 *     15_from_torch [CHECKPOINT [OUTPUT]]
 *
 * A training loop of PyTorch wrote CHECKPOINT with
 *
 *     torch.save({'step': step, 'model': model.state_dict(),
 *                 'optimizer': optimizer.state_dict(), ...}, CHECKPOINT)
 *
 * It also contains some tokens, the predictions of PyTorch for them, and the
 * losses of its next steps. The same PyTorch program loads OUTPUT.
 *
 * Introduces names with dots, which become paths; the moments of a PyTorch
 * optimizer, which become slots; and values of a file that the program does not
 * need.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

#include <varve/varve.h>

#include "support/operands.h"
#include "support/transformer.h"

enum { STEPS = 5 };

/* PyTorch computes sums in a different order */
static const float tolerance = 1e-4f;

struct model {
    varve_graph *graph;
    varve_node *optimizer, *state;
    struct transformer network;
    struct adamw adamw;
    int64_t step;
    int64_t data[ROWS * (CONTEXT + 1)];
    float logits[PLACES * TOKENS], losses[STEPS], next[STEPS];
};

/* --- The model, with the names of PyTorch
 * ---------------------------------- */

/* [parameter] */
/* Adds a value that the optimizer has for a variable,
 * `optimizer/exp_avg(model/...)`. PyTorch numbers them in the order of calls:
 * `optimizer/state/3/exp_avg`. */
static float *add_slot(struct model *m, varve_node *entry, varve_node *variable,
    const char *name, varve_shape shape)
{
    varve_node *slot = varve_add_allocated_slot(
        m->optimizer, variable, name, VARVE_FLOAT32, shape, NULL, NULL);
    varve_track(entry, name, slot);
    return varve_data(slot);
}

static void add_parameter(struct model *m, struct parameter *p,
    varve_node *layer, const char *name, varve_shape shape)
{
    varve_node *variable = varve_add_allocated_variable(
        layer, name, VARVE_FLOAT32, shape, NULL, NULL);
    varve_node *entry = varve_add_object(m->state, VARVE_APPEND);
    p->count = varve_tensor_count(varve_value(variable));
    p->value = varve_data(variable);
    p->m = add_slot(m, entry, variable, "exp_avg", shape);
    p->v = add_slot(m, entry, variable, "exp_avg_sq", shape);
    p->step = add_slot(m, entry, variable, "step", VARVE_SCALAR);
}
/* [/parameter] */

static void add_linear(struct model *m, struct layer *layer, varve_node *parent,
    const char *name, uint64_t inputs, uint64_t outputs)
{
    varve_node *node = varve_add_object(parent, name);
    add_parameter(
        m, &layer->weight, node, "weight", VARVE_SHAPE(outputs, inputs));
    add_parameter(m, &layer->bias, node, "bias", VARVE_SHAPE(outputs));
}

static void add_norm(
    struct model *m, struct layer *layer, varve_node *parent, const char *name)
{
    varve_node *node = varve_add_object(parent, name);
    add_parameter(m, &layer->weight, node, "weight", VARVE_SHAPE(WIDTH));
    add_parameter(m, &layer->bias, node, "bias", VARVE_SHAPE(WIDTH));
}

static void add_block(struct model *m, struct block *b, varve_node *node)
{
    add_norm(m, &b->ln_1, node, "ln_1");
    add_linear(m, &b->attention, node, "attention", WIDTH, 3 * WIDTH);
    add_linear(m, &b->projection, node, "projection", WIDTH, WIDTH);
    add_norm(m, &b->ln_2, node, "ln_2");
    add_linear(m, &b->up, node, "up", WIDTH, INNER);
    add_linear(m, &b->down, node, "down", INNER, WIDTH);
}

/* [model] */
static void add_model(struct model *m, varve_node *node)
{
    varve_node *tokens = varve_add_object(node, "tokens");
    add_parameter(
        m, &m->network.tokens, tokens, "weight", VARVE_SHAPE(TOKENS, WIDTH));
    add_parameter(m, &m->network.positions, varve_add_object(node, "positions"),
        "weight", VARVE_SHAPE(CONTEXT, WIDTH));
    varve_node *blocks = varve_add_list(node, "blocks");
    for (int i = 0; i < BLOCKS; i++)
        add_block(
            m, &m->network.blocks[i], varve_add_object(blocks, VARVE_APPEND));
    add_norm(m, &m->network.ln, node, "ln");
    /* The head shares the weights of the tokens. */
    varve_track(
        varve_add_object(node, "head"), "weight", varve_find(tokens, "weight"));
}
/* [/model] */

/* [optimizer] */
static void add_optimizer(struct model *m, varve_node *root)
{
    m->optimizer = varve_add_object(root, "optimizer");
    m->state = varve_add_list(m->optimizer, "state");
    varve_node *group = varve_add_object(
        varve_add_list(m->optimizer, "param_groups"), VARVE_APPEND);
    struct adamw *a = &m->adamw;
    varve_add_variable(group, "lr", varve_scalar(&a->lr));
    varve_add_variable(group, "betas", varve_array(a->betas, 2));
    varve_add_variable(group, "eps", varve_scalar(&a->eps));
    varve_add_variable(group, "weight_decay", varve_scalar(&a->weight_decay));
}
/* [/optimizer] */

static void build(struct model *m)
{
    m->graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(m->graph);
    varve_add_variable(root, "step", varve_scalar(&m->step));
    varve_add_variable(root, "data", varve_array(m->data, ROWS, CONTEXT + 1));
    varve_node *model = varve_add_object(root, "model");
    add_optimizer(m, root);
    add_model(m, model);
    varve_node *expected = varve_add_object(root, "expected");
    varve_add_variable(
        expected, "logits", varve_array(m->logits, ROWS, CONTEXT, TOKENS));
    varve_add_variable(expected, "losses", varve_array(m->losses, STEPS));
    varve_add_variable(expected, "next", varve_array(m->next, STEPS));
}

/* All values of the program are restored. The file has some more settings of
 * the optimizer. */
static varve_status restore(
    struct model *m, const char *path, varve_error *error)
{
    const varve_read_options options = { .foreign.dots = true,
        .expect.unexpected = "optimizer/param_groups" };
    build(m);
    varve_restoration *found =
        varve_read(varve_graph_root(m->graph), path, &options, error);
    varve_status status =
        found ? varve_assert_consumed(found, error) : error->status;
    varve_restoration_free(found);
    return status;
}

/* --- Continuing the training ---------------------------------------------- */

static bool is_near(float found, float expected)
{
    return fabsf(found - expected) <= tolerance * fmaxf(1, fabsf(expected));
}

static bool predicts_the_same(struct model *m)
{
    float logits[PLACES * TOKENS];
    bool same = true;
    transformer_predict(&m->network, m->data, logits);
    for (size_t i = 0; i < PLACES * TOKENS; i++)
        same = same && is_near(logits[i], m->logits[i]);
    return same;
}

static void step_layer(const struct adamw *a, struct layer *layer)
{
    adamw_step(a, &layer->weight);
    adamw_step(a, &layer->bias);
}

static float train(struct model *m)
{
    struct transformer *t = &m->network;
    const struct adamw *a = &m->adamw;
    float loss = transformer_learn(t, m->data);
    adamw_step(a, &t->tokens);
    adamw_step(a, &t->positions);
    step_layer(a, &t->ln);
    for (int i = 0; i < BLOCKS; i++) {
        struct block *b = &t->blocks[i];
        step_layer(a, &b->ln_1);
        step_layer(a, &b->attention);
        step_layer(a, &b->projection);
        step_layer(a, &b->ln_2);
        step_layer(a, &b->up);
        step_layer(a, &b->down);
    }
    m->step++;
    return loss;
}

static bool learns_the_same(struct model *m)
{
    bool same = true;
    for (int i = 0; i < STEPS; i++) {
        float loss = train(m);
        same = same && is_near(loss, m->losses[i]);
        printf("step %d: loss %.3f\n", (int)m->step, (double)loss);
    }
    return same;
}

static varve_status write_back(
    const struct model *m, const char *path, varve_error *error)
{
    const varve_write_options options = { .format = VARVE_FORMAT_TORCH };
    return varve_write(varve_graph_root(m->graph), path, &options, error);
}

static varve_status go_on(
    struct model *m, const char *output, varve_error *error)
{
    bool same = predicts_the_same(m);
    printf("restored step %d: %s\n", (int)m->step,
        same ? "same predictions as PyTorch"
             : "other predictions than PyTorch");
    same &= learns_the_same(m);
    printf(
        "%s\n", same ? "same losses as PyTorch" : "other losses than PyTorch");
    if (!same) {
        snprintf(error->message, sizeof error->message,
            "the results of PyTorch and C differ");
        return VARVE_MISMATCH;
    }
    return write_back(m, output, error);
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 2, "[CHECKPOINT [OUTPUT]]"))
        return 2;
    const char *path =
        argc > 1 ? argv[1] : "tests/golden/foreign/torch_transformer.pt";
    const char *output = argc > 2 ? argv[2] : "run/15_from_torch/trained.pt";
    static struct model model;
    varve_error error;
    varve_status status;
    if ((status = restore(&model, path, &error)) ||
        (status = go_on(&model, output, &error)))
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(model.graph);
    return status ? 1 : 0;
}
