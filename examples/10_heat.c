/* 10_heat.c - Simulates heat in a cube on many processes, and resumes with any
 * number of processes.
 *
 *     10_heat [RANKS [STEPS [DIRECTORY]]]
 *     mpirun -n RANKS 10_heat_mpi [STEPS [DIRECTORY]]
 *
 * Introduces sharded values: each process adds its planes of the cube, without
 * the halo, as a slice. The calls that end in `_all` are collective. All
 * processes, or one of them, may be killed at any time. The program may then be
 * started with more or fewer processes: it resumes from the last checkpoint,
 * and the result is the same, bit for bit. If any process receives SIGTERM, all
 * processes save the same step and end.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <varve/varve.h>

#ifdef HEAT_MPI
#include <varve/mpi.h>
#else
#include <sys/wait.h>
#endif

enum { SIZE = 48, PLANE = SIZE * SIZE, SAVE_EVERY = 20 };

struct slab {
    const varve_comm *comm;
    varve_graph *graph;
    uint64_t first; /* the first of its planes */
    uint64_t count; /* their number; the halo adds one at each side */
    float *heat;
    float *next;
    float *edges; /* the outermost two planes of each process */
    int64_t step;
};

static volatile sig_atomic_t asked_to_end;

static void ask_to_end(int number)
{
    (void)number;
    asked_to_end = 1;
}

/* --- The simulation ------------------------------------------------------- */

static void make_slab(struct slab *s, const varve_comm *comm)
{
    *s = (struct slab){ .comm = comm };
    s->first = (uint64_t)SIZE * comm->rank / comm->size;
    s->count = (uint64_t)SIZE * (comm->rank + 1) / comm->size - s->first;
    s->heat = calloc((s->count + 2) * PLANE, sizeof *s->heat);
    s->next = calloc((s->count + 2) * PLANE, sizeof *s->next);
    s->edges = calloc((size_t)comm->size * 2 * PLANE, sizeof *s->edges);
    if (!s->heat || !s->next || !s->edges)
        exit(2);
    for (uint64_t i = 0; i < s->count * PLANE; i++)
        s->heat[PLANE + i] = (s->first * PLANE + i) % 1009 == 0 ? 100 : 0;
}

/* Each process gathers the outermost planes of all others. A larger simulation
 * would use MPI_Sendrecv. */
static varve_status exchange_halos(struct slab *s)
{
    const varve_comm *c = s->comm;
    const size_t bytes = PLANE * sizeof(float);
    float *mine = malloc(2 * bytes);
    if (!mine)
        exit(2);
    memcpy(mine, s->heat + PLANE, bytes);
    memcpy(mine + PLANE, s->heat + s->count * PLANE, bytes);
    varve_status status =
        c->gather(c->self, mine, 2 * bytes, c->rank == 0 ? s->edges : NULL);
    free(mine);
    if (!status)
        status = c->broadcast(c->self, s->edges, c->size * 2 * bytes);
    if (!status && c->rank > 0)
        memcpy(s->heat, s->edges + (2 * c->rank - 1) * PLANE, bytes);
    if (!status && c->rank + 1 < c->size)
        memcpy(s->heat + (s->count + 1) * PLANE,
            s->edges + (2 * c->rank + 2) * PLANE, bytes);
    return status;
}

static float around(const float *at, size_t i, size_t k)
{
    float sum = at[-PLANE] + at[PLANE];
    sum += i > 0 ? at[-SIZE] : 0;
    sum += i + 1 < SIZE ? at[SIZE] : 0;
    sum += k > 0 ? at[-1] : 0;
    sum += k + 1 < SIZE ? at[1] : 0;
    return sum;
}

static varve_status take_step(struct slab *s)
{
    varve_status status = exchange_halos(s);
    for (uint64_t p = 1; !status && p <= s->count; p++) {
        for (size_t i = 0; i < SIZE; i++) {
            for (size_t k = 0; k < SIZE; k++) {
                size_t at = p * PLANE + i * SIZE + k;
                float more = around(s->heat + at, i, k) - 6 * s->heat[at];
                s->next[at] = s->heat[at] + more / 8;
            }
        }
    }
    memcpy(
        s->heat + PLANE, s->next + PLANE, s->count * PLANE * sizeof *s->heat);
    s->step++;
    return status;
}

/* --- Checkpoints ---------------------------------------------------------- */

/* The planes of this process, without its halo, are a part of the cube. */
static void add_state(struct slab *s)
{
    s->graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(s->graph);
    varve_add_slice(root, "heat",
        varve_array(s->heat + PLANE, s->count, SIZE, SIZE),
        VARVE_SHAPE(SIZE, SIZE, SIZE), (uint64_t[]){ s->first, 0, 0 });
    varve_add_variable(root, "step", varve_scalar(&s->step));
}

