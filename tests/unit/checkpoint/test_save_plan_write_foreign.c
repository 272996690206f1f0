/* test_save_plan_write_foreign.c - Tests writing a save plan in another format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "save_plan_write.h"


static int note(void *user, uint64_t done, uint64_t total, const char *what)
{
    snprintf(user, 100, "%s %d of %d", what, (int)done, (int)total);
    return 0;
}

TEST(save_plan_foreign, passes_values_to_another_format)
{
    static float values[3] = { 1, 2, 3 };
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    char last[100] = "";
    begin_world();
    varve_node *root = new_root();
    const varve_write_options options = {
        .format = VARVE_FORMAT_SAFETENSORS,
        .progress = note,
        .progress_user = last,
    };
    varve_add_variable(root, "a", varve_array(values, 3));
    varve_add_variable(root, "b", varve_array(values, 2));
    cr_assert_ok(
        vv_save_plan_gather(&save_plan, root, &options, &error), error);
    cr_assert_ok(vv_save_plan_write(&save_plan, "x", &error), error);
    cr_assert_str_eq(last, "b 12 of 20");
    vv_save_plan_clear(&save_plan);
    free_root(root);
    end_world();
}
