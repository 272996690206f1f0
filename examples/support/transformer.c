/* transformer.c - Computes the forward pass, the backward pass and AdamW. Each
 * backward function follows its forward function and adds to the gradients.
 *
 * SPDX-License-Identifier: MIT
 */
#include "transformer.h"

#include <math.h>
#include <string.h>

enum { SIZE = WIDTH / HEADS };

static const float epsilon = 1e-5f; /* of a layer norm */

/* --- Linear --------------------------------------------------------------- */

/* y = x weight^T + bias, for each of PLACES. `bias` may be NULL. */
static void linear(const float *weight, const float *bias, const float *x,
    size_t inputs, float *y, size_t outputs)
{
    for (size_t n = 0; n < PLACES; n++)
        for (size_t o = 0; o < outputs; o++) {
            float sum = bias ? bias[o] : 0;
            for (size_t i = 0; i < inputs; i++)
                sum += weight[o * inputs + i] * x[n * inputs + i];
            y[n * outputs + o] = sum;
        }
}

static void linear_back(struct parameter *weight, struct parameter *bias,
    const float *x, size_t inputs, const float *dy, size_t outputs, float *dx)
{
    for (size_t n = 0; n < PLACES; n++)
        for (size_t o = 0; o < outputs; o++) {
            float d = dy[n * outputs + o];
            if (bias)
                bias->gradient[o] += d;
            for (size_t i = 0; i < inputs; i++) {
                weight->gradient[o * inputs + i] += d * x[n * inputs + i];
                dx[n * inputs + i] += d * weight->value[o * inputs + i];
            }
        }
}

/* --- Norm ----------------------------------------------------------------- */

/* Subtracts the mean of one position. Returns the reciprocal of its standard
 * deviation. */
static float center(const float *x, float *centered)
{
    float mean = 0, square = 0;
    for (size_t i = 0; i < WIDTH; i++)
        mean += x[i] / WIDTH;
    for (size_t i = 0; i < WIDTH; i++) {
        centered[i] = x[i] - mean;
        square += centered[i] * centered[i] / WIDTH;
    }
    return 1 / sqrtf(square + epsilon);
}

static void norm(const struct layer *layer, const float *x, float *y)
{
    float centered[WIDTH];
    for (size_t n = 0; n < PLACES * WIDTH; n += WIDTH) {
        float scale = center(x + n, centered);
        for (size_t i = 0; i < WIDTH; i++)
            y[n + i] = centered[i] * scale * layer->weight.value[i] +
                       layer->bias.value[i];
    }
}

static void norm_back(
    struct layer *layer, const float *x, const float *dy, float *dx)
{
    float centered[WIDTH], d[WIDTH];
    for (size_t n = 0; n < PLACES * WIDTH; n += WIDTH) {
        float scale = center(x + n, centered), mean = 0, along = 0;
        for (size_t i = 0; i < WIDTH; i++) {
            float normal = centered[i] * scale;
            layer->weight.gradient[i] += dy[n + i] * normal;
            layer->bias.gradient[i] += dy[n + i];
            d[i] = dy[n + i] * layer->weight.value[i];
            mean += d[i] / WIDTH;
            along += d[i] * normal / WIDTH;
        }
        for (size_t i = 0; i < WIDTH; i++)
            dx[n + i] += scale * (d[i] - mean - centered[i] * scale * along);
    }
}

/* --- Attention ------------------------------------------------------------ */

/* Pointers to the query, key and value of a head for one position, in a row of
 * 3 * WIDTH. */
struct head {
    const float *q, *k, *v;
};

static struct head head_at(const float *qkv, size_t n, size_t head)
{
    const float *at = qkv + n * 3 * WIDTH + head * SIZE;
    return (struct head){ at, at + WIDTH, at + (size_t)2 * WIDTH };
}

/* Computes the attention weights of position `to` of a row for all positions up
 * to itself. */
static void weigh(
    const float *qkv, size_t row, size_t to, size_t head, float *weights)
{
    const struct head at = head_at(qkv, row + to, head);
    float most = -INFINITY, sum = 0;
    for (size_t from = 0; from <= to; from++) {
        const struct head other = head_at(qkv, row + from, head);
        weights[from] = 0;
        for (size_t i = 0; i < SIZE; i++)
            weights[from] += at.q[i] * other.k[i] / sqrtf(SIZE);
        most = fmaxf(most, weights[from]);
    }
    for (size_t from = 0; from <= to; from++)
        sum += weights[from] = expf(weights[from] - most);
    for (size_t from = 0; from <= to; from++)
        weights[from] /= sum;
}

