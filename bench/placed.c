/* placed.c - Measures placing values of very different sizes on several
 * servers: in rotation, by load and by path. Prints the size of the fullest
 * server and the times of a save and a restore.
 *
 *     placed [SERVERS [VALUES [MIB [ROUNDS]]]] DIRECTORY
 *
 * Tables, of which number n has 1/n of the size of the first, together MIB
 * (512), each followed by a vector of 1 KiB, are placed on SERVERS (4)
 * processes in that order. VALUES (64) is the number of tables. `fullest` is
 * the size of the fullest server divided by an even share. All servers save
 * them as one checkpoint and restore it into existing memory. The methods run
 * alternately; prints medians of ROUNDS (5) with the minimum, and the ratio of
 * rotation to each.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "raw.h"

enum { MOST_VALUES = 2000, VECTOR = 256, MOST_SERVERS = 32 };

enum way { TURNS, LOAD, PATH, WAYS };
static const char *const way_names[] = { "by turns", "by load", "by path" };

struct setting {
    const char *directory;
    uint32_t servers;
    uint64_t values; /* number of tables, each with a vector */
    uint64_t bytes;  /* size of all tables */
    unsigned rounds;
};

/* The state of a server with one method. */
struct mine {
    const varve_comm *comm;
    varve_graph *graph;
    float *bytes[2 * MOST_VALUES]; /* NULL: on another server */
    char path[PATH_SIZE];
    uint64_t loads[MOST_SERVERS];
    struct contender saves, reads;
};

/* Returns the number of elements of a value: tables and vectors alternate. */
static uint64_t count_of(const struct setting *s, uint64_t number)
{
    double sum = 0;
    for (uint64_t i = 1; i <= s->values; i++)
        sum += 1 / (double)i;
    double share = 1 / ((double)(number / 2 + 1) * sum);
    return number % 2 ? VECTOR
                      : (uint64_t)(share * (double)s->bytes / sizeof(float));
}

static uint32_t place(struct mine *m, const struct setting *s, enum way way,
    uint64_t number, const char *name)
{
    uint64_t size = count_of(s, number) * sizeof(float);
    uint32_t at = way == TURNS ? varve_place_round_robin(number, s->servers)
                  : way == PATH
                      ? varve_place_by_path(name, NULL, s->servers)
                      : varve_place_by_load(m->loads, s->servers, size);
    if (way != LOAD)
        m->loads[at] += size;
    return at;
}

static void begin(struct mine *m, const struct setting *s,
    const varve_comm *comm, enum way way)
{
    *m = (struct mine){ .comm = comm, .graph = varve_graph_new(NULL) };
    snprintf(
        m->path, sizeof m->path, "%s/placed-%d.varve", s->directory, (int)way);
    for (uint64_t i = 0; i < 2 * s->values; i++) {
        char name[32];
        uint64_t count = count_of(s, i), first = 0;
        snprintf(
            name, sizeof name, "%s%" PRIu64, i % 2 ? "vector" : "table", i / 2);
        bool is_mine = place(m, s, way, i, name) == comm->rank;
        if (is_mine)
            m->bytes[i] =
                (float *)(void *)touched_memory(count * sizeof(float));
        for (uint64_t k = 0; is_mine && k < count; k++)
            m->bytes[i][k] = (float)(i + k % 1000);
        varve_add_slice(varve_graph_root(m->graph), name,
            varve_array(m->bytes[i], is_mine ? count : 0), VARVE_SHAPE(count),
            &first);
    }
}

static void end(struct mine *m, const struct setting *s)
{
    varve_graph_free(m->graph);
    for (uint64_t i = 0; i < 2 * s->values; i++)
        free(m->bytes[i]);
    if (m->comm->rank == 0)
        remove(m->path);
}

static double fullest(const struct mine *m, const struct setting *s)
{
    uint64_t most = 0, all = 0;
    for (uint32_t i = 0; i < s->servers; i++) {
        most = m->loads[i] > most ? m->loads[i] : most;
        all += m->loads[i];
    }
    return (double)most * s->servers / (double)all;
}

