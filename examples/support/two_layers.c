/* two_layers.c - Computes the forward pass, the backward pass and Adam.
 *
 * SPDX-License-Identifier: MIT
 */
#include "two_layers.h"

#include <math.h>
#include <string.h>

/* The constant that Keras adds to a square root. */
static const float epsilon = 1e-7f;

/* --- One row -------------------------------------------------------------- */

static void dense_forward(const struct dense *d, const float *in, float *out)
{
    memcpy(out, d->bias.value, d->outputs * sizeof *out);
    for (size_t i = 0; i < d->inputs; i++) {
        for (size_t k = 0; k < d->outputs; k++)
            out[k] += in[i] * d->kernel.value[i * d->outputs + k];
    }
}

/* Adds to the gradients, and sets that of the input in `result` unless it is
 * NULL. */
static void dense_backward(
    struct dense *d, const float *in, const float *out_gradient, float *result)
{
    for (size_t k = 0; k < d->outputs; k++)
        d->bias.gradient[k] += out_gradient[k];
    for (size_t i = 0; i < d->inputs; i++) {
        float sum = 0;
        for (size_t k = 0; k < d->outputs; k++) {
            size_t at = i * d->outputs + k;
            d->kernel.gradient[at] += in[i] * out_gradient[k];
            sum += d->kernel.value[at] * out_gradient[k];
        }
        if (result)
            result[i] = sum;
    }
}

static void forward(const struct two_layers *network, const float *x,
    float hidden[HIDDEN], float *y)
{
    dense_forward(&network->layer[0], x, hidden);
    for (size_t i = 0; i < HIDDEN; i++)
        hidden[i] = hidden[i] > 0 ? hidden[i] : 0;
    dense_forward(&network->layer[1], hidden, y);
}

/* --- All rows ------------------------------------------------------------- */

void two_layers_predict(
    const struct two_layers *network, const float *x, size_t rows, float *y)
{
    float hidden[HIDDEN];
    for (size_t i = 0; i < rows; i++)
        forward(network, x + i * INPUTS, hidden, y + i * OUTPUTS);
}

float two_layers_learn(
    struct two_layers *network, const float *x, const float *y, size_t rows)
{
    float loss = 0, count = (float)(rows * OUTPUTS);
    for (size_t i = 0; i < LAYERS; i++) {
        struct dense *d = &network->layer[i];
        memset(d->kernel.gradient, 0, sizeof d->kernel.gradient);
        memset(d->bias.gradient, 0, sizeof d->bias.gradient);
    }
    for (size_t row = 0; row < rows; row++, x += INPUTS, y += OUTPUTS) {
        float hidden[HIDDEN], hidden_gradient[HIDDEN];
        float out[OUTPUTS], out_gradient[OUTPUTS];
        forward(network, x, hidden, out);
        for (size_t k = 0; k < OUTPUTS; k++) {
            float error = out[k] - y[k];
            loss += error * error / count;
            out_gradient[k] = 2 * error / count;
        }
        dense_backward(
            &network->layer[1], hidden, out_gradient, hidden_gradient);
        for (size_t i = 0; i < HIDDEN; i++)
            hidden_gradient[i] = hidden[i] > 0 ? hidden_gradient[i] : 0;
        dense_backward(&network->layer[0], x, hidden_gradient, NULL);
    }
    return loss;
}

/* --- Adam ----------------------------------------------------------------- */

static void update(const struct adam *adam, struct parameter *p, float rate)
{
    for (size_t i = 0; i < p->count; i++) {
        float g = p->gradient[i];
        p->m[i] += (g - p->m[i]) * (1 - adam->beta_1);
        p->v[i] += (g * g - p->v[i]) * (1 - adam->beta_2);
        p->value[i] -= rate * p->m[i] / (sqrtf(p->v[i]) + epsilon);
    }
}

void adam_step(struct adam *adam, struct two_layers *network)
{
    float rate = adam->learning_rate / (1 + adam->decay * (float)adam->iter);
    float t = (float)++adam->iter;
    rate *= sqrtf(1 - powf(adam->beta_2, t)) / (1 - powf(adam->beta_1, t));
    for (size_t i = 0; i < LAYERS; i++) {
        update(adam, &network->layer[i].kernel, rate);
        update(adam, &network->layer[i].bias, rate);
    }
}
