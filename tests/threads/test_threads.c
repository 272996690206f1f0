/* test_threads.c - different graphs, and one reader, used by many threads at
 * once. A plain program, so that it also runs under ThreadSanitizer.
 *
 *     test_threads [DIRECTORY]
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/everything.h"

enum { THREADS = 6, ROUNDS = 8 };

static const char *directory;
static varve_reader *shared;

static void demand(bool holds, const char *what, const char *message)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, message);
    exit(1);
}

/* Reads a file into a graph of its own and looks at every value. */
static void read_model(const char *path, unsigned seed, bool is_mapped)
{
    varve_error error = { 0 };
    struct everything model = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    everything_build(&model, graph);
    varve_read_options options = { .map = is_mapped, .threads = 2 };
    varve_restoration *r = varve_restore(
        varve_graph_root(graph), path, &options, &error);
    demand(r != NULL, "read", error.message);
    const char *wrong = everything_differs(&model, seed);
    demand(!wrong, "value", wrong ? wrong : "");
    varve_report *report = varve_report_new(r, &error);
    demand(report != NULL, "report", error.message);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void write_model(const char *path, unsigned seed)
{
    varve_error error = { 0 };
    struct everything model = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    everything_build(&model, graph);
    everything_fill(&model, seed);
    varve_write_options options = everything_options();
    options.no_sync = true;
    varve_status status =
        varve_write(varve_graph_root(graph), path, &options, &error);
    demand(status == VARVE_OK, "write", error.message);
    varve_graph_free(graph);
}

/* Each thread its own graph and file. */
static void *write_and_read(void *argument)
{
    unsigned number = *(const unsigned *)argument;
    char path[4096];
    snprintf(path, sizeof path, "%s/own-%u.varve", directory, number);
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_model(path, number + i);
        read_model(path, number + i, i % 2 == 1);
    }
    remove(path);
    return NULL;
}

static void *restore_shared(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < ROUNDS; i++)
        read_model(varve_reader_path(shared), 1, i % 2 == 1);
    return NULL;
}

static void *look_inside(void *argument)
{
    (void)argument;
    varve_saved_node node;
    varve_error error = { 0 };
    unsigned char bytes[4096];
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (size_t n = 0; varve_reader_node_at(shared, n, &node); n++) {
            varve_saved_node found;
            demand(varve_reader_find(shared, "a%2Fb%25c", &found), "find", "");
            if (!node.has_value)
                continue;
            varve_status status = varve_reader_read(
                shared, n, bytes, sizeof bytes, &error);
            demand(status == VARVE_OK, "reader", error.message);
        }
        varve_status status = varve_reader_verify(shared, NULL, &error);
        demand(status == VARVE_OK, "verify", error.message);
    }
    return NULL;
}

static void run(const char *what, void *(*function)(void *))
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        demand(pthread_create(&threads[i], NULL, function, &numbers[i]) == 0,
            what, "no thread");
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%s: %d threads, %d rounds each\n", what, THREADS, ROUNDS);
}

int main(int argc, char **argv)
{
    char own[] = "/tmp/varve-threads-XXXXXX";
    directory = argc > 1 ? argv[1] : mkdtemp(own);
    demand(directory != NULL, "directory", "cannot be made");
    char path[4096];
    varve_error error = { 0 };
    snprintf(path, sizeof path, "%s/shared.varve", directory);
    write_model(path, 1);
    shared = varve_reader_open(path, NULL, &error);
    demand(shared != NULL, "open", error.message);
    run("own graphs and files", write_and_read);
    run("restorations of one file", restore_shared);
    run("one reader", look_inside);
    varve_reader_free(shared);
    remove(path);
    if (argc == 1)
        remove(directory);
    return 0;
}
