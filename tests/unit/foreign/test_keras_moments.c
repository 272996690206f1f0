/* test_keras_moments.c - Tests optimizer moments of Keras files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "keras_moments.h"

#include "hdf5_sample.h"
#include "targets.h"

#ifdef VV_HAVE_HDF5

static void check_same(
    const struct hdf5_sample *s, const char *slot, const char *path)
{
    cr_assert_eq(find_sample(s, slot).id, find_sample(s, path).id, "%s", slot);
}

TEST(keras_moments, are_slots_with_names_of_keras_2)
{
    struct hdf5_sample s = open_sample("hdf5_keras2.h5");
    check_same(&s, "optimizer_weights/m(model_weights/only/only/kernel:0)",
        "optimizer_weights/Adam/m/only/kernel:0");
    check_same(&s, "optimizer_weights/v(model_weights/only/only/bias:0)",
        "optimizer_weights/Adam/v/only/bias:0");
    cr_assert_eq(find_sample(&s, "optimizer_weights").slot_count, 4);
    close_sample(&s);
}

TEST(keras_moments, are_slots_with_names_of_keras_3)
{
    struct hdf5_sample s = open_sample("hdf5_model.h5");
    check_same(&s,
        "optimizer_weights/velocity(model_weights/hidden/hidden/kernel)",
        "optimizer_weights/adam/hidden_kernel_velocity");
    check_same(&s,
        "optimizer_weights/momentum(model_weights/normal/normal/beta)",
        "optimizer_weights/adam/normal_beta_momentum");
    close_sample(&s);
}

static float numbers[2] = { 7, 8 };

/* Builds moments as in older optimizers, and one with another shape. */
static void build(varve_node *root)
{
    varve_node *weights = varve_add_object(root, "model_weights");
    varve_node *layer = varve_add_object(
        varve_add_object(weights, "a"), "a");
    varve_add_variable(layer, "kernel:0", varve_array(numbers, 2));
    varve_node *kept = varve_add_object(root, "optimizer_weights");
    varve_node *of = varve_add_object(varve_add_object(
        varve_add_object(kept, "Adam"), "a"), "kernel");
    varve_add_variable(of, "m:0", varve_array(COPY_OF(numbers), 2));
    varve_add_variable(of, "v:0", varve_array(COPY_OF(numbers), 1));
}

TEST(keras_moments, have_the_type_and_shape_of_their_variable)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    use_module();
    cr_assert_ok(write_graph(
        &w, "a.h5", VARVE_FORMAT_HDF5, build, NULL, &error), error);
    varve_reader *r = vv_reader_open_in(&w.context, "a.h5", &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "optimizer_weights/m(model_weights/a/a/kernel:0)",
        "float32[2]", numbers, 8);
    cr_assert(varve_reader_find(r, "optimizer_weights", &node));
    cr_assert_eq(node.slot_count, 1);
    varve_reader_free(r);
    world_free(&w);
}

#endif
