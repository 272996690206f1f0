/* everything.h - a small model with one of everything that a checkpoint can
 * hold, for tests that have to meet all of it. Public headers only.
 *
 *     struct everything model = { 0 };
 *     everything_build(&model, graph);
 *     everything_fill(&model, 2);
 *     const char *wrong = everything_differs(&model, 2);
 *
 * Values are numbers made from a seed, so that the bytes are the same on every
 * machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MODEL_EVERYTHING_H
#define MODEL_EVERYTHING_H

#include <varve/varve.h>

enum {
    EVERYTHING_NUMBERS = 17,   /* element types besides strings */
    EVERYTHING_BIG = 262145,   /* float32: one element above a chunk */
    EVERYTHING_PAGED = 65541,  /* bytes: can be mapped */
    EVERYTHING_PARTS = 40,     /* at most */
};

struct everything {
    /* The program's memory. */
    _Alignas(16) unsigned char numbers[EVERYTHING_NUMBERS][96];
    int64_t step;
    signed char deep[2];
    varve_string words[3];
    float bias[2][3];
    float embedding[8];
    float momentum[6];
    float cache[4]; /* local */
    uint32_t draws;
    unsigned char generator[16]; /* a state */
    float *big;                  /* NULL: the model has no large values */

    /* Nodes whose memory the library owns. */
    varve_node *kernels[2];
    varve_node *second_moment;
    varve_node *labels;
    varve_node *paged; /* only with `big` */

    int loads; /* of the state; the failing one is counted down to 0 */
    int failing_load;
};

/* One value: its memory now (NULL: there is none yet), type and count. */
struct everything_part {
    const char *name;
    void *data;
    varve_dtype dtype;
    size_t count;
    bool is_local;
};

/* All edges, slots, tags and callbacks, in a new graph or one whose restoration
 * is waiting. The program's memory keeps its values. */
void everything_build(struct everything *model, varve_graph *graph);

/* Options with metadata of every kind. */
varve_write_options everything_options(void);

/* The values there are, now. How many. */
size_t everything_parts(struct everything *model,
    struct everything_part parts[EVERYTHING_PARTS]);

/* Sets all of them. */
void everything_fill(struct everything *model, unsigned seed);

/* The first value that is not that of the seed, or NULL. Values that a file
 * does not hold are not looked at. */
const char *everything_differs(struct everything *model, unsigned seed);

/* A sum of all values and of where they lie. */
uint64_t everything_digest(struct everything *model);

#endif
