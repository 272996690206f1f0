/* test_saver_list.c - Tests the retention of a saver.
 *
 * SPDX-License-Identifier: MIT
 */
#include "savers.h"

#include "support/faulty_system.h"
#include "system.h"

static const int64_t hour = INT64_C(3600000000000);

static varve_saver *keeping(size_t count)
{
    varve_saver_options options = { .keep = count };
    varve_saver *saver = new_saver(&options);
    varve_node *v = varve_find(world.root, "v");
    add(saver, "v", v ? v : leaf(world.root, "v", 0));
    return saver;
}

TEST(saver_list, keeps_the_given_number)
{
    begin_world();
    varve_saver *saver = keeping(2);
    cr_assert_null(varve_saver_latest(saver));
    for (uint64_t i = 1; i <= 3; i++)
        save(saver, "s", i);
    assert_list(saver, "s-2.varve s-3.varve");
    cr_assert(!is_there("s-1.varve") && is_there("s-2.varve"));
    cr_assert_str_eq(varve_saver_latest(saver), "s-3.varve");
    cr_assert_null(varve_saver_at(saver, 2));
    varve_saver_free(saver);
    cr_assert(is_there("s-3.varve"));
    end_world();
}

TEST(saver_list, moves_a_rewritten_file_to_its_end)
{
    begin_world();
    varve_saver *saver = keeping(2);
    save(saver, "s", 2);
    save(saver, "s", 3);
    save(saver, "./s", 2); /* with any spelling */
    assert_list(saver, "s-3.varve ./s-2.varve");
    save(saver, ".//s", 1);
    assert_list(saver, "./s-2.varve .//s-1.varve");
    cr_assert(!is_there("s-3.varve") && is_there("s-2.varve"));
    varve_saver_free(saver);
    end_world();
}

TEST(saver_list, deletes_only_files_of_the_saver)
{
    begin_world();
    varve_saver *first = keeping(2);
    save(first, "s", 1);
    save(first, "s", 2);
    varve_saver *second = keeping(1);
    save(second, "s", 3);
    save(second, "s", 4);
    assert_list(second, "s-4.varve");
    cr_assert(is_there("s-1.varve") && is_there("s-2.varve"));
    cr_assert(!is_there("s-3.varve"));
    varve_saver_free(first);
    varve_saver_free(second);
    end_world();
}

TEST(saver_list, keeps_one_file_for_each_interval_of_hours)
{
    begin_world();
    varve_saver_options options = { .keep = 2, .keep_every_hours = 0.7 };
    memory_set_now(world.memory, 100 * hour);
    varve_saver *saver = new_saver(&options);
    add(saver, "v", leaf(world.root, "v", 0));
    memory_set_now(world.memory, 101 * hour);
    for (uint64_t i = 1; i <= 5; i++)
        save(saver, "s", i);
    cr_assert(is_there("s-1.varve"), "so long after the saver");
    cr_assert(!is_there("s-2.varve") && !is_there("s-3.varve"));
    assert_list(saver, "s-4.varve s-5.varve");
    memory_set_now(world.memory, 50 * hour); /* jumps back */
    save(saver, "s", 6);
    memory_set_now(world.memory, 51 * hour);
    save(saver, "s", 7);
    for (uint64_t i = 8; i <= 10; i++)
        save(saver, "s", i);
    cr_assert(!is_there("s-6.varve") && is_there("s-7.varve"));
    varve_saver_free(saver);
    end_world();
}

/* Creates a saver over a memory system in which removals of published files
 * fail. */
static struct faulty *begin_faulty(void)
{
    begin_world();
    end_graph();
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    begin_graph();
    return faulty;
}

static void fail_removals(struct faulty *faulty, bool sticky)
{
    struct faulty_plan plan = { .kinds = FAULTY_REMOVE, .error = EACCES,
        .sticky = sticky };
    faulty_plan(faulty, &plan);
}

static void assert_warns(const varve_saver *saver, const char *wanted)
{
    const char *warning = varve_saver_warning(saver);
    cr_assert(warning && strstr(warning, wanted), "%s",
        warning ? warning : "no warning");
}

/* Fails the n-th directory sync of a save that deletes a file. Returns the
 * status of the save and sets *warned if there was a warning. */