static void attend(const float *qkv, float *y)
{
    float weights[CONTEXT];
    memset(y, 0, PLACES * WIDTH * sizeof *y);
    for (size_t n = 0; n < PLACES; n++)
        for (size_t head = 0; head < HEADS; head++) {
            size_t to = n % CONTEXT, row = n - to;
            weigh(qkv, row, to, head, weights);
            for (size_t from = 0; from <= to; from++)
                for (size_t i = 0; i < SIZE; i++)
                    y[n * WIDTH + head * SIZE + i] +=
                        weights[from] * head_at(qkv, row + from, head).v[i];
        }
}

/* The backward pass for one position and one head; `dy` is the gradient of the
 * output. */
static void attend_back_one(
    const float *qkv, size_t n, size_t head, const float *dy, float *dqkv)
{
    float weights[CONTEXT], d[CONTEXT], along = 0;
    size_t to = n % CONTEXT, row = n - to;
    const float *q = head_at(qkv, n, head).q;
    float *dq = dqkv + n * 3 * WIDTH + head * SIZE;
    weigh(qkv, row, to, head, weights);
    for (size_t from = 0; from <= to; from++) {
        const float *v = head_at(qkv, row + from, head).v;
        d[from] = 0;
        for (size_t i = 0; i < SIZE; i++)
            d[from] += dy[i] * v[i];
        along += d[from] * weights[from];
    }
    for (size_t from = 0; from <= to; from++) {
        const float *k = head_at(qkv, row + from, head).k;
        float *dk = dqkv + (row + from) * 3 * WIDTH + WIDTH + head * SIZE;
        float ds = weights[from] * (d[from] - along) / sqrtf(SIZE);
        for (size_t i = 0; i < SIZE; i++) {
            dq[i] += ds * k[i];
            dk[i] += ds * q[i];
            dk[WIDTH + i] += weights[from] * dy[i];
        }
    }
}

static void attend_back(const float *qkv, const float *dy, float *dqkv)
{
    for (size_t n = 0; n < PLACES; n++)
        for (size_t head = 0; head < HEADS; head++)
            attend_back_one(qkv, n, head, dy + n * WIDTH + head * SIZE, dqkv);
}

/* --- Gelu ----------------------------------------------------------------- */

static const float root_half = 0.70710678f, root_two_pi = 2.50662827f;

static float gelu(float x)
{
    return x * (1 + erff(x * root_half)) / 2;
}

static float gelu_slope(float x)
{
    return (1 + erff(x * root_half)) / 2 + x * expf(-x * x / 2) / root_two_pi;
}

/* --- A block -------------------------------------------------------------- */

/* Intermediate results that the backward pass needs. */
struct trace {
    float x[PLACES * WIDTH], normed[PLACES * WIDTH];
    float qkv[PLACES * 3 * WIDTH], attended[PLACES * WIDTH];
    float middle[PLACES * WIDTH], normed_2[PLACES * WIDTH];
    float up[PLACES * INNER], active[PLACES * INNER];
};

static void add(float *to, const float *what)
{
    for (size_t i = 0; i < PLACES * WIDTH; i++)
        to[i] += what[i];
}

static void forward(const struct block *b, struct trace *t, float *x)
{
    float y[PLACES * WIDTH];
    memcpy(t->x, x, sizeof t->x);
    norm(&b->ln_1, x, t->normed);
    linear(b->attention.weight.value, b->attention.bias.value, t->normed, WIDTH,
        t->qkv, (size_t)3 * WIDTH);
    attend(t->qkv, t->attended);
    linear(b->projection.weight.value, b->projection.bias.value, t->attended,
        WIDTH, y, WIDTH);
    add(x, y);
    memcpy(t->middle, x, sizeof t->middle);
    norm(&b->ln_2, x, t->normed_2);
    linear(
        b->up.weight.value, b->up.bias.value, t->normed_2, WIDTH, t->up, INNER);
    for (size_t i = 0; i < PLACES * INNER; i++)
        t->active[i] = gelu(t->up[i]);
    linear(
        b->down.weight.value, b->down.bias.value, t->active, INNER, y, WIDTH);
    add(x, y);
}

/* Computes the gradient of the input from the gradient of the output. */
static void backward(struct block *b, const struct trace *t, float *d)
{
    float inner[PLACES * INNER] = { 0 }, normed[PLACES * WIDTH] = { 0 };
    float qkv[PLACES * 3 * WIDTH] = { 0 }, attended[PLACES * WIDTH] = { 0 };
    linear_back(
        &b->down.weight, &b->down.bias, t->active, INNER, d, WIDTH, inner);
    for (size_t i = 0; i < PLACES * INNER; i++)
        inner[i] *= gelu_slope(t->up[i]);
    linear_back(
        &b->up.weight, &b->up.bias, t->normed_2, WIDTH, inner, INNER, normed);
    norm_back(&b->ln_2, t->middle, normed, d);
    linear_back(&b->projection.weight, &b->projection.bias, t->attended, WIDTH,
        d, WIDTH, attended);
    attend_back(t->qkv, attended, qkv);
    memset(normed, 0, sizeof normed);
    linear_back(&b->attention.weight, &b->attention.bias, t->normed, WIDTH, qkv,
        (size_t)3 * WIDTH, normed);
    norm_back(&b->ln_1, t->x, normed, d);
}

