/* processes.c - many processes save and restore one checkpoint, beside as many
 * that write and read the same bytes by themselves.
 *
 *     processes [WRITERS [READERS [MIB [ROUNDS]]]] DIRECTORY
 *
 * A table of rows that WRITERS (4) processes have, together MIB (1024), is
 * saved by them and by raw writers, one file each, in turn; then it is restored
 * by READERS (3), each its rows, and read by raw readers, from the page cache.
 * The time is that of the slowest. Medians of ROUNDS (5), and ratios: raw to
 * Varve.
 *
 *     mpirun -n WRITERS processes_mpi [WRITERS ...] DIRECTORY
 *     mpirun -n READERS processes_mpi [WRITERS ...] DIRECTORY
 *
 * are the same over MPI, the first the save and the second the restoration,
 * beside parallel HDF5 too.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf5_all.h"
#include "measure.h"
#include "raw.h"

enum { WIDTH = 1024, ROW = WIDTH * sizeof(float), BLOCK = 1 << 20 };

struct setting {
    const char *directory;
    uint32_t writers;
    uint32_t readers;
    uint64_t rows;
    unsigned rounds;
};

/* What a process has of the table. */
struct mine {
    const struct setting *setting;
    const varve_comm *comm;
    varve_graph *graph;
    uint64_t first, count; /* of its rows */
    unsigned char *bytes;
    char path[PATH_SIZE]; /* of the checkpoint */
    char raw[PATH_SIZE];  /* of the file that it writes by itself */
    char hdf5[PATH_SIZE]; /* of the file that all write with HDF5 */
};

static bool has_hdf5;

static uint64_t first_of(const struct setting *s, uint32_t rank, uint32_t size)
{
    return s->rows * rank / size;
}

static void make_mine(
    struct mine *m, const struct setting *s, const varve_comm *comm)
{
    *m = (struct mine){ .setting = s, .comm = comm };
    m->first = first_of(s, comm->rank, comm->size);
    m->count = first_of(s, comm->rank + 1, comm->size) - m->first;
    m->bytes = touched_memory(m->count * ROW);
    for (uint64_t i = 0; i < m->count * ROW; i += 8) {
        uint64_t number = (m->first * ROW + i) * UINT64_C(0x9e3779b97f4a7c15);
        memcpy(m->bytes + i, &number, sizeof number);
    }
    m->graph = varve_graph_new(NULL);
    varve_add_slice(varve_graph_root(m->graph), "table",
        varve_array((float *)(void *)m->bytes, m->count, WIDTH),
        VARVE_SHAPE(s->rows, WIDTH), (uint64_t[]){ m->first, 0 });
    snprintf(m->path, sizeof m->path, "%s/table.varve", s->directory);
    snprintf(m->raw, sizeof m->raw, "%s/raw.%u", s->directory, comm->rank);
    snprintf(m->hdf5, sizeof m->hdf5, "%s/table.h5", s->directory);
}

static void free_mine(struct mine *m)
{
    varve_graph_free(m->graph);
    free(m->bytes);
}

/* --- What is measured ----------------------------------------------------- */

static void save(struct mine *m)
{
    varve_error error = { 0 };
    must(varve_write_all(
             m->comm, varve_graph_root(m->graph), m->path, NULL, &error),
        &error);
}

/* The bytes stay: the readers read them. */
static void write_raw(struct mine *m)
{
    int file = open(m->raw, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must_system(file >= 0, m->raw);
    for (uint64_t at = 0; at < m->count * ROW; at += BLOCK) {
        uint64_t left = m->count * ROW - at;
        size_t size = left < BLOCK ? (size_t)left : BLOCK;
        must_system(write(file, m->bytes + at, size) == (ssize_t)size, m->raw);
    }
    must_system(fsync(file) == 0, m->raw);
    close(file);
    sync_path(m->raw);
}

static void restore(struct mine *m)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_read_all(
        m->comm, varve_graph_root(m->graph), m->path, NULL, &error);
    must(r ? VARVE_OK : error.status, &error);
    varve_restoration_free(r);
}

/* The rows that are this process's, from whatever files they are in. */
static void read_raw(struct mine *m)
{
    const struct setting *s = m->setting;
    for (uint32_t i = 0; i < s->writers; i++) {
        char path[PATH_SIZE];
        uint64_t begin = first_of(s, i, s->writers);
        uint64_t end = first_of(s, i + 1, s->writers);
        uint64_t low = begin > m->first ? begin : m->first;
        uint64_t high = m->first + m->count;
        high = end < high ? end : high;
        if (low >= high)
            continue;
        snprintf(path, sizeof path, "%s/raw.%u", s->directory, i);
        int file = open(path, O_RDONLY);
        must_system(file >= 0, path);
        for (uint64_t at = low * ROW; at < high * ROW;) {
            ssize_t size = pread(file, m->bytes + (at - m->first * ROW),
                high * ROW - at, (off_t)(at - begin * ROW));
            must_system(size > 0, path);
            at += (uint64_t)size;
        }
        close(file);
    }
}

