/* test_rename_stands.c - Tests the storage of partial matches of renames.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "rename_stands.h"

static bool set(
    struct vv_rename_stands *stands, uint32_t node, uint32_t count, uint32_t at)
{
    struct vv_buffer list;
    bool is_new = false;
    vv_buffer_init(&list, test_allocator());
    for (uint32_t i = 0; i < count; i++)
        vv_buffer_add(&list,
            &(struct vv_stage_stand){
                .stage = 2 * i + 1, .stand = { .piece = 1, .at = at + i } },
            sizeof(struct vv_stage_stand));
    cr_assert(vv_rename_stands_set(stands, node, &list, &is_new));
    vv_buffer_clear(&list);
    return is_new;
}

TEST(rename_stands, are_of_their_node_and_stage)
{
    struct vv_rename_stands stands;
    size_t count;
    vv_rename_stands_init(&stands, test_allocator());
    cr_assert_null(vv_rename_stands_at(&stands, 3, &count));
    cr_assert(vv_rename_stands_grow(&stands, 4));
    cr_assert(set(&stands, 1, 3, 10));
    cr_assert(set(&stands, 2, 1, 20));
    cr_assert_not(set(&stands, 2, 1, 20));
    cr_assert(set(&stands, 2, 1, 21));
    cr_assert(set(&stands, 1, 5, 10));
    cr_assert(set(&stands, 1, 4, 10));
    vv_rename_stands_at(&stands, 1, &count);
    cr_assert_eq(count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(vv_rename_stand_in(&stands, 1, 2 * i + 1)->at, 10 + i);
        cr_assert_null(vv_rename_stand_in(&stands, 1, 2 * i));
    }
    cr_assert_eq(vv_rename_stand_in(&stands, 2, 1)->at, 21);
    cr_assert_null(vv_rename_stand_in(&stands, 3, 1));
    vv_rename_stands_clear(&stands);
}

TEST(rename_stands, without_memory_stay)
{
    struct vv_rename_stands stands;
    struct vv_stage_stand one = { .stage = 1, .stand = { .piece = 1 } };
    struct vv_buffer list;
    bool is_new;
    size_t count;
    vv_rename_stands_init(&stands, test_allocator());
    vv_buffer_init(&list, test_allocator());
    vv_buffer_add(&list, &one, sizeof one);
    cr_assert(vv_rename_stands_grow(&stands, 1));
    test_fail_allocation(0, true);
    cr_assert_not(vv_rename_stands_grow(&stands, 1000));
    cr_assert_not(vv_rename_stands_set(&stands, 0, &list, &is_new));
    test_fail_allocation(-1, false);
    vv_rename_stands_at(&stands, 0, &count);
    cr_assert_eq(count, 0);
    vv_buffer_clear(&list);
    vv_rename_stands_clear(&stands);
}
