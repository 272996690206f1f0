/* test_save_plan_copy.c - Tests the copy of a save plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "save_plan_copy.h"
#include "save_plan_write.h"

/* All borrowed data is gone when the copy is written. */
TEST(save_plan_copy, is_independent_of_the_program)
{
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    size_t size, other_size;
    begin_world();
    varve_node *root = new_root();
    float *large = malloc(5000 * sizeof *large);
    char *text = malloc(4), *name = malloc(5);
    varve_metadata *metadata = calloc(1, sizeof *metadata);
    cr_assert(large && text && name && metadata);
    strcpy(name, "name");
    memcpy(text, "text", 4);
    for (int i = 0; i < 5000; i++)
        large[i] = (float)i;
    varve_string string = { text, 4 };
    float few[3] = { 1, 2, 3 };
    metadata[0] = (varve_metadata){ name, VARVE_METADATA_STRING,
        .string = name };
    varve_write_options options = { .metadata = metadata,
        .metadata_count = 1 };
    varve_add_variable(root, "a", varve_array(large, 5000));
    varve_add_variable(root, "b", varve_array(&string, 1));
    varve_add_variable(root, "c", varve_array(few, 3));
    varve_add_variable(root, "d", varve_view(NULL, VARVE_INT8, VARVE_SHAPE(0)));
    cr_assert_ok(varve_write(root, "x", &options, &error), error);
    cr_assert_ok(
        vv_save_plan_gather(&save_plan, root, &options, &error), error);
    size_t room = vv_save_plan_copy_size(&save_plan);
    void *block = aligned_alloc(4096, room + 4096 - room % 4096);
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_status status = vv_save_plan_detach(&save_plan, block, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
    }
    free(text);
    free(name);
    free(metadata);
    few[0] = 7; /* small values were already copied */
    vv_save_plan_copy(&save_plan);
    free(large);
    string.size = 0;
    cr_assert_ok(vv_save_plan_write(&save_plan, "y", &error), error);
    unsigned char *bytes = memory_bytes(world.memory, "x", &size);
    unsigned char *others = memory_bytes(world.memory, "y", &other_size);
    cr_assert_eq(size, other_size);
    cr_assert_eq(memcmp(bytes, others, size), 0);
    vv_save_plan_clear(&save_plan);
    free(block);
    free_root(root);
    end_world();
}
