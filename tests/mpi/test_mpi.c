/* test_mpi.c - Tests the MPI communicator with mpirun.
 *
 *     test_mpi [kill
 *  threads]
 *
 * Makes and checks random calls on all processes, and on a group with reversed
 * ranks; with `threads` also on two threads. With `kill` the last rank kills
 * itself, and mpirun must end the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/mpi.h>

#include "support/comm_script.h"
#include "support/leaks.h"
#include "support/proof.h"

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "test_mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check_refused(MPI_Comm group, const char *when)
{
    varve_error error = { 0 };
    must(!varve_mpi_comm_new(group, &error), when);
    must(error.status == VARVE_MISUSE, when);
    must(!varve_mpi_comm_new(group, NULL), when);
}

static varve_comm *new_comm(MPI_Comm group)
{
    int rank, size;
    varve_error error = { 0 };
    varve_comm *comm = varve_mpi_comm_new(group, &error);
    must(comm, error.message);
    MPI_Comm_rank(group, &rank);
    MPI_Comm_size(group, &size);
    must(comm->rank == (uint32_t)rank, "another rank");
    must(comm->size == (uint32_t)size, "another size");
    uint64_t node = comm->node;
    must(!comm->agree(comm->self, &node), "no agreement");
    must(node == comm->node, "several nodes on one machine");
    return comm;
}

static void run(const varve_comm *comm, uint64_t seed, size_t largest)
{
    struct comm_outcome outcome = { 0 };
    const struct comm_script script = { .seed = seed, .steps = 40,
        .largest = largest };
    comm_run_script(comm, &script, &outcome);
    must(!outcome.is_wrong, "wrong bytes were received");
    must(outcome.status == VARVE_OK, "a call failed");
    must(outcome.steps == script.steps, "a call was not made");
}

struct script_run {
    const varve_comm *comm;
    uint64_t seed;
};

static void *run_behind(void *argument)
{
    const struct script_run *r = argument;
    for (uint64_t i = 0; i < proof_size(4, 60); i++)
        run(r->comm, r->seed + i, i % 2 ? 200000 : 3000);
    return NULL;
}

/* Uses a communicator and its copy on two threads at the same time. A copy that
 * all ranks have released is reused; one that is not released outlives the
 * original. */
static void run_copies(varve_comm *comm)
{
    varve_comm *copy = NULL, *other = NULL, *again = NULL;
    pthread_t thread;
    must(!comm->duplicate(comm->self, &copy), "no copy");
    must(!comm->duplicate(comm->self, &other), "no second copy");
    must(copy != other && copy->release && !comm->release, "not a new handle");
    must(copy->rank == comm->rank && copy->size == comm->size &&
            copy->node == comm->node, "the rank of the copy differs");
    struct script_run mine = { comm, 3 }, behind = { copy, 4 };
    must(!pthread_create(&thread, NULL, run_behind, &behind), "no thread");
    run_behind(&mine);
    pthread_join(thread, NULL);
    copy->release(copy->self);
    const bool is_first = comm->rank == 0;
    if (is_first) /* the other ranks have not yet */
        other->release(other->self);
    must(!comm->duplicate(comm->self, &again), "no third copy");
    must(again == copy, "the copy is not reused");
    varve_mpi_comm_free(comm);
    if (!is_first)
        other->release(other->self);
    again->release(again->self);
}

static void run_threads(int level)
{
    varve_comm *copy = NULL, *comm = new_comm(MPI_COMM_WORLD);
    if (level == MPI_THREAD_MULTIPLE) {
        run_copies(comm);
        return;
    }
    must(comm->duplicate(comm->self, &copy) == VARVE_MISUSE && !copy,
        "a copy without thread support");
    must(!comm->barrier(comm->self), "does not continue");
    varve_mpi_comm_free(comm);
}

/* Messages that the program sends through its own group do not interfere with
 * those of the communicator. */
static void run_beside_others(const varve_comm *comm, MPI_Comm group)
{
    int from = 0, rank = (int)comm->rank, size = (int)comm->size;
    MPI_Request request;
    MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, group, &request);
    for (uint64_t i = 0; i < proof_size(6, 100); i++)
        run(comm, proof_seed() + i, i % 2 ? 200000 : 3000);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, group);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    must(from == (rank + size - 1) % size, "wrong message of the program");
}

static void check_sizes(const varve_comm *comm)
{
    const uint64_t sizes[COMM_SCRIPT_RANKS] = { 3 };
    char bytes[8] = { 0 };
    if (comm->rank > 0)
        return;
    must(comm->gather_varied(comm->self, bytes, 4, bytes, sizes) ==
             VARVE_MISUSE,
        "different sizes for one rank");
    must(comm->barrier(comm->self) == VARVE_DISCONNECTED, "goes on");
}

/* MPI_Init need not free its memory, and loads and unloads plugins, so
 * suppressions by name would not match. */
static int begin(int *count, char ***arguments, int wanted)
{
    int level = MPI_THREAD_SINGLE;
#ifdef HAS_LSAN
    __lsan_disable();
#endif
    MPI_Init_thread(count, arguments, wanted, &level);
#ifdef HAS_LSAN
    __lsan_enable();
#endif
    return level;
}

/* Checks for leaks while MPI's plugins, whose names the suppressions contain,
 * are still loaded. */
static void check_leaks(void)
{
#ifdef HAS_LSAN
    must(__lsan_do_recoverable_leak_check() == 0, "memory leaked");
#endif
}

static void kill_the_last(const varve_comm *comm)
{
    uint64_t value = 0;
    must(!comm->barrier(comm->self), "no barrier");
    if (comm->rank + 1 == comm->size)
        raise(SIGKILL);
    while (!comm->agree(comm->self, &value))
        continue;
    must(comm->barrier(comm->self) == VARVE_DISCONNECTED, "goes on");
}

/* A separate function, so that no pointer remains on the stack when leaks are
 * checked. */
static void run_all(bool kills)
{
    MPI_Comm reversed;
    varve_comm *comm = new_comm(MPI_COMM_WORLD);
    if (kills)
        kill_the_last(comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -(int)comm->rank, &reversed);
    varve_comm *other = new_comm(reversed);
    must(other->rank == comm->size - 1 - comm->rank, "not reversed");
    run_beside_others(comm, MPI_COMM_WORLD);
    run(other, proof_seed(), 3000);
    if (comm->rank == 0)
        printf("test_mpi: %u ranks\n", comm->size);
    check_sizes(comm);
    varve_mpi_comm_free(comm);
    varve_mpi_comm_free(other);
    varve_mpi_comm_free(NULL);
    MPI_Comm_free(&reversed);
}

int main(int count, char **arguments)
{
    check_refused(MPI_COMM_NULL, "before MPI_Init");
    bool has_threads = count > 1 && strcmp(arguments[1], "threads") == 0;
    int level = begin(&count, &arguments,
        has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED);
    check_refused(MPI_COMM_NULL, "no group");
    run_threads(level);
    run_all(count > 1 && strcmp(arguments[1], "kill") == 0);
    check_leaks();
    MPI_Finalize();
    check_refused(MPI_COMM_NULL, "after MPI_Finalize");
    return 0;
}
