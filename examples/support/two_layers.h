/* two_layers.h - the arithmetic of a small network and of Adam, in float32 and
 * step for step as Keras has it. It knows nothing of checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TWO_LAYERS_H
#define SUPPORT_TWO_LAYERS_H

#include <stddef.h>
#include <stdint.h>

enum { INPUTS = 4, HIDDEN = 8, OUTPUTS = 3, LAYERS = 2, MOST = 32 };

/* A trained array and what Adam keeps for it. */
struct parameter {
    float *value;
    float *m, *v;         /* running means of gradient and squared gradient */
    float gradient[MOST]; /* of one step only */
    size_t count;
};

/* out = in * kernel + bias */
struct dense {
    size_t inputs, outputs;
    struct parameter kernel; /* [inputs, outputs] */
    struct parameter bias;   /* [outputs] */
};

/* INPUTS -> HIDDEN, relu -> OUTPUTS. */
struct two_layers {
    struct dense layer[LAYERS];
};

/* The parameters of tf.keras.optimizers.legacy.Adam. */
struct adam {
    int64_t iter; /* steps so far */
    float learning_rate, beta_1, beta_2, decay;
};

/* Rows of INPUTS to rows of OUTPUTS. */
void two_layers_predict(
    const struct two_layers *network, const float *x, size_t rows, float *y);

/* Sets the gradients of the mean squared error, which is returned. */
float two_layers_learn(
    struct two_layers *network, const float *x, const float *y, size_t rows);

/* A step along the gradients. */
void adam_step(struct adam *adam, struct two_layers *network);

#endif
