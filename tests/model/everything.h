/* everything.h - Declares a small model with everything that a checkpoint can
 * contain. Uses only public headers.
 *
 *     struct everything model = { 0 };
 *     everything_build(&model, graph);
 *     everything_fill(&model, 2);
 *     const char *wrong = everything_differs(&model, 2);
 *
 * Values are derived from a seed and have the same bytes on every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MODEL_EVERYTHING_H
#define MODEL_EVERYTHING_H

#include <varve/varve.h>

enum {
    EVERYTHING_NUMBERS = 17,   /* element types except strings */
    /* float32 elements: one more than fits in a chunk */
    EVERYTHING_BIG = 262145,
    EVERYTHING_PAGED = 65541,  /* bytes: large enough to be mapped */
    EVERYTHING_PARTS = 40,     /* maximum number of values */
};

struct everything {
    /* Memory of the program. */
    _Alignas(16) unsigned char numbers[EVERYTHING_NUMBERS][96];
    int64_t step;
    signed char deep[2];
    varve_string words[3];
    float bias[2][3];
    float embedding[8];
    float momentum[6];
    float cache[4]; /* tagged local */
    uint32_t draws;
    unsigned char generator[16]; /* a serialized state */
    float *big;                  /* NULL: no large values */

    /* Variables whose memory is owned by the library. */
    varve_node *kernels[2];
    varve_node *second_moment;
    varve_node *labels;
    varve_node *paged; /* only with `big` */

    /* calls that loaded the state; the failing one is counted down to 0 */
    int loads;
    int failing_load;
};

/* A value: its current memory (NULL: none yet), type and count. */
struct everything_part {
    const char *name;
    void *data;
    varve_dtype dtype;
    size_t count;
    bool is_local;
};

/* Adds all edges, slots, tags and callbacks to a new graph or to one with a
 * pending restoration. Values in the program's memory are kept. */
void everything_build(struct everything *model, varve_graph *graph);

/* Returns options with metadata of every kind. */
varve_write_options everything_options(void);

/* Writes the current values to an array and returns their number. */
size_t everything_parts(struct everything *model,
    struct everything_part parts[EVERYTHING_PARTS]);

/* Sets all values. */
void everything_fill(struct everything *model, unsigned seed);

/* Returns the first value that differs from that of the seed, or NULL. Values
 * that are not saved are ignored. */
const char *everything_differs(struct everything *model, unsigned seed);

/* Returns a digest of all values and their addresses. */
uint64_t everything_digest(struct everything *model);

#endif