/* --- The whole model
 * ------------------------------------------------------- */

struct traces {
    struct trace blocks[BLOCKS];
    float x[PLACES * WIDTH], normed[PLACES * WIDTH], logits[PLACES * TOKENS];
};
static struct traces traces;

static size_t token_at(const int64_t *data, size_t n)
{
    return (size_t)data[n / CONTEXT * (CONTEXT + 1) + n % CONTEXT];
}

static void predict(struct transformer *t, const int64_t *data)
{
    float *x = traces.x;
    for (size_t n = 0; n < PLACES; n++)
        for (size_t i = 0; i < WIDTH; i++)
            x[n * WIDTH + i] = t->tokens.value[token_at(data, n) * WIDTH + i] +
                               t->positions.value[n % CONTEXT * WIDTH + i];
    for (size_t b = 0; b < BLOCKS; b++)
        forward(&t->blocks[b], &traces.blocks[b], x);
    norm(&t->ln, x, traces.normed);
    linear(t->tokens.value, NULL, traces.normed, WIDTH, traces.logits, TOKENS);
}

void transformer_predict(
    struct transformer *t, const int64_t *data, float *logits)
{
    predict(t, data);
    memcpy(logits, traces.logits, sizeof traces.logits);
}

/* Returns the loss of one position, and replaces its logits with their
 * gradients. */
static float lose(float *logits, size_t token)
{
    float most = -INFINITY, sum = 0;
    for (size_t i = 0; i < TOKENS; i++)
        most = fmaxf(most, logits[i]);
    for (size_t i = 0; i < TOKENS; i++)
        sum += expf(logits[i] - most);
    float loss = logf(sum) + most - logits[token];
    for (size_t i = 0; i < TOKENS; i++)
        logits[i] =
            (expf(logits[i] - most) / sum - (float)(i == token)) / PLACES;
    return loss / PLACES;
}

static void clear(struct layer *layer)
{
    memset(layer->weight.gradient, 0, sizeof layer->weight.gradient);
    memset(layer->bias.gradient, 0, sizeof layer->bias.gradient);
}

static void clear_all(struct transformer *t)
{
    memset(t->tokens.gradient, 0, sizeof t->tokens.gradient);
    memset(t->positions.gradient, 0, sizeof t->positions.gradient);
    clear(&t->ln);
    for (size_t b = 0; b < BLOCKS; b++) {
        clear(&t->blocks[b].ln_1);
        clear(&t->blocks[b].attention);
        clear(&t->blocks[b].projection);
        clear(&t->blocks[b].ln_2);
        clear(&t->blocks[b].up);
        clear(&t->blocks[b].down);
    }
}

float transformer_learn(struct transformer *t, const int64_t *data)
{
    float normed[PLACES * WIDTH] = { 0 }, d[PLACES * WIDTH] = { 0 }, loss = 0;
    predict(t, data);
    clear_all(t);
    for (size_t n = 0; n < PLACES; n++)
        loss += lose(traces.logits + n * TOKENS, token_at(data + 1, n));
    linear_back(
        &t->tokens, NULL, traces.normed, WIDTH, traces.logits, TOKENS, normed);
    norm_back(&t->ln, traces.x, normed, d);
    for (size_t b = BLOCKS; b-- > 0;)
        backward(&t->blocks[b], &traces.blocks[b], d);
    for (size_t n = 0; n < PLACES; n++)
        for (size_t i = 0; i < WIDTH; i++) {
            t->tokens.gradient[token_at(data, n) * WIDTH + i] +=
                d[n * WIDTH + i];
            t->positions.gradient[n % CONTEXT * WIDTH + i] += d[n * WIDTH + i];
        }
    return loss;
}

void adamw_step(const struct adamw *a, struct parameter *p)
{
    float beta_1 = (float)a->betas[0], beta_2 = (float)a->betas[1];
    double step = ++*p->step;
    double correction = sqrt(1 - pow(a->betas[1], step));
    float size = (float)(a->lr / (1 - pow(a->betas[0], step)));
    for (size_t i = 0; i < p->count; i++) {
        float g = p->gradient[i];
        p->value[i] *= (float)(1 - a->lr * a->weight_decay);
        p->m[i] += (1 - beta_1) * (g - p->m[i]);
        p->v[i] = beta_2 * p->v[i] + (1 - beta_2) * g * g;
        p->value[i] -= size * p->m[i] /
                       (sqrtf(p->v[i]) / (float)correction + (float)a->eps);
    }
}
