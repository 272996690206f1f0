/* net.c - Trains a small network, whose layers are allocated as in
 * single-header libraries, on the sum of angles with momentum.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "ports.h"

enum kind { TANH, LINEAR };

struct layer {
    enum kind kind;
    int inputs, outputs;
    float *weights; /* outputs * inputs */
    float *biases;
    float *momentum; /* of the weights */
    float *out;      /* scratch */
};

struct net {
    char task[24];
    int layer_count;
    struct layer *layers;
    float rate;
    unsigned short generator[3];
    long step;
};

static struct net net;

static float draw(void)
{
    unsigned long x = net.generator[0] | (unsigned long)net.generator[1] << 16;
    x = (x * 1664525 + 1013904223) & 0xffffffff;
    net.generator[0] = (unsigned short)(x & 0xffff);
    net.generator[1] = (unsigned short)(x >> 16);
    return (float)x / 4294967296.0f - 0.5f;
}

static float *numbers(int count)
{
    float *made = calloc((size_t)count, sizeof *made);
    if (!made)
        abort();
    return made;
}

static void make_layer(struct layer *l, enum kind kind, int inputs, int outputs)
{
    *l = (struct layer){ kind, inputs, outputs, numbers(inputs * outputs),
        numbers(outputs), numbers(inputs * outputs), numbers(outputs) };
    for (int i = 0; i < inputs * outputs; i++)
        l->weights[i] = draw();
}

static void begin(void)
{
    net = (struct net){ .task = "angles", .layer_count = 2, .rate = 0.05f };
    net.layers = calloc(2, sizeof *net.layers);
    if (!net.layers)
        abort();
    make_layer(&net.layers[0], TANH, 2, 8);
    make_layer(&net.layers[1], LINEAR, 8, 1);
}

static const float *run(const float *in)
{
    for (int i = 0; i < net.layer_count; i++) {
        struct layer *l = &net.layers[i];
        for (int o = 0; o < l->outputs; o++) {
            float at = l->biases[o];
            for (int k = 0; k < l->inputs; k++)
                at += l->weights[o * l->inputs + k] * in[k];
            l->out[o] = l->kind == TANH ? tanhf(at) : at;
        }
        in = l->out;
    }
    return in;
}

/* Updates a layer from the error of its outputs and returns the error of the
 * layer below. */
static void learn(
    struct layer *l, const float *in, const float *wrong, float *below)
{
    for (int o = 0; o < l->outputs; o++) {
        float slope = l->kind == TANH ? 1 - l->out[o] * l->out[o] : 1;
        float by = wrong[o] * slope;
        for (int k = 0; k < l->inputs; k++) {
            int w = o * l->inputs + k;
            if (below)
                below[k] += by * l->weights[w];
            l->momentum[w] = 0.9f * l->momentum[w] + by * in[k];
            l->weights[w] -= net.rate * l->momentum[w];
        }
        l->biases[o] -= net.rate * by;
    }
}

static void go_on(int steps)
{
    for (int s = 0; s < steps; s++, net.step++) {
        const float in[2] = { draw(), draw() };
        float below[8] = { 0 };
        float wrong = run(in)[0] - sinf(in[0] + in[1]);
        learn(&net.layers[1], net.layers[0].out, &wrong, below);
        learn(&net.layers[0], in, below, NULL);
    }
}

static double sum(void)
{
    double sum = (double)net.step + net.task[0];
    for (int i = 0; i < net.layer_count; i++) {
        const struct layer *l = &net.layers[i];
        for (int w = 0; w < l->inputs * l->outputs; w++)
            sum += (double)l->weights[w] * w + l->momentum[w];
    }
    return sum;
}

static void end(void)
{
    for (int i = 0; i < net.layer_count; i++) {
        free(net.layers[i].weights);
        free(net.layers[i].biases);
        free(net.layers[i].momentum);
        free(net.layers[i].out);
    }
    free(net.layers);
}

/* [calls] */
static void add_layer(varve_node *list, struct layer *l)
{
    varve_node *node = varve_add_object(list, VARVE_APPEND);
    uint64_t in = (uint64_t)l->inputs, out = (uint64_t)l->outputs;
    varve_add_fixed_variable(node, "kind", varve_scalar(&l->kind));
    varve_add_fixed_variable(node, "inputs", varve_scalar(&l->inputs));
    varve_add_fixed_variable(node, "outputs", varve_scalar(&l->outputs));
    varve_add_variable(node, "weights", varve_array(l->weights, out, in));
    varve_add_variable(node, "biases", varve_array(l->biases, out));
    varve_add_variable(node, "momentum", varve_array(l->momentum, out, in));
}

static void by_calls(varve_node *root)
{
    varve_add_text(root, "task", net.task, sizeof net.task);
    varve_add_variable(root, "rate", varve_scalar(&net.rate));
    varve_add_variable(root, "generator", varve_array(net.generator, 3));
    varve_add_variable(root, "step", varve_scalar(&net.step));
    varve_node *layers = varve_add_list(root, "layers");
    for (int i = 0; i < net.layer_count; i++)
        add_layer(layers, &net.layers[i]);
}
/* [/calls] */

/* [tables] */
static const varve_field layer_fields[] = {
    VARVE_FIELD(struct layer, kind, .is_fixed = true),
    VARVE_FIELD(struct layer, inputs),
    VARVE_FIELD(struct layer, outputs),
    VARVE_FIELD_POINTER_2D(struct layer, weights, outputs, inputs),
    VARVE_FIELD_POINTER(struct layer, biases, outputs),
    VARVE_FIELD_POINTER_2D(struct layer, momentum, outputs, inputs),
    VARVE_FIELDS_END,
};
static const varve_field net_fields[] = {
    VARVE_FIELD_TEXT(struct net, task),
    VARVE_FIELD(struct net, layer_count),
    VARVE_FIELD_STRUCTS_AT(struct net, layers, layer_fields, layer_count),
    VARVE_FIELD(struct net, rate),
    VARVE_FIELD_ARRAY(struct net, generator),
    VARVE_FIELD(struct net, step),
    VARVE_FIELDS_END,
};

static void by_tables(varve_node *root)
{
    varve_add_struct(root, "net", net_fields, &net);
}
/* [/tables] */

/* [run] */
static int live(const char *directory, long steps)
{
    varve_error error;
    varve_run *run = varve_run_new(NULL);
    by_tables(varve_run_root(run));
    varve_run_open(run, directory, &port_options);
    while (net.step < steps && varve_run_should_continue(run)) {
        /* [/run] */
        port_may_die(net.step);
        /* [run] */
        go_on(1);
        varve_run_step(run, net.step);
    }
    if (varve_run_end(run, &error))
        return port_fail(directory, error.message);
    return 0;
}
/* [/run] */

int main(int argc, char **argv)
{
    const struct port port = { begin, go_on, sum, end, by_calls, by_tables,
        live };
    return port_main(&port, argc, argv);
}
