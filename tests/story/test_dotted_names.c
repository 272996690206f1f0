/* test_dotted_names.c - Tests weights named by dotted paths, as in PyTorch, in
 * a model of objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>

#include <varve/reader.h>

enum { LAYERS = 3 };

struct model {
    float weights[LAYERS][4];
    float head[2];
};

static varve_graph *flat(struct model *m)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < LAYERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "layers.%d.weight", i);
        varve_add_variable(root, name, varve_array(m->weights[i], 4));
    }
    varve_add_variable(root, "head.bias", varve_array(m->head, 2));
    return graph;
}

static varve_graph *deep(struct model *m)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *layers = varve_add_list(root, "layers");
    for (int i = 0; i < LAYERS; i++)
        varve_add_variable(varve_add_object(layers, VARVE_APPEND), "weight",
            varve_array(m->weights[i], 4));
    varve_add_variable(varve_add_object(root, "head"), "bias",
        varve_array(m->head, 2));
    return graph;
}

static const struct {
    varve_format format;
    const char *file;
} formats[] = { { VARVE_FORMAT_SAFETENSORS, "m.safetensors" },
    { VARVE_FORMAT_NPZ, "m.npz" } };

static void save_flat(int which)
{
    struct model m = { .head = { 7, 8 } };
    varve_error error = { 0 };
    for (int i = 0; i < LAYERS * 4; i++)
        m.weights[i / 4][i % 4] = (float)i;
    varve_graph *graph = flat(&m);
    cr_assert_ok(varve_write(varve_graph_root(graph),
                     test_path(formats[which].file),
                     &(varve_write_options){
                         .format = formats[which].format },
                     &error),
        error);
    varve_graph_free(graph);
}

static varve_status load_deep(int which, bool dots, struct model *m)
{
    varve_error error = { 0 };
    const varve_read_options options = { .foreign.dots = dots };
    varve_graph *graph = deep(m);
    varve_restoration *r = varve_read(varve_graph_root(graph),
        test_path(formats[which].file), &options, &error);
    varve_status status = varve_assert_consumed(r, &error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return status;
}

TEST(dotted_names, are_paths_with_the_option)
{
    for (int which = 0; which < 2; which++) {
        struct model m = { .head = { 0 } };
        save_flat(which);
        cr_assert_neq(load_deep(which, false, &m), VARVE_OK);
        cr_assert_eq(m.head[0], 0);
        cr_assert_eq(load_deep(which, true, &m), VARVE_OK);
        cr_assert_eq(m.weights[2][3], 11);
        cr_assert_eq(m.head[1], 8);
    }
}

TEST(dotted_names, are_paths_for_a_reader_and_a_loaded_graph)
{
    varve_error error = { 0 };
    varve_saved_node node;
    save_flat(0);
    varve_reader *reader = varve_reader_open_with(test_path("m.safetensors"),
        &(varve_reader_options){ .foreign.dots = true }, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "layers/1/weight", &node));
    cr_assert_not(varve_reader_find(reader, "layers.1.weight", &node));
    varve_reader_free(reader);
    varve_graph *graph = varve_graph_from_part(test_path("m.safetensors"),
        &(varve_read_options){ .foreign.dots = true }, NULL, &error);
    cr_assert(graph, "%s", error.message);
    cr_assert(varve_find_path(varve_graph_root(graph), "head/bias"));
    varve_graph_free(graph);
}
