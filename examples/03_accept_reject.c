/* 03_accept_reject.c - Finds a short round trip through some towns: it tries
 * moves and takes back the bad ones.
 *
 * Introduces varve_snapshot, which keeps values in memory.
 * varve_snapshot_retake accepts a move, varve_snapshot_restore rejects it.
 * Neither accesses the disk or allocates memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { TOWNS = 40, MOVES = 20000 };

struct tour {
    int x[TOWNS], y[TOWNS];
    int32_t order[TOWNS]; /* the values that moves change */
    int64_t length;
};

static int64_t distance(const struct tour *tour, int from, int to)
{
    int32_t a = tour->order[from], b = tour->order[to % TOWNS];
    return abs(tour->x[a] - tour->x[b]) + abs(tour->y[a] - tour->y[b]);
}

static void measure(struct tour *tour)
{
    tour->length = 0;
    for (int i = 0; i < TOWNS; i++)
        tour->length += distance(tour, i, i + 1);
}

static void draw_map(struct tour *tour, varve_random *random)
{
    for (int i = 0; i < TOWNS; i++) {
        tour->x[i] = (int)varve_random_below(random, 1000);
        tour->y[i] = (int)varve_random_below(random, 1000);
        tour->order[i] = i;
    }
    measure(tour);
}

/* Reverses a part of the tour. */
static void propose(struct tour *tour, varve_random *random)
{
    uint64_t first = varve_random_below(random, TOWNS - 1);
    uint64_t last = first + 1 + varve_random_below(random, TOWNS - 1 - first);
    for (; first < last; first++, last--) {
        int32_t town = tour->order[first];
        tour->order[first] = tour->order[last];
        tour->order[last] = town;
    }
    measure(tour);
}

static varve_status climb(struct tour *tour, varve_snapshot *best,
    varve_random *random, varve_error *error)
{
    varve_status status = VARVE_OK;
    int64_t shortest = tour->length;
    int accepted = 0, rejected = 0;
    while (!status && accepted + rejected < MOVES) {
        propose(tour, random);
        if (tour->length < shortest) {
            status = varve_snapshot_retake(best, error);
            shortest = tour->length;
            accepted++;
        } else {
            status = varve_snapshot_restore(best, error);
            rejected++;
        }
    }
    if (!status)
        printf("accepted %d, rejected %d\n", accepted, rejected);
    return status;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 0, ""))
        return 2;
    varve_random random;
    varve_random_seed(&random, 3, "tour");
    struct tour tour;
    draw_map(&tour, &random);
    printf("initial length %d\n", (int)tour.length);

    /* The stream is not in the graph. Otherwise a rejection would restore it,
     * and the same move would be proposed again. */
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *model = varve_add_object(varve_graph_root(graph), "tour");
    varve_add_variable(model, "order", varve_array(tour.order, TOWNS));
    varve_add_variable(model, "length", varve_scalar(&tour.length));

    varve_snapshot *best = varve_snapshot_new(model, &error);
    varve_status status =
        best ? climb(&tour, best, &random, &error) : error.status;
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("final length %d\n", (int)tour.length);
    varve_snapshot_free(best);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
