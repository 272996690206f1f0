/* walks.c - Runs operations on single values whose source files and calls
 * walks.py counts.
 *
 *     walks WALK FOLDER GOLDEN
 *
 * The setup before an operation is not counted: the counters of callgrind are
 * reset in all threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include <varve/varve.h>

enum { COUNT = 16 };

static varve_error error;
static char path[4096];

static void expect(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "walks: %s: %s\n", what, error.message);
    exit(EXIT_FAILURE);
}

static void begin(void)
{
    CALLGRIND_ZERO_STATS;
}

static void end(void)
{
    CALLGRIND_DUMP_STATS;
}

static void name(const char *folder, const char *file)
{
    snprintf(path, sizeof path, "%s/%s", folder, file);
}

/* Restores a value that is built after the file was read. */
static void late(const char *folder)
{
    float value[COUNT] = { 1 };
    varve_tensor view = varve_array(value, COUNT);
    varve_graph *graph = varve_graph_new(NULL);
    name(folder, "late.varve");
    varve_add_variable(varve_graph_root(graph), "value", view);
    expect(!varve_write(varve_graph_root(graph), path, NULL, &error), path);
    varve_graph_free(graph);

    memset(value, 0, sizeof value);
    graph = varve_graph_new(NULL);
    varve_restoration *restoration =
        varve_read(varve_graph_root(graph), path, NULL, &error);
    expect(restoration, path);
    begin();
    varve_add_variable(varve_graph_root(graph), "value", view);
    end();
    expect(!varve_assert_consumed(restoration, &error), "late");
    expect(value[0] == 1, "another value");
    varve_graph_free(graph);
}

/* Saves incrementally and asynchronously with a manager. */
static void incremental(const char *folder)
{
    static float value[COUNT][1 << 16];
    varve_graph *graph = varve_graph_new(NULL);
    for (int i = 0; i < COUNT; i++) {
        char text[16];
        snprintf(text, sizeof text, "value%d", i);
        varve_add_variable(
            varve_graph_root(graph), text, varve_array(value[i], 1 << 16));
    }
    const varve_write_options write = { .incremental = true };
    varve_manager *manager = varve_manager_new(varve_graph_root(graph), folder,
        &(varve_manager_options){
            .prefix = "incremental",
            .keep_last = 2,
            .async = true,
            .write = &write,
        },
        &error);
    expect(manager, folder);
    expect(!varve_manager_save(manager, 1, &error), "save 1");
    expect(!varve_manager_wait(manager, &error), "wait 1");
    value[3][0] = 1;
    begin();
    expect(!varve_manager_save(manager, 2, &error), "save 2");
    expect(!varve_manager_wait(manager, &error), "wait 2");
    end();
    varve_manager_free(manager);
    varve_graph_free(graph);
}

/* Restores one variable of a TensorFlow checkpoint. */
static void tensorflow(const char *golden)
{
    float weight[3][2] = { { 0 } };
    name(golden, "module");
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *net = varve_add_object(varve_graph_root(graph), "net");
    varve_node *layers = varve_add_list(net, "layers");
    varve_node *layer = varve_add_object(layers, NULL);
    varve_add_variable(layer, "w", varve_array(weight[0], 3, 2));
    begin();
    expect(varve_read(varve_graph_root(graph), path, NULL, &error), path);
    end();
    expect(weight[2][1] != 0, "no value");
    varve_graph_free(graph);
}

/* Saves a full checkpoint and restores it. */
static void save(const char *folder, bool restores)
{
    float value[COUNT] = { 1 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_add_variable(
        varve_graph_root(graph), "value", varve_array(value, COUNT));
    name(folder, "save.varve");
    if (!restores)
        begin();
    expect(!varve_write(varve_graph_root(graph), path, NULL, &error), path);
    if (restores)
        begin();
    expect(!restores || varve_read(varve_graph_root(graph), path, NULL, &error),
        path);
    end();
    varve_graph_free(graph);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    if (strcmp(argv[1], "late") == 0)
        late(argv[2]);
    else if (strcmp(argv[1], "incremental") == 0)
        incremental(argv[2]);
    else if (strcmp(argv[1], "tensorflow") == 0)
        tensorflow(argv[3]);
    else
        save(argv[2], strcmp(argv[1], "restore") == 0);
    return 0;
}