static struct hdf5_all hdf5_of(const struct mine *m)
{
    return (struct hdf5_all){ .path = m->hdf5,
        .rows = m->setting->rows,
        .width = WIDTH,
        .first = m->first,
        .count = m->count,
        .bytes = m->bytes };
}

static void save_hdf5(struct mine *m)
{
    const struct hdf5_all mine = hdf5_of(m);
    hdf5_all_save(&mine);
}

static void restore_hdf5(struct mine *m)
{
    const struct hdf5_all mine = hdf5_of(m);
    hdf5_all_restore(&mine);
}

/* --- Rounds --------------------------------------------------------------- */

/* From when all begin to when all have ended. */
static double timed(struct mine *m, void (*run)(struct mine *m))
{
    varve_error error = { 0 };
    must(m->comm->barrier(m->comm->self), &error);
    double begin = now();
    run(m);
    must(m->comm->barrier(m->comm->self), &error);
    return now() - begin;
}

enum { VARVE, RAW, HDF5, KINDS };
typedef void (*const kinds[KINDS])(struct mine *m);
static kinds saving = { save, write_raw, save_hdf5 };
static kinds restoring = { restore, read_raw, restore_hdf5 };

static void tell(
    const struct mine *m, const char *what, const struct contender of[KINDS])
{
    double varve = median(&of[VARVE]), raw = median(&of[RAW]);
    printf("%-8s %2u processes %6" PRIu64
           " MiB  varve %7.1f ms  raw %7.1f ms  ratio %.2f",
        what, m->comm->size, m->setting->rows * ROW >> 20, 1e3 * varve,
        1e3 * raw, raw / varve);
    if (has_hdf5)
        printf("  hdf5 %7.1f ms  ratio %.2f", 1e3 * median(&of[HDF5]),
            median(&of[HDF5]) / varve);
    printf("\n");
}

static void compare(struct mine *m, const char *what, kinds by)
{
    struct contender of[KINDS] = { { .count = 0 } };
    for (unsigned i = 0; i <= m->setting->rounds; i++)
        for (int k = 0; k < (has_hdf5 ? KINDS : HDF5); k++) {
            double took = timed(m, by[k]);
            if (i > 0) /* the first is not counted */
                of[k].samples[of[k].count++] = took;
        }
    if (m->comm->rank == 0)
        tell(m, what, of);
}

static void work(const struct setting *s, const varve_comm *comm, bool reads)
{
    struct mine m;
    make_mine(&m, s, comm);
    compare(&m, reads ? "restore" : "save", reads ? restoring : saving);
    free_mine(&m);
}

static void run(const struct setting *s, uint32_t size, bool reads)
{
    varve_error error = { 0 };
    varve_processes *group = varve_processes_new(size, NULL, &error);
    must(group ? VARVE_OK : error.status, &error);
    uint32_t rank = size - 1;
    fflush(stdout);
    while (rank > 0 && fork() != 0)
        rank--;
    const varve_comm *comm = varve_processes_join(group, rank, &error);
    must(comm ? VARVE_OK : error.status, &error);
    work(s, comm, reads);
    varve_processes_free(group);
    if (rank > 0) {
        fflush(stdout);
        _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
}

static int run_over_mpi(const struct setting *s, uint32_t size)
{
    varve_error error = { 0 };
    const varve_comm *comm = hdf5_all_comm(&error);
    must(comm ? VARVE_OK : error.status, &error);
    if (size == s->writers)
        work(s, comm, false);
    if (size == s->readers)
        work(s, comm, true);
    hdf5_all_end();
    return size == s->writers || size == s->readers ? 0 : 2;
}

static uint64_t operand(int count, char **arguments, int i, uint64_t other)
{
    return i < count - 1 ? strtoull(arguments[i], NULL, 10) : other;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: processes [WRITERS [READERS [MIB [ROUNDS]]]] "
                        "DIRECTORY\n");
        return 2;
    }
    struct setting s = { .directory = arguments[count - 1],
        .writers = (uint32_t)operand(count, arguments, 1, 4),
        .readers = (uint32_t)operand(count, arguments, 2, 3),
        .rows = (operand(count, arguments, 3, 1024) << 20) / ROW,
        .rounds = (unsigned)operand(count, arguments, 4, 5) };
    if (s.rounds == 0 || s.rounds > MOST_ROUNDS || s.writers == 0 ||
        s.readers == 0)
        return 2;
    uint32_t size;
    has_hdf5 = hdf5_all_begin(&size);
    if (has_hdf5)
        return run_over_mpi(&s, size);
    run(&s, s.writers, false);
    run(&s, s.readers, true);
    printf("hdf5     skipped: it runs over MPI, as processes_mpi, where there "
           "is parallel HDF5 (libhdf5-openmpi-dev)\n");
    return 0;
}
