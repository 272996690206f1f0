/* text_model.h - the arithmetic of a small network that guesses the next
 * character of a text. It knows nothing of checkpoints: its parameters are
 * pointers to memory that somebody else provides.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEXT_MODEL_H
#define SUPPORT_TEXT_MODEL_H

#include "text.h"

enum {
    WIDTH = 24,   /* numbers that stand for one character */
    HIDDEN = 192, /* units of a hidden layer */
    LAYERS = 3,   /* two hidden ones, and the head */

    PARAMETERS = 1 + 2 * LAYERS, /* the embedding, kernels and biases */
    /* in all of them */
    NUMBERS = CODES * WIDTH + CONTEXT * WIDTH * HIDDEN + HIDDEN +
              HIDDEN * HIDDEN + HIDDEN + HIDDEN * CODES + CODES
};

/* A trained array and everything that training keeps beside it. */
struct parameter {
    float *value;
    float *gradient;
    float *m, *v; /* Adam's running means of gradient and squared gradient */
    size_t count;
};

/* A fully connected layer: out = in * kernel + bias. */
struct dense {
    size_t inputs, outputs;
    struct parameter *kernel; /* [inputs, outputs] */
    struct parameter *bias;   /* [outputs] */
};

/* Characters -> embedding -> two hidden layers -> a chance for each code. */
struct network {
    struct parameter *embedding; /* [CODES, WIDTH] */
    struct dense layer[LAYERS];

    /* What the layers put out and, in training, the gradients of that. The last
     * output is the chances. */
    float embedded[BATCH * CONTEXT * WIDTH];
    float out[LAYERS][BATCH * HIDDEN];
    float gradient[LAYERS][BATCH * HIDDEN];
    float embedded_gradient[BATCH * CONTEXT * WIDTH];
};

/* What follows each of `rows` contexts: the chances stand in the last `out`. */
void network_guess(
    struct network *network, const unsigned char *contexts, size_t rows);

/* Guesses, adds to the gradients of all parameters, and returns the mean loss
 * in bits per character. */
double network_learn(struct network *network, const struct batch *batch);

/* Writes `size` characters that follow `before`, each drawn by its chance, and
 * a zero byte to `text`. */
void network_write(struct network *network, unsigned char before, char *text,
    size_t size, varve_random *random);

/* One step of Adam (Kingma and Ba, 2015, algorithm 1), the `step`-th from 1;
 * leaves the gradient at zero. */
void adam_update(struct parameter *parameter, uint64_t step, double rate);

#endif