static varve_status fail_sync(
    const varve_saver_options *options, long n, bool *hit, bool *warned)
{
    struct faulty *faulty = begin_faulty();
    varve_saver_save_options second = { .has_step = true, .step = 2 };
    varve_saver *saver = new_saver(options);
    add(saver, "v", leaf(world.root, "v", 0));
    save(saver, "run/s", 1);
    cr_assert_ok(varve_saver_wait(saver, NULL), saver->failure);
    faulty_plan(faulty, &(struct faulty_plan){
        .number = n, .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
    varve_status status = varve_saver_save(saver, "run/s", &second, NULL);
    if (!status)
        status = varve_saver_wait(saver, NULL);
    *hit = faulty_hit(faulty);
    *warned = varve_saver_warning(saver) != NULL;
    faulty_plan(faulty, NULL);
    if (*warned)
        assert_warns(saver, "run/s-1.varve: files were deleted, but sync");
    cr_assert(!*warned || !is_there("run/s-1.varve"));
    save(saver, "run/s", 3);
    cr_assert_null(varve_saver_warning(saver));
    varve_saver_free(saver);
    end_world();
    faulty_free(faulty);
    return status;
}

TEST(saver_list, warns_of_a_deletion_that_is_not_durable)
{
    for (int async = 0; async < 2; async++) {
        varve_saver_options options = { .keep = 1, .async = async };
        bool hit = true;
        long warnings = 0;
        for (long n = 0; hit; n++) {
            bool warned;
            varve_status status = fail_sync(&options, n, &hit, &warned);
            cr_assert_eq(hit, status || warned, "%ld: %s", n,
                varve_status_name(status));
            warnings += warned;
        }
        cr_assert_eq(warnings, 1);
    }
}

TEST(saver_list, warns_of_data_files_that_cannot_be_deleted)
{
    struct faulty *faulty = begin_faulty();
    varve_write_options incremental = { .incremental = true };
    varve_error error = { 0 };
    static float values[20000];
    varve_saver *saver = keeping(1);
    add(saver, "big",
        varve_add_variable(world.root, "big", varve_array(values, 20000)));
    for (uint64_t i = 1; i <= 3; i++) {
        varve_saver_save_options options = { .has_step = true, .step = i,
            .write = &incremental };
        world.x[0] = (float)i; /* all values change */
        for (size_t k = 0; k < 20000; k++)
            values[k] = (float)(k * i);
        /* the file of a checkpoint is deleted, its data files are not */
        faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_REMOVE,
            .number = i == 2 ? 1 : -1, .error = EACCES });
        cr_assert_ok(varve_saver_save(saver, "s", &options, &error), error);
        if (i == 2)
            assert_warns(saver, "remove failed");
        else
            cr_assert_null(varve_saver_warning(saver));
        cr_assert_eq(faulty_hit(faulty), i == 2);
    }
    faulty_plan(faulty, NULL);
    varve_saver_free(saver);
    end_world();
    faulty_free(faulty);
}

TEST(saver_list, retries_failed_deletions)
{
    struct faulty *faulty = begin_faulty();
    varve_saver *saver = keeping(1);
    save(saver, "s", 1);
    fail_removals(faulty, true);
    save(saver, "s", 2);
    assert_warns(saver, "s-1.varve: remove failed");
    save(saver, "s", 3);
    assert_list(saver, "s-3.varve");
    cr_assert(is_there("s-1.varve") && is_there("s-2.varve"));
    faulty_plan(faulty, NULL);
    save(saver, "s", 4);
    cr_assert_null(varve_saver_warning(saver));
    cr_assert(!is_there("s-1.varve") && !is_there("s-2.varve"));
    cr_assert(!is_there("s-3.varve") && is_there("s-4.varve"));
    cr_assert_eq(saver->doomed.count, 0);
    varve_saver_free(saver);
    end_world();
    faulty_free(faulty);
}

TEST(saver_list, does_not_delete_a_file_rewritten_meanwhile)
{
    struct faulty *faulty = begin_faulty();
    varve_saver *saver = keeping(2);
    save(saver, "s", 1);
    save(saver, "s", 2);
    fail_removals(faulty, true);
    save(saver, "s", 3);
    faulty_plan(faulty, NULL);
    save(saver, "s", 1);
    cr_assert(is_there("s-1.varve"));
    assert_list(saver, "s-3.varve s-1.varve");
    varve_saver_free(saver);
    end_world();
    faulty_free(faulty);
}

