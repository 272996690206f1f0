/* test_keras_names.c - Tests the names of layers in Keras files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "keras_names.h"

#include "hdf5_sample.h"

TEST(keras_names, recognizes_statistics)
{
    struct vv_keras_layer layer = { .class = "BatchNormalization" };
    cr_assert_not(vv_keras_is_statistic(&layer, 1, 4));
    cr_assert(vv_keras_is_statistic(&layer, 2, 4));
    cr_assert_not(vv_keras_is_statistic(&layer, 2, 3));
    layer.class = "Dense";
    cr_assert_not(vv_keras_is_statistic(&layer, 2, 4));
}

#ifdef VV_HAVE_HDF5

TEST(keras_names, name_layers_like_the_model)
{
    static const char *const paths[] = { "layers/hidden/kernel",
        "layers/hidden/bias", "layers/normal/moving_variance",
        "layers/inner/layers/deep/kernel", "layers/last/kernel",
        "layers/last/vars/0" };
    struct hdf5_sample s = open_sample("hdf5_model.keras");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        cr_assert_eq(find_sample(&s, paths[i]).kind, VARVE_VARIABLE);
    cr_assert_eq(find_sample(&s, "layers/hidden/kernel").id,
        find_sample(&s, "layers/hidden/vars/0").id);
    cr_assert_str_eq(find_sample(&s, "layers/last/kernel").global_name,
        "layers/dense_1/vars/0");
    cr_assert_not(
        varve_reader_find(s.reader, "layers/dense", &(varve_saved_node){ 0 }));
    close_sample(&s);
}

/* The file contains names of layers, but no classes. */
TEST(keras_names, keep_numbers_if_the_class_is_unknown)
{
    struct hdf5_sample s = open_sample("hdf5_model.weights.h5");
    cr_assert_eq(
        find_sample(&s, "layers/hidden/vars/0").kind, VARVE_VARIABLE);
    cr_assert_eq(find_sample(&s, "layers/hidden").edge_count, 1);
    close_sample(&s);
}

#endif
