/* 07_rollback.c - Walks on a grid without entering a square twice, and rolls
 * back some steps when no free square is left.
 *
 * Introduces varve_ring, a ring buffer of snapshots. varve_ring_push takes a
 * snapshot, a rollback restores one, and varve_snapshot_diff lists the values
 * that a rollback would change.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { SIDE = 12, STEPS = 100, ROOM = 64, BACK = 10 };

struct walk {
    int32_t x, y, steps;
    uint8_t seen[SIDE * SIDE]; /* 1: the square was entered */
};

static bool is_free(const struct walk *walk, int x, int y)
{
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE &&
           !walk->seen[y * SIDE + x];
}

/* Moves to a free neighbouring square; false if there is none. */
static bool step(struct walk *walk, varve_random *random)
{
    static const int dx[] = { 1, 0, -1, 0 }, dy[] = { 0, 1, 0, -1 };
    uint64_t first = varve_random_below(random, 4);
    for (uint64_t i = 0; i < 4; i++) {
        int x = walk->x + dx[(first + i) % 4];
        int y = walk->y + dy[(first + i) % 4];
        if (!is_free(walk, x, y))
            continue;
        walk->x = x;
        walk->y = y;
        walk->seen[y * SIDE + x] = 1;
        walk->steps++;
        return true;
    }
    return false;
}

static varve_status print_difference(
    void *user, const varve_difference *difference)
{
    (void)user;
    printf("  %s: %d\n", difference->path, (int)difference->count);
    return VARVE_OK;
}

/* Goes a few moves back, or as many as the ring contains. */
static varve_status go_back(varve_ring *ring, varve_error *error)
{
    size_t oldest = varve_ring_count(ring) - 1;
    size_t back = oldest < BACK ? oldest : BACK;
    varve_status status = varve_snapshot_diff(
        varve_ring_at(ring, back), NULL, print_difference, NULL, error);
    return status ? status : varve_ring_rollback(ring, back, error);
}

static varve_status go(struct walk *walk, varve_random *random,
    varve_ring *ring, varve_error *error)
{
    int rollbacks = 0;
    varve_status status = varve_ring_push(ring, error);
    while (!status && walk->steps < STEPS) {
        if (step(walk, random)) {
            status = varve_ring_push(ring, error);
            continue;
        }
        printf("no free square after %d steps; a rollback changes:\n",
            (int)walk->steps);
        status = go_back(ring, error);
        rollbacks++;
    }
    if (!status)
        printf("%d steps, %d rollbacks\n", (int)walk->steps, rollbacks);
    return status;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 0, ""))
        return 2;
    struct walk walk = { .seen = { 1 } };
    varve_random random;
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *model = varve_add_object(varve_graph_root(graph), "walk");
    varve_add_variable(model, "x", varve_scalar(&walk.x));
    varve_add_variable(model, "y", varve_scalar(&walk.y));
    varve_add_variable(model, "steps", varve_scalar(&walk.steps));
    varve_add_variable(model, "seen", varve_array(walk.seen, SIDE * SIDE));
    varve_add_random(model, "random", &random, 7);

    /* The stream is not restored, so that other moves are tried after a
     * rollback. */
    varve_snapshot_options options = { .no_random = true };
    varve_ring *ring = varve_ring_new(model, ROOM, &options, &error);
    varve_status status =
        ring ? go(&walk, &random, ring, &error) : error.status;
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_ring_free(ring);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