/* Restores a checkpoint of any number of processes; starts from the beginning
 * if there is none. */
static varve_status resume(
    struct slab *s, const char *prefix, varve_error *error)
{
    varve_restoration *r = varve_restore_all(
        s->comm, varve_graph_root(s->graph), prefix, NULL, error);
    if (!r)
        return error->status == VARVE_NOT_FOUND ? VARVE_OK : error->status;
    varve_status status = varve_assert_consumed(r, error);
    varve_restoration_free(r);
    return varve_agree(s->comm, status, error);
}

static varve_status run(
    struct slab *s, const char *prefix, int64_t steps, varve_error *error)
{
    bool ends = false;
    while (s->step < steps && !ends) {
        if (take_step(s))
            return VARVE_DISCONNECTED;
        ends = varve_any(s->comm, asked_to_end);
        if (s->step % SAVE_EVERY == 0 || s->step == steps || ends) {
            varve_status status = varve_save_all(
                s->comm, varve_graph_root(s->graph), prefix, NULL, error);
            if (status)
                return status;
        }
    }
    return VARVE_OK;
}

/* Prints a hash of the heat of all processes. */
static void tell(const struct slab *s)
{
    const size_t bytes = s->count * PLANE * sizeof *s->heat;
    uint64_t sizes[256] = { 0 };
    float *all = s->comm->rank == 0 ? calloc(SIZE, PLANE * sizeof *all) : NULL;
    for (uint32_t i = 0; i < s->comm->size && i < 256; i++)
        sizes[i] = ((uint64_t)SIZE * (i + 1) / s->comm->size -
                       (uint64_t)SIZE * i / s->comm->size) *
                   PLANE * sizeof *all;
    if (s->comm->gather_varied(s->comm->self, s->heat + PLANE, bytes, all,
            all ? sizes : NULL) == VARVE_OK &&
        all) {
        uint64_t hash = 14695981039346656037u;
        const unsigned char *at = (const unsigned char *)all;
        for (size_t i = 0; i < (size_t)SIZE * PLANE * sizeof *all; i++)
            hash = (hash ^ at[i]) * 1099511628211u;
        printf("step %" PRId64 ": the heat is %016" PRIx64 "\n", s->step, hash);
    }
    free(all);
}

static int work(const varve_comm *comm, int64_t steps, const char *directory)
{
    char prefix[4000];
    varve_error error = { 0 };
    struct slab s;
    make_slab(&s, comm);
    add_state(&s);
    snprintf(prefix, sizeof prefix, "%s/heat", directory);
    varve_status status = resume(&s, prefix, &error);
    if (!status && comm->rank == 0)
        printf("%" PRIu32 " processes resume from step %" PRId64 "\n",
            comm->size, s.step);
    if (!status)
        status = run(&s, prefix, steps, &error);
    if (status && comm->rank == 0)
        fprintf(stderr, "10_heat: %s\n", error.message);
    else if (!status)
        tell(&s);
    varve_graph_free(s.graph);
    free(s.edges);
    free(s.next);
    free(s.heat);
    return status ? 1 : 0;
}

/* --- Processes ------------------------------------------------------------ */

static const char *operand(
    int count, char **arguments, int i, const char *other)
{
    return i < count ? arguments[i] : other;
}

#ifdef HEAT_MPI

int main(int count, char **arguments)
{
    varve_error error = { 0 };
    int result = 1;
    MPI_Init(&count, &arguments);
    signal(SIGTERM, ask_to_end);
    varve_comm *comm = varve_mpi_comm_new(MPI_COMM_WORLD, &error);
    if (comm)
        result = work(comm, atoll(operand(count, arguments, 1, "100")),
            operand(count, arguments, 2, "run/10_heat"));
    else
        fprintf(stderr, "10_heat_mpi: %s\n", error.message);
    varve_mpi_comm_free(comm);
    MPI_Finalize();
    return result;
}

#else

int main(int count, char **arguments)
{
    varve_error error = { 0 };
    uint32_t size = (uint32_t)atoi(operand(count, arguments, 1, "4"));
    int64_t steps = atoll(operand(count, arguments, 2, "100"));
    varve_processes *all = varve_processes_new(size, NULL, &error);
    if (!all || size > SIZE) {
        fprintf(stderr, "10_heat: %s\n",
            all ? "there must be no more processes than planes"
                : error.message);
        return 2;
    }
    signal(SIGTERM, ask_to_end);
    uint32_t rank = size - 1;
    while (rank > 0 && fork() != 0)
        rank--;
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    int result = 1;
    if (comm)
        result = work(comm, steps, operand(count, arguments, 3, "run/10_heat"));
    varve_processes_free(all);
    while (rank == 0 && wait(NULL) > 0)
        ;
    return result;
}

#endif
