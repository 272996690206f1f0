/* processes.c - Measures several processes that save and restore one
 * checkpoint, compared with as many that write and read the same bytes
 * individually.
 *
 *     processes [WRITERS [READERS [MIB [ROUNDS]]]] DIRECTORY
 *     processes --table [MIB [ROUNDS]] DIRECTORY
 *
 * WRITERS (4) processes have the rows of a table of MIB (512). It is saved,
 * saved asynchronously (only the call is measured: the pause), and written by
 * plain writers, one file each, alternately. Then READERS (3) restore it: each
 * into a new graph (its first restore), into one that already has values, the
 * same in one pass, and with a manager whose directory was lost, from its tier.
 * Plain readers read it from the page cache. Each reads its rows, its columns,
 * or everything. The time is that of the slowest process. Prints medians of
 * ROUNDS (5) with the minimum, and ratios: plain to Varve, and a save to its
 * pause. --table prints only ratios, for 1 to 8 writers and 1 to 8 readers.
 *
 *     mpirun -n WRITERS processes_mpi [WRITERS ...] DIRECTORY
 *     mpirun -n READERS processes_mpi [WRITERS ...] DIRECTORY
 *
 * do the same over MPI, first the save, then the restore, also compared with
 * parallel HDF5.
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

enum { WIDTH = 1024, UNIT = sizeof(float), ROW = WIDTH * UNIT, MOST = 8 };
enum { BLOCK = 1 << 20 };

/* The part of the table that a process has. */
enum layout { ROWS, COLUMNS, ALL, LAYOUTS };
static const char *const layout_names[] = { "rows", "columns", "all" };

struct setting {
    const char *directory;
    uint32_t writers;
    uint32_t readers;
    uint64_t rows;
    unsigned rounds;
};

struct mine {
    const struct setting *setting;
    const varve_comm *comm;
    varve_graph *graph;
    uint64_t first, count; /* of its rows */
    uint64_t left, width;  /* of its columns */
    unsigned char *bytes;
    varve_job *job;       /* pending save */
    char path[PATH_SIZE]; /* path of the checkpoint */
    char raw[PATH_SIZE];  /* path of its plain file */
    char hdf5[PATH_SIZE]; /* path of the common HDF5 file */
    char fast[PATH_SIZE]; /* directory of a manager that saves */
    char lost[PATH_SIZE]; /* empty directory of a manager that resumes */
    char slow[PATH_SIZE]; /* tier of both managers */
};

static bool has_hdf5;

static uint64_t first_of(uint64_t count, uint32_t rank, uint32_t size)
{
    return count * rank / size;
}

static uint64_t size_of(const struct mine *m)
{
    return m->count * m->width * UNIT;
}

