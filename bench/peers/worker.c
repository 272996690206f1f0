/* worker.c - Runs Varve, or plain file access, as one of the peers. Reads a
 * command per line and answers each with a line of JSON.
 *
 *     worker varve
 * raw SCRATCH MODELS
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <varve/varve.h>

#include "measure.h"
#include "raw.h"

enum { STEP = 1 << 20, PAGE = 4096, READERS = 8 };

struct tensor {
    char *name;
    size_t at, size;
};

/* The current model and its memory. */
static struct {
    const char *scratch, *models;
    char path[PATH_SIZE];
    struct tensor *tensors;
    size_t count;
    unsigned char *bytes;  /* values to save */
    unsigned char *target; /* destination of a restore */
    size_t size;
    varve_graph *graph, *target_graph;
    varve_snapshot *snapshot;
} model;

/* --- The model ---------------------------------------------------------- */

static void read_spec(const char *name)
{
    char path[PATH_SIZE], tensor[256];
    size_t capacity = 0, at, size;
    snprintf(path, sizeof path, "%s/%s.spec", model.models, name);
    FILE *file = fopen(path, "r");
    must_system(file != NULL, path);
    while (fscanf(file, "%255s %zu %zu", tensor, &at, &size) == 3) {
        if (model.count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            model.tensors =
                realloc(model.tensors, capacity * sizeof *model.tensors);
            must_system(model.tensors != NULL, "memory");
        }
        model.tensors[model.count++] =
            (struct tensor){ strdup(tensor), at, size };
    }
    fclose(file);
}

static void map_values(const char *name)
{
    char path[PATH_SIZE];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s.bin", model.models, name);
    int file = open(path, O_RDONLY);
    must_system(file >= 0 && fstat(file, &status) == 0, path);
    model.size = (size_t)status.st_size;
    model.bytes =
        mmap(NULL, model.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    must_system(model.bytes != MAP_FAILED, path);
    close(file);
    /* reads every page, so that all of it is in memory, without a copy */
    volatile unsigned char sum = 0;
    for (size_t at = 0; at < model.size; at += PAGE)
        sum = (unsigned char)(sum + model.bytes[at]);
}

/* Returns the object named by all but the last part of a name; sets *last. */
static varve_node *parent_of(varve_graph *graph, char *name, char **last)
{
    varve_node *node = varve_graph_root(graph);
    char *slash;
    while ((slash = strchr(name, '/'))) {
        *slash = '\0';
        varve_node *child = varve_find(node, name);
        node = child ? child : varve_add_object(node, name);
        *slash = '/';
        name = slash + 1;
    }
    *last = name;
    return node;
}

static varve_graph *graph_over(unsigned char *bytes)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_error error;
    for (size_t i = 0; i < model.count; i++) {
        const struct tensor *t = &model.tensors[i];
        char *last;
        varve_node *parent = parent_of(graph, t->name, &last);
        varve_add_variable(parent, last,
            varve_view(bytes + t->at, VARVE_FLOAT32,
                VARVE_SHAPE(t->size / sizeof(float))));
    }
    must(varve_graph_check(graph, &error), &error);
    return graph;
}

