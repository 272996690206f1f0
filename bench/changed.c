/* changed.c - P6: Measures an incremental save after one percent of the values
 * has changed, compared with a full save.
 *
 * Measures time and bytes written per changed byte, and for an asynchronous
 * save how long the program is delayed, in the call and by later steps.
 *
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "model.h"
#include "raw.h"
#include "rows.h"

enum { PAGE = 4096, VARIABLES = 100, STEP = 256 << 10 };

struct changing {
    varve_graph *graph;
    unsigned char *bytes;
    size_t size;
    size_t turn;
    bool is_scattered; /* one page in a hundred changes, else a variable */
    /* has rows of a page, of which one percent changes at random places;
     * NULL: variables */
    varve_node *table;
    char path[PATH_SIZE];
    char folder[PATH_SIZE];
    varve_write_options options;
    struct contender written; /* bytes written per changed byte */
    struct contender steps;   /* longest step during and after the save */
    struct raw_pair pair;     /* writes as many bytes as the last save */
};

static void change_rows(struct changing *c)
{
    varve_error error;
    size_t rows = c->size / PAGE;
    uint64_t random = 2 * ++c->turn + 1;
    for (size_t i = 0; i < rows / 100; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t row = (size_t)(random >> 33) % rows;
        for (size_t k = row * PAGE; k < (row + 1) * PAGE; k += 64)
            c->bytes[k]++;
        must(varve_mark_rows_dirty(c->table, row, 1, &error), &error);
    }
}

static void change_pages(struct changing *c)
{
    char name[64];
    size_t part = c->size / VARIABLES;
    size_t first = c->is_scattered ? 0 : c->turn % VARIABLES * part;
    size_t end = c->is_scattered ? c->size : first + part;
    size_t step = c->is_scattered ? (size_t)100 * PAGE : PAGE;
    for (size_t page = first; page < end; page += step)
        for (size_t i = page; i < page + PAGE && i < end; i += 64)
            c->bytes[i]++;
    snprintf(name, sizeof name, "layer%zu", c->turn % VARIABLES / 10);
    varve_node *layer = varve_find(varve_graph_root(c->graph), name);
    snprintf(name, sizeof name, "weight%zu", c->turn % 10);
    varve_mark_dirty(varve_find(layer, name));
    c->turn++;
}

static void change(struct changing *c)
{
    if (c->table)
        change_rows(c);
    else
        change_pages(c);
}

static double file_size(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

/* Returns the size of all data files and the index. */
static double bytes_of(const struct changing *c, bool is_removed)
{
    char path[PATH_SIZE + 256];
    double sum = 0;
    DIR *folder = opendir(c->folder);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", c->folder, e->d_name);
        sum += *e->d_name == '.' ? 0 : file_size(path);
        if (is_removed && *e->d_name != '.')
            unlink(path);
    }
    if (folder)
        closedir(folder);
    return sum;
}

static double save_changed(void *user)
{
    struct changing *c = user;
    varve_error error = { 0 };
    change(c);
    double before = bytes_of(c, false);
    double begin = now();
    must(varve_write(varve_graph_root(c->graph), c->path, &c->options, &error),
        &error);
    double time = now() - begin;
    double changed = (double)c->size / 100;
    c->pair.first = (size_t)(bytes_of(c, false) - before);
    c->pair.second = (size_t)file_size(c->path);
    if (c->written.count < MOST_ROUNDS)
        c->written.samples[c->written.count++] =
            (double)(c->pair.first + c->pair.second) / changed;
    return time;
}

static void race_with_full(
    const struct wishes *wishes, struct changing *c, const char *what)
{
    char path[PATH_SIZE], raw_path[PATH_SIZE];
    varve_error error = { 0 };
    struct job full = { .graph = c->graph,
        .path = scratch(wishes, "full.varve", path) };
    c->options.incremental = true;
    scratch(wishes, "changed.varve", c->path);
    scratch(wishes, "layers", c->folder);
    must(varve_write(varve_graph_root(c->graph), c->path, &c->options, &error),
        &error);
    c->pair = (struct raw_pair){ .folder = c->folder,
        .path = scratch(wishes, "raw", raw_path),
        .bytes = c->bytes };
    struct contender contenders[] = {
        { .name = what, .run = save_changed, .user = c },
        { .name = "full save", .run = run_save, .user = &full },
        { .name = "raw, durable", .run = raw_write_pair, .user = &c->pair },
    };
    race(contenders, 3, wishes->rounds);
    report(&(struct row){ .id = "P6",
        .what = what,
        .ours = &contenders[0],
        .raw = &contenders[1],
        .least_ratio = 20 });
    report(&(struct row){ .id = "P6",
        .what = "  compared with a durable raw write of as many bytes",
        .ours = &contenders[0],
        .raw = &contenders[2] });
    c->written.name = what;
    report(&(struct row){ .id = "P6",
        .what = "  bytes written per changed byte",
        .ours = &c->written,
        .unit = "",
        .scale = 1,
        .most = 1.05 });
    unlink(path);
    unlink(c->path);
    bytes_of(c, true);
    rmdir(c->folder);
}

