/* test_threads.c - Tests different graphs, and one reader, used by many threads
 * at once. A plain program, so that it also runs under ThreadSanitizer.
 *
 *     test_threads [DIRECTORY]
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/everything.h"
#include "support/proof.h"

enum { THREADS = 6, VERSIONS = 3 };

static const char *directory;
static varve_reader *shared;
static unsigned rounds;
static atomic_uint versions_seen; /* one bit for each version */

static void demand(bool holds, const char *what, const char *message)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, message);
    exit(1);
}

/* Returns the first of the seeds below `seeds_end` that matches the model. */
static unsigned find_seed(
    struct everything *model, unsigned seed, unsigned seeds_end)
{
    const char *wrong = everything_differs(model, seed);
    while (wrong && ++seed < seeds_end)
        wrong = everything_differs(model, seed);
    demand(!wrong, "value", wrong ? wrong : "");
    return seed;
}

/* Reads a file into its own graph, checks every value, and returns the seed. */
static unsigned read_model(
    const char *path, unsigned seed, unsigned seeds_end, bool is_mapped)
{
    varve_error error = { 0 };
    struct everything model = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    everything_build(&model, graph);
    varve_read_options options = { .map = is_mapped, .resources.threads = 2 };
    varve_restoration *r = varve_restore(
        varve_graph_root(graph), path, &options, &error);
    demand(r != NULL, "read", error.message);
    seed = find_seed(&model, seed, seeds_end);
    varve_report *report = varve_report_new(r, &error);
    demand(report != NULL, "report", error.message);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return seed;
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

/* Writes and reads with a graph and a file for each thread. */
static void *write_and_read(void *argument)
{
    unsigned number = *(const unsigned *)argument;
    char path[4096];
    snprintf(path, sizeof path, "%s/own-%u.varve", directory, number);
    for (unsigned i = 0; i < rounds; i++) {
        write_model(path, number + i);
        read_model(path, number + i, 0, i % 2 == 1);
    }
    remove(path);
    return NULL;
}

static void *restore_shared(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < rounds; i++)
        read_model(varve_reader_path(shared), 1, 0, i % 2 == 1);
    return NULL;
}

