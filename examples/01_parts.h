/* 01_parts.h - Declares the parts of 01_train.c. They are independent of the
 * program: each is given its node and adds its own edges there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PARTS_H
#define PARTS_H

#include <varve/varve.h>

#include "support/text_model.h"

/* --- Adam, an optimizer ------------------------------------------------- */

struct adam {
    varve_node *node;
    uint64_t step;
    struct parameter parameters[PARAMETERS];
    size_t count;
    float gradients[NUMBERS]; /* needed during one step only, so not in the
                                 graph */
    size_t used;
};

void adam_init(struct adam *adam, varve_node *at);

/* Makes one step for every variable that was added to the optimizer. */
void adam_apply(struct adam *adam);

/* --- Layers, which are built when their number of inputs is known -------- */

struct layer {
    varve_node *node;
    struct dense *dense; /* the parameters for the computation */
};

void layer_init(
    struct layer *layer, varve_node *at, struct dense *dense, size_t outputs);

/* `random` draws the initial values, unless they are restored. */
void layer_build(struct layer *layer, size_t inputs, struct adam *adam,
    varve_random *random);

/* The embedding: a vector for each character. */
struct parameter *embedding_build(
    varve_node *at, struct adam *adam, varve_random *random);

/* --- The data: windows of a text, each a record -------------------------- */

/* Endless batches of BATCH windows, shuffled. The text is borrowed. */
varve_records *open_windows(
    struct text *text, uint64_t seed, varve_error *error);

#endif
