/* test_contribution.c - Tests the encoding of contributions to a collective
 * save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

#include "save_plan_digests.h"
#include "contribution.h"

enum { RANK = 1, SIZE = 2 };

static const varve_comm comm = { .rank = RANK, .size = SIZE, .node = 9 };

struct encoded {
    struct part *part;
    struct vv_save_plan save_plan;
    struct vv_share share;
    struct vv_buffer bytes;
};

static void begin_encoded(struct encoded *t)
{
    varve_error error = { 0 };
    begin_world();
    t->part = new_part(&comm, 1, true);
    vv_buffer_init(&t->bytes, test_allocator());
    cr_assert_ok(
        vv_save_plan_gather_of(
            &t->save_plan, t->part->root, VV_OF_SEVERAL, NULL, &error),
        error);
    cr_assert_ok(vv_save_plan_digest(&t->save_plan, NULL, &error), error);
    cr_assert_ok(
        vv_share_make(&t->share, &t->save_plan, NULL, &comm, &error), error);
    cr_assert_ok(vv_contribution_add(&t->bytes, &comm, "a", &t->save_plan,
                     &t->share, true, &error),
        error);
}

static void end_encoded(struct encoded *t)
{
    vv_buffer_clear(&t->bytes);
    vv_share_clear(&t->share);
    vv_save_plan_clear(&t->save_plan);
    free_part(t->part);
    end_world();
}

TEST(contribution, contains_the_subtree_and_each_slice)
{
    struct encoded t;
    begin_encoded(&t);
    const struct vv_contribution c = vv_contribution_of(t.bytes.data);
    cr_assert_eq(c.node, 9);
    cr_assert_eq(c.size, t.share.size);
    cr_assert_eq(
        c.stretch_count, t.share.stretches.size / sizeof(struct vv_stretch));
    size_t count;
    const struct vv_save_plan_slice *slices =
        vv_save_plan_slices(&t.save_plan, &count);
    const uint8_t *at = c.slices;
    cr_assert_eq(count, 1 + BLOCKS);
    for (size_t i = 0; i < count; i++) {
        const struct vv_slice_message message =
            vv_contribution_slice(at, slices[i].rank);
        for (uint32_t k = 0; k < slices[i].rank; k++) {
            cr_assert_eq(vv_at64(at, k), slices[i].box.start[k]);
            cr_assert_eq(
                vv_at64(at, slices[i].rank + k), slices[i].box.extents[k]);
        }
        cr_assert_eq(vv_slice_message_size(at, slices[i].rank), message.size);
        vv_contribution_skip_slice(&at, slices[i].rank);
        if (message.size == 0)
            continue;
        const struct vv_digest digest = vv_digest_of(
            t.save_plan.values[slices[i].value], (size_t)message.size);
        cr_assert_eq(memcmp(message.digests, digest.bytes, 16), 0);
    }
    cr_assert_eq(at, t.bytes.data + t.bytes.size);
    end_encoded(&t);
}

/* Replicated properties are compared by a digest. */
TEST(contribution, differs_if_ranks_differ)
{
    struct encoded t;
    varve_error error = { 0 };
    struct vv_buffer other;
    begin_encoded(&t);
    const struct vv_contribution c = vv_contribution_of(t.bytes.data);
    vv_buffer_init(&other, test_allocator());
    t.save_plan.counter = 5;
    cr_assert_ok(vv_contribution_add(
                     &other, &comm, "a", &t.save_plan, &t.share, true, &error),
        error);
    const struct vv_contribution d = vv_contribution_of(other.data);
    cr_assert_neq(memcmp(c.request, d.request, 16), 0);
    cr_assert_eq(memcmp(c.structure, d.structure, 16), 0);
    cr_assert_eq(memcmp(c.values, d.values, 16), 0);
    vv_buffer_clear(&other);
    end_encoded(&t);
}

TEST(contribution, reports_failed_allocations)
{
    struct encoded t;
    varve_error error = { 0 };
    begin_encoded(&t);
    for (long number = 0;; number++) {
        struct vv_buffer bytes;
        vv_buffer_init(&bytes, test_allocator());
        test_fail_allocation(number, false);
        varve_status status = vv_contribution_add(
            &bytes, &comm, "a", &t.save_plan, &t.share, true, &error);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        vv_buffer_clear(&bytes);
        if (is_over)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
    }
    end_encoded(&t);
}
