/* test_directory.c - Tests opening, creating, listing and syncing directories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "directory.h"
#include "file.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

static int note_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    strcat(user, name);
    strcat(user, " ");
    return 0;
}

static int note_one_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    note_name(user, name, NULL);
    return 1;
}

TEST(directory, name_is_the_text_after_the_last_slash)
{
    cr_assert_str_eq(vv_path_name("a/b/c.varve"), "c.varve");
    cr_assert_str_eq(vv_path_name("c.varve"), "c.varve");
    cr_assert_str_eq(vv_path_name("/c"), "c");
    cr_assert_str_eq(vv_path_name("a/b/"), "");
    cr_assert_str_eq(vv_path_name(""), "");
}

/* Asserts the directory that is opened for a path. */
static void check_parent(const char *path, const char *parent)
{
    struct memory *memory = memory_new();
    memory_put(memory, "a/b/file", "", 0);
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    int directory = -1;
    cr_assert_ok(vv_directory_open_parent(
        &context, path, &directory, &error), error);
    cr_assert_str_eq(faulty_log_at(faulty, 0)->name, parent);
    vv_file_close(&context, directory);
    cr_assert_eq(faulty_open_count(faulty), 0);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(directory, parent_is_the_text_before_the_name)
{
    check_parent("name", ".");
    check_parent("", ".");
    check_parent("/name", "/");
    check_parent("//name", "/");
    check_parent("a/name", "a");
    check_parent("a//name", "a");
    check_parent("/a/b/name", "/a/b");
    check_parent("a/b/", "a/b");
}

TEST(directory, missing_parent_is_not_found)
{
    struct memory *memory = memory_new();
    memory_put(memory, "file", "", 0);
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    int directory = -7;
    cr_assert_eq(vv_directory_open_parent(
        &context, "none/name", &directory, &error), VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "none"));
    cr_assert_eq(vv_directory_open_parent(
        &context, "file/name", &directory, &error), VARVE_NOT_FOUND);
    cr_assert_eq(directory, -7, "an output was written on failure");
    memory_free(memory);
}

static void check_made(const char *path, bool no_sync, size_t made)
{
    struct memory *memory = memory_new();
    memory_put(memory, "old/file", "", 0);
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    int directory = -1;
    cr_assert_ok(vv_directory_make_parent(
        &context, path, no_sync, &directory, &error), error);
    vv_file_close(&context, directory);
    cr_assert_eq(faulty_open_count(faulty), 0);

    size_t at = 0;
    for (size_t i = 0; i < made; i++) {
        at = faulty_log_find(faulty, FAULTY_MAKE_DIRECTORY, at);
        int above = faulty_log_at(faulty, at)->descriptor;
        at++;
        if (no_sync)
            continue;
        cr_assert_eq(faulty_log_at(faulty, at)->kind, FAULTY_SYNC_DIRECTORY);
        cr_assert_eq(faulty_log_at(faulty, at)->descriptor, above);
    }
    size_t end = faulty_log_size(faulty);
    cr_assert_eq(faulty_log_find(faulty, FAULTY_MAKE_DIRECTORY, at), end);
    if (no_sync)
        cr_assert_eq(faulty_log_find(faulty, FAULTY_SYNC_DIRECTORY, 0), end);
    cr_assert_ok(vv_directory_open_parent(
        &context, path, &directory, &error), error);
    vv_file_close(&context, directory);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(directory, missing_parents_are_created_and_synced)
{
    check_made("name", false, 0);
    check_made("old/name", false, 0);
    check_made("old/new/name", false, 1);
    check_made("/a/b/c/name", false, 3);
    check_made("a//b/./c/name", false, 3);
    check_made("a/../b/name", false, 2);
    check_made("a/b/name", true, 2);
}

TEST(directory, a_parent_that_is_a_file_is_refused)
{
    struct memory *memory = memory_new();
    memory_put(memory, "file", "text", 4);
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    int directory;
    cr_assert_eq(vv_directory_make_parent(
        &context, "file/a/name", false, &directory, &error), VARVE_NOT_FOUND);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

/* Another process creates the directory between the check and the call. */
struct race {
    struct memory *memory;
};

static void make_first(void *user)
{
    struct race *race = user;
    const struct vv_system *system = memory_system(race->memory);
    system->make_directory(system->state, VV_WORKING_DIRECTORY, "a");
}

TEST(directory, a_parent_created_by_another_process_is_synced)
{
    struct race race = { memory_new() };
    struct faulty *faulty = faulty_new(memory_system(race.memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){ .way = FAULTY_STOPS,
        .kinds = FAULTY_MAKE_DIRECTORY, .stop = make_first, .user = &race });
    varve_error error;
    int directory;
    cr_assert_ok(vv_directory_make_parent(
        &context, "a/name", false, &directory, &error), error);
    size_t made = faulty_log_find(faulty, FAULTY_MAKE_DIRECTORY, 0);
    cr_assert_eq(faulty_log_at(faulty, made)->result, -EEXIST);
    cr_assert_eq(
        faulty_log_at(faulty, made + 1)->kind, FAULTY_SYNC_DIRECTORY);
    vv_file_close(&context, directory);
    faulty_free(faulty);
    memory_free(race.memory);
}

/* Its creator must sync it; the next save does so as well. */
TEST(directory, created_by_another_process_is_kept_if_its_sync_fails)
{
    struct race race = { memory_new() };
    struct faulty *faulty = faulty_new(memory_system(race.memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){ .number = 1,
        .way = FAULTY_STOPS, .stop = make_first, .user = &race,
        .kinds = FAULTY_MAKE_DIRECTORY | FAULTY_SYNC_DIRECTORY,
        .second = 2, .second_error = EIO });
    varve_error error;
    int directory;
    cr_assert_eq(vv_directory_make_parent(
        &context, "a/name", false, &directory, &error), VARVE_IO);
    cr_assert(faulty_hit_second(faulty));
    cr_assert_eq(faulty_log_find(faulty, FAULTY_REMOVE, 0),
        faulty_log_size(faulty));
    faulty_plan(faulty, NULL);
    cr_assert_ok(vv_directory_open_parent(
        &context, "a/name", &directory, &error), error);
    vv_file_close(&context, directory);
    faulty_free(faulty);
    memory_free(race.memory);
}

/* Returns the status after a failure of the parent directory: when it is opened
 * for a sync (1: the second one opened), or when it is synced. */
static varve_status status_above(unsigned kinds, long number, int failure)
{
    struct memory *memory = memory_new();
    memory_put(memory, "old/file", "", 0);
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = kinds, .number = number, .error = failure });
    varve_error error;
    int directory;
    varve_status status = vv_directory_make_parent(
        &context, "old/name", false, &directory, &error);
    cr_assert(faulty_hit(faulty));
    if (!status)
        vv_file_close(&context, directory);
    cr_assert_eq(faulty_open_count(faulty), 0);
    faulty_free(faulty);
    memory_free(memory);
    return status;
}

