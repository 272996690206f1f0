/* test_repack_copy_layers.c - Tests copying incremental checkpoints with their
 * data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include <errno.h>

#include "repack.h"
#include "support/faulty_system.h"

static const varve_write_options plain;

/* Creates a checkpoint with three data files, "run/m-3.varve", and its
 * predecessors. */
static void make(void)
{
    begin_incremental();
    for (int i = 0; i < 3; i++) {
        incremental.large[i * 200000 + 7] += 1;
        incremental.middle[i] += 1;
        incremental.small[i * 99] += 1;
        saved_incremental();
    }
}

static uint64_t copied(int number)
{
    varve_error error = { 0 };
    char from[40], to[40];
    uint64_t size;
    snprintf(from, sizeof from, "run/m-%d.varve", number);
    snprintf(to, sizeof to, "far/m-%d.varve", number);
    cr_assert_ok(
        vv_copy_layers(&world.context, from, to, &plain, &size, &error),
        error);
    return size;
}

static uint8_t *bytes_of(const char *path, size_t *size)
{
    return memory_bytes(world.memory, path, size);
}

/* Returns the largest file of a folder, or NULL. */
static const char *largest_of(const char *folder)
{
    static char found[100];
    size_t largest = 0, size;
    for (size_t i = 0; i < memory_file_count(world.memory); i++) {
        const char *path = memory_file_path(world.memory, i);
        if (strncmp(path, folder, strlen(folder)) != 0)
            continue;
        bytes_of(path, &size);
        if (size > largest) {
            largest = size;
            snprintf(found, sizeof found, "%s", path);
        }
    }
    return largest ? found : NULL;
}

TEST(copy_layers, writes_missing_data_files)
{
    uint64_t first, second, all;
    make();
    first = copied(2);
    cr_assert_gt(first, sizeof incremental.large);
    second = copied(3);
    cr_assert_lt(second, 400000);
    check_incremental("far/m-3.varve");
    cr_assert_gt(count_layers(&all), 2);
    cr_assert_lt(copied(3), 30000, "the index alone");
    end_incremental();
}

#ifdef VV_HAVE_ZSTD
TEST(copy_layers, copies_compressed_data_unchanged)
{
    make();
    incremental.level = 3;
    for (int i = 0; i < LARGE; i++)
        incremental.large[i] = (float)(i % 7);
    copied(3);
    saved_incremental();
    cr_assert_lt(copied(4), sizeof incremental.large / 2);
    check_incremental("far/m-4.varve");
    end_incremental();
}
#endif

/* A full checkpoint is copied as a single file. */
TEST(copy_layers, copies_a_full_checkpoint_as_one_file)
{
    varve_error error = { 0 };
    size_t one, other;
    uint64_t size;
    make();
    cr_assert_ok(
        varve_write(incremental.root, "full.varve", NULL, &error), error);
    cr_assert_ok(vv_copy_layers(&world.context, "full.varve",
                     "far/full.varve", &plain, &size, &error),
        error);
    const void *bytes = bytes_of("full.varve", &one);
    cr_assert_eq(memcmp(bytes, bytes_of("far/full.varve", &other), one), 0);
    cr_assert_eq(one, other);
    cr_assert_eq(size, one);
    end_incremental();
}

/* Neither index nor data file may remain, since nothing would verify them
 * again. */
TEST(copy_layers, leaves_no_file_of_a_damaged_checkpoint)
{
    varve_error error = { 0 };
    uint64_t written;
    size_t size;
    make();
    bytes_of(largest_of("run/layers/"), &size)[size / 2] ^= 1;
    size_t files = memory_file_count(world.memory);
    cr_assert_eq(vv_copy_layers(&world.context, "run/m-3.varve",
                     "far/m-3.varve", &plain, &written, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "run/m-3.varve: large: "), "%s",
        error.message);
    cr_assert_eq(memory_file_count(world.memory), files);
    end_incremental();
}

/* As left by a copy that ran out of disk space. */
TEST(copy_layers, replaces_data_files_of_another_size)
{
    make();
    copied(2);
    memory_resize(world.memory, largest_of("far/layers/"), 5000);
    cr_assert_gt(copied(3), sizeof incremental.large);
    check_incremental("far/m-3.varve");
    end_incremental();
}

static int end_soon(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)what;
    cr_assert_leq(done, total);
    return ++*(int *)user == 3;
}

TEST(copy_layers, ends_when_cancelled)
{
    int calls = 0;
    varve_error error = { 0 };
    const varve_write_options options = { .progress = end_soon,
        .progress_user = &calls };
    uint64_t size;
    make();
    size_t files = memory_file_count(world.memory);
    cr_assert_eq(vv_copy_layers(&world.context, "run/m-3.varve",
                     "far/m-3.varve", &options, &size, &error),
        VARVE_CANCELLED);
    cr_assert_leq(memory_file_count(world.memory), files + 1);
    cr_assert_gt(copied(3), 0);
    check_incremental("far/m-3.varve");
    end_incremental();
}

TEST(copy_layers, keeps_an_existing_file_of_the_name)
{
    varve_error error = { 0 };
    const varve_write_options options = { .no_replace = true };
    uint64_t size;
    make();
    copied(3);
    cr_assert_eq(vv_copy_layers(&world.context, "run/m-2.varve",
                     "far/m-3.varve", &options, &size, &error),
        VARVE_EXISTS);
    check_incremental("far/m-3.varve");
    end_incremental();
}

static void remove_copies(void)
{
    char path[100];
    const struct vv_system *system = world.context.system;
    for (size_t i = memory_file_count(world.memory); i-- > 0;) {
        snprintf(path, sizeof path, "%s", memory_file_path(world.memory, i));
        if (strncmp(path, "far/", 4) == 0)
            cr_assert_eq(system->remove(
                             system->state, VV_WORKING_DIRECTORY, path),
                0);
    }
}

/* After any failure, files with the final name are complete, and the next copy
 * succeeds. */
static varve_status try_one(long number, bool *is_over)
{
    varve_error error = { 0 };
    uint64_t size;
    remove_copies();
    const struct vv_system *under = world.context.system;
    struct faulty *faulty = faulty_new(under);
    faulty_plan(faulty, &(struct faulty_plan){
                            .number = number, .error = EIO });
    world.context.system = faulty_system(faulty);
    varve_status status = vv_copy_layers(&world.context, "run/m-3.varve",
        "far/m-3.varve", &plain, &size, &error);
    *is_over = !faulty_hit(faulty);
    world.context.system = under;
    faulty_free(faulty);
    if (largest_of("far/m-3.varve"))
        check_incremental("far/m-3.varve");
    else
        cr_assert_neq(status, VARVE_OK);
    copied(3);
    check_incremental("far/m-3.varve");
    return status;
}

TEST(copy_layers, is_complete_or_absent_if_any_call_fails)
{
    bool is_over = false;
    long failed = 0;
    make();
    for (long number = 0; !is_over; number++)
        failed += try_one(number, &is_over) != VARVE_OK;
    cr_assert_gt(failed, 20);
    end_incremental();
}

TEST(copy_layers, leaks_nothing_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    uint64_t size;
    make();
    long blocks = test_block_count();
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_copy_layers(&world.context, "run/m-3.varve",
            "far/m-3.varve", &plain, &size, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(test_block_count(), blocks);
    }
    check_incremental("far/m-3.varve");
    end_incremental();
}
