/* together_world.h - Creates a program on several ranks: a matrix divided into
 * boxes, a block-cyclic vector, and replicated values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_TOGETHER_WORLD_H
#define UNIT_TOGETHER_WORLD_H

#include "worlds.h"

#include <varve/slice.h>
#include <varve/collective.h>

#include "support/thread_comm.h"

enum { ROWS = 37, COLUMNS = 53, WEIGHTS = 400000, BLOCK = 7, BLOCKS = 11 };

/* The objects of a rank. */
struct part {
    varve_graph *graph;
    varve_node *root;
    varve_box box; /* of the matrix */
    float *matrix;
    float *weights; /* replicated */
    int64_t step;
    int32_t blocks[BLOCKS][BLOCK]; /* blocks of the vector on this rank */
    bool has_block[BLOCKS];
    varve_string words[2];
    struct text_state state;
};

/* Returns the box of a rank in a grid that is `wide` ranks wide. Excess ranks
 * have no elements. */
static inline varve_box box_of_rank(
    uint32_t rank, uint32_t size, uint32_t wide)
{
    uint32_t high = size / wide, i = rank / wide, k = rank % wide;
    varve_box box = { { 0 }, { 0 } };
    if (i >= high)
        return box;
    box.start[0] = ROWS * i / high;
    box.extents[0] = ROWS * (i + 1) / high - box.start[0];
    box.start[1] = COLUMNS * k / wide;
    box.extents[1] = COLUMNS * (k + 1) / wide - box.start[1];
    return box;
}

static inline float matrix_at(uint64_t row, uint64_t column)
{
    return (float)(1000 * row + column);
}

static inline void set_part(struct part *p, bool has_values)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < p->box.extents[0]; i++) {
        for (uint64_t k = 0; k < p->box.extents[1]; k++)
            p->matrix[at++] = has_values ? matrix_at(p->box.start[0] + i,
                                               p->box.start[1] + k)
                                         : -1;
    }
    for (int i = 0; i < WEIGHTS; i++)
        p->weights[i] = has_values ? (float)i / 2 : -1;
    p->step = has_values ? 42 : -1;
    for (int b = 0; b < BLOCKS; b++) {
        for (int i = 0; i < BLOCK; i++)
            p->blocks[b][i] = has_values ? b * BLOCK + i : -1;
    }
    p->words[0] = (varve_string){ has_values ? "one" : "", has_values ? 3 : 0 };
    p->words[1] = (varve_string){ "other", has_values ? 5 : 0 };
    snprintf(p->state.text, sizeof p->state.text, "%s",
        has_values ? "the state" : "");
}

static inline void add_blocks(
    struct part *p, uint32_t rank, uint32_t size)
{
    varve_node *vector = varve_add_object(p->root, "vector");
    for (unsigned b = 0; b < BLOCKS; b++) {
        char name[16];
        uint64_t start = 0;
        p->has_block[b] = b % size == rank;
        snprintf(name, sizeof name, "block%u", b);
        varve_add_slice(vector, name,
            varve_array(p->blocks[b], p->has_block[b] ? BLOCK : 0),
            VARVE_SHAPE(BLOCK), &start);
    }
}

/* Creates the objects of a rank in a grid. */
static inline struct part *new_part(
    const varve_comm *comm, uint32_t wide, bool has_values)
{
    struct part *p = calloc(1, sizeof *p);
    p->box = box_of_rank(comm->rank, comm->size, wide);
    uint64_t count = p->box.extents[0] * p->box.extents[1];
    p->matrix = calloc(count + 1, sizeof *p->matrix);
    p->weights = calloc(WEIGHTS, sizeof *p->weights);
    p->root = new_root();
    p->graph = varve_node_graph(p->root);
    varve_add_slice(p->root, "matrix",
        varve_array(p->matrix, p->box.extents[0], p->box.extents[1]),
        VARVE_SHAPE(ROWS, COLUMNS), p->box.start);
    varve_add_variable(p->root, "weights", varve_array(p->weights, WEIGHTS));
    varve_add_variable(p->root, "step", varve_scalar(&p->step));
    varve_add_variable(p->root, "words", varve_array(p->words, 2));
    varve_add_state(p->root, "state", &text_callbacks, &p->state);
    add_blocks(p, comm->rank, comm->size);
    set_part(p, has_values);
    return p;
}

static inline void free_part(struct part *p)
{
    varve_graph_free(p->graph);
    free(p->weights);
    free(p->matrix);
    free(p);
}

enum { HAS_OTHERS = -1, HAS_NONE = 0, HAS_ALL = 1 };

/* Returns whether the rank has its values, in any grid, or none of them. */
static inline int values_of(const struct part *p)
{
    bool has = p->step == 42, good = true;
    uint64_t at = 0;
    for (uint64_t i = 0; i < p->box.extents[0]; i++) {
        for (uint64_t k = 0; k < p->box.extents[1]; k++)
            good &= p->matrix[at++] == (has ? matrix_at(p->box.start[0] + i,
                                                  p->box.start[1] + k)
                                            : -1);
    }
    for (int i = 0; i < WEIGHTS; i++)
        good &= p->weights[i] == (has ? (float)i / 2 : -1);
    for (int b = 0; b < BLOCKS; b++) {
        for (int i = 0; p->has_block[b] && i < BLOCK; i++)
            good &= p->blocks[b][i] == (has ? b * BLOCK + i : -1);
    }
    good &= p->words[0].size == (has ? 3 : 0);
    good &= strcmp(p->state.text, has ? "the state" : "") == 0;
    return !good ? HAS_OTHERS : has ? HAS_ALL : HAS_NONE;
}

#endif