TEST(directory, above_without_access_needs_no_sync)
{
    static const int theirs[] = { EACCES, EPERM, ENOENT };
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        cr_assert_eq(
            status_above(FAULTY_OPEN_DIRECTORY, 1, theirs[i]), VARVE_OK);
    cr_assert_eq(status_above(FAULTY_OPEN_DIRECTORY, 1, EMFILE), VARVE_IO);
}

TEST(directory, above_without_sync_support_needs_no_sync)
{
    cr_assert_eq(status_above(FAULTY_SYNC_DIRECTORY, 0, EINVAL), VARVE_OK);
    cr_assert_eq(status_above(FAULTY_SYNC_DIRECTORY, 0, EACCES),
        VARVE_NO_PERMISSION);
}

TEST(directory, creation_is_repeated_after_a_failed_sync)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
    varve_error error;
    int directory;
    cr_assert_eq(vv_directory_make_parent(
        &context, "a/name", false, &directory, &error), VARVE_IO);
    faulty_plan(faulty, NULL);
    cr_assert_ok(vv_directory_make_parent(
        &context, "a/name", false, &directory, &error), error);
    cr_assert_lt(faulty_log_find(faulty, FAULTY_SYNC_DIRECTORY, 0),
        faulty_log_size(faulty));
    vv_file_close(&context, directory);
    faulty_free(faulty);
    memory_free(memory);
}

static long count_syncs(
    struct faulty *faulty, struct vv_context *context, const char *path)
{
    varve_error error;
    int directory;
    long count = 0;
    faulty_plan(faulty, NULL);
    cr_assert_ok(vv_directory_make_parent(
        context, path, false, &directory, &error), error);
    for (size_t at = 0; at < faulty_log_size(faulty); at++)
        count += faulty_log_at(faulty, at)->kind == FAULTY_SYNC_DIRECTORY;
    vv_file_close(context, directory);
    return count;
}

