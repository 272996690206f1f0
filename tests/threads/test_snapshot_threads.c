/* test_snapshot_threads.c - Tests snapshots that are large enough to be copied
 * by several threads, under ThreadSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

#include "support/proof.h"

enum { VARIABLES = 5, ELEMENTS = 3 << 19 }; /* 6 MiB each */

static float *memory[VARIABLES];

static bool is_all(float value)
{
    for (int i = 0; i < VARIABLES; i++)
        for (size_t k = 0; k < ELEMENTS; k++)
            if (memory[i][k] != value)
                return false;
    return true;
}

static void set_all(float value)
{
    for (int i = 0; i < VARIABLES; i++)
        for (size_t k = 0; k < ELEMENTS; k++)
            memory[i][k] = value;
}

static bool take_and_put_back(varve_snapshot *snapshot, float value)
{
    varve_error error;
    set_all(value);
    if (varve_snapshot_retake(snapshot, &error))
        return false;
    set_all(-1);
    return varve_snapshot_restore(snapshot, &error) == VARVE_OK &&
           is_all(value);
}

/* Takes and restores a snapshot of few changes. If the system reports written
 * pages, only those are copied. Returns true if the values are right. */
static bool take_little(varve_snapshot *snapshot, int round)
{
    varve_error error;
    size_t at = (size_t)round * 4099 % ELEMENTS;
    for (int i = 0; i < VARIABLES; i++)
        memory[i][at] = (float)round;
    if (varve_snapshot_retake(snapshot, &error))
        return false;
    for (int i = 0; i < VARIABLES; i++)
        memory[i][at] = memory[i][ELEMENTS - 1 - at] = -1;
    if (varve_snapshot_restore(snapshot, &error))
        return false;
    for (int i = 0; i < VARIABLES; i++)
        if (memory[i][at] != (float)round || memory[i][ELEMENTS - 1 - at] < 0)
            return false;
    return true;
}

int main(void)
{
    int rounds = (int)proof_size(4, 40);
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    for (int i = 0; i < VARIABLES; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        memory[i] = varve_data(
            varve_add_allocated_variable(varve_graph_root(graph), name,
                VARVE_FLOAT32, VARVE_SHAPE(ELEMENTS), NULL, NULL));
    }
    varve_snapshot *snapshot =
        varve_snapshot_new_with(varve_graph_root(graph),
            &(varve_snapshot_options){ .track = true }, &error);
    bool good = snapshot != NULL;
    for (int i = 0; i < 10 * rounds && good; i++)
        good = take_little(snapshot, i);
    for (int i = 0; i < rounds && good; i++)
        good = take_and_put_back(snapshot, (float)i);
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
    proof_count("threads.snapshots", (uint64_t)rounds);
    puts(good ? "snapshots: passed" : "snapshots: FAILED");
    return good ? 0 : 1;
}
