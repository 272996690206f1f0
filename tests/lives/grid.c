/* grid.c - Simulates heat in a plate, divided into as many blocks as there are
 * ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "world.h"

enum { ROWS = 90, COLUMNS = 76, CELLS = ROWS * COLUMNS };

struct block {
    uint64_t start[2];
    uint64_t count[2];
};

struct plate {
    const varve_comm *comm;
    struct block mine;
    float heat[CELLS];   /* of the block, row-major */
    float blocks[CELLS]; /* of all ranks, concatenated */
    float whole[CELLS];
};

/* Returns a block of the division that is nearest to a square. */
static struct block block_of(uint32_t rank, uint32_t size)
{
    uint32_t across = 1;
    for (uint32_t i = 1; i * i <= size; i++)
        across = size % i == 0 ? i : across;
    const uint32_t of[] = { size / across, across };
    const uint32_t at[] = { rank / across, rank % across };
    const uint64_t extents[] = { ROWS, COLUMNS };
    struct block block;
    for (int i = 0; i < 2; i++) {
        block.start[i] = extents[i] * at[i] / of[i];
        block.count[i] = extents[i] * (at[i] + 1) / of[i] - block.start[i];
    }
    return block;
}

/* Copies between a block and its position in the whole plate, both
 * row-major. */
static void move_block(
    const struct block *block, float *cells, float *whole, bool to_whole)
{
    for (uint64_t i = 0; i < block->count[0]; i++) {
        float *there =
            whole + (block->start[0] + i) * COLUMNS + block->start[1];
        float *here = cells + i * block->count[1];
        memcpy(to_whole ? there : here, to_whole ? here : there,
            (size_t)block->count[1] * sizeof *cells);
    }
}

static void *make(const varve_comm *comm, varve_node *root)
{
    struct plate *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->comm = comm;
    p->mine = block_of(comm->rank, comm->size);
    for (int i = 0; i < CELLS; i++)
        p->whole[i] = i % 101 == 0 ? 100 : 0;
    move_block(&p->mine, p->heat, p->whole, false);
    varve_add_slice(root, "heat",
        varve_array(p->heat, p->mine.count[0], p->mine.count[1]),
        VARVE_SHAPE(ROWS, COLUMNS), p->mine.start);
    return p;
}

/* Gathers the whole plate. A real program would exchange only borders. */
static varve_status look_at_all(struct plate *p)
{
    uint64_t sizes[MOST_RANKS];
    for (uint32_t i = 0; i < p->comm->size; i++) {
        struct block block = block_of(i, p->comm->size);
        sizes[i] = block.count[0] * block.count[1] * sizeof *p->heat;
    }
    varve_status status = exchange(p->comm, p->heat, p->blocks, sizes);
    float *at = p->blocks;
    for (uint32_t i = 0; !status && i < p->comm->size; i++) {
        struct block block = block_of(i, p->comm->size);
        move_block(&block, at, p->whole, true);
        at += block.count[0] * block.count[1];
    }
    return status;
}

static float flow_into(const float *whole, uint64_t row, uint64_t column)
{
    const float *at = whole + row * COLUMNS + column;
    float flow = 0;
    flow += row > 0 ? at[-COLUMNS] - *at : 0;
    flow += row + 1 < ROWS ? at[COLUMNS] - *at : 0;
    flow += column > 0 ? at[-1] - *at : 0;
    flow += column + 1 < COLUMNS ? at[1] - *at : 0;
    return flow;
}

static varve_status step(void *self)
{
    struct plate *p = self;
    varve_status status = look_at_all(p);
    for (uint64_t i = 0; !status && i < p->mine.count[0]; i++) {
        for (uint64_t k = 0; k < p->mine.count[1]; k++)
            p->heat[i * p->mine.count[1] + k] +=
                flow_into(p->whole, p->mine.start[0] + i,
                    p->mine.start[1] + k) /
                8;
    }
    return status;
}

static varve_status sum(void *self, uint64_t *of)
{
    struct plate *p = self;
    varve_status status = look_at_all(p);
    *of = sum_bytes(SUM_OF_NOTHING, p->whole, sizeof p->whole);
    return status;
}

const struct world grid = { "grid", true, make, step, sum, NULL, free };
