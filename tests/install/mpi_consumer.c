/* mpi_consumer.c - Runs a collective call with the installed library for MPI.
 * Valid as C11 and C++17.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/mpi.h>

#include <stdio.h>

int main(int count, char **arguments)
{
    varve_error error;
    uint64_t value = 5;
    MPI_Init(&count, &arguments);
    varve_comm *comm = varve_mpi_comm_new(MPI_COMM_WORLD, &error);
    if (!comm || comm->size != 1 || comm->agree(comm->self, &value)) {
        fprintf(stderr, "%s\n", comm ? "no agreement" : error.message);
        return 1;
    }
    varve_mpi_comm_free(comm);
    MPI_Finalize();
    return value == 5 ? 0 : 1;
}
