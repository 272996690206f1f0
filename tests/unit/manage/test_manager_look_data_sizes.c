/* test_manager_look_data_sizes.c - Tests the sizes of data files of
 * checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks_manager.h"

#include "listing_refresh.h"
#include "manager_look.h"

static uint64_t size_of(const char *name)
{
    size_t size = 0;
    memory_bytes(disk.memory, name, &size);
    return size;
}

static uint64_t size_of_layers(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < memory_file_count(disk.memory); i++)
        if (strstr(memory_file_path(disk.memory, i), "/layers/"))
            all += size_of(memory_file_path(disk.memory, i));
    return all;
}

static struct vv_listing *list(struct vv_listing *l)
{
    varve_error error = { 0 };
    cr_assert_ok(vv_listing_begin(
                     l, &disk.context, "run", "ckpt", "metric", &error),
        error);
    cr_assert_ok(vv_listing_refresh(l, &error), error);
    return l;
}

TEST(data_sizes, include_the_data_files_of_each_checkpoint)
{
    struct vv_listing l;
    varve_error error = { 0 };
    begin_disk();
    run_ranks(4, save_three, &plain);
    cr_assert_ok(vv_data_sizes_find(list(&l), UINT64_MAX, &error), error);
    cr_assert_eq(l.count, 3);
    cr_assert_eq(l.entries[0].data, l.entries[2].data);
    cr_assert_eq(3 * l.entries[0].data, size_of_layers());
    vv_listing_clear(&l);
    end_disk();
}

/* Saves incrementally in one process: all but the first few bytes are
 * shared. */
static void save_in_layers(struct rank *r, const void *user)
{
    static const varve_write_options incremental = { .incremental = true };
    static const varve_manager_options options = { .write = &incremental };
    (void)user;
    make(r, &options);
    set_values(r, 7);
    for (int i = 0; i < 3; i++) {
        r->mine[0] = (float)i;
        note_status(
            r, "save", varve_manager_save(r->manager, i, &r->error));
    }
}

TEST(data_sizes, count_shared_data_once)
{
    struct vv_listing l;
    varve_error error = { 0 };
    begin_disk();
    disk.total = 100000;
    run_alone(save_in_layers, NULL);
    cr_assert_ok(vv_data_sizes_find(list(&l), UINT64_MAX, &error), error);
    cr_assert_eq(l.entries[0].data + l.entries[1].data + l.entries[2].data,
        size_of_layers());
    cr_assert_gt(l.entries[2].data, l.entries[0].data, "it has them all");
    vv_listing_clear(&l);
    end_disk();
}

/* With a bound, only as many checkpoints are read as necessary. */
TEST(data_sizes, are_found_up_to_a_bound)
{
    struct vv_listing l;
    varve_error error = { 0 };
    begin_disk();
    run_ranks(2, save_three, &plain);
    cr_assert_ok(vv_data_sizes_find(list(&l), 1, &error), error);
    cr_assert_gt(l.entries[2].data, 0);
    cr_assert_eq(l.entries[1].data, 0);
    l.entries[2].is_damaged = true;
    cr_assert_ok(vv_data_sizes_find(&l, 1, &error), error);
    cr_assert_eq(l.entries[2].data, 0, "it counts for nothing");
    cr_assert_gt(l.entries[1].data, 0);
    vv_listing_clear(&l);
    end_disk();
}

TEST(data_sizes, report_failed_allocations)
{
    struct vv_listing l;
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    begin_disk();
    run_ranks(2, save_three, &plain);
    list(&l);
    for (long number = 0; status; number++) {
        test_fail_allocation(number, false);
        status = vv_data_sizes_find(&l, UINT64_MAX, &error);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        cr_assert_eq(status, is_over ? VARVE_OK : VARVE_NO_MEMORY);
    }
    vv_listing_clear(&l);
    end_disk();
}
