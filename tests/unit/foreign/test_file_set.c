/* test_file_set.c - Tests writing checkpoints of several files.
 *
 * The test format has an index that contains a line for each data file name; a
 * data file contains the name of the save that wrote it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "file_set.h"

#include <errno.h>
#include <stdio.h>

#include "bundles.h"
#include "file.h"

static bool is_data(const struct vv_file_set *set, const char *name)
{
    size_t size = strlen(set->stem);
    return strncmp(name, set->stem, size) == 0 &&
           strncmp(name + size, ".data.", 6) == 0;
}

static enum vv_named is_named(const struct vv_file_set *set,
    const struct vv_buffer *index, const char *name)
{
    struct vv_buffer text;
    vv_buffer_init(&text, &set->context->allocator);
    vv_buffer_add(&text, index->data, index->size);
    const char *all = vv_buffer_string(&text);
    enum vv_named found = text.failed         ? VV_NAME_MEMORY
                          : strstr(all, name) ? VV_NAMED
                                              : VV_NOT_NAMED;
    vv_buffer_clear(&text);
    return found;
}

static const struct vv_file_set_names names = { is_data, is_named };

/* Writes two data files and their index. */
static varve_status write_set(const struct vv_context *context, int flags,
    const char *save, varve_error *error)
{
    struct vv_file_set set;
    char text[200], paths[2][40];
    varve_status status = vv_file_set_begin(
        &set, context, "run/m.index", "m", &names, flags, error);
    if (status)
        return status;
    for (int i = 0; i < 2; i++)
        snprintf(paths[i], sizeof paths[i], "run/m.data.%s.%d", save, i);
    snprintf(text, sizeof text, "%s\n%s\n", paths[0] + 4, paths[1] + 4);
    status = vv_file_set_index(&set, text, strlen(text), error);
    for (int i = 0; i < 2 && !status; i++) {
        status = vv_file_set_add(&set, paths[i], error);
        if (!status)
            status = vv_file_write(context, set.files[i].file, paths[i], save,
                strlen(save), 0, error);
        if (!status)
            status = vv_file_set_name(&set, (size_t)i, paths[i], error);
    }
    return vv_file_set_end(&set, status, error);
}

/* Returns true if the index is that of a save, and all its data files exist. */
static bool is_whole(struct memory *memory, const char *save)
{
    char path[40];
    bool is_there = true;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "run/m.data.%s.%d", save, i);
        is_there = is_there && file_is_text(memory, path, save) &&
            file_has(memory, "run/m.index", path + 4, strlen(path) - 4);
    }
    return is_there;
}

TEST(file_set, a_newer_set_replaces_an_older_one)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    cr_assert_ok(write_set(&context, 0, "old", &error), error);
    cr_assert_ok(write_set(&context, 0, "new", &error), error);
    cr_assert(is_whole(memory, "new"));
    cr_assert_eq(memory_file_count(memory), 3);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(file_set, uses_no_existing_name)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    memory_put(memory, "run/m.data.new.1", "other", 5);
    cr_assert_ok(write_set(&context, 0, "old", &error), error);
    cr_assert_eq(write_set(&context, 0, "new", &error), VARVE_EXISTS);
    cr_assert(is_whole(memory, "old"));
    cr_assert(file_is_text(memory, "run/m.data.new.1", "other"));
    cr_assert_eq(memory_file_count(memory), 4);
    memory_free(memory);
}

TEST(file_set, keeps_an_index_with_no_replace)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    const int flags = VV_PUBLISH_NO_REPLACE;
    varve_error error;
    cr_assert_ok(write_set(&context, flags, "old", &error), error);
    cr_assert_eq(write_set(&context, flags, "new", &error), VARVE_EXISTS);
    cr_assert(is_whole(memory, "old"));
    cr_assert_eq(memory_file_count(memory), 3);
    memory_free(memory);
}