/* Returns the number at a position of the table. */
static uint32_t number_at(uint64_t row, uint64_t column)
{
    return (
        uint32_t)((row * WIDTH + column) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void fill(struct mine *m)
{
    uint32_t *to = (uint32_t *)(void *)m->bytes;
    for (uint64_t i = 0; i < m->count; i++)
        for (uint64_t k = 0; k < m->width; k++)
            *to++ = number_at(m->first + i, m->left + k);
}

static void check(const struct mine *m)
{
    const uint32_t *at = (const uint32_t *)(const void *)m->bytes;
    for (uint64_t i = 0; i < m->count; i++)
        for (uint64_t k = 0; k < m->width; k++)
            if (*at++ != number_at(m->first + i, m->left + k)) {
                fprintf(stderr, "processes: restored values differ\n");
                exit(1);
            }
}

static void make_graph(struct mine *m)
{
    m->graph = varve_graph_new(NULL);
    varve_add_slice(varve_graph_root(m->graph), "table",
        varve_array((float *)(void *)m->bytes, m->count, m->width),
        VARVE_SHAPE(m->setting->rows, WIDTH),
        (uint64_t[]){ m->first, m->left });
}

static void make_mine(struct mine *m, const struct setting *s,
    const varve_comm *comm, enum layout layout)
{
    uint32_t rank = comm->rank, size = comm->size;
    *m = (struct mine){ .setting = s, .comm = comm };
    m->count = s->rows;
    m->width = WIDTH;
    if (layout == ROWS) {
        m->first = first_of(s->rows, rank, size);
        m->count = first_of(s->rows, rank + 1, size) - m->first;
    } else if (layout == COLUMNS) {
        m->left = first_of(WIDTH, rank, size);
        m->width = first_of(WIDTH, rank + 1, size) - m->left;
    }
    m->bytes = touched_memory(size_of(m));
    make_graph(m);
    snprintf(m->path, sizeof m->path, "%s/table.varve", s->directory);
    snprintf(m->raw, sizeof m->raw, "%s/raw.%u", s->directory, rank);
    snprintf(m->hdf5, sizeof m->hdf5, "%s/table.h5", s->directory);
    snprintf(m->fast, sizeof m->fast, "%s/fast", s->directory);
    snprintf(m->lost, sizeof m->lost, "%s/lost", s->directory);
    snprintf(m->slow, sizeof m->slow, "%s/slow", s->directory);
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

static void save_behind(struct mine *m)
{
    varve_error error = { 0 };
    m->job = varve_write_all_async(
        m->comm, varve_graph_root(m->graph), m->path, NULL, &error);
    must(m->job ? VARVE_OK : error.status, &error);
}

/* Waits for the save; not measured. */
static void land(struct mine *m)
{
    varve_error error = { 0 };
    if (!m->job)
        return;
    must(varve_job_wait(m->job, &error), &error);
    varve_job_free(m->job);
    m->job = NULL;
}

/* Keeps the cached bytes, which the readers read. */
static void write_raw(struct mine *m)
{
    int file = open(m->raw, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must_system(file >= 0, m->raw);
    for (uint64_t at = 0; at < size_of(m); at += BLOCK) {
        uint64_t left = size_of(m) - at;
        size_t size = left < BLOCK ? (size_t)left : BLOCK;
        must_system(write(file, m->bytes + at, size) == (ssize_t)size, m->raw);
    }
    must_system(fsync(file) == 0, m->raw);
    close(file);
    sync_path(m->raw);
}

static void read_varve(struct mine *m, const varve_read_options *options)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_read_all(
        m->comm, varve_graph_root(m->graph), m->path, options, &error);
    must(r ? VARVE_OK : error.status, &error);
    varve_restoration_free(r);
}

static void restore(struct mine *m)
{
    read_varve(m, NULL);
}

/* Restores into a graph for the first time. */
static void restore_first(struct mine *m)
{
    varve_graph_free(m->graph);
    make_graph(m);
    read_varve(m, NULL);
}

static void restore_once(struct mine *m)
{
    read_varve(m, &(varve_read_options){ .passes = VARVE_ONE_PASS });
}

static varve_manager *manage(struct mine *m, const char *directory)
{
    varve_error error = { 0 };
    const varve_level level = { .directory = m->slow };
    const varve_manager_options options = { .comm = m->comm,
        .levels = &level,
        .level_count = 1,
        .keep_last = 1,
        .run = "bench",
        .may_start_new_run = true };
    varve_manager *manager = varve_manager_new(
        varve_graph_root(m->graph), directory, &options, &error);
    must(manager ? VARVE_OK : error.status, &error);
    return manager;
}

static void fill_level(struct mine *m)
{
    varve_error error = { 0 };
    varve_manager *manager = manage(m, m->fast);
    must(varve_manager_save(manager, 1, &error), &error);
    must(varve_manager_drain(manager, -1, &error), &error);
    varve_manager_free(manager);
}

static void resume(struct mine *m)
{
    varve_error error = { 0 };
    varve_manager *manager = manage(m, m->lost);
    must(varve_manager_resume(manager, &error), &error);
    varve_manager_free(manager);
}

/* Reads bytes of a writer's file directly into place, or into a block from
 * which the columns are copied. */
static void read_bytes(struct mine *m, int file, uint64_t from, uint64_t row,
    uint64_t count, unsigned char *block)
{
    bool is_whole = m->width == WIDTH;
    uint64_t piece = m->width * UNIT;
    unsigned char *to = m->bytes + (row - m->first) * piece;
    uint64_t step = is_whole ? count : BLOCK / ROW;
    for (uint64_t at = 0; at < count; at += step) {
        uint64_t rows = count - at < step ? count - at : step;
        unsigned char *place = is_whole ? to : block;
        for (uint64_t done = 0; done < rows * ROW;) {
            ssize_t size = pread(file, place + done, rows * ROW - done,
                (off_t)((from + at) * ROW + done));
            must_system(size > 0, "read");
            done += (uint64_t)size;
        }
        for (uint64_t i = 0; !is_whole && i < rows; i++)
            memcpy(
                to + (at + i) * piece, block + i * ROW + m->left * UNIT, piece);
    }
}

/* Reads the part of this process from all files that contain it. */
static void read_raw(struct mine *m)
{
    const struct setting *s = m->setting;
    unsigned char *block = touched_memory(BLOCK);
    for (uint32_t i = 0; i < s->writers; i++) {
        char path[PATH_SIZE];
        uint64_t begin = first_of(s->rows, i, s->writers);
        uint64_t end = first_of(s->rows, i + 1, s->writers);
        uint64_t low = begin > m->first ? begin : m->first;
        uint64_t high = m->first + m->count;
        high = end < high ? end : high;
        if (low >= high)
            continue;
        snprintf(path, sizeof path, "%s/raw.%u", s->directory, i);
        int file = open(path, O_RDONLY);
        must_system(file >= 0, path);
        read_bytes(m, file, low - begin, low, high - low, block);
        close(file);
    }
    free(block);
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

/* Returns the time until all processes have ended. */
static double timed(struct mine *m, void (*run)(struct mine *m))
{
    varve_error error = { 0 };
    must(m->comm->barrier(m->comm->self), &error);
    double begin = now();
    run(m);
    must(m->comm->barrier(m->comm->self), &error);
    return now() - begin;
}

enum { FIRST, VARVE, ONCE, RAW, LEVEL, HDF5, PAUSE, KINDS };
enum { RATIOS = RAW }; /* rows of a table: Varve's operations */
static const char *const kind_names[] = { "first", "varve", "one pass", "raw",
    "from a level", "hdf5", "pause" };
typedef void (*const kinds[KINDS])(struct mine *m);
static kinds saving = { NULL, save, NULL, write_raw, NULL, save_hdf5,
    save_behind };
static kinds restoring = { restore_first, restore, restore_once, read_raw,
    resume, restore_hdf5, NULL };

static bool is_run(const struct mine *m, kinds by, int kind)
{
    bool has_rows = m->width == WIDTH &&
                    (m->count < m->setting->rows || m->comm->size == 1);
    return by[kind] && (kind != HDF5 || (has_hdf5 && has_rows));
}

/* Returns the ratio of plain to Varve, or of a save to its pause; negative if
 * one of them varies too much. */
static double ratio_of(const struct contender of[KINDS], int kind)
{
    const struct contender *other = &of[kind == PAUSE ? VARVE : RAW];
    bool swings = swing(&of[kind]) > MOST_SWING || swing(other) > MOST_SWING;
    return swings ? -1 : median(other) / median(&of[kind]);
}

static void tell(const struct mine *m, const char *what,
    const struct contender of[KINDS], double load_before)
{
    printf("%-16s %2u processes %6" PRIu64 " MiB", what, m->comm->size,
        m->setting->rows * ROW >> 20);
    for (int k = 0; k < KINDS; k++) {
        if (of[k].count == 0)
            continue;
        printf("  %s ", kind_names[k]);
        if (swing(&of[k]) > MOST_SWING)
            printf("varies by %.0f %%, minimum %.1f ms", 100 * swing(&of[k]),
                1e3 * least(&of[k]));
        else
            printf("%.1f (%.1f) ms", 1e3 * median(&of[k]), 1e3 * least(&of[k]));
        if (k != RAW && ratio_of(of, k) > 0)
            printf(" ratio %.2f", ratio_of(of, k));
    }
    printf("  %u rounds, load %.1f to %.1f\n", of[VARVE].count, load_before,
        load());
}

static void compare(struct mine *m, kinds by, struct contender of[KINDS])
{
    for (unsigned i = 0; i <= m->setting->rounds; i++)
        for (int k = 0; k < KINDS; k++) {
            if (!is_run(m, by, k))
                continue;
            double took = timed(m, by[k]);
            land(m);
            if (i > 0) /* not the warm-up round */
                of[k].samples[of[k].count++] = took;
            else if (by == restoring) {
                check(m);
                memset(m->bytes, 0, size_of(m));
            }
        }
}

/* Prints the results, or returns the ratios for a table. */
static void work(const struct setting *s, const varve_comm *comm, bool reads,
    enum layout layout, double ratios[RATIOS])
{
    struct mine m;
    struct contender of[KINDS] = { { .count = 0 } };
    double load_before = load();
    char what[32];
    make_mine(&m, s, comm, layout);
    if (!reads)
        fill(&m);
    compare(&m, reads ? restoring : saving, of);
    if (!reads)
        fill_level(&m);
    snprintf(what, sizeof what, "%s %s", reads ? "restore" : "save",
        layout_names[layout]);
    if (comm->rank == 0 && !ratios)
        tell(&m, what, of, load_before);
    for (int k = 0; ratios && reads && k < RATIOS; k++)
        ratios[k] = ratio_of(of, k);
    free_mine(&m);
}

static void run(const struct setting *s, uint32_t size, bool reads,
    enum layout layout, double ratios[RATIOS])
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
    work(s, comm, reads, layout, ratios);
    varve_processes_free(group);
    if (rank > 0) {
        fflush(stdout);
        _exit(0);
    }
    int status;
    while (wait(&status) > 0)
        must_system(status == 0, "a process failed");
}

static int run_over_mpi(const struct setting *s, uint32_t size)
{
    varve_error error = { 0 };
    const varve_comm *comm = hdf5_all_comm(&error);
    must(comm ? VARVE_OK : error.status, &error);
    if (size == s->writers)
        work(s, comm, false, ROWS, NULL);
    for (int l = 0; size == s->readers && l < LAYOUTS; l++)
        work(s, comm, true, (enum layout)l, NULL);
    hdf5_all_end();
    return size == s->writers || size == s->readers ? 0 : 2;
}

/* --- All of 1 to 8 -------------------------------------------------------- */

static void print_table(
    const char *what, double ratios[MOST][MOST][RATIOS], int kind)
{
    printf("\n%s, %s: raw / Varve\n\n| saved by |", what, kind_names[kind]);
    for (uint32_t r = 1; r <= MOST; r++)
        printf(" %u read |", r);
    printf("\n| --- |");
    for (uint32_t r = 1; r <= MOST; r++)
        printf(" ---: |");
    for (uint32_t w = 0; w < MOST; w++) {
        printf("\n| %u |", w + 1);
        for (uint32_t r = 0; r < MOST; r++)
            if (ratios[w][r][kind] > 0)
                printf(" %.2f |", ratios[w][r][kind]);
            else
                printf(" swings |");
    }
    printf("\n");
}

static void run_table(struct setting *s)
{
    double ratios[LAYOUTS][MOST][MOST][RATIOS], load_before = load();
    for (uint32_t w = 0; w < MOST; w++) {
        double none[RATIOS];
        s->writers = w + 1;
        run(s, s->writers, false, ROWS, none);
        for (uint32_t r = 0; r < MOST; r++)
            for (int l = 0; l < LAYOUTS; l++)
                run(s, r + 1, true, (enum layout)l, ratios[l][w][r]);
        fprintf(stderr, "saved by %u: done\n", w + 1);
    }
    printf("%" PRIu64 " MiB, %u rounds, load %.1f to %.1f\n",
        s->rows * ROW >> 20, s->rounds, load_before, load());
    for (int l = 0; l < LAYOUTS; l++)
        for (int k = 0; k < RATIOS; k++)
            print_table(layout_names[l], ratios[l], k);
}

static uint64_t operand(int count, char **arguments, int i, uint64_t other)
{
    return i < count - 1 ? strtoull(arguments[i], NULL, 10) : other;
}

int main(int count, char **arguments)
{
    bool is_table = count > 2 && strcmp(arguments[1], "--table") == 0;
    int sizes = is_table ? 2 : 3; /* index of the sizes */
    if (count < 2) {
        fprintf(stderr, "usage: processes [WRITERS [READERS [MIB [ROUNDS]]]] "
                        "DIRECTORY\n       processes --table [MIB [ROUNDS]] "
                        "DIRECTORY\n");
        return 2;
    }
    struct setting s = { .directory = arguments[count - 1],
        .writers = (uint32_t)operand(is_table ? 0 : count, arguments, 1, 4),
        .readers = (uint32_t)operand(is_table ? 0 : count, arguments, 2, 3),
        .rows = (operand(count, arguments, sizes, 512) << 20) / ROW,
        .rounds = (unsigned)operand(count, arguments, sizes + 1, 5) };
    if (s.rounds == 0 || s.rounds > MOST_ROUNDS || s.writers == 0 ||
        s.readers == 0)
        return 2;
    uint32_t size;
    has_hdf5 = hdf5_all_begin(&size);
    if (has_hdf5)
        return run_over_mpi(&s, size);
    if (is_table) {
        run_table(&s);
        return 0;
    }
    run(&s, s.writers, false, ROWS, NULL);
    for (int l = 0; l < LAYOUTS; l++)
        run(&s, s.readers, true, (enum layout)l, NULL);
    printf("hdf5: skipped; processes_mpi measures it if parallel HDF5 is "
           "installed (libhdf5-openmpi-dev)\n");
    return 0;
}
