/* test_keras_slots.c - Tests the matching of optimizer state to variables in
 * Keras files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "keras_slots.h"

#include <time.h>

#include "hdf5_sample.h"

#ifdef VV_HAVE_HDF5

TEST(keras_slots, are_the_moments_of_each_variable)
{
    static const struct { const char *slot, *number; } slots[] = {
        { "optimizer/momentum(layers/hidden/kernel)", "optimizer/vars/2" },
        { "optimizer/velocity(layers/hidden/kernel)", "optimizer/vars/3" },
        { "optimizer/momentum(layers/hidden/bias)", "optimizer/vars/4" },
        { "optimizer/momentum(layers/normal/gamma)", "optimizer/vars/6" },
        { "optimizer/velocity(layers/normal/beta)", "optimizer/vars/9" },
        { "optimizer/momentum(layers/inner/layers/deep/kernel)",
            "optimizer/vars/10" },
        { "optimizer/velocity(layers/last/kernel)", "optimizer/vars/15" },
    };
    struct hdf5_sample s = open_sample("hdf5_model.keras");
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        cr_assert_eq(find_sample(&s, slots[i].slot).id,
            find_sample(&s, slots[i].number).id, "%s", slots[i].slot);
    cr_assert_eq(find_sample(&s, "optimizer").slot_count, 14);
    close_sample(&s);
}

/* Three trainable vectors have five elements, and only the config contains the
 * order of the model. */
TEST(keras_slots, are_not_created_if_ambiguous)
{
    struct hdf5_sample s = open_sample("hdf5_model.weights.h5");
    cr_assert_eq(find_sample(&s, "optimizer").slot_count, 0);
    cr_assert_eq(find_sample(&s, "optimizer/vars/15").kind, VARVE_VARIABLE);
    close_sample(&s);
}

/* Five groups with 120 links from each to the next: 120^5 paths through a
 * layer. */
TEST(keras_slots, are_found_without_visiting_every_path)
{
    clock_t begin = clock();
    struct hdf5_sample s = open_sample("hdf5_ways.keras");
    cr_assert_eq(find_sample(&s, "optimizer").slot_count, 0);
    cr_assert_lt(clock() - begin, 5 * CLOCKS_PER_SEC);
    close_sample(&s);
}

#endif
