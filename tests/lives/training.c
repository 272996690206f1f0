/* training.c - Trains a small network on several ranks: each rank has a part of
 * every batch and a part of the optimizer.
 *
 * Floating-point sums depend on their order. `training` adds the gradients of
 * single examples in the order of the batch. `training_by_rank` adds sums of
 * each rank, as most programs do, so the result depends on the number of ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "world.h"

enum { INPUTS = 6, HIDDEN = 8, EXAMPLES = 96, BATCH = 12 };
enum { BIAS = HIDDEN * INPUTS, OUT = BIAS + HIDDEN, LAST = OUT + HIDDEN };
enum { WEIGHTS = LAST + 1 };

struct example {
    double x[INPUTS];
    double y;
};

struct model {
    const varve_comm *comm;
    bool adds_by_rank;
    uint64_t first; /* first weight of this rank's optimizer, */
    uint64_t count; /* and number of weights */
    double momentum[WEIGHTS]; /* of those weights */
    double weights[WEIGHTS];
    struct example data[EXAMPLES];
    varve_records *records;
    varve_random dropout;
};

static uint64_t share_of(uint32_t rank, uint32_t size, uint64_t all)
{
    return all * rank / size;
}

static void make_data(struct example *data)
{
    varve_random r = { 0 };
    varve_random_seed(&r, 11, "data");
    for (int i = 0; i < EXAMPLES; i++) {
        double sum = 0;
        for (int k = 0; k < INPUTS; k++) {
            data[i].x[k] = varve_random_uniform(&r, -1, 1);
            sum += data[i].x[k] * (k % 2 ? 1 : -0.5);
        }
        data[i].y = sin(sum);
    }
}

static struct model *make(
    const varve_comm *comm, varve_node *root, bool adds_by_rank)
{
    const varve_records_options options = {
        .shuffle = true, .seed = 5, .batch = BATCH
    };
    varve_random start = { 0 };
    struct model *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->comm = comm;
    m->adds_by_rank = adds_by_rank;
    m->first = share_of(comm->rank, comm->size, WEIGHTS);
    m->count = share_of(comm->rank + 1, comm->size, WEIGHTS) - m->first;
    make_data(m->data);
    m->records = varve_records_open_array(
        m->data, EXAMPLES, sizeof *m->data, &options, NULL);
    varve_random_seed(&start, 13, "weights");
    varve_random_fill_uniform(&start, m->weights, WEIGHTS, -0.5, 0.5);
    varve_add_variable(root, "weights", varve_array(m->weights, WEIGHTS));
    varve_add_slice(root, "momentum", varve_array(m->momentum, m->count),
        VARVE_SHAPE(WEIGHTS), &m->first);
    varve_add_random(root, "dropout", &m->dropout, 0);
    varve_add_records(root, "data", m->records);
    return m;
}

static void *make_exact(const varve_comm *comm, varve_node *root)
{
    return make(comm, root, false);
}

static void *make_by_rank(const varve_comm *comm, varve_node *root)
{
    return make(comm, root, true);
}

/* --- One example ---------------------------------------------------------- */

static double output(
    const double *w, const struct example *e, const bool *kept, double *hidden)
{
    double y = w[LAST];
    for (int i = 0; i < HIDDEN; i++) {
        double sum = w[BIAS + i];
        for (int k = 0; k < INPUTS; k++)
            sum += w[i * INPUTS + k] * e->x[k];
        hidden[i] = !kept || kept[i] ? tanh(sum) : 0;
        y += w[OUT + i] * hidden[i];
    }
    return y;
}

/* Adds the gradient of half the squared error. */
static void add_gradient(
    const double *w, const struct example *e, const bool *kept, double *sum)
{
    double hidden[HIDDEN];
    double error = output(w, e, kept, hidden) - e->y;
    sum[LAST] += error;
    for (int i = 0; i < HIDDEN; i++) {
        double back = error * w[OUT + i] * (1 - hidden[i] * hidden[i]);
        sum[OUT + i] += error * hidden[i];
        if (!kept[i])
            continue;
        sum[BIAS + i] += back;
        for (int k = 0; k < INPUTS; k++)
            sum[i * INPUTS + k] += back * e->x[k];
    }
}

