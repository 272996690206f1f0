/* test_delivery_damages.c - Tests the list of damaged values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "delivery.h"

static void note(struct vv_damages *d, uint32_t value, const char *why)
{
    const struct vv_damage damage = { .value = value, .why = why };
    cr_assert(vv_note_damage(d, &damage));
    vv_sort_damages(d);
}

TEST(damages, are_found_by_value_and_the_latest_applies)
{
    struct vv_damages d;
    vv_damages_init(&d, test_allocator());
    cr_assert_null(vv_damage_of(&d, 0));
    note(&d, 7, "seven");
    note(&d, 3, "three");
    note(&d, 7, "seven again");
    cr_assert_str_eq(vv_damage_of(&d, 3), "three");
    cr_assert_str_eq(vv_damage_of(&d, 7), "seven again");
    for (uint32_t other = 0; other < 9; other++)
        cr_assert_eq(vv_damage_of(&d, other) != NULL, other == 3 || other == 7);
    vv_damages_end(&d);
}

TEST(damages, contain_the_number_of_damaged_chunks)
{
    struct vv_damages d;
    vv_damages_init(&d, test_allocator());
    const struct vv_damage damage = { 1, 2, 5, "a digest" };
    cr_assert(vv_note_damage(&d, &damage));
    cr_assert_str_eq(vv_damage_of(&d, 1), "2 of 5 chunks, first: a digest");
    vv_damages_end(&d);
}

TEST(damages, are_unchanged_without_memory)
{
    struct vv_damages d;
    const struct vv_damage damage = { .value = 1, .why = "why" };
    vv_damages_init(&d, test_allocator());
    for (int n = 0; n < 2; n++) {
        test_fail_allocation(n, true);
        cr_assert_not(vv_note_damage(&d, &damage));
        test_fail_allocation(-1, false);
        cr_assert_null(vv_damage_of(&d, 1));
    }
    note(&d, 1, "later");
    cr_assert_str_eq(vv_damage_of(&d, 1), "later");
    vv_damages_end(&d);
}