static void need_target(void)
{
    if (model.target)
        return;
    model.target = mmap(NULL, model.size, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must_system(model.target != MAP_FAILED, "memory");
    memset(model.target, 1, model.size);
    model.target_graph = graph_over(model.target);
}

static void release(void)
{
    varve_snapshot_free(model.snapshot);
    varve_graph_free(model.target_graph);
    if (model.target)
        munmap(model.target, model.size);
    model.snapshot = NULL;
    model.target_graph = NULL;
    model.target = NULL;
}

static void forget_model(void)
{
    release();
    varve_graph_free(model.graph);
    if (model.bytes)
        munmap(model.bytes, model.size);
    for (size_t i = 0; i < model.count; i++)
        free(model.tensors[i].name);
    free(model.tensors);
    model.graph = NULL;
    model.bytes = NULL;
    model.tensors = NULL;
    model.count = 0;
}

static void take_model(const char *peer, const char *name)
{
    forget_model();
    read_spec(name);
    map_values(name);
    snprintf(model.path, sizeof model.path, "%s/%s.%s%s", model.scratch, peer,
        name, strcmp(peer, "varve") == 0 ? ".varve" : "");
    model.graph = graph_over(model.bytes);
}

/* --- Varve -------------------------------------------------------------- */

static double save(void)
{
    varve_error error;
    unlink(model.path);
    double begin = now();
    must(varve_write(varve_graph_root(model.graph), model.path, NULL, &error),
        &error);
    return now() - begin;
}

/* Saves incrementally after a fraction of the values has changed. */
static double save_changed(const char *fraction)
{
    static const varve_write_options incremental = { .incremental = true };
    char path[PATH_SIZE + 16];
    varve_error error;
    snprintf(path, sizeof path, "%s.incremental", model.path);
    if (access(path, F_OK) != 0)
        must(varve_write(
                 varve_graph_root(model.graph), path, &incremental, &error),
            &error);
    size_t changed = (size_t)(strtod(fraction, NULL) * (double)model.size);
    for (size_t at = 0; at < changed; at += sizeof(float))
        model.bytes[at]++;
    double begin = now();
    must(varve_write(varve_graph_root(model.graph), path, &incremental, &error),
        &error);
    return now() - begin;
}

/* Measures how long the call blocks its caller. */
static double save_in_background(bool zero_copy)
{
    varve_error error = { 0 };
    unlink(model.path);
    double begin = now();
    varve_job *job =
        varve_write_async(varve_graph_root(model.graph), model.path,
            &(varve_write_options){ .async.zero_copy = zero_copy }, &error);
    double time = now() - begin;
    must(job ? varve_job_wait(job, &error) : error.status, &error);
    varve_job_free(job);
    return time;
}

/* Restores as the first restore of a program, like the other peers. */
static double read_from(const char *path, const varve_read_options *options)
{
    varve_error error = { 0 };
    need_target();
    varve_graph *graph = graph_over(model.target);
    double begin = now();
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, options, &error);
    must(r ? VARVE_OK : error.status, &error);
    double time = now() - begin;
    must(varve_assert_consumed(r, &error), &error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return time;
}

/* Restores; `threads` is the maximum, 0 is the default. */
static double into(const char *threads)
{
    return read_from(model.path,
        &(varve_read_options){
            .resources.threads = (unsigned)strtoul(threads, NULL, 10) });
}

static double into_one_pass(const char *threads)
{
    return read_from(model.path,
        &(varve_read_options){ .passes = VARVE_ONE_PASS,
            .resources.threads = (unsigned)strtoul(threads, NULL, 10) });
}

static double into_verified(const char *threads)
{
    return read_from(model.path,
        &(varve_read_options){ .passes = VARVE_TWO_PASSES,
            .resources.threads = (unsigned)strtoul(threads, NULL, 10) });
}

static double list(const char *path)
{
    varve_error error;
    varve_saved_node node;
    double begin = now();
    varve_reader *reader = varve_reader_open(path, NULL, &error);
    must(reader ? VARVE_OK : error.status, &error);
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++)
        ;
    double time = now() - begin;
    varve_reader_free(reader);
    return time;
}

/* Reads a foreign file as a graph; its values are in memory or in the file. */
static double graph_of(const char *path, bool no_verify, bool is_over)
{
    varve_error error = { 0 };
    const varve_read_options options = { .no_verify = no_verify };
    double begin = now();
    varve_graph *graph =
        is_over ? varve_graph_from_lazy(path, &options, NULL, &error)
                : varve_graph_from_part(path, &options, NULL, &error);
    must(graph ? VARVE_OK : error.status, &error);
    double time = now() - begin;
    varve_graph_free(graph);
    return time;
}

static double snapshot(void)
{
    varve_error error = { 0 };
    need_target();
    varve_snapshot_free(model.snapshot);
    double begin = now();
    model.snapshot =
        varve_snapshot_new(varve_graph_root(model.target_graph), &error);
    must(error.status, &error);
    return now() - begin;
}

static double snapshot_again(void)
{
    varve_error error = { 0 };
    if (!model.snapshot)
        snapshot();
    double begin = now();
    must(varve_snapshot_retake(model.snapshot, &error), &error);
    return now() - begin;
}

static bool is_same(void)
{
    return model.target && memcmp(model.bytes, model.target, model.size) == 0;
}

static bool run_varve(const char *name, const char *argument, double *time)
{
    if (strcmp(name, "save") == 0)
        *time = save();
    else if (strncmp(name, "background", strlen("background")) == 0)
        *time = save_in_background(strcmp(name, "background_at_rest") == 0);
    else if (strcmp(name, "save_changed") == 0)
        *time = save_changed(argument);
    else if (strcmp(name, "into") == 0)
        *time = into(argument);
    else if (strcmp(name, "into_one_pass") == 0)
        *time = into_one_pass(argument);
    else if (strcmp(name, "into_verified") == 0)
        *time = into_verified(argument);
    else if (strcmp(name, "foreign") == 0)
        *time = read_from(argument, NULL);
    else if (strcmp(name, "list") == 0)
        *time = list(model.path);
    else if (strcmp(name, "names") == 0)
        *time = list(argument);
    else if (strcmp(name, "over") == 0)
        *time = graph_of(argument, true, true);
    else if (strncmp(name, "graph", strlen("graph")) == 0)
        *time =
            graph_of(argument, strcmp(name, "graph_unverified") == 0, false);
    else if (strcmp(name, "snapshot") == 0)
        *time = snapshot();
    else if (strcmp(name, "snapshot_again") == 0)
        *time = snapshot_again();
    else
        return false;
    return true;
}

