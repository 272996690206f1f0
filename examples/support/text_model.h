/* text_model.h - Computes a small network that predicts the next character of a
 * text. It does not use checkpoints: its parameters are pointers to memory of
 * the caller.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEXT_MODEL_H
#define SUPPORT_TEXT_MODEL_H

#include "text.h"

enum {
    WIDTH = 24,   /* size of the embedding */
    HIDDEN = 192, /* units of a hidden layer */
    LAYERS = 3,   /* two hidden layers and the head */

    PARAMETERS = 1 + 2 * LAYERS, /* the embedding, kernels and biases */
    /* in all parameters */
    NUMBERS = CODES * WIDTH + CONTEXT * WIDTH * HIDDEN + HIDDEN +
              HIDDEN * HIDDEN + HIDDEN + HIDDEN * CODES + CODES
};

/* A trained array with its gradient and optimizer state. */
struct parameter {
    float *value;
    float *gradient;
    float *m, *v; /* Adam's moving averages of gradient and squared gradient */
    size_t count;
};

/* A fully connected layer: out = in * kernel + bias. */
struct dense {
    size_t inputs, outputs;
    struct parameter *kernel; /* [inputs, outputs] */
    struct parameter *bias;   /* [outputs] */
};

/* Characters -> embedding -> two hidden layers -> a probability for each
 * code. */
struct network {
    struct parameter *embedding; /* [CODES, WIDTH] */
    struct dense layer[LAYERS];

    /* The outputs of the layers, and their gradients in training. The last
     * output contains the probabilities. */
    float embedded[BATCH * CONTEXT * WIDTH];
    float out[LAYERS][BATCH * HIDDEN];
    float gradient[LAYERS][BATCH * HIDDEN];
    float embedded_gradient[BATCH * CONTEXT * WIDTH];
};

/* Predicts the character after each of `rows` contexts. The probabilities are
 * in the last `out`. */
void network_guess(
    struct network *network, const unsigned char *contexts, size_t rows);

/* Predicts, adds to the gradients of all parameters, and returns the mean loss
 * in bits per character. */
double network_learn(struct network *network, const struct batch *batch);

/* Writes `size` random characters that follow `before`, and a zero byte, to
 * `text`. */
void network_write(struct network *network, unsigned char before, char *text,
    size_t size, varve_random *random);

/* Makes step `step` (from 1) of Adam (Kingma and Ba, 2015, algorithm 1), and
 * clears the gradient. */
void adam_update(struct parameter *parameter, uint64_t step, double rate);

#endif