TEST(file_set, keeps_an_index_created_meanwhile)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_file_set set;
    varve_error error;
    cr_assert_ok(vv_file_set_begin(&set, &context, "run/m.index", "m", &names,
        VV_PUBLISH_NO_REPLACE, &error), error);
    cr_assert_ok(vv_file_set_index(&set, "", 0, &error), error);
    memory_put(memory, "run/m.index", "other", 5);
    cr_assert_eq(vv_file_set_end(&set, VARVE_OK, &error), VARVE_EXISTS);
    cr_assert(file_is_text(memory, "run/m.index", "other"));
    cr_assert_eq(memory_file_count(memory), 1);
    memory_free(memory);
}

/* --- Kills and power failures --------------------------------------------- */

struct cut {
    struct memory *memory;
    const char *older;
    bool is_done;
};

/* Checks the files that a killed process leaves, and that the next write of the
 * same name removes its remains. */
static void check_kill(void *user)
{
    struct cut *cut = user;
    struct memory *left = memory_after_power_cut(cut->memory, true, true);
    struct vv_context context = test_context(memory_system(left));
    varve_error error;
    bool is_new = is_whole(left, "new");
    if (cut->is_done)
        cr_assert(is_new);
    else if (cut->older)
        cr_assert(is_new || is_whole(left, cut->older));
    cr_assert_ok(write_set(&context, 0, "next", &error), error);
    cr_assert(is_whole(left, "next"));
    for (size_t i = 0; i < memory_file_count(left); i++)
        cr_assert(memory_file_count(left) == 3, "%s",
            memory_file_path(left, i));
    memory_free(left);
}

static void check_power_cut(void *user)
{
    struct cut *cut = user;
    for (int way = 0; way < 4; way++) {
        struct memory *left =
            memory_after_power_cut(cut->memory, way & 1, way & 2);
        size_t size;
        bool is_there = memory_bytes(left, "run/m.index", &size) != NULL;
        bool is_new = is_whole(left, "new");
        if (cut->is_done)
            cr_assert(is_new);
        else if (cut->older)
            cr_assert(is_new || is_whole(left, cut->older));
        else
            cr_assert(is_new || !is_there);
        memory_free(left);
    }
}

static void cut_everywhere(const char *older, void (*check)(void *user))
{
    bool hit = true;
    for (long n = 0; hit; n++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        struct cut cut = { memory, older, false };
        varve_error error;
        if (older)
            cr_assert_ok(write_set(&context, 0, older, &error), error);
        faulty_plan(faulty, &(struct faulty_plan){ .number = n,
            .way = FAULTY_STOPS, .stop = check, .user = &cut });
        cr_assert_ok(write_set(&context, 0, "new", &error), error);
        hit = faulty_hit(faulty);
        cut.is_done = true;
        check(&cut);
        faulty_free(faulty);
        memory_free(memory);
    }
}

TEST(file_set, a_kill_leaves_a_complete_set_and_removable_files)
{
    cut_everywhere("old", check_kill);
    cut_everywhere(NULL, check_kill);
}

TEST(file_set, a_power_cut_leaves_a_complete_set)
{
    cut_everywhere("old", check_power_cut);
    cut_everywhere(NULL, check_power_cut);
}

/* --- Failures ------------------------------------------------------------- */

/* One system call or allocation fails: either the older or the newer checkpoint
 * is complete. */
TEST(file_set, a_failure_leaves_the_older_set)
{
    const unsigned kinds = FAULTY_ALL & ~(unsigned)(FAULTY_REMOVE |
        FAULTY_LOCK | FAULTY_SHARE_LOCK | FAULTY_PROCESSORS);
    bool hit = true;
    for (long n = 0; hit; n++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        varve_error error;
        cr_assert_ok(write_set(&context, 0, "old", &error), error);
        faulty_plan(faulty, &(struct faulty_plan){
            .number = n, .kinds = kinds, .error = EIO });
        varve_status status = write_set(&context, 0, "new", &error);
        hit = faulty_hit(faulty);
        faulty_plan(faulty, NULL);
        cr_assert_eq(faulty_open_count(faulty), 0);
        if (status == VARVE_OK || status == VARVE_UNKNOWN_OUTCOME)
            cr_assert(is_whole(memory, "new"));
        else
            cr_assert(is_whole(memory, "old"));
        cr_assert(hit || status == VARVE_OK);
        if (status && status != VARVE_UNKNOWN_OUTCOME)
            cr_assert_eq(memory_file_count(memory), 3);
        faulty_free(faulty);
        memory_free(memory);
    }
}

