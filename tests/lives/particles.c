/* particles.c - Simulates particles in a box of columns, each owned by one
 * rank. Particles move between ranks and are accelerated by noise and by the
 * center of their column.
 *
 * Sums over particles are computed in the order of their ids, whichever rank
 * has them, so the result is bit-for-bit the same with any number of ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "world.h"

enum { PARTICLES = 400, CELLS = 16 /* columns of the box */ };

struct particle {
    uint64_t id;
    double at[2]; /* in [0, 1) */
    double speed[2];
};

static const varve_field fields[] = {
    VARVE_FIELD(struct particle, id),
    VARVE_FIELD_ARRAY(struct particle, at),
    VARVE_FIELD_ARRAY(struct particle, speed),
    VARVE_FIELDS_END,
};

struct box {
    const varve_comm *comm;
    varve_random noise; /* equal on each rank, which draws for all particles */
    size_t count;
    struct particle own[PARTICLES];
    struct particle all[PARTICLES]; /* by id */
};

/* --- Whose they are ------------------------------------------------------- */

static int column_of(const struct particle *one)
{
    return (int)(one->at[0] * CELLS);
}

static uint32_t owner(void *user, const void *one)
{
    const struct box *b = user;
    return (uint32_t)column_of(one) * b->comm->size / CELLS;
}

static size_t count(void *user)
{
    return ((struct box *)user)->count;
}

static void get(void *user, void *structs)
{
    const struct box *b = user;
    memcpy(structs, b->own, b->count * sizeof *b->own);
}

static void clear(void *user)
{
    ((struct box *)user)->count = 0;
}

static varve_status put(void *user, const void *one)
{
    struct box *b = user;
    if (b->count == PARTICLES)
        return VARVE_LIMIT;
    b->own[b->count++] = *(const struct particle *)one;
    return VARVE_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct particle *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

/* Exchanges all particles and keeps its own. Also checks that each exists
 * exactly once. */
static varve_status settle(struct box *b)
{
    uint64_t mine = b->count * sizeof *b->own, sizes[MOST_RANKS] = { 0 };
    const varve_comm *c = b->comm;
    varve_status status =
        c->gather(c->self, &mine, sizeof mine, c->rank ? NULL : sizes);
    if (!status)
        status = c->broadcast(c->self, sizes, c->size * sizeof *sizes);
    uint64_t total = 0;
    for (uint32_t i = 0; i < c->size; i++)
        total += sizes[i];
    if (!status && total != sizeof b->all)
        return VARVE_MISMATCH;
    if (!status)
        status = exchange(c, b->own, b->all, sizes);
    if (status)
        return status;
    qsort(b->all, PARTICLES, sizeof *b->all, by_id);
    b->count = 0;
    for (uint64_t i = 0; i < PARTICLES; i++) {
        if (b->all[i].id != i)
            return VARVE_MISMATCH;
        if (owner(b, &b->all[i]) == c->rank)
            b->own[b->count++] = b->all[i];
    }
    return VARVE_OK;
}

/* --- How they fly --------------------------------------------------------- */

static void *make(const varve_comm *comm, varve_node *root)
{
    struct box *b = calloc(1, sizeof *b);
    varve_random places = { 0 };
    if (!b)
        return NULL;
    b->comm = comm;
    varve_random_seed(&places, 7, "places");
    for (uint64_t i = 0; i < PARTICLES; i++) {
        struct particle one = { .id = i };
        for (int k = 0; k < 2; k++) {
            one.at[k] = varve_random_unit(&places);
            one.speed[k] = varve_random_uniform(&places, -0.02, 0.02);
        }
        if (owner(b, &one) == comm->rank)
            b->own[b->count++] = one;
    }
    const varve_migrating migrating = { .fields = fields,
        .size = sizeof(struct particle), .count = count, .get = get,
        .clear = clear, .owner = owner, .put = put, .user = b };
    varve_add_migrating(root, "particles", comm, &migrating);
    varve_add_random(root, "noise", &b->noise, 3);
    return b;
}

static void push(struct particle *one, double middle, const double *noise)
{
    one->speed[1] += (middle - one->at[1]) / 64;
    for (int k = 0; k < 2; k++) {
        one->speed[k] = 0.99 * one->speed[k] + (noise[k] - 0.5) / 512;
        one->at[k] += one->speed[k];
        one->at[k] -= floor(one->at[k]);
        one->at[k] = one->at[k] < 1 ? one->at[k] : 0;
    }
}

static varve_status step(void *self)
{
    struct box *b = self;
    double sums[CELLS] = { 0 }, counts[CELLS] = { 0 };
    double noise[PARTICLES][2];
    varve_status status = settle(b);
    if (status)
        return status;
    varve_random_fill_unit(&b->noise, noise[0], (size_t)2 * PARTICLES);
    for (int i = 0; i < PARTICLES; i++) {
        int column = column_of(&b->all[i]);
        sums[column] += b->all[i].at[1];
        counts[column]++;
    }
    for (size_t i = 0; i < b->count; i++) {
        int column = column_of(&b->own[i]);
        push(&b->own[i], sums[column] / counts[column], noise[b->own[i].id]);
    }
    return settle(b);
}

static varve_status sum(void *self, uint64_t *of)
{
    struct box *b = self;
    varve_status status = settle(b);
    *of = sum_bytes(SUM_OF_NOTHING, b->all, sizeof b->all);
    *of = sum_bytes(*of, &b->noise.position, sizeof b->noise.position);
    return status;
}

const struct world particles = { "particles", true, make, step, sum, NULL,
    free };