static void *look_inside(void *argument)
{
    (void)argument;
    varve_saved_node node;
    varve_error error = { 0 };
    unsigned char bytes[4096];
    for (unsigned i = 0; i < rounds; i++) {
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

/* Returns true if the readers have seen a newer version; they may be late on a
 * busy machine. */
static bool has_seen_newer(void)
{
    return versions_seen > 1;
}

/* The first thread replaces a file repeatedly. The others read it and must
 * always get one complete version. */
static void *replace_or_read(void *argument)
{
    static atomic_uint is_done;
    unsigned number = *(const unsigned *)argument;
    char path[4096];
    snprintf(path, sizeof path, "%s/replaced.varve", directory);
    for (unsigned i = 0; number == 0 && (i < rounds || !has_seen_newer()); i++)
        write_model(path, i % VERSIONS);
    if (number == 0)
        is_done = 1;
    for (unsigned i = 0; number > 0 && !is_done; i++)
        atomic_fetch_or(&versions_seen,
            1u << read_model(path, 0, VERSIONS, i % 2 == 1));
    return NULL;
}

/* Writes an index that is large enough for several threads to read, checksum
 * and check it. */
static void write_large(const char *path)
{
    enum { VALUES = 100000 };
    static int32_t values[VALUES];
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < VALUES; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        values[i] = i;
        varve_add_variable(root, name, varve_scalar(&values[i]));
    }
    demand(!varve_write(root, path, NULL, &error), "write", error.message);
    varve_graph_free(graph);
}

static void *open_large(void *argument)
{
    unsigned number = *(const unsigned *)argument;
    char path[4096];
    varve_error error = { 0 };
    snprintf(path, sizeof path, "%s/large.varve", directory);
    for (unsigned i = 0; i < 1 + rounds / 100 && number < 2; i++) {
        int32_t value = -1;
        varve_reader *reader = varve_reader_open(path, NULL, &error);
        demand(reader != NULL, "open", error.message);
        varve_saved_node node;
        demand(varve_reader_find(reader, "v99999", &node), "find", "nothing");
        varve_status status = varve_reader_read(
            reader, node.id, &value, sizeof value, &error);
        demand(!status, "read", error.message);
        demand(value == 99999, "read", "another value");
        varve_reader_free(reader);
    }
    return NULL;
}

#ifdef VV_HAVE_ZSTD
/* Values with chunks that several threads of the library compress in each save
 * and decompress in each restore. All threads share one reader, which reuses
 * its decompression contexts. */
enum { WEIGHTS = 5 << 18, BIASES = 2000 };

static varve_reader *packed;

static void fill_weights(float *weights, unsigned seed)
{
    for (size_t i = 0; i < WEIGHTS + BIASES; i++)
        weights[i] = (float)(i * 31 % 1000 + seed) / 512;
}

static void pack_weights(const char *path, float *weights, unsigned seed)
{
    const varve_write_options options = { .compress = 1, .no_sync = true };
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    float *found = malloc((WEIGHTS + BIASES) * sizeof *found);
    demand(found != NULL, "packed", "no memory");
    fill_weights(weights, seed);
    memcpy(found, weights, (WEIGHTS + BIASES) * sizeof *found);
    varve_add_variable(root, "biases", varve_array(weights + WEIGHTS, BIASES));
    varve_add_variable(root, "weights", varve_array(weights, WEIGHTS));
    demand(!varve_write(root, path, &options, &error), "pack", error.message);
    memset(weights, 0, (WEIGHTS + BIASES) * sizeof *found);
    varve_restoration *r = varve_restore(root, path,
        &(varve_read_options){ .resources.threads = 3 }, &error);
    demand(r != NULL, "unpack", error.message);
    demand(memcmp(weights, found, (WEIGHTS + BIASES) * sizeof *found) == 0,
        "unpack", "other values");
    varve_restoration_free(r);
    varve_graph_free(graph);
    free(found);
}

static void *pack_and_unpack(void *argument)
{
    unsigned number = *(const unsigned *)argument;
    char path[4096];
    varve_error error = { 0 };
    varve_saved_node node;
    float *weights = malloc((WEIGHTS + BIASES) * sizeof *weights);
    demand(weights != NULL, "packed", "no memory");
    snprintf(path, sizeof path, "%s/packed-%u.varve", directory, number);
    for (unsigned i = 0; i < 1 + rounds / 20; i++) {
        pack_weights(path, weights, number + i);
        demand(varve_reader_find(packed, "weights", &node), "find", "nothing");
        demand(!varve_reader_read(packed, node.id, weights,
                   WEIGHTS * sizeof *weights, &error),
            "read", error.message);
        varve_status status = varve_reader_verify(packed, NULL, &error);
        demand(!status, "verify", error.message);
    }
    remove(path);
    free(weights);
    return NULL;
}
#endif

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
    printf("%s: %d threads, %u rounds each\n", what, THREADS, rounds);
    proof_count("threads.rounds", THREADS * rounds);
}

int main(int argc, char **argv)
{
    char own[256];
    const char *place = getenv("TMPDIR");
    snprintf(own, sizeof own, "%s/varve-threads-XXXXXX",
        place ? place : "/tmp");
    directory = argc > 1 ? argv[1] : mkdtemp(own);
    demand(directory != NULL, "directory", "cannot be created");
    rounds = (unsigned)proof_size(8, 200);
    char path[4096], replaced[4096];
    varve_error error = { 0 };
    snprintf(path, sizeof path, "%s/shared.varve", directory);
    snprintf(replaced, sizeof replaced, "%s/replaced.varve", directory);
    write_model(path, 1);
    write_model(replaced, 0);
    shared = varve_reader_open(path, NULL, &error);
    demand(shared != NULL, "open", error.message);
    run("own graphs and files", write_and_read);
    run("restorations of one file", restore_shared);
    run("one reader", look_inside);
    run("a file that is replaced", replace_or_read);
    char large[4096];
    snprintf(large, sizeof large, "%s/large.varve", directory);
    write_large(large);
    run("a large index", open_large);
    remove(large);
#ifdef VV_HAVE_ZSTD
    static float weights[WEIGHTS + BIASES];
    pack_weights(large, weights, 1);
    packed = varve_reader_open(large, NULL, &error);
    demand(packed != NULL, "open", error.message);
    run("compressed chunks", pack_and_unpack);
    varve_reader_free(packed);
    remove(large);
#endif
    varve_reader_free(shared);
    remove(path);
    remove(replaced);
    if (argc == 1)
        remove(directory);
    return 0;
}