static int pass_over(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)user;
    (void)name;
    return 0;
}

/* Returns the status of naming a data file in a directory that cannot be
 * listed. */
static varve_status name_unlisted(int system_error, varve_error *error)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    struct vv_file_set set;
    cr_assert_ok(vv_file_set_begin(
        &set, &context, "run/m.index", "m", &names, 0, error), *error);
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_EACH_NAME, .error = system_error });
    vv_file_set_each(&set, pass_over, NULL);
    cr_assert(faulty_hit(faulty));
    varve_status status = vv_file_set_index(&set, "m.data.0", 8, error);
    if (!status)
        status = vv_file_set_add(&set, "run/m.data.0", error);
    if (!status)
        status = vv_file_set_name(&set, 0, "run/m.data.0", error);
    status = vv_file_set_end(&set, status, error);
    cr_assert_eq(memory_file_count(memory), status ? 0 : 2);
    faulty_free(faulty);
    memory_free(memory);
    return status;
}

TEST(file_set, chooses_no_names_if_the_listing_fails)
{
    varve_error error = { 0 };
    cr_assert_eq(name_unlisted(EIO, &error), VARVE_IO);
    cr_assert(strstr(error.message, "run/m.data.0: listing its directory"),
        "%s", error.message);
    cr_assert_ok(name_unlisted(EACCES, &error), error);
}

TEST(file_set, a_failed_allocation_leaves_the_older_set)
{
    bool is_done = false;
    for (long n = 0; !is_done; n++) {
        struct memory *memory = memory_new();
        struct vv_context context = test_context(memory_system(memory));
        varve_error error;
        cr_assert_ok(write_set(&context, 0, "old", &error), error);
        test_fail_allocation(n, false);
        varve_status status = write_set(&context, 0, "new", &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert(is_whole(memory, status ? "old" : "new"));
        is_done = !status && memory_file_count(memory) == 3;
        cr_assert(is_done || n < 100);
        memory_free(memory);
    }
}

/* While another process writes, its data files must not be removed. */
TEST(file_set, keeps_the_data_of_a_set_that_is_being_written)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_file_set other;
    varve_error error;
    cr_assert_ok(vv_file_set_begin(&other, &context, "run/m.index", "m",
        &names, 0, &error), error);
    cr_assert_ok(vv_file_set_index(
        &other, "m.data.other.0\n", 15, &error), error);
    cr_assert_ok(vv_file_set_add(&other, "run/m.data.other.0", &error), error);
    cr_assert_ok(vv_file_set_name(
        &other, 0, "run/m.data.other.0", &error), error);
    cr_assert_ok(write_set(&context, 0, "new", &error), error);
    cr_assert(file_is_text(memory, "run/m.data.other.0", ""));
    cr_assert_ok(vv_file_set_end(&other, VARVE_OK, &error), error);
    cr_assert(file_has(memory, "run/m.index", "m.data.other.0", 14));
    cr_assert_eq(memory_file_count(memory), 2);
    memory_free(memory);
}

/* Both data files, the index, and their directory twice: for the names of the
 * data files before that of the index. A new directory adds its parent. */
TEST(file_set, makes_exactly_the_required_syncs)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    cr_assert_ok(write_set(&context, 0, "old", &error), error);
    for (int i = 0; i < 2; i++) {
        bool is_synced = i == 0;
        faulty_plan(faulty, NULL);
        cr_assert_ok(write_set(&context, is_synced ? 0 : VV_PUBLISH_NO_SYNC,
            is_synced ? "new" : "newer", &error), error);
        long files = 0, directories = 0;
        for (size_t at = 0; at < faulty_log_size(faulty); at++) {
            unsigned kind = faulty_log_at(faulty, at)->kind;
            files += kind == FAULTY_SYNC;
            directories += kind == FAULTY_SYNC_DIRECTORY;
        }
        cr_assert_eq(files, is_synced ? 3 : 0);
        cr_assert_leq(directories, is_synced ? 3 : 0);
        cr_assert_geq(directories, is_synced ? 2 : 0);
    }
    faulty_free(faulty);
    memory_free(memory);
}
