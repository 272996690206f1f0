/* test_lineage_metadata.c - Tests the metadata of checkpoints of a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "manage_world.h"

TEST(manager_metadata, combines_options_of_the_call_and_the_manager)
{
    struct world w;
    varve_error error;
    const varve_metadata one = { .name = "one",
        .kind = VARVE_METADATA_INTEGER, .integer = 1 };
    const varve_metadata two = { .name = "two",
        .kind = VARVE_METADATA_INTEGER, .integer = 2 };
    varve_write_options write = { .metadata = &one, .metadata_count = 1 };
    varve_manager_save_options options = {
        .metadata = &two, .metadata_count = 1, .pin = true
    };
    world_begin(&w, &(varve_manager_options){
        .write = &write, .record_time = true });
    memory_set_now(w.memory, 77 * INT64_C(1000000000));
    cr_assert_ok(
        varve_manager_save_with(w.manager, 5, &options, &error), error);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    varve_restoration *r = varve_manager_restoration(w.manager);
    cr_assert_eq(varve_restoration_metadata(r, "one")->integer, 1);
    cr_assert_eq(varve_restoration_metadata(r, "two")->integer, 2);
    cr_assert_eq(varve_restoration_metadata(r, "step")->integer, 5);
    cr_assert_eq(varve_restoration_metadata(r, "time")->integer, 77);
    varve_checkpoint_info managed;
    cr_assert(varve_manager_at(w.manager, 0, &managed));
    cr_assert(managed.is_pinned && managed.time == 77);
    cr_assert_eq(varve_manager_save(w.manager, -1, &error), VARVE_MISUSE);
    world_end(&w);
}
