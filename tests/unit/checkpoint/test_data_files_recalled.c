/* test_data_files_recalled.c - Tests the verification of digests that a
 * collective save reuses.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "touched_world.h"

/* Data that no data file contains any longer is verified before it is written;
 * after a failure all digests are computed again. */
TEST(verify_recalled, is_verified_if_the_previous_checkpoint_is_missing)
{
    begin_keepers(true);
    saved_keepers();
    set_common(99, 1);
    keepers.all[1]->row_values[7][5] = 1;
    keepers.all[2]->own_values[3] = 1;
    remove_file(FILE_NAME);
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 1);
    cr_assert_eq(
        saved_at("rows", (size_t)(ALL_ROWS / KEEPERS + 7) * ROW + 5), 1);
    cr_assert_eq(saved_at("worker/2/own", 3), 1);
    end_keepers();
}

TEST(verify_recalled, is_verified_if_the_previous_checkpoint_differs)
{
    begin_keepers(false);
    set_common(99, 5);
    saved_keepers();
    keepers.path = "other";
    set_common(99, 1);
    touch_common();
    saved_keepers();
    set_common(99, 2);
    keepers.options.increment.base = FILE_NAME;
    keepers.path = "third";
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 2);
    end_keepers();
}

/* If the verification succeeds no other data is examined. */
TEST(verify_recalled, verified_data_needs_no_previous_checkpoint)
{
    begin_keepers(false);
    set_common(99, 5);
    saved_keepers();
    remove_file(FILE_NAME);
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 5);
    end_keepers();
}

/* The values have changed since, so the save fails; the next save uses no touch
 * information. */
TEST(verify_recalled, invalid_data_fails_an_asynchronous_save)
{
    begin_keepers(false);
    keepers.is_async = true;
    saved_keepers();
    keepers.all[1]->row_values[7][5] = 1;
    remove_file(FILE_NAME);
    failed_keepers("rank 1: rows: the value differs from that in the save "
                   "before, but was not marked dirty");
    saved_keepers();
    cr_assert_eq(
        saved_at("rows", (size_t)(ALL_ROWS / KEEPERS + 7) * ROW + 5), 1);
    end_keepers();
}
