/* transformer.h - the arithmetic of a small transformer and of AdamW, in
 * float32 and step for step as PyTorch has it. It knows nothing of checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TRANSFORMER_H
#define SUPPORT_TRANSFORMER_H

#include <stddef.h>
#include <stdint.h>

enum {
    TOKENS = 16, /* different ones */
    WIDTH = 8,
    INNER = 4 * WIDTH,
    HEADS = 2,
    BLOCKS = 2,
    CONTEXT = 8, /* tokens of a row */
    ROWS = 4,
    PLACES = ROWS * CONTEXT,
    MOST = INNER * WIDTH /* elements of a parameter */
};

/* A trained array and what AdamW keeps for it. */
struct parameter {
    float *value;
    float *m, *v;         /* running means of gradient and squared gradient */
    float *step;          /* how many there were: one number */
    float gradient[MOST]; /* of one step only */
    size_t count;
};

/* Of a linear layer [outputs, inputs] and [outputs], or of a norm. */
struct layer {
    struct parameter weight, bias;
};

struct block {
    struct layer ln_1;
    struct layer attention; /* WIDTH to queries, keys and values */
    struct layer projection;
    struct layer ln_2;
    struct layer up, down; /* to INNER and back, gelu between */
};

struct transformer {
    struct parameter tokens; /* [TOKENS, WIDTH], of the head too */
    struct parameter positions;
    struct block blocks[BLOCKS];
    struct layer ln;
};

/* The parameters of torch.optim.AdamW. */
struct adamw {
    double lr, betas[2], eps, weight_decay;
};

/* What the next token is after each of PLACES: [PLACES, TOKENS] logits.
 * `data` has ROWS of CONTEXT + 1 tokens, of which the last is not looked at. */
void transformer_predict(
    struct transformer *t, const int64_t *data, float *logits);

/* Sets the gradients of the mean cross entropy, which is returned. */
float transformer_learn(struct transformer *t, const int64_t *data);

/* A step along the gradient of one parameter. */
void adamw_step(const struct adamw *adamw, struct parameter *p);

#endif
