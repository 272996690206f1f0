/* test_moments.c - Tests the conversion of optimizer moments in lists to slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "drafts.h"
#include "moments.h"

#define MOMENTS "_average_gradients"

/* Builds an optimizer of two variables, with moments in a list and as slots;
 * `odd`: with an additional slot of another name. */
static void build(struct drafted *t, bool odd)
{
    varve_error error = { 0 };
    static const char *const positions[] = { "0", "1" };
    draft_begin(t);
    uint32_t adam = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t trained = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t moments = vv_draft_node(&t->d, VARVE_OBJECT);
    add_edge(t, 0, "adam", adam);
    add_edge(t, adam, VV_TRAINED_LIST, trained);
    add_edge(t, adam, MOMENTS, moments);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t variable = add_floats(t, 2 * i);
        uint32_t moment = add_floats(t, 2 * i + 1);
        add_edge(t, trained, positions[i], variable);
        add_edge(t, moments, positions[i], moment);
        vv_draft_slot(&t->d, adam, variable, MOMENTS,
            strlen(MOMENTS), moment);
        if (odd && i == 1)
            vv_draft_slot(&t->d, adam, variable, "m", 1, add_floats(t, 4));
    }
    cr_assert_ok(draft_end(t, &error), error);
}

TEST(moments, are_complete_if_every_slot_is_identified_by_position)
{
    struct drafted t;
    bool all = false;
    build(&t, false);
    cr_assert(
        vv_moments_are_all(&t.in.parsed.index, test_allocator(), &all));
    cr_assert(all);
    draft_free(&t);
}

TEST(moments, are_incomplete_if_there_is_another_slot)
{
    struct drafted t;
    bool all = true;
    build(&t, true);
    cr_assert(
        vv_moments_are_all(&t.in.parsed.index, test_allocator(), &all));
    cr_assert_not(all);
    draft_free(&t);
}

TEST(moments, report_failed_allocations)
{
    struct drafted t;
    bool all = false;
    build(&t, false);
    test_fail_allocation(0, true);
    cr_assert_not(
        vv_moments_are_all(&t.in.parsed.index, test_allocator(), &all));
    test_fail_allocation(-1, false);
    draft_free(&t);
}
