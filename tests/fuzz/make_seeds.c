/* make_seeds.c - Writes the initial inputs of a fuzz run, in addition to the
 * corpus.
 *
 *     make_seeds DIRECTORY [FILE...]
 *
 * The inputs are a model with one node of every kind, once for each flag of
 * fuzz_restore, random graphs, a deep one and a wide one, and the FILEs
 * unchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/generate.h"
#include "fuzz/program.h"
#include "fuzz/restore_flags.h"

enum { RANDOM_FILES = 40, MOST_BYTES = 1 << 20 };

static const char *directory;
static uint8_t bytes[MOST_BYTES + 4];

static void put(const char *name, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file && fwrite(bytes, 1, size, file) == size, "%s", path);
    fclose(file);
}

static size_t get(const char *path)
{
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file, "%s", path);
    size_t size = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    return size;
}

/* Writes a graph to a file and frees it. Returns the file size. */
static size_t save(varve_graph *graph, const char *name)
{
    char path[4096];
    varve_error error;
    varve_write_options options = everything_options();
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FUZZ_CHECK(!varve_write(
        varve_graph_root(graph), path, &options, &error), "%s", error.message);
    varve_graph_free(graph);
    return get(path);
}

static void make_everything(void)
{
    struct program p = { .graph = varve_graph_new(NULL) };
    struct bounded bounded = bounded_by(0);
    char name[64];
    p.bounded = &bounded;
    program_build(&p);
    everything_fill(&p.model, 1);
    size_t size = save(p.graph, "everything");
    for (int i = 0; i < RESTORE_FLAG_COUNT; i++) {
        uint32_t flags = (uint32_t)1 << i;
        memcpy(bytes + size, &flags, sizeof flags);
        snprintf(name, sizeof name, "everything-flag-%d", i);
        put(name, size + sizeof flags);
    }
}

static void make_deep(void)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *node = varve_graph_root(graph);
    static float value;
    for (int i = 0; i < 60; i++)
        node = varve_add_object(node, i % 2 ? "n" : "next");
    varve_add_variable(node, "x", varve_scalar(&value));
    save(graph, "deep");
}

static void make_wide(void)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *list = varve_add_list(varve_graph_root(graph), "list");
    static short values[30][2];
    for (int i = 0; i < 30; i++)
        varve_add_variable(list, VARVE_APPEND, varve_array(values[i], 2));
    varve_track(list, VARVE_APPEND, list);
    save(graph, "wide");
}

int main(int argc, char **argv)
{
    char name[64];
    if (argc < 2) {
        fprintf(stderr, "usage: make_seeds DIRECTORY [FILE...]\n");
        return 2;
    }
    directory = argv[1];
    make_everything();
    make_deep();
    make_wide();
    save(varve_graph_new(NULL), "smallest");
    for (unsigned i = 0; i < RANDOM_FILES; i++) {
        snprintf(name, sizeof name, "random-%u", i);
        put(name, generate(i, bytes, MOST_BYTES));
    }
    for (int i = 2; i < argc; i++) {
        snprintf(name, sizeof name, "file-%d", i);
        put(name, get(argv[i]));
    }
    return 0;
}