/* --- Rounds --------------------------------------------------------------- */

static void save(struct mine *m)
{
    varve_error error = { 0 };
    must(varve_write_all(
             m->comm, varve_graph_root(m->graph), m->path, NULL, &error),
        &error);
}

static void restore(struct mine *m)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_read_all(
        m->comm, varve_graph_root(m->graph), m->path, NULL, &error);
    must(r ? VARVE_OK : error.status, &error);
    varve_restoration_free(r);
}

/* Returns the time until all processes have ended. */
static double timed(struct mine *m, void (*run)(struct mine *m))
{
    varve_error error = { 0 };
    must(m->comm->barrier(m->comm->self), &error);
    double from = now();
    run(m);
    must(m->comm->barrier(m->comm->self), &error);
    return now() - from;
}

static void tell_one(const char *what, const struct contender *first,
    const struct contender *own)
{
    printf("  %s %.1f (%.1f) ms", what, 1e3 * median(own), 1e3 * least(own));
    if (swing(first) > MOST_SWING || swing(own) > MOST_SWING)
        printf(" swings");
    else
        printf(" ratio %.2f", median(first) / median(own));
}

static void tell(const struct setting *s, const struct mine all[WAYS])
{
    for (int w = 0; w < WAYS; w++) {
        printf("%-9s %u servers %4" PRIu64 " MiB  fullest %.2f", way_names[w],
            s->servers, s->bytes >> 20, fullest(&all[w], s));
        tell_one("save", &all[TURNS].saves, &all[w].saves);
        tell_one("restore", &all[TURNS].reads, &all[w].reads);
        printf("  %u rounds, load %.1f\n", s->rounds, load());
    }
}

static void work(const struct setting *s, const varve_comm *comm)
{
    struct mine *all = calloc(WAYS, sizeof *all);
    must_system(all != NULL, "memory");
    for (int w = 0; w < WAYS; w++)
        begin(&all[w], s, comm, (enum way)w);
    for (unsigned i = 0; i <= s->rounds; i++)
        for (int w = 0; w < WAYS; w++) {
            double saved = timed(&all[w], save);
            double was_read = timed(&all[w], restore);
            if (i == 0)
                continue; /* warm-up */
            all[w].saves.samples[all[w].saves.count++] = saved;
            all[w].reads.samples[all[w].reads.count++] = was_read;
        }
    if (comm->rank == 0)
        tell(s, all);
    for (int w = 0; w < WAYS; w++)
        end(&all[w], s);
    free(all);
}

static void run(const struct setting *s)
{
    varve_error error = { 0 };
    varve_processes *group = varve_processes_new(s->servers, NULL, &error);
    must(group ? VARVE_OK : error.status, &error);
    uint32_t rank = s->servers - 1;
    while (rank > 0 && fork() != 0)
        rank--;
    const varve_comm *comm = varve_processes_join(group, rank, &error);
    must(comm ? VARVE_OK : error.status, &error);
    work(s, comm);
    varve_processes_free(group);
    if (rank > 0)
        _exit(0);
    int status;
    while (wait(&status) > 0)
        must_system(status == 0, "a process failed");
}

static uint64_t operand(int count, char **arguments, int i, uint64_t other)
{
    return i < count - 1 ? strtoull(arguments[i], NULL, 10) : other;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr,
            "usage: placed [SERVERS [VALUES [MIB [ROUNDS]]]] DIRECTORY\n");
        return 2;
    }
    struct setting s = { .directory = arguments[count - 1],
        .servers = (uint32_t)operand(count, arguments, 1, 4),
        .values = operand(count, arguments, 2, 64),
        .bytes = operand(count, arguments, 3, 512) << 20,
        .rounds = (unsigned)operand(count, arguments, 4, 5) };
    if (s.rounds == 0 || s.rounds > MOST_ROUNDS || s.servers == 0 ||
        s.servers > MOST_SERVERS || s.values == 0 || s.values > MOST_VALUES)
        return 2;
    run(&s);
    return 0;
}
