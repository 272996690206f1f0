/* test_hdf5_threads.c - Tests that calls of libhdf5 are serialized: reads
 * during saves, nested calls, and a process that forks during a call. A plain
 * program, so that it also runs under ThreadSanitizer.
 *
 *     test_hdf5_threads [DIRECTORY]
 *
 * libhdf5 allocates memory during its calls, so the test's allocator is where
 * other calls are made.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

#include "support/proof.h"

enum { READERS = 3, COUNT = 1000, VARIABLES = 6 };

static char shared_path[4096], own_path[4096];
static atomic_bool is_over;

static void demand(bool holds, const char *what, const char *message)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, message);
    exit(1);
}

static varve_graph *make_graph(float numbers[VARIABLES][COUNT])
{
    static const char *const names[VARIABLES] = { "a", "b", "c", "d", "e",
        "f" };
    varve_graph *graph = varve_graph_new(NULL);
    for (int i = 0; i < VARIABLES; i++)
        varve_add_variable(varve_graph_root(graph), names[i],
            varve_array(numbers[i], COUNT));
    return graph;
}

static void save(const char *path, float seed)
{
    static float numbers[VARIABLES][COUNT];
    varve_error error = { 0 };
    varve_write_options options = {
        .format = VARVE_FORMAT_HDF5, .no_sync = true
    };
    for (int i = 0; i < VARIABLES * COUNT; i++)
        numbers[i / COUNT][i % COUNT] = seed;
    varve_graph *graph = make_graph(numbers);
    demand(!varve_write(varve_graph_root(graph), path, &options, &error),
        "save", error.message);
    varve_graph_free(graph);
}

/* --- Readers beside a writer ---------------------------------------------- */

/* Reads repeatedly and checks that all values belong to one save. */
static void *read_on(void *argument)
{
    const char *path = argument;
    float (*numbers)[COUNT] = malloc(VARIABLES * sizeof *numbers);
    demand(numbers != NULL, "malloc", "out of memory");
    while (!is_over) {
        varve_error error = { 0 };
        varve_graph *graph = make_graph(numbers);
        varve_restoration *restoration =
            varve_read(varve_graph_root(graph), path, NULL, &error);
        demand(restoration != NULL, "read", error.message);
        varve_restoration_free(restoration);
        for (int i = 0; i < VARIABLES * COUNT; i++)
            demand(numbers[i / COUNT][i % COUNT] == numbers[0][0], "read",
                "a mixture of values of two saves");
        varve_graph_free(graph);
    }
    free(numbers);
    return NULL;
}

static void read_beside_saves(int rounds)
{
    pthread_t threads[READERS];
    save(shared_path, 0);
    save(own_path, 0);
    is_over = false;
    for (int i = 0; i < READERS; i++)
        demand(!pthread_create(&threads[i], NULL, read_on,
            i ? shared_path : own_path), "thread", "cannot be created");
    for (int i = 1; i <= rounds; i++)
        save(shared_path, (float)i);
    is_over = true;
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    proof_count("threads.hdf5_saves_beside_reads", (uint64_t)rounds);
}

/* --- In the middle of a call ---------------------------------------------- */

/* An allocator that calls a function before one of its allocations. */
struct stop {
    long left;
    void (*act)(struct stop *stop);
    varve_status found;
    pthread_barrier_t reached, goes_on;
};

static void *allocate(void *user, void *memory, size_t old_size, size_t size)
{
    struct stop *stop = user;
    (void)old_size;
    if (size > 0 && stop->left-- == 0)
        stop->act(stop);
    if (size > 0)
        return realloc(memory, size);
    free(memory);
    return NULL;
}

static varve_status open_and_close(
    const char *path, struct stop *stop, varve_error *error)
{
    varve_allocator allocator = { allocate, stop };
    varve_reader *reader =
        varve_reader_open(path, stop ? &allocator : NULL, error);
    varve_reader_free(reader);
    return reader ? VARVE_OK : error->status;
}

