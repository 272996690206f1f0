/* 01_parts.h - what 01_train.c is made of. The parts do not know the program:
 * each is handed the node it lives at, and adds its own edges there.
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
    float gradients[NUMBERS]; /* of one step only, so not in the graph */
    size_t used;
};

void adam_init(struct adam *adam, varve_node *at);

/* One step for every variable that was taken into training. */
void adam_apply(struct adam *adam);

/* --- Layers, which are built when their number of inputs is known -------- */

struct layer {
    varve_node *node;
    struct dense *dense; /* its arithmetic */
};

void layer_init(
    struct layer *layer, varve_node *at, struct dense *dense, size_t outputs);

/* `random` draws the first values, where no checkpoint has others. */
void layer_build(struct layer *layer, size_t inputs, struct adam *adam,
    varve_random *random);

/* What stands for each character. */
struct parameter *embedding_build(
    varve_node *at, struct adam *adam, varve_random *random);

/* --- The data: windows of a text, each a record -------------------------- */

/* In batches of BATCH without end, shuffled. The text is borrowed. */
varve_records *open_windows(
    struct text *text, uint64_t seed, varve_error *error);

#endif
