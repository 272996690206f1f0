/* test_layer_prune.c - Tests the deletion of unreferenced data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include <errno.h>

#include "layer_prune.h"

/* Creates checkpoints 1 to 4, each of which has its own data file. */
static void make(void)
{
    begin_incremental();
    for (int i = 0; i < 4; i++) {
        incremental.large[i * 150000 + 7] += 1;
        saved_incremental();
    }
}

static void remove_file(const char *path)
{
    const struct vv_system *system = world.context.system;
    cr_assert_eq(
        system->remove(system->state, VV_WORKING_DIRECTORY, path), 0);
}

static size_t prune(void)
{
    varve_error error = { 0 };
    uint64_t bytes;
    cr_assert_ok(vv_prune_layers(&world.context, "run/m", &error), error);
    return count_layers(&bytes);
}

TEST(layer_prune, deletes_only_unreferenced_data_files)
{
    make();
    cr_assert_eq(prune(), 4);
    remove_file("run/m-2.varve");
    cr_assert_eq(prune(), 4, "3 and 4 have a page of it");
    remove_file("run/m-4.varve");
    cr_assert_eq(prune(), 3);
    remove_file("run/m-1.varve");
    cr_assert_eq(prune(), 3);
    uint8_t digest[16];
    digest_of("run/m-3.varve", digest);
    remove_file("run/m-3.varve");
    cr_assert_eq(prune(), 0);
    end_incremental();
}

TEST(layer_prune, counts_checkpoints_of_any_name)
{
    varve_error error = { 0 };
    const varve_write_options options = {
        .incremental = true, .increment.base = "run/m-4.varve"
    };
    make();
    cr_assert_ok(
        varve_write(incremental.root, "run/.hidden", &options, &error), error);
    for (int i = 1; i <= 4; i++) {
        char path[32];
        snprintf(path, sizeof path, "run/m-%d.varve", i);
        remove_file(path);
    }
    cr_assert_eq(prune(), 4);
    check_incremental("run/.hidden");
    end_incremental();
}

TEST(layer_prune, deletes_nothing_if_a_checkpoint_cannot_be_read)
{
    static const struct {
        const char *path;
        size_t at;
        varve_status status;
    } bad[] = {
        { "run/m-4.varve", 0, VARVE_NOT_A_CHECKPOINT },
        { "run/m-4.varve", 100, VARVE_CORRUPT },
        { "run/m-4.varve", 8, VARVE_CORRUPT },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        varve_error error = { 0 };
        uint64_t bytes;
        size_t size;
        make();
        remove_file("run/m-1.varve");
        remove_file("run/m-3.varve");
        memory_bytes(world.memory, bad[i].path, &size)[bad[i].at] ^= 1;
        cr_assert_eq(vv_prune_layers(&world.context, "run/m", &error),
            bad[i].status, "beside a damaged one: %s", error.message);
        cr_assert(strstr(error.message, "no data files were deleted"));
        cr_assert_eq(count_layers(&bytes), 4);
        end_incremental();
    }
}

TEST(layer_prune, does_not_delete_during_a_save)
{
    make();
    const struct vv_system *system = world.context.system;
    remove_file("run/m-4.varve");
    int folder = system->open_directory(
        system->state, VV_WORKING_DIRECTORY, "run/layers");
    cr_assert_eq(system->share_lock(system->state, folder), 0);
    cr_assert_eq(prune(), 4);
    system->close(system->state, folder);
    cr_assert_eq(prune(), 3);
    end_incremental();
}

TEST(layer_prune, removes_files_of_killed_saves_and_keeps_other_files)
{
    static const char *const left[] = {
        "run/layers/.00112233445566778899aabbccddeeff.data."
        "0123456789abcdef.tmp",
        "run/layers/00112233445566778899aabbccddeeff.data",
    };
    static const char *const strangers[] = {
        "run/layers/notes.txt", "run/layers/00112233.data",
    };
    make();
    for (int i = 0; i < 2; i++) {
        memory_put(world.memory, left[i], "x", 1);
        memory_put(world.memory, strangers[i], "x", 1);
    }
    size_t files = memory_file_count(world.memory);
    prune();
    cr_assert_eq(memory_file_count(world.memory), files - 2);
    end_incremental();
}

TEST(layer_prune, does_nothing_without_data_files)
{
    varve_error error = { 0 };
    begin_world();
    cr_assert_ok(vv_prune_layers(&world.context, "none/m", &error), error);
    cr_assert_ok(vv_prune_layers(&world.context, "m", &error), error);
    end_world();
}

TEST(layer_prune, fails_for_a_missing_directory)
{
    varve_error error = { 0 };
    const char *directory = test_path("none");
    cr_assert_eq(varve_prune_data_files(directory, &error), VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, directory), "%s", error.message);
    cr_assert_eq(varve_prune_data_files(NULL, &error), VARVE_MISUSE);
}

