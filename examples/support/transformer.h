/* transformer.h - Computes a small transformer and AdamW in float32, as PyTorch
 * does. It does not use checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TRANSFORMER_H
#define SUPPORT_TRANSFORMER_H

#include <stddef.h>
#include <stdint.h>

enum {
    TOKENS = 16, /* number of tokens */
    WIDTH = 8,
    INNER = 4 * WIDTH,
    HEADS = 2,
    BLOCKS = 2,
    CONTEXT = 8, /* tokens of a row */
    ROWS = 4,
    PLACES = ROWS * CONTEXT,
    MOST = INNER * WIDTH /* elements of a parameter */
};

/* A trained array and the state of AdamW. */
struct parameter {
    float *value;
    float *m, *v;         /* moving averages of gradient and squared gradient */
    float *step;          /* the number of steps, as one element */
    float gradient[MOST]; /* needed during one step only */
    size_t count;
};

/* A linear layer with [outputs, inputs] and [outputs], or a layer norm. */
struct layer {
    struct parameter weight, bias;
};

struct block {
    struct layer ln_1;
    struct layer attention; /* WIDTH to queries, keys and values */
    struct layer projection;
    struct layer ln_2;
    struct layer up, down; /* to INNER and back, with gelu between */
};

struct transformer {
    struct parameter tokens; /* [TOKENS, WIDTH], shared with the head */
    struct parameter positions;
    struct block blocks[BLOCKS];
    struct layer ln;
};

/* The parameters of torch.optim.AdamW. */
struct adamw {
    double lr, betas[2], eps, weight_decay;
};

/* Predicts the next token at each position: [PLACES, TOKENS] logits. `data` has
 * ROWS of CONTEXT + 1 tokens, of which the last is ignored. */
void transformer_predict(
    struct transformer *t, const int64_t *data, float *logits);

/* Sets the gradients of the mean cross entropy and returns the loss. */
float transformer_learn(struct transformer *t, const int64_t *data);

/* Makes a step of AdamW for one parameter. */
void adamw_step(const struct adamw *adamw, struct parameter *p);

#endif