/* --- One step ------------------------------------------------------------- */

/* Computes the gradient of the batch, equal on all ranks. */
static varve_status find_gradient(struct model *m, const varve_batch *batch,
    bool kept[BATCH][HIDDEN], double *gradient)
{
    const varve_comm *c = m->comm;
    double mine[BATCH][WEIGHTS] = { { 0 } }, all[BATCH][WEIGHTS];
    uint64_t sizes[MOST_RANKS], count = 0;
    uint64_t first = share_of(c->rank, c->size, batch->count);
    uint64_t end = share_of(c->rank + 1, c->size, batch->count);
    for (uint64_t i = first; i < end; i++) {
        struct example e;
        memcpy(&e, batch->records[i].data, sizeof e);
        add_gradient(m->weights, &e, kept[i],
            mine[m->adds_by_rank ? 0 : i - first]);
    }
    for (uint32_t i = 0; i < c->size; i++) {
        uint64_t more = share_of(i + 1, c->size, batch->count) -
                        share_of(i, c->size, batch->count);
        more = m->adds_by_rank ? 1 : more;
        sizes[i] = more * sizeof *mine;
        count += more;
    }
    varve_status status = exchange(c, mine, all, sizes);
    memset(gradient, 0, WEIGHTS * sizeof *gradient);
    for (uint64_t i = 0; !status && i < count; i++) {
        for (int k = 0; k < WEIGHTS; k++)
            gradient[k] += all[i][k];
    }
    return status;
}

static varve_status step(void *self)
{
    struct model *m = self;
    uint64_t sizes[MOST_RANKS];
    bool kept[BATCH][HIDDEN];
    double gradient[WEIGHTS], moved[WEIGHTS];
    varve_batch batch;
    varve_status status = varve_records_next(m->records, &batch, NULL);
    if (status)
        return status;
    for (int i = 0; i < BATCH * HIDDEN; i++)
        kept[i / HIDDEN][i % HIDDEN] = varve_random_unit(&m->dropout) < 0.9;
    status = find_gradient(m, &batch, kept, gradient);
    for (uint64_t i = 0; i < m->count; i++) {
        m->momentum[i] =
            0.9 * m->momentum[i] + gradient[m->first + i] / BATCH;
        moved[i] = m->weights[m->first + i] - 0.05 * m->momentum[i];
    }
    for (uint32_t i = 0; i < m->comm->size; i++)
        sizes[i] = (share_of(i + 1, m->comm->size, WEIGHTS) -
                       share_of(i, m->comm->size, WEIGHTS)) *
                   sizeof *moved;
    return status ? status : exchange(m->comm, moved, m->weights, sizes);
}

static varve_status sum(void *self, uint64_t *of)
{
    struct model *m = self;
    uint64_t sizes[MOST_RANKS];
    double momentum[WEIGHTS];
    for (uint32_t i = 0; i < m->comm->size; i++)
        sizes[i] = (share_of(i + 1, m->comm->size, WEIGHTS) -
                       share_of(i, m->comm->size, WEIGHTS)) *
                   sizeof *momentum;
    varve_status status = exchange(m->comm, m->momentum, momentum, sizes);
    const uint64_t position[] = { varve_records_epoch(m->records),
        varve_records_consumed(m->records), m->dropout.position };
    *of = sum_bytes(SUM_OF_NOTHING, m->weights, sizeof m->weights);
    *of = sum_bytes(*of, momentum, sizeof momentum);
    *of = sum_bytes(*of, position, sizeof position);
    return status;
}

static double loss(void *self)
{
    const struct model *m = self;
    double sum = 0, hidden[HIDDEN];
    for (int i = 0; i < EXAMPLES; i++) {
        double error = output(m->weights, &m->data[i], NULL, hidden) -
                       m->data[i].y;
        sum += error * error;
    }
    return sum / EXAMPLES;
}

static void end(void *self)
{
    struct model *m = self;
    if (m)
        varve_records_free(m->records);
    free(m);
}

const struct world training = { "training", true, make_exact, step, sum, loss,
    end };
const struct world training_by_rank = { "training by rank", false,
    make_by_rank, step, sum, loss, end };
