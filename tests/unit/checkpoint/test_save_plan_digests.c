/* test_save_plan_digests.c - Tests the parallel computation of digests.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include "save_plan_digests.h"
#include "save_plan_write.h"

TEST(save_plan_digests, equal_those_written_by_a_save)
{
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    struct vv_index index;
    begin_incremental();
    cr_assert_ok(
        vv_save_plan_gather(&save_plan, incremental.root, NULL, &error), error);
    for (int i = 0; i < 2; i++)
        cr_assert_ok(vv_save_plan_digest(&save_plan, NULL, &error), error);
    cr_assert_ok(vv_save_plan_index(&save_plan, &index, &error), error);
    size_t size = (size_t)index.digest_count * 16;
    uint8_t *digests = malloc(size);
    memcpy(digests, index.digests, size);
    cr_assert_ok(vv_save_plan_write(&save_plan, "a", &error), error);
    cr_assert_ok(vv_save_plan_index(&save_plan, &index, &error), error);
    cr_assert_eq(size, index.digest_count * 16);
    cr_assert_eq(memcmp(digests, index.digests, size), 0);
    free(digests);
    vv_save_plan_clear(&save_plan);
    end_incremental();
}

TEST(save_plan_digests, report_failed_allocations)
{
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    varve_status status = VARVE_NO_MEMORY;
    begin_incremental();
    for (long n = 0; status; n++) {
        cr_assert_ok(
            vv_save_plan_gather(&save_plan, incremental.root, NULL, &error),
            error);
        test_fail_allocation(n, false);
        status = vv_save_plan_digest(&save_plan, NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        vv_save_plan_clear(&save_plan);
    }
    end_incremental();
}

static bool is_even(const void *user, size_t value)
{
    (void)user;
    return value % 2 == 0;
}

static bool is_odd(const void *user, size_t value)
{
    return !is_even(user, value);
}

/* In two steps, neither of which changes the digests of the other. */
TEST(save_plan_digests, can_be_computed_in_two_steps)
{
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    begin_incremental();
    cr_assert_ok(
        vv_save_plan_gather(&save_plan, incremental.root, NULL, &error), error);
    struct vv_buffer *column = &save_plan.columns.index.digests;
    cr_assert_ok(vv_save_plan_digest(&save_plan, NULL, &error), error);
    size_t size = column->size;
    uint8_t *digests = malloc(size);
    memcpy(digests, column->data, size);
    memset(column->data, 0, size);
    cr_assert_ok(
        vv_save_plan_digest_some(&save_plan, NULL, is_even, NULL, &error),
        error);
    cr_assert_neq(memcmp(digests, column->data, size), 0);
    cr_assert_ok(
        vv_save_plan_digest_some(&save_plan, NULL, is_odd, NULL, &error),
        error);
    cr_assert_eq(column->size, size);
    cr_assert_eq(memcmp(digests, column->data, size), 0);
    free(digests);
    vv_save_plan_clear(&save_plan);
    end_incremental();
}
