/* sparse.c - Measures a run that changes a few rows of a table in each step and
 * saves: time, written bytes and disk space should be proportional to the
 * changes.
 *
 *     sparse BYTES STEPS DIRECTORY SHARE...
 *
 * A table of BYTES has rows of 4 KiB. Each step changes a SHARE of them (such
 * as 0.01) at random places, marks them with varve_mark_rows_dirty, and saves
 * with a manager that keeps ten. Then each of the ten is read and compared.
 * Prints a line of JSON for each share: medians of the first and the last tenth
 * of the steps, and of full saves of the same table in between.
 *
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <varve/varve.h>

#include "measure.h"

enum { ROW = 4096, KEPT = 10, EACH = 50, MOST_LAYERS = 1024 };

struct run {
    const char *directory;
    char folder[PATH_SIZE]; /* folder for this share */
    size_t size, steps;
    double share;
    unsigned char *bytes;
    varve_graph *graph;
    varve_node *table;
    varve_manager *manager;
    uint64_t random;
    /* checksums of the table at the last steps, by step % KEPT */
    uint64_t sums[KEPT];
    char paths[KEPT][PATH_SIZE + 32];
    double *times, *full;
    size_t full_count;
    ino_t layers[MOST_LAYERS]; /* existing data files */
    size_t layer_count;
    double written; /* bytes since the first save */
};