/* --- The machine -------------------------------------------------------- */

struct reading {
    int file;
    size_t begin, end;
    pthread_t thread;
};

static void *read_part(void *argument)
{
    struct reading *r = argument;
    while (r->begin < r->end) {
        size_t left = r->end - r->begin;
        ssize_t moved = pread(r->file, model.target + r->begin,
            left < STEP ? left : STEP, (off_t)r->begin);
        must_system(moved > 0, "read");
        r->begin += (size_t)moved;
    }
    return NULL;
}

static double read_raw(size_t readers)
{
    struct reading parts[READERS];
    readers = readers < 1 ? 1 : readers < READERS ? readers : READERS;
    need_target();
    double begin = now();
    int file = open(model.path, O_RDONLY);
    must_system(file >= 0, model.path);
    for (size_t i = 0; i < readers; i++) {
        parts[i] = (struct reading){ .file = file,
            .begin = model.size / readers * i,
            .end =
                i + 1 < readers ? model.size / readers * (i + 1) : model.size };
        must_system(
            pthread_create(&parts[i].thread, NULL, read_part, &parts[i]) == 0,
            "a thread");
    }
    for (size_t i = 0; i < readers; i++)
        pthread_join(parts[i].thread, NULL);
    close(file);
    return now() - begin;
}

/* Writes a file for reads, which the measured saves do not remove. */
static double keep(void)
{
    int file = open(model.path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    must_system(file >= 0, model.path);
    for (size_t at = 0; at < model.size;) {
        ssize_t moved =
            pwrite(file, model.bytes + at, model.size - at, (off_t)at);
        must_system(moved > 0, model.path);
        at += (size_t)moved;
    }
    must_system(fsync(file) == 0, model.path);
    close(file);
    return 0;
}

static bool run_raw(const char *name, const char *argument, double *time)
{
    char path[PATH_SIZE + 8];
    snprintf(path, sizeof path, "%s.out", model.path);
    need_target();
    struct raw raw = { .path = path,
        .bytes = model.bytes,
        .other = model.target,
        .size = model.size };
    if (strcmp(name, "write") == 0 && *argument) /* limited to this size */
        raw.size = (size_t)(strtod(argument, NULL) * (double)model.size);
    if (strcmp(name, "write") == 0)
        *time = raw_write(&raw);
    else if (strcmp(name, "write_back") == 0)
        *time = raw_write_back(&raw);
    else if (strcmp(name, "write_direct") == 0)
        *time = raw_write_direct(&raw);
    else if (strcmp(name, "copy") == 0)
        *time = raw_copy(&raw);
    else if (strcmp(name, "copy_all") == 0)
        *time = raw_copy_all(&raw);
    else if (strcmp(name, "read") == 0)
        *time = read_raw(strtoul(argument, NULL, 10));
    else if (strcmp(name, "keep") == 0)
        *time = keep();
    else
        return false;
    return true;
}

/* --- Commands ----------------------------------------------------------- */

static bool run(
    const char *peer, const char *name, const char *argument, double *time)
{
    *time = 0;
    if (strcmp(name, "model") == 0)
        take_model(peer, argument);
    else if (strcmp(name, "release") == 0)
        release();
    else if (strcmp(peer, "raw") == 0)
        return run_raw(name, argument, time);
    else
        return run_varve(name, argument, time);
    return true;
}

int main(int count, char **arguments)
{
    char line[PATH_SIZE], name[64], argument[PATH_SIZE];
    if (count != 4) {
        fputs("usage: worker varve|raw SCRATCH MODELS\n", stderr);
        return 2;
    }
    model.scratch = arguments[2];
    model.models = arguments[3];
    printf("{\"version\": \"%s\"}\n", varve_version());
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        double time = 0;
        *argument = '\0';
        sscanf(line, "%63s %1023s", name, argument);
        if (strcmp(name, "check") == 0)
            puts(is_same() ? "{\"t\": 0}" : "{\"error\": \"values differ\"}");
        else if (run(arguments[1], name, argument, &time))
            printf("{\"t\": %.9f}\n", time);
        else
            puts("{\"absent\": \"has no such call\"}");
        fflush(stdout);
    }
    forget_model();
    return 0;
}