/* --- In the background ---------------------------------------------------- */

/* Simulates a step of the program between two saves: reads memory and
 * computes. */
static double take_step(void)
{
    static unsigned char memory[STEP];
    double begin = now();
    for (size_t i = 0; i < STEP; i++)
        memory[i] = (unsigned char)(memory[i] * 5 + 1);
    return now() - begin;
}

/* Returns the longest of a number of steps, or of those until a job is done,
 * which are counted. */
static double longest_step(varve_job *job, size_t *count)
{
    double longest = 0;
    for (size_t i = 0; job ? !varve_job_is_done(job) : i < *count; i++) {
        double step = take_step();
        longest = step > longest ? step : longest;
        if (job)
            *count = i + 1;
    }
    return longest;
}

static double save_behind(void *user)
{
    struct changing *c = user;
    varve_error error = { 0 };
    size_t count = 0;
    change(c);
    double begin = now();
    varve_job *job = varve_write_async(
        varve_graph_root(c->graph), c->path, &c->options, &error);
    double time = now() - begin;
    must(job ? VARVE_OK : error.status, &error);
    double meanwhile = longest_step(job, &count);
    must(varve_job_wait(job, &error), &error);
    varve_job_free(job);
    double after = longest_step(NULL, &count);
    if (count > 0 && c->steps.count < MOST_ROUNDS)
        c->steps.samples[c->steps.count++] = meanwhile / after;
    return time;
}

static void measure_pause(const struct wishes *wishes, unsigned char *bytes)
{
    struct raw raw = { .bytes = bytes,
        .other = touched_memory(wishes->size / 100),
        .size = wishes->size / 100 };
    struct changing c = { .graph = model_of_variables(
                              bytes, wishes->size, VARIABLES),
        .bytes = bytes,
        .size = wishes->size,
        .options = { .incremental = true, .increment.only_dirty = true },
        .steps.name = "the longest step" };
    scratch(wishes, "changed.varve", c.path);
    scratch(wishes, "layers", c.folder);
    save_behind(&c);
    struct contender contenders[] = {
        { .name = "varve_write_async", .run = save_behind, .user = &c },
        { .name = "copy of the changes", .run = raw_copy_all, .user = &raw },
    };
    race(contenders, 2, wishes->rounds);
    report(&(struct row){ .id = "P6",
        .what = "asynchronous save of 1 dirty of 100: the call",
        .ours = &contenders[0],
        .raw = &contenders[1] });
    if (c.steps.count > 0)
        report(&(struct row){ .id = "P6",
            .what = "  the longest step during it, to one after it",
            .ours = &c.steps,
            .unit = "times",
            .scale = 1 });
    unlink(c.path);
    bytes_of(&c, true);
    rmdir(c.folder);
    varve_graph_free(c.graph);
    free(raw.other);
}

void bench_changed(const struct wishes *wishes)
{
    static const struct {
        const char *what;
        bool is_scattered, tracks, is_touched, is_table;
    } ways[] = {
        { "1 variable of 100 changed, all hashed", false, false, false, false },
        { "the same, tracked", false, true, false, false },
        { "the same, marked dirty", false, false, true, false },
        { "1 page of 100 changed, all hashed", true, false, false, false },
        { "the same, tracked", true, true, false, false },
        { "1 row of 100 of a table changed, all hashed", false, false, false,
            true },
        { "the same, tracked", false, true, false, true },
        { "the same, marked dirty", false, false, true, true },
    };
    if (!is_wanted(wishes, "P6"))
        return;
    unsigned char *bytes = touched_memory(wishes->size);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct changing c = {
            .graph = ways[i].is_table
                         ? varve_graph_new(NULL)
                         : model_of_variables(bytes, wishes->size, VARIABLES),
            .bytes = bytes,
            .size = wishes->size,
            .is_scattered = ways[i].is_scattered,
            .options = { .increment = { .track = ways[i].tracks,
                             .only_dirty = ways[i].is_touched } },
        };
        if (ways[i].is_table)
            c.table = varve_add_variable(varve_graph_root(c.graph), "table",
                varve_view(bytes, VARVE_FLOAT32,
                    VARVE_SHAPE(wishes->size / PAGE, PAGE / sizeof(float))));
        race_with_full(wishes, &c, ways[i].what);
        varve_graph_free(c.graph);
    }
    measure_pause(wishes, bytes);
    free(bytes);
}