TEST(saver_list, ignores_files_that_are_already_deleted)
{
    begin_world();
    varve_saver *saver = keeping(1);
    save(saver, "s", 1);
    const struct vv_system *system = world.context.system;
    system->remove(system->state, VV_WORKING_DIRECTORY, "s-1.varve");
    save(saver, "s", 2);
    cr_assert_eq(saver->doomed.count, 0);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_list, can_be_set_to_existing_files)
{
    static const char *const paths[] = { "s-1.varve", "s-2.varve", "s-3.varve",
        "s-1.varve" };
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = keeping(0);
    for (uint64_t i = 1; i <= 3; i++)
        save(saver, "s", i);
    varve_saver_free(saver);
    const struct vv_system *system = world.context.system;
    system->remove(system->state, VV_WORKING_DIRECTORY, "s-2.varve");
    saver = keeping(2);
    cr_assert_ok(varve_saver_set_list(saver, paths, 4, &error), error);
    assert_list(saver, "s-3.varve s-1.varve");
    save(saver, "s", 4);
    assert_list(saver, "s-1.varve s-4.varve");
    cr_assert(!is_there("s-3.varve"));
    cr_assert_eq(error.status, VARVE_OK, "untouched where all is well");
    cr_assert_ok(varve_saver_set_list(saver, NULL, 0, &error), error);
    assert_list(saver, "");
    cr_assert_eq(
        varve_saver_set_list(saver, NULL, 1, &error), VARVE_MISUSE);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_list, is_recovered_from_a_directory)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = keeping(0);
    for (uint64_t i = 1; i <= 3; i++) {
        memory_set_now(world.memory, (int64_t)i * hour);
        save(saver, "run/s", i == 2 ? 20 : i);
    }
    save(saver, "run/other", 1);
    varve_saver_free(saver);
    saver = keeping(3);
    cr_assert_ok(varve_saver_recover(saver, "run/s", &error), error);
    assert_list(saver, "run/s-1.varve run/s-20.varve run/s-3.varve");
    save(saver, "run/s", 4);
    cr_assert(!is_there("run/s-1.varve") && is_there("run/other-1.varve"));
    cr_assert_ok(varve_saver_recover(saver, "none/s", &error), error);
    assert_list(saver, "");
    cr_assert_eq(varve_saver_recover(saver, NULL, &error), VARVE_MISUSE);
    varve_saver_free(saver);
    end_world();
}

/* --- Inconsistent listings ---------------------------------------------- */

static struct {
    struct vv_system system;
    const struct vv_system *under;
    vv_each_name *each;
    void *user;
    bool hides; /* every second listing lacks s-1.varve */
} flicker;

static int flicker_pass_on(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)user;
    if (flicker.hides && strcmp(name, "s-1.varve") == 0)
        return 0;
    return flicker.each(flicker.user, name, info);
}

static int flicker_each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    flicker.hides = !flicker.hides;
    flicker.each = each;
    flicker.user = user;
    return flicker.under->each_name(state, directory, flicker_pass_on, NULL);
}

TEST(saver_list, is_not_recovered_if_no_two_listings_agree)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = keeping(0);
    save(saver, "run/s", 1);
    save(saver, "run/s", 2);
    varve_saver_free(saver);
    end_graph();
    flicker.under = world.context.system;
    flicker.system = *flicker.under;
    flicker.system.each_name = flicker_each_name;
    world.context.system = &flicker.system;
    begin_graph();
    saver = keeping(1);
    cr_assert_eq(varve_saver_recover(saver, "run/s", &error), VARVE_IO);
    cr_assert_str_eq(error.message,
        "run/s-N.varve: the listings of the directory keep changing; another "
        "program may be saving there");
    assert_list(saver, "");
    flicker.system.each_name = flicker.under->each_name;
    cr_assert_ok(varve_saver_recover(saver, "run/s", &error), error);
    assert_list(saver, "run/s-1.varve run/s-2.varve");
    varve_saver_free(saver);
    end_world();
}

TEST(saver_list, is_unchanged_if_the_recovery_fails)
{
    struct faulty *faulty = begin_faulty();
    varve_status status = VARVE_IO;
    varve_saver *saver = keeping(0);
    save(saver, "s", 1);
    save(saver, "s", 2);
    save(saver, "t", 1);
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        struct faulty_plan plan = { .number = n, .error = EIO };
        faulty_plan(faulty, &plan);
        status = varve_saver_recover(saver, "s", &error);
        bool was_hit = faulty_hit(faulty);
        faulty_plan(faulty, NULL);
        cr_assert_eq(error.status, status);
        assert_list(saver, status ? "s-1.varve s-2.varve t-1.varve"
                                  : "s-1.varve s-2.varve");
        if (!was_hit)
            break;
        if (!status) { /* closing a file opened for reading may fail */
            static const char *const all[] = { "s-1.varve", "s-2.varve",
                "t-1.varve" };
            cr_assert_ok(varve_saver_set_list(saver, all, 3, &error), error);
            status = VARVE_IO;
        }
    }
    cr_assert_eq(status, VARVE_OK);
    status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        status = varve_saver_recover(saver, "s", NULL);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        assert_list(saver, "s-1.varve s-2.varve");
    }
    varve_saver_free(saver);
    end_world();
    faulty_free(faulty);
}