TEST(directory, parents_are_synced_once_if_that_is_recorded)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    struct vv_durable durable = { 0 };
    memory_put(memory, "a/x", "x", 1);
    memory_put(memory, "b/x", "x", 1);
    cr_assert_eq(count_syncs(faulty, &context, "a/x"), 1);
    cr_assert_eq(count_syncs(faulty, &context, "a/x"), 1);
    context.durable = &durable;
    cr_assert_eq(count_syncs(faulty, &context, "a/x"), 1);
    cr_assert_eq(count_syncs(faulty, &context, "a/x"), 0);
    cr_assert_eq(count_syncs(faulty, &context, "b/x"), 1);
    cr_assert_eq(count_syncs(faulty, &context, "a/x"), 1);
    cr_assert_eq(count_syncs(faulty, &context, "c/x"), 2);
    cr_assert_eq(count_syncs(faulty, &context, "c/x"), 0);
    faulty_free(faulty);
    memory_free(memory);
}

/* A failed sync does not suppress the next one. */
TEST(directory, is_not_recorded_if_the_sync_failed)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    struct vv_durable durable = { 0 };
    varve_error error;
    int directory;
    context.durable = &durable;
    memory_put(memory, "a/x", "x", 1);
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
    cr_assert_eq(vv_directory_make_parent(
        &context, "a/x", false, &directory, &error), VARVE_IO);
    cr_assert_eq(durable.serial, 0);
    cr_assert_ok(vv_directory_make_parent(
        &context, "a/x", true, &directory, &error), error);
    vv_file_close(&context, directory);
    cr_assert_eq(durable.serial, 0);
    cr_assert_eq(count_syncs(faulty, &context, "a/x"), 1);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(directory, each_lists_the_names_in_the_directory_of_a_path)
{
    struct memory *memory = memory_new();
    memory_put(memory, "run/one", "", 0);
    memory_put(memory, "run/two", "", 0);
    memory_put(memory, "three", "", 0);
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    char names[64] = "";
    cr_assert_ok(vv_directory_each(
        &context, "run/none", note_name, names, &error), error);
    cr_assert_str_eq(names, "one two ");
    names[0] = '\0';
    cr_assert_ok(vv_directory_each(
        &context, "bare", note_name, names, &error), error);
    cr_assert_str_eq(names, "run three ");
    names[0] = '\0';
    cr_assert_ok(vv_directory_each(
        &context, "run/", note_one_name, names, &error), error);
    cr_assert_str_eq(names, "one ");
    memory_free(memory);
}

TEST(directory, missing_has_no_names)
{
    struct memory *memory = memory_new();
    memory_put(memory, "file", "", 0);
    struct vv_context context = test_context(memory_system(memory));
    varve_error error = { .status = VARVE_OK };
    char names[64] = "";
    cr_assert_ok(vv_directory_each(
        &context, "none/at/all", note_name, names, &error), error);
    cr_assert_str_eq(names, "");
    cr_assert_eq(error.status, VARVE_OK, "an error on success");
    cr_assert_eq(vv_directory_each(
        &context, "file/name", note_name, names, &error), VARVE_NOT_FOUND);
    memory_free(memory);
}

static varve_status use_all(const struct vv_context *context, varve_error *e)
{
    int directory;
    char names[64] = "";
    varve_status status =
        vv_directory_make_parent(context, "a/b/name", false, &directory, e);
    if (status)
        return status;
    vv_file_close(context, directory);
    status = vv_directory_open_parent(context, "a/b/name", &directory, e);
    if (status)
        return status;
    vv_file_close(context, directory);
    return vv_directory_each(context, "a/b/name", note_name, names, e);
}

TEST(directory, failures_of_every_call_are_reported)
{
    bool hit = true;
    long runs = 0;
    for (long n = 0; hit; n++)
        for (int sticky = 0; sticky < 2; sticky++) {
            struct memory *memory = memory_new();
            struct faulty *faulty = faulty_new(memory_system(memory));
            struct vv_context context = test_context(faulty_system(faulty));
            faulty_plan(faulty, &(struct faulty_plan){ .number = n,
                .sticky = sticky, .error = EIO,
                .kinds = FAULTY_ALL & ~FAULTY_CLOSE_DIRECTORY });
            varve_error error;
            varve_status status = use_all(&context, &error);
            hit = faulty_hit(faulty);
            cr_assert_eq(status, hit ? VARVE_IO : VARVE_OK);
            cr_assert_eq(faulty_open_count(faulty), 0);
            faulty_plan(faulty, NULL);
            cr_assert_ok(use_all(&context, &error), error);
            faulty_free(faulty);
            memory_free(memory);
            runs++;
        }
    cr_assert_gt(runs, 20);
}

TEST(directory, failed_allocations_are_reported)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    varve_status status = VARVE_NO_MEMORY;
    long n = 0;
    for (; status == VARVE_NO_MEMORY; n++) {
        test_fail_allocation(n, false);
        status = use_all(&context, &error);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(memory), 0);
    }
    cr_assert_eq(n, 4);
    memory_free(memory);
}
