/* lives_mpi.c - Runs one life over MPI, or, if MPI survives a killed process
 * (ULFM), as many as there are ranks to lose.
 *
 *     mpirun -n RANKS lives_mpi WORLD DIRECTORY SEED
 *
 * Depending on the seed, a rank may kill itself. Exits with 0 also if others
 * were killed and the remaining ranks have reached the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#ifdef VV_MPI_REVOKES
#include <mpi-ext.h>
#endif

#include <varve/mpi.h>
#include <varve/varve.h>

#include "life.h"
#include "support/proof.h"

enum { MOST_STEPS = 7, CALLS = 250 };

/* [shrink] */
/* Returns true if a rank was lost and the remaining ranks form a new group. All
 * of them return the same. */
static bool shrink(MPI_Comm *group, int end)
{
#ifdef VV_MPI_REVOKES
    int is_over = end != LIFE_DISCONNECTED, ranks = 0;
    MPI_Comm rest;
    MPIX_Comm_agree(*group, &is_over);
    if (is_over || MPIX_Comm_shrink(*group, &rest) != MPI_SUCCESS)
        return false;
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    MPI_Comm_size(rest, &ranks);
    fprintf(stderr, "lives: %d ranks continue\n", ranks);
    *group = rest;
    return true;
#else
    (void)group;
    (void)end;
    return false;
#endif
}
/* [/shrink] */

static int lead(MPI_Comm group, struct plan plan)
{
    int level;
    varve_error error = { 0 };
    uint64_t random = plan.seed;
    varve_comm *comm = varve_mpi_comm_new(group, &error);
    if (!comm) {
        if (error.status == VARVE_DISCONNECTED)
            return LIFE_DISCONNECTED;
        fprintf(stderr, "lives: %s\n", error.message);
        return LIFE_WRONG;
    }
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        comm->duplicate = NULL;
    plan.steps = 1 + (int64_t)(proof_next(&random) % MOST_STEPS);
    bool dies = proof_next(&random) % 3 > 0;
    if (dies && proof_next(&random) % comm->size == comm->rank)
        plan.dies_at = (int64_t)(proof_next(&random) % CALLS);
    int end = live(comm, &plan);
    varve_mpi_comm_free(comm);
    return end;
}

/* Open MPI 5.0 may wait for the lost rank in MPI_Finalize for two minutes, so
 * ranks that have lost one exit without it. */
static int lead_all(struct plan plan)
{
    MPI_Comm group = MPI_COMM_WORLD;
    int end = lead(group, plan);
    while (shrink(&group, end)) {
        plan.seed++;
        end = lead(group, plan);
    }
    if (group == MPI_COMM_WORLD)
        MPI_Finalize();
    else
        MPI_Barrier(group);
    return end;
}

int main(int count, char **arguments)
{
    int level;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const struct world *world = count == 4 ? find_world(arguments[1]) : NULL;
    if (!world) {
        fprintf(stderr, "usage: lives_mpi WORLD DIRECTORY SEED\n");
        return 2;
    }
    return lead_all((struct plan){ .world = world,
        .directory = arguments[2],
        .seed = strtoull(arguments[3], NULL, 10),
        .dies_at = -1 });
}
