/* test_save_plan.c - Tests the save plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "save_plan.h"

#include "graph.h"

TEST(save_plan, has_the_source_of_each_value)
{
    static float values[3] = { 1, 2, 3 };
    struct text_state state = { .text = "state" };
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    struct vv_buffer scratch;
    begin_world();
    varve_node *root = new_root();
    varve_string string = { "text", 4 };
    vv_buffer_init(&scratch, test_allocator());
    varve_add_variable(root, "a", varve_array(values, 3));
    varve_add_variable(root, "b", varve_view(NULL, VARVE_INT8, VARVE_SHAPE(0)));
    varve_add_state(root, "s", &text_callbacks, &state);
    varve_add_variable(root, "t", varve_array(&string, 1));
    cr_assert_ok(vv_save_plan_gather(&save_plan, root, NULL, &error), error);
    cr_assert_eq(save_plan.value_count, 4);
    cr_assert_eq(
        vv_save_plan_bytes(&save_plan, 0, &scratch), (const void *)values);
    cr_assert_neq(vv_save_plan_bytes(&save_plan, 1, &scratch), NULL);
    cr_assert_arr_eq(vv_save_plan_bytes(&save_plan, 2, &scratch), "state", 5);
    cr_assert_arr_eq(vv_save_plan_bytes(&save_plan, 3, &scratch),
        "\4\0\0\0\0\0\0\0text", 12);
    vv_save_plan_clear(&save_plan);
    vv_buffer_clear(&scratch);
    free_root(root);
    end_world();
}

TEST(save_plan, encodes_elements_in_file_byte_order)
{
    uint16_t numbers[] = { 0x0201, 0x0403, 0x0605 };
    varve_tensor tensor = varve_array(numbers, 3);
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    for (int i = 0; i < 2; i++) {
        cr_assert(vv_encode_swapped(&b, &tensor));
        cr_assert_eq(b.size, 6);
        cr_assert_arr_eq(b.data, "\1\2\3\4\5\6", 6);
    }
    tensor = varve_view(NULL, VARVE_UINT16, VARVE_SHAPE(0));
    cr_assert(vv_encode_swapped(&b, &tensor));
    cr_assert_eq(b.size, 0);
    vv_buffer_clear(&b);
    tensor = varve_array(numbers, 3);
    test_fail_allocation(0, false);
    cr_assert(!vv_encode_swapped(&b, &tensor));
    test_fail_allocation(-1, false);
    vv_buffer_clear(&b);
}


TEST(save_plan, refuses_a_part_and_accepts_a_complete_value)
{
    static float values[6];
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    begin_world();
    varve_node *root = new_root();
    varve_add_slice(root, "all", varve_array(values, 2, 3), VARVE_SHAPE(2, 3),
        (uint64_t[]){ 0, 0 });
    cr_assert_ok(vv_save_plan_gather(&save_plan, root, NULL, &error), error);
    cr_assert_eq(save_plan.values[0], (const void *)values);
    vv_save_plan_clear(&save_plan);
    varve_node *none = varve_add_slice(root, "none",
        varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(0, 3)), VARVE_SHAPE(8, 3),
        (uint64_t[]){ 8, 0 });
    cr_assert_eq(
        vv_save_plan_gather(&save_plan, root, NULL, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "none: a shard of float32[8,3] cannot be saved alone: float32[0,3] "
        "from [8,0] on: only a call with a communicator (`comm`) saves shards, "
        "outside rank-local subtrees");
    varve_tag(none, VARVE_TAG_LOCAL);
    cr_assert_ok(vv_save_plan_gather(&save_plan, root, NULL, &error), error);
    vv_save_plan_clear(&save_plan);
    free_root(root);
    end_world();
}