TEST(layer_prune, deletes_nothing_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    uint64_t bytes;
    make();
    remove_file("run/m-4.varve");
    long blocks = test_block_count();
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_prune_layers(&world.context, "run/m", &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(count_layers(&bytes), status ? 4 : 3);
        cr_assert_eq(test_block_count(), blocks);
    }
    end_incremental();
}

/* --- Folders shared with other directories -------------------------------- */

static struct vv_system linked;

/* A system in which "layers" is a symbolic link. */
static int open_linked(void *state, int directory, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;
    return strcmp(last, "layers") == 0
               ? -ENOTDIR
               : world.context.system->open_directory(state, directory, name);
}

static struct vv_context linked_context(void)
{
    linked = *world.context.system;
    linked.open_real_directory = open_linked;
    struct vv_context context = world.context;
    context.system = &linked;
    return context;
}

TEST(layer_prune, deletes_nothing_through_a_link_and_reports_it)
{
    varve_error error = { 0 };
    varve_data_files_pruned result;
    uint64_t bytes;
    make();
    remove_file("run/m-4.varve");
    size_t files = memory_file_count(world.memory);
    const struct vv_context context = linked_context();
    cr_assert_eq(
        vv_prune_layers_with(&context, "run/m", false, &result, &error),
        VARVE_MISUSE);
    cr_assert(strstr(error.message, "run/layers: "), "%s", error.message);
    cr_assert(strstr(error.message, "symbolic link"), "%s", error.message);
    cr_assert(strstr(error.message, "replace the link by a directory"));
    cr_assert_eq(result.count, 0);
    cr_assert_eq(count_layers(&bytes), 4);
    cr_assert_eq(memory_file_count(world.memory), files);
    end_incremental();
}

TEST(layer_prune, does_nothing_for_a_dangling_link)
{
    varve_error error = { 0 };
    begin_world();
    const struct vv_context context = linked_context();
    cr_assert_ok(vv_prune_layers(&context, "run/m", &error), error);
    end_world();
}

TEST(layer_prune, deletes_nothing_in_the_target_of_a_link)
{
    varve_error error = { 0 };
    uint64_t bytes;
    make();
    incremental.root->graph->context = linked_context();
    incremental.large[9] += 1;
    saved_incremental();
    incremental.root->graph->context.system = world.context.system;
    cr_assert(memory_bytes(
        world.memory, "run/layers/shared", &(size_t){ 0 }) != NULL);
    remove_file("run/m-4.varve");
    remove_file("run/m-5.varve");
    size_t count = count_layers(&bytes);
    cr_assert_eq(
        vv_prune_layers(&world.context, "run/m", &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "run/layers: "), "%s", error.message);
    cr_assert(strstr(error.message, "\"shared\""), "%s", error.message);
    cr_assert_eq(count_layers(&bytes), count);
    remove_file("run/layers/shared");
    cr_assert_eq(prune(), 3);
    end_incremental();
}

/* --- Outcome -------------------------------------------------------------- */

TEST(layer_prune, counts_deletions_and_those_of_a_dry_run)
{
    uint64_t before, after;
    varve_data_files_pruned result;
    make();
    remove_file("run/m-3.varve");
    remove_file("run/m-4.varve");
    size_t count = count_layers(&before);
    for (int i = 0; i < 2; i++) {
        varve_error error = { 0 };
        bool is_trial = i == 0;
        cr_assert_ok(vv_prune_layers_with(&world.context, "run/m", is_trial,
                         &result, &error),
            error);
        cr_assert_eq(result.count, 2);
        cr_assert(!result.is_busy && !result.has_no_locks);
        cr_assert_eq(count_layers(&after), is_trial ? count : count - 2);
        cr_assert_eq(after, is_trial ? before : before - result.bytes);
    }
    end_incremental();
}

static int no_lock(void *state, int file)
{
    (void)state, (void)file;
    return -ENOLCK;
}

TEST(layer_prune, reports_why_it_could_not_delete)
{
    varve_error error = { 0 };
    varve_data_files_pruned result;
    make();
    const struct vv_system *system = world.context.system;
    remove_file("run/m-4.varve");
    int folder = system->open_directory(
        system->state, VV_WORKING_DIRECTORY, "run/layers");
    cr_assert_eq(system->share_lock(system->state, folder), 0);
    cr_assert_ok(vv_prune_layers_with(
                     &world.context, "run/m", false, &result, &error),
        error);
    cr_assert(result.is_busy && !result.has_no_locks && result.count == 0);
    system->close(system->state, folder);
    struct vv_system without = *system;
    struct vv_context context = world.context;
    without.lock = no_lock;
    context.system = &without;
    cr_assert_ok(
        vv_prune_layers_with(&context, "run/m", false, &result, &error),
        error);
    cr_assert(!result.is_busy && result.has_no_locks && result.count == 0);
    end_incremental();
}