/* Opens another file, which must succeed or report why not. */
static void open_another(struct stop *stop)
{
    varve_error error = { 0 };
    stop->found = open_and_close(own_path, NULL, &error);
    demand(stop->found == VARVE_OK || (stop->found == VARVE_MISUSE &&
        strstr(error.message, "the call is nested in another one")),
        "the call is nested in another one", error.message);
}

static void open_from_within(void)
{
    int refused = 0;
    for (long n = 0;; n++) {
        struct stop stop = { .left = n, .act = open_another };
        varve_error error = { 0 };
        demand(!open_and_close(shared_path, &stop, &error), "open",
            error.message);
        refused += stop.found == VARVE_MISUSE;
        if (stop.left >= 0)
            break;
    }
    demand(refused > 0, "the call is nested in another one",
        "no call was in libhdf5");
    proof_count("threads.hdf5_calls_within", (uint64_t)refused);
}

/* --- Forks ---------------------------------------------------------------- */

static void wait_for_fork(struct stop *stop)
{
    pthread_barrier_wait(&stop->reached);
    pthread_barrier_wait(&stop->goes_on);
}

static void *open_in_thread(void *argument)
{
    struct stop *stop = argument;
    varve_error error = { 0 };
    demand(!open_and_close(shared_path, stop, &error), "open", error.message);
    if (stop->left >= 0)
        wait_for_fork(stop);
    return NULL;
}

/* Runs in the child and exits with the status; it must not hang. */
static _Noreturn void be_child(varve_reader *reader)
{
    varve_error error = { 0 };
    alarm(20);
    varve_status status = open_and_close(own_path, NULL, &error);
    varve_reader_free(reader);
    if (status && !strstr(error.message,
                      "the process was forked during a call in another thread"))
        status = VARVE_IO;
    _exit((int)status);
}

/* Forks while a thread opens a file, before allocation `n`. Returns the exit
 * status of the child. */
static int fork_at(long n, bool *is_last)
{
    int status = 0;
    pthread_t thread;
    struct stop stop = { .left = n, .act = wait_for_fork };
    varve_error error = { 0 };
    varve_reader *reader = varve_reader_open(own_path, NULL, &error);
    demand(reader != NULL, "open", error.message);
    pthread_barrier_init(&stop.reached, NULL, 2);
    pthread_barrier_init(&stop.goes_on, NULL, 2);
    demand(!pthread_create(&thread, NULL, open_in_thread, &stop), "thread",
        "cannot be created");
    pthread_barrier_wait(&stop.reached);
    pid_t child = fork();
    if (child == 0)
        be_child(reader);
    pthread_barrier_wait(&stop.goes_on);
    pthread_join(thread, NULL);
    *is_last = stop.left >= 0;
    varve_reader_free(reader);
    demand(child > 0 && waitpid(child, &status, 0) == child, "fork", "failed");
    demand(WIFEXITED(status), "child", "ended by a signal");
    return WEXITSTATUS(status);
}

static void fork_in_the_middle(void)
{
    bool is_last = false;
    int refused = 0;
    for (long n = 0; !is_last; n++) {
        int found = fork_at(n, &is_last);
        demand(found == VARVE_OK || found == VARVE_MISUSE, "child",
            varve_status_name((varve_status)found));
        demand(!is_last || found == VARVE_OK, "child", "the read failed");
        refused += found == VARVE_MISUSE;
    }
    demand(refused > 0, "forks", "no call was in libhdf5");
    proof_count("threads.hdf5_forks", (uint64_t)refused);
}

int main(int argc, char **argv)
{
    const char *directory = argc > 1 ? argv[1] : ".";
    snprintf(shared_path, sizeof shared_path, "%s/shared.h5", directory);
    snprintf(own_path, sizeof own_path, "%s/own.h5", directory);
    read_beside_saves((int)proof_size(40, 2000));
    open_from_within();
    fork_in_the_middle();
    remove(shared_path);
    remove(own_path);
    return 0;
}
