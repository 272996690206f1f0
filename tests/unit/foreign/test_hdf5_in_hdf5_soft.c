/* test_hdf5_in_hdf5_soft.c - Tests soft links of HDF5 files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_in.h"

#include "hdf5_sample.h"

#ifdef VV_HAVE_HDF5

TEST(hdf5_soft, resolves_to_its_target)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    cr_assert_eq(
        find_sample(&s, "links/soft").id, find_sample(&s, "little/f8").id);
    cr_assert_eq(
        find_sample(&s, "links/beside").id, find_sample(&s, "little/f4").id);
    cr_assert_eq(
        find_sample(&s, "links/group").id, find_sample(&s, "little").id);
    cr_assert_eq(
        find_sample(&s, "links/through").id, find_sample(&s, "little/i4").id);
    close_sample(&s);
}

TEST(hdf5_soft, reports_dangling_and_external_links)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    cr_assert(has_tag(&s, "links/nowhere", "hdf5:soft:/no/where"));
    cr_assert(has_tag(&s, "links/round", "hdf5:soft:round"));
    cr_assert(
        has_tag(&s, "links/beyond", "hdf5:soft:external/model_weights"));
    close_sample(&s);
}

#endif
