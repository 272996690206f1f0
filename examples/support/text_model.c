/* text_model.c - Computes the forward pass, the backward pass and Adam. Sums
 * have a fixed order, so that the results are reproducible bit for bit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "text_model.h"

#include <math.h>
#include <string.h>

/* --- One layer ---------------------------------------------------------- */

static void dense_forward(
    const struct dense *d, size_t rows, const float *in, float *out)
{
    for (size_t row = 0; row < rows; row++) {
        float *to = out + row * d->outputs;
        memcpy(to, d->bias->value, d->outputs * sizeof *to);
        for (size_t i = 0; i < d->inputs; i++) {
            float x = in[row * d->inputs + i];
            const float *weights = d->kernel->value + i * d->outputs;
            for (size_t j = 0; j < d->outputs; j++)
                to[j] += x * weights[j];
        }
    }
}

/* Four partial sums, because a compiler may not split one. */
static float dot(const float *a, const float *b, size_t count)
{
    float sum[4] = { 0 };
    for (size_t i = 0; i + 4 <= count; i += 4) {
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    }
    for (size_t i = count - count % 4; i < count; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void dense_backward(const struct dense *d, const float *in,
    const float *out_gradient, float *in_gradient)
{
    for (size_t row = 0; row < BATCH; row++) {
        const float *from = out_gradient + row * d->outputs;
        for (size_t j = 0; j < d->outputs; j++)
            d->bias->gradient[j] += from[j];
        for (size_t i = 0; i < d->inputs; i++) {
            float x = in[row * d->inputs + i];
            float *to = d->kernel->gradient + i * d->outputs;
            for (size_t j = 0; j < d->outputs; j++)
                to[j] += x * from[j];
            in_gradient[row * d->inputs + i] =
                dot(d->kernel->value + i * d->outputs, from, d->outputs);
        }
    }
}

/* --- The network -------------------------------------------------------- */

static void embed(
    struct network *n, const unsigned char *contexts, size_t characters)
{
    for (size_t i = 0; i < characters; i++)
        memcpy(n->embedded + i * WIDTH,
            n->embedding->value + contexts[i] * WIDTH, WIDTH * sizeof(float));
}

static void rectify(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = values[i] > 0 ? values[i] : 0;
}

static void softmax(float *values, size_t count)
{
    float most = values[0], sum = 0;
    for (size_t i = 1; i < count; i++)
        most = values[i] > most ? values[i] : most;
    for (size_t i = 0; i < count; i++)
        sum += values[i] = expf(values[i] - most);
    for (size_t i = 0; i < count; i++)
        values[i] /= sum;
}

void network_guess(
    struct network *n, const unsigned char *contexts, size_t rows)
{
    embed(n, contexts, rows * CONTEXT);
    const float *in = n->embedded;
    for (size_t i = 0; i < LAYERS; i++) {
        dense_forward(&n->layer[i], rows, in, n->out[i]);
        if (i + 1 < LAYERS)
            rectify(n->out[i], rows * n->layer[i].outputs);
        in = n->out[i];
    }
    for (size_t row = 0; row < rows; row++)
        softmax(n->out[LAYERS - 1] + row * CODES, CODES);
}

/* The gradient of the loss with respect to the logits is probability minus
 * truth. */
static double loss_and_gradient(
    const float *chances, const unsigned char *truth, float *gradient)
{
    double bits = 0;
    for (size_t row = 0; row < BATCH; row++) {
        for (size_t i = 0; i < CODES; i++)
            gradient[row * CODES + i] = chances[row * CODES + i] / BATCH;
        gradient[row * CODES + truth[row]] -= 1.0f / BATCH;
        bits -= log2((double)chances[row * CODES + truth[row]] + 1e-30);
    }
    return bits / BATCH;
}

static void mask(float *gradient, const float *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gradient[i] = out[i] > 0 ? gradient[i] : 0;
}

double network_learn(struct network *n, const struct batch *batch)
{
    network_guess(n, batch->context, BATCH);
    double bits = loss_and_gradient(
        n->out[LAYERS - 1], batch->next, n->gradient[LAYERS - 1]);
    for (size_t i = LAYERS - 1; i > 0; i--) {
        dense_backward(
            &n->layer[i], n->out[i - 1], n->gradient[i], n->gradient[i - 1]);
        mask(n->gradient[i - 1], n->out[i - 1], BATCH * n->layer[i].inputs);
    }
    dense_backward(
        &n->layer[0], n->embedded, n->gradient[0], n->embedded_gradient);
    for (size_t i = 0; i < sizeof batch->context; i++) {
        float *to = n->embedding->gradient + batch->context[i] * WIDTH;
        for (size_t k = 0; k < WIDTH; k++)
            to[k] += n->embedded_gradient[i * WIDTH + k];
    }
    return bits;
}

static unsigned char draw(const float *chances, varve_random *random)
{
    double left = varve_random_unit(random);
    unsigned char code = 0;
    while (code + 1 < CODES && (left -= (double)chances[code]) >= 0)
        code++;
    return code;
}

void network_write(struct network *n, unsigned char before, char *text,
    size_t size, varve_random *random)
{
    unsigned char context[CONTEXT];
    memset(context, before, sizeof context);
    for (size_t i = 0; i < size; i++) {
        network_guess(n, context, 1);
        unsigned char code = draw(n->out[LAYERS - 1], random);
        memmove(context, context + 1, CONTEXT - 1);
        context[CONTEXT - 1] = code;
        text[i] = text_character(code);
    }
    text[size] = '\0';
}

/* --- The optimizer ------------------------------------------------------ */

void adam_update(struct parameter *p, uint64_t step, double rate)
{
    const float b1 = 0.9f, b2 = 0.999f, tiny = 1e-8f;
    double t = (double)step;
    float size = (float)(rate * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t)));
    for (size_t i = 0; i < p->count; i++) {
        float g = p->gradient[i];
        p->m[i] = b1 * p->m[i] + (1 - b1) * g;
        p->v[i] = b2 * p->v[i] + (1 - b2) * g * g;
        p->value[i] -= size * p->m[i] / (sqrtf(p->v[i]) + tiny);
        p->gradient[i] = 0;
    }
}
