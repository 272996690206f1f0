/* world.c - Contains the functions that all programs share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "world.h"

#include <string.h>

const struct world *find_world(const char *name)
{
    static const struct world *const all[] = { &grid, &particles, &training,
        &training_by_rank };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i]->name) == 0)
            return all[i];
    }
    return NULL;
}

varve_status exchange(const varve_comm *comm, const void *mine, void *all,
    const uint64_t *sizes)
{
    bool is_first = comm->rank == 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < comm->size; i++)
        total += sizes[i];
    varve_status status = comm->gather_varied(comm->self, mine,
        (size_t)sizes[comm->rank], is_first ? all : NULL,
        is_first ? sizes : NULL);
    return status ? status
                  : comm->broadcast(comm->self, all, (size_t)total);
}

/* FNV-1a with an arbitrary initial value. */
uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * UINT64_C(1099511628211);
    return sum;
}
