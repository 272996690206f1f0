/* test_hdf5_files.c - Tests that a graph can be saved as HDF5 and restored, and
 * that a Keras model is restored by its layer names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story/story.h"

#define MODEL GOLDEN_FOREIGN "/hdf5_model.keras"

#ifdef VV_HAVE_HDF5

struct model {
    float kernel[2][3], bias[3], momentum[2][3];
    int64_t step;
};

static varve_graph *graph_of(struct model *m)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *layer = varve_add_object(root, "layer");
    varve_node *kernel =
        varve_add_variable(layer, "kernel", varve_array(m->kernel[0], 2, 3));
    varve_add_variable(layer, "bias", varve_array(m->bias, 3));
    varve_track(root, "tied", layer);
    varve_add_slot(varve_add_object(root, "adam"), kernel, "m",
        varve_array(m->momentum[0], 2, 3));
    varve_add_variable(root, "step", varve_scalar(&m->step));
    return graph;
}

TEST(hdf5_files, restore_a_graph)
{
    struct model saved = { { { 1, 2, 3 }, { 4, 5, 6 } }, { 7, 8, 9 },
        { { 10, 11, 12 }, { 13, 14, 15 } }, 16 };
    struct model read = { .step = 0 };
    varve_error error = { 0 };
    varve_graph *graph = graph_of(&saved);
    for (int i = 0; i < 2; i++) /* the second replaces the first */
        cr_assert_ok(varve_write(varve_graph_root(graph), test_path("a.h5"),
            &(varve_write_options){ .format = VARVE_FORMAT_HDF5 }, &error),
            error);
    varve_graph_free(graph);
    graph = graph_of(&read);
    varve_restoration *r = varve_read(
        varve_graph_root(graph), test_path("a.h5"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    cr_assert_eq(memcmp(saved.kernel, read.kernel, sizeof read.kernel), 0);
    cr_assert_eq(memcmp(saved.bias, read.bias, sizeof read.bias), 0);
    cr_assert_eq(
        memcmp(saved.momentum, read.momentum, sizeof read.momentum), 0);
    cr_assert_eq(read.step, 16);
}

TEST(hdf5_files, of_keras_restore_a_model_by_layer_names)
{
    float kernel[4][5] = { { 0 } }, bias[5], velocity[4][5];
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *hidden =
        varve_add_object(varve_add_object(root, "net"), "hidden");
    varve_node *k =
        varve_add_variable(hidden, "kernel", varve_array(kernel[0], 4, 5));
    varve_add_variable(hidden, "bias", varve_array(bias, 5));
    varve_add_slot(varve_add_object(root, "optimizer"), k, "velocity",
        varve_array(velocity[0], 4, 5));
    const varve_rename renames[] = { { "net/**", "layers/**" } };
    varve_restoration *r = varve_read(root, MODEL,
        &(varve_read_options){ .rename = { .list = renames, .count = 1 } },
        &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    cr_assert_neq(kernel[3][4], 0);
    cr_assert_geq(velocity[0][0], 0);
}

#endif
