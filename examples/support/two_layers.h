/* two_layers.h - Computes a small network and Adam in float32, as Keras does.
 * It does not use checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TWO_LAYERS_H
#define SUPPORT_TWO_LAYERS_H

#include <stddef.h>
#include <stdint.h>

enum { INPUTS = 4, HIDDEN = 8, OUTPUTS = 3, LAYERS = 2, MOST = 32 };

/* A trained array and the state of Adam. */
struct parameter {
    float *value;
    float *m, *v;         /* moving averages of gradient and squared gradient */
    float gradient[MOST]; /* needed during one step only */
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

/* Computes rows of OUTPUTS from rows of INPUTS. */
void two_layers_predict(
    const struct two_layers *network, const float *x, size_t rows, float *y);

/* Sets the gradients of the mean squared error and returns the loss. */
float two_layers_learn(
    struct two_layers *network, const float *x, const float *y, size_t rows);

/* Makes a step of Adam for all parameters. */
void adam_step(struct adam *adam, struct two_layers *network);

#endif