static uint64_t sum_of(const unsigned char *bytes, size_t size)
{
    uint64_t sum = 0, word;
    for (size_t i = 0; i < size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return sum;
}

static void change(struct run *r)
{
    varve_error error;
    size_t rows = r->size / ROW;
    size_t count = (size_t)(r->share * (double)rows);
    for (size_t i = 0; i < count + !count; i++) {
        r->random = r->random * UINT64_C(6364136223846793005) + 1;
        size_t row = (size_t)(r->random >> 33) % rows;
        for (size_t k = 0; k < ROW; k += 64)
            r->bytes[row * ROW + k]++;
        must(varve_mark_rows_dirty(r->table, row, 1, &error), &error);
    }
}

/* Returns the size of all files in a folder, and optionally removes them. */
static double bytes_of(const char *folder, bool is_removed)
{
    char path[2 * PATH_SIZE];
    struct stat s;
    double sum = 0;
    DIR *files = opendir(folder);
    for (struct dirent *e; files && (e = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (*e->d_name == '.' || stat(path, &s) != 0 || !S_ISREG(s.st_mode))
            continue;
        sum += (double)s.st_size;
        if (is_removed)
            unlink(path);
    }
    if (files)
        closedir(files);
    if (is_removed)
        rmdir(folder);
    return sum;
}

/* Returns the size of the data files that are new since the last call. */
static double new_layers(struct run *r)
{
    char path[2 * PATH_SIZE];
    ino_t there[MOST_LAYERS];
    struct stat s;
    size_t count = 0;
    double sum = 0;
    snprintf(path, sizeof path, "%s/layers", r->folder);
    DIR *files = opendir(path);
    for (struct dirent *e; files && (e = readdir(files));) {
        size_t i = 0;
        snprintf(path, sizeof path, "%s/layers/%s", r->folder, e->d_name);
        if (*e->d_name == '.' || stat(path, &s) != 0)
            continue;
        while (i < r->layer_count && r->layers[i] != s.st_ino)
            i++;
        sum += i == r->layer_count ? (double)s.st_size : 0;
        must_system(count < MOST_LAYERS, "too many data files");
        there[count++] = s.st_ino;
    }
    if (files)
        closedir(files);
    memcpy(r->layers, there, count * sizeof *there);
    r->layer_count = count;
    return sum;
}

/* Returns the size of the last save: its data file and its index. */
static double newest_bytes(struct run *r)
{
    struct stat s;
    const char *path = varve_manager_saved(r->manager);
    must_system(path && stat(path, &s) == 0, "a save");
    return (double)s.st_size + new_layers(r);
}

static double full_save(const struct run *r)
{
    char path[PATH_SIZE + 16];
    varve_error error;
    snprintf(path, sizeof path, "%s/full.varve", r->directory);
    double begin = now();
    must(varve_write(varve_graph_root(r->graph), path, NULL, &error), &error);
    double time = now() - begin;
    unlink(path);
    return time;
}

static void step(struct run *r, size_t number)
{
    varve_error error;
    if (number > 0)
        change(r);
    r->sums[number % KEPT] =
        number + KEPT >= r->steps ? sum_of(r->bytes, r->size) : 0;
    double begin = now();
    must(varve_manager_save(r->manager, (int64_t)number, &error), &error);
    r->times[number] = now() - begin;
    snprintf(r->paths[number % KEPT], sizeof *r->paths, "%s",
        varve_manager_saved(r->manager));
    double written = newest_bytes(r);
    r->written += number ? written : 0;
    if (number % EACH == 1) /* and sometimes a full save */
        r->full[r->full_count++] = full_save(r);
}

/* Checks that each of the last checkpoints has the table of its step. */
static size_t check_kept(const struct run *r)
{
    unsigned char *bytes = malloc(r->size);
    varve_graph *graph = varve_graph_new(NULL);
    size_t count = 0;
    must_system(bytes != NULL, "memory");
    varve_add_variable(varve_graph_root(graph), "table",
        varve_view(bytes, VARVE_FLOAT32,
            VARVE_SHAPE(r->size / ROW, ROW / sizeof(float))));
    for (size_t i = r->steps > KEPT ? r->steps - KEPT : 0; i < r->steps; i++) {
        varve_error error = { 0 };
        varve_restoration *found = varve_read(
            varve_graph_root(graph), r->paths[i % KEPT], NULL, &error);
        must(found ? VARVE_OK : error.status, &error);
        varve_restoration_free(found);
        count += sum_of(bytes, r->size) == r->sums[i % KEPT];
    }
    varve_graph_free(graph);
    free(bytes);
    return count;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median_of(const double *times, size_t count)
{
    double *sorted = malloc(count * sizeof *sorted);
    must_system(sorted != NULL, "memory");
    memcpy(sorted, times, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    double middle = sorted[count / 2];
    free(sorted);
    return middle;
}

static void begin(struct run *r)
{
    static const varve_write_options write = { .incremental = true,
        .increment.only_dirty = true };
    const varve_manager_options options = { .keep_last = KEPT,
        .write = &write,
        .run = "bench",
        .may_start_new_run = true };
    varve_error error;
    snprintf(r->folder, sizeof r->folder, "%s/share", r->directory);
    memset(r->bytes, 1, r->size);
    r->random = 1;
    r->written = 0;
    r->full_count = r->layer_count = 0;
    r->graph = varve_graph_new(NULL);
    r->table = varve_add_variable(varve_graph_root(r->graph), "table",
        varve_view(r->bytes, VARVE_FLOAT32,
            VARVE_SHAPE(r->size / ROW, ROW / sizeof(float))));
    r->manager = varve_manager_new(
        varve_graph_root(r->graph), r->folder, &options, &error);
    must(r->manager ? VARVE_OK : error.status, &error);
}

static void end(struct run *r)
{
    char layers[PATH_SIZE + 16];
    size_t tenth = r->steps / 10;
    snprintf(layers, sizeof layers, "%s/layers", r->folder);
    double space = bytes_of(r->folder, false) + bytes_of(layers, false);
    size_t good = check_kept(r);
    printf("{\"share\": %g, \"steps\": %zu, \"bytes\": %zu, "
           "\"first_ms\": %.2f, \"last_ms\": %.2f, \"full_ms\": %.2f, "
           "\"bytes_per_changed_byte\": %.3f, \"space\": %.3f, "
           "\"correct_checkpoints\": %zu}\n",
        r->share, r->steps, r->size, 1e3 * median_of(r->times + 1, tenth),
        1e3 * median_of(r->times + r->steps - tenth, tenth),
        1e3 * median_of(r->full, r->full_count),
        r->written / ((double)(r->steps - 1) * r->share * (double)r->size),
        space / (double)r->size, good);
    fflush(stdout);
    varve_manager_free(r->manager);
    varve_graph_free(r->graph);
    bytes_of(layers, true);
    bytes_of(r->folder, true);
    if (good != (r->steps < KEPT ? r->steps : KEPT)) {
        fprintf(stderr,
            "sparse: %d kept checkpoints must be unchanged, but %zu are\n",
            KEPT, good);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    struct run r = { .directory = argc > 3 ? argv[3] : NULL };
    if (argc < 5) {
        fprintf(stderr, "usage: sparse BYTES STEPS DIRECTORY SHARE...\n");
        return 2;
    }
    r.size = (size_t)strtoull(argv[1], NULL, 10) / ROW * ROW;
    r.steps = (size_t)strtoull(argv[2], NULL, 10);
    r.bytes = malloc(r.size);
    r.times = calloc(r.steps + 1, sizeof *r.times);
    r.full = calloc(r.steps / EACH + 1, sizeof *r.full);
    must_system(r.bytes && r.times && r.full && r.steps >= 10, "20 steps");
    for (int i = 4; i < argc; i++) {
        r.share = strtod(argv[i], NULL);
        begin(&r);
        for (size_t k = 0; k < r.steps; k++)
            step(&r, k);
        end(&r);
    }
    free(r.bytes);
    free(r.times);
    free(r.full);
    return 0;
}
