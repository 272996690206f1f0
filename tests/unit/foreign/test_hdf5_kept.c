/* test_hdf5_kept.c - Tests data that is kept for writing HDF5 files again.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_kept.h"

#include "hdf5_sample.h"

static unsigned char bytes[] = "nmine\0dense";
static size_t size;

static const unsigned char *give(
    const void *user, uint32_t node, size_t *given)
{
    (void)user;
    *given = node == 1 ? size : 0;
    return node == 1 ? bytes : NULL;
}

TEST(hdf5_kept, returns_two_texts_of_a_node)
{
    struct vv_target target = { .kept = give };
    size = sizeof bytes;
    struct vv_hdf5_kept kept = vv_hdf5_kept_of(&target, 1);
    cr_assert_eq(kept.kind, VV_HDF5_KEPT_NAME);
    cr_assert_str_eq(kept.first, "mine");
    cr_assert_str_eq(kept.second, "dense");
}

TEST(hdf5_kept, returns_nothing_for_other_nodes)
{
    struct vv_target target = { .kept = give };
    size = 2;
    cr_assert_eq(vv_hdf5_kept_of(&target, 1).kind, VV_HDF5_KEPT_NOTHING);
    cr_assert_eq(vv_hdf5_kept_of(&target, 0).kind, VV_HDF5_KEPT_NOTHING);
    target.kept = NULL;
    cr_assert_eq(vv_hdf5_kept_of(&target, 1).kind, VV_HDF5_KEPT_NOTHING);
}
