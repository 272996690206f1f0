/* test_keras_again.c - Tests the names of groups when Keras files are written
 * again.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "keras_again.h"

#include "hdf5_sample.h"
#include "structure.h"
#include "targets.h"

#ifdef VV_HAVE_HDF5

static float x[2] = { 1, 2 };

/* Adds a layer as stored in a Varve file that was converted from Keras. */
static void add_layer(varve_node *layers, const char *name, const char *part,
    const char *global, const char *alias)
{
    varve_node *layer = varve_add_object(layers, name);
    varve_node *inner = part ? varve_add_object(layer, part) : layer;
    varve_node *vars = varve_add_object(inner, "vars");
    varve_node *v = varve_add_variable(vars, "0", varve_array(COPY_OF(x), 2));
    varve_set_global_name(v, global);
    if (alias)
        varve_track(inner, alias, v);
}

static void build(varve_node *root)
{
    varve_node *layers = varve_add_object(root, "layers");
    add_layer(layers, "first", NULL, "layers/dense/vars/0", "kernel");
    add_layer(layers, "second", NULL, "layers/dense_1/vars/0", NULL);
    add_layer(layers, "memory", "cell", "layers/lstm/cell/vars/0", NULL);
    varve_add_object(layers, "empty");
}

/* Two layers would get the same name: `dense` is that of an object without
 * variables. */
static void build_same(varve_node *root)
{
    varve_node *layers = varve_add_object(root, "layers");
    add_layer(layers, "first", NULL, "layers/dense/vars/0", NULL);
    varve_add_object(layers, "dense");
}

static void build_other(varve_node *root)
{
    varve_node *layers = varve_add_object(root, "layers");
    add_layer(layers, "first", NULL, "kernels/0", "kernel");
}

static varve_reader *write_and_open(struct world *w,
    void (*build_it)(varve_node *root), struct losses *reported)
{
    varve_error error = { 0 };
    use_module();
    cr_assert_ok(write_graph(
        w, "a.h5", VARVE_FORMAT_HDF5, build_it, reported, &error), error);
    varve_reader *r = vv_reader_open_in(&w->context, "a.h5", &error);
    cr_assert(r, "%s", error.message);
    return r;
}

/* Asserts that the global name is the path in the file. */
static void check_file(varve_reader *r, const char *path, const char *global)
{
    varve_saved_node node;
    cr_assert(varve_reader_find(r, path, &node), "%s", path);
    cr_assert_str_eq(node.global_name, global);
}

TEST(keras_again, names_groups_by_global_names)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_reader *r = write_and_open(&w, build, &reported);
    varve_saved_node node;
    check_file(r, "layers/dense/vars/0", "layers/dense/vars/0");
    check_file(r, "layers/dense_1/vars/0", "layers/dense_1/vars/0");
    check_file(r, "layers/lstm/cell/vars/0", "layers/lstm/cell/vars/0");
    cr_assert_not(varve_reader_find(r, "layers/dense/kernel", &node));
    cr_assert_not(varve_reader_find(r, "layers/first", &node));
    cr_assert(varve_reader_find(r, "layers/empty", &node));
    cr_assert_null(strstr(reported.text, "global name"), "%s", reported.text);
    varve_reader_free(r);
    world_free(&w);
}

TEST(keras_again, keeps_names_that_would_be_duplicates)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_reader *r = write_and_open(&w, build_same, &reported);
    check_file(r, "layers/first/vars/0", "layers/first/vars/0");
    cr_assert(strstr(reported.text, "layers: the names of its groups"), "%s",
        reported.text);
    varve_reader_free(r);
    world_free(&w);
}

TEST(keras_again, keeps_names_with_other_global_names)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_reader *r = write_and_open(&w, build_other, &reported);
    varve_saved_node node;
    cr_assert(varve_reader_find(r, "layers/first/kernel", &node));
    cr_assert(varve_reader_find(r, "layers/first/vars/0", &node));
    cr_assert(strstr(reported.text, "its global name"), "%s", reported.text);
    varve_reader_free(r);
    world_free(&w);
}

#endif
