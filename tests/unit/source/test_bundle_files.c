/* test_bundle_files.c - lib/source/bundle_files.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_files.h"

#include <errno.h>

#include "bundles.h"

/* `count` data files that hold `text` and their number. */
static varve_status write_files(const struct vv_context *context, int flags,
    const char *text, int count, varve_error *error)
{
    struct vv_bundle_files files;
    struct vv_buffer index;
    varve_status status =
        vv_bundle_files_begin(&files, context, "run/m", flags, error);
    if (status)
        return status;
    vv_buffer_init(&index, test_allocator());
    vv_buffer_add_string(&index, text);
    if (index.failed)
        status = VARVE_NO_MEMORY;
    for (int i = 0; i < count && !status; i++) {
        unsigned char digit = (unsigned char)('0' + i);
        status = vv_bundle_files_shard(&files, error);
        if (!status)
            status = vv_bundle_files_write(
                &files, text, strlen(text), error);
        if (!status)
            status = vv_bundle_files_write(&files, &digit, 1, error);
    }
    status = vv_bundle_files_end(&files, &index, status, error);
    vv_buffer_clear(&index);
    return status;
}

static bool is_old(struct memory *memory)
{
    return file_is_text(memory, "run/m.index", "old") &&
           file_is_text(memory, "run/m.data-00000-of-00001", "old0");
}

static bool is_new(struct memory *memory)
{
    return file_is_text(memory, "run/m.index", "new") &&
           file_is_text(memory, "run/m.data-00000-of-00001", "new0");
}

static bool has_index(struct memory *memory)
{
    size_t size;
    return memory_bytes(memory, "run/m.index", &size) != NULL;
}

TEST(bundle_files, names_data_files_by_number_and_count)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    cr_assert_ok(write_files(&context, 0, "new", 3, &error), error);
    cr_assert_eq(memory_file_count(memory), 4);
    cr_assert(file_is_text(memory, "run/m.data-00000-of-00003", "new0"));
    cr_assert(file_is_text(memory, "run/m.data-00001-of-00003", "new1"));
    cr_assert(file_is_text(memory, "run/m.data-00002-of-00003", "new2"));
    cr_assert(file_is_text(memory, "run/m.index", "new"));
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(bundle_files, takes_the_path_of_the_index_for_its_prefix)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    static const char *const paths[][2] = { { "m.index", "m.index" },
        { "m.indexes", "m.indexes.index" }, { ".index", ".index.index" },
        { "m.index.index", "m.index.index" } };
    varve_error error;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct vv_bundle_files files;
        struct vv_buffer index;
        size_t size;
        vv_buffer_init(&index, test_allocator());
        cr_assert_ok(vv_bundle_files_begin(
            &files, &context, paths[i][0], 0, &error), error);
        cr_assert_ok(vv_bundle_files_end(&files, &index, 0, &error), error);
        cr_assert(memory_bytes(memory, paths[i][1], &size), "%s", paths[i][1]);
    }
    memory_free(memory);
}

TEST(bundle_files, refuses_what_is_no_prefix)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_files files;
    varve_error error;
    cr_assert_eq(vv_bundle_files_begin(&files, &context, "", 0, &error),
        VARVE_NOT_FOUND);
    cr_assert_eq(vv_bundle_files_begin(&files, &context, "run/", 0, &error),
        VARVE_IS_DIRECTORY);
    cr_assert(strstr(error.message, "run/: expected"), "%s", error.message);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

/* Pieces around the size of the staging memory. */
TEST(bundle_files, writes_small_and_large_pieces_in_order)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_files files;
    struct vv_buffer index, expected;
    varve_error error;
    static const size_t sizes[] = { 1, 262143, 1, 262144, 7, 262145, 0, 100000,
        200000, 600000, 3 };
    vv_buffer_init(&index, test_allocator());
    vv_buffer_init(&expected, test_allocator());
    cr_assert_ok(
        vv_bundle_files_begin(&files, &context, "m", 0, &error), error);
    cr_assert_ok(vv_bundle_files_shard(&files, &error), error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *piece = vv_buffer_extend(&expected, sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            piece[k] = (unsigned char)(k * 7 + i);
        cr_assert_ok(
            vv_bundle_files_write(&files, piece, sizes[i], &error), error);
        cr_assert_eq(files.shards[0].size, expected.size);
    }
    cr_assert_ok(vv_bundle_files_end(&files, &index, 0, &error), error);
    cr_assert(file_is(memory, "m.data-00000-of-00001", expected.data,
        expected.size));
    vv_buffer_clear(&expected);
    memory_free(memory);
}

/* The place in the log of a call about a name. */
static size_t find_call(
    const struct faulty *faulty, unsigned kind, const char *name, size_t from)
{
    size_t at = faulty_log_find(faulty, kind, from);
    while (at < faulty_log_size(faulty) && name &&
           strcmp(faulty_log_at(faulty, at)->name, name) != 0 &&
           strcmp(faulty_log_at(faulty, at)->to, name) != 0)
        at = faulty_log_find(faulty, kind, at + 1);
    return at;
}

TEST(bundle_files, never_shows_an_index_beside_data_of_others)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
    faulty_plan(faulty, NULL);
    cr_assert_ok(write_files(&context, 0, "new", 1, &error), error);
    size_t first_sync = find_call(faulty, FAULTY_SYNC, NULL, 0);
    size_t second_sync = find_call(faulty, FAULTY_SYNC, NULL, first_sync + 1);
    size_t removed = find_call(faulty, FAULTY_REMOVE, "m.index", 0);
    size_t synced =
        find_call(faulty, FAULTY_SYNC_DIRECTORY, NULL, removed + 1);
    size_t data = find_call(
        faulty, FAULTY_RENAME, "m.data-00000-of-00001", 0);
    size_t data_synced =
        find_call(faulty, FAULTY_SYNC_DIRECTORY, NULL, data + 1);
    size_t index = find_call(faulty, FAULTY_RENAME, "m.index", 0);
    cr_assert_lt(second_sync, removed);
    cr_assert_lt(removed, synced);
    cr_assert_lt(synced, data);
    cr_assert_lt(data, data_synced);
    cr_assert_lt(data_synced, index);
    cr_assert_lt(index, faulty_log_size(faulty));
    cr_assert(is_new(memory));
    faulty_free(faulty);
    memory_free(memory);
}

static void check_power_cut(void *user)
{
    struct memory *memory = user;
    for (int way = 0; way < 4; way++) {
        struct memory *after =
            memory_after_power_cut(memory, way & 1, way & 2);
        cr_assert(is_old(after) || is_new(after) || !has_index(after));
        memory_free(after);
    }
}

TEST(bundle_files, leaves_a_whole_checkpoint_or_none_when_power_fails)
{
    bool hit = true;
    for (long n = 0; hit; n++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        varve_error error;
        cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
        faulty_plan(faulty, &(struct faulty_plan){ .number = n,
            .way = FAULTY_STOPS, .stop = check_power_cut, .user = memory });
        cr_assert_ok(write_files(&context, 0, "new", 1, &error), error);
        check_power_cut(memory);
        hit = faulty_hit(faulty);
        faulty_free(faulty);
        memory_free(memory);
    }
}

/* One call fails; removing what is temporary works. */
TEST(bundle_files, leaves_nothing_temporary_whatever_fails)
{
    const unsigned kinds = FAULTY_ALL & ~(unsigned)(FAULTY_REMOVE |
        FAULTY_LOCK | FAULTY_SHARE_LOCK | FAULTY_PROCESSORS);
    bool hit = true;
    for (long n = 0; hit; n++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        varve_error error;
        cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
        faulty_plan(faulty, &(struct faulty_plan){
            .number = n, .kinds = kinds, .error = EIO });
        varve_status status = write_files(&context, 0, "new", 1, &error);
        hit = faulty_hit(faulty);
        cr_assert_eq(count_temporary(memory), 0);
        cr_assert_eq(faulty_open_count(faulty), 0);
        if (status == VARVE_OK || status == VARVE_UNKNOWN_OUTCOME)
            cr_assert(is_new(memory));
        else
            cr_assert(is_old(memory) || !has_index(memory));
        cr_assert(hit || status == VARVE_OK);
        faulty_free(faulty);
        memory_free(memory);
    }
}

/* What fills the disk or fails to be synced is noticed while the older one is
 * still there. */
TEST(bundle_files, keeps_the_older_one_until_all_is_on_disk)
{
    static const unsigned kinds[] = { FAULTY_WRITE, FAULTY_SYNC,
        FAULTY_CREATE };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (long n = 0; n < 2; n++) {
            struct memory *memory = memory_new();
            struct faulty *faulty = faulty_new(memory_system(memory));
            struct vv_context context = test_context(faulty_system(faulty));
            varve_error error;
            cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
            faulty_plan(faulty, &(struct faulty_plan){
                .number = n, .kinds = kinds[k], .error = EIO });
            cr_assert_eq(
                write_files(&context, 0, "new", 1, &error), VARVE_IO);
            cr_assert(is_old(memory));
            cr_assert_eq(memory_file_count(memory), 2);
            faulty_free(faulty);
            memory_free(memory);
        }
    }
}

/* Nobody can tell whether the index is there; but whether a data file is does
 * not matter without one. */
TEST(bundle_files, knows_the_outcome_until_the_index_has_its_name)
{
    for (long n = 0; n < 4; n++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        varve_error error;
        memory_put(memory, "run/m.index", "old", 3);
        faulty_plan(faulty, NULL);
        cr_assert_ok(write_files(&context, 0, "new", 2, &error), error);
        memory_put(memory, "run/m.index", "old", 3);
        size_t removed = find_call(faulty, FAULTY_REMOVE, "m.index", 0);
        long syncs = 0;
        for (size_t at = 0; (at = faulty_log_find(faulty,
                FAULTY_SYNC_DIRECTORY, at)) < removed; at++)
            syncs++;
        faulty_plan(faulty, &(struct faulty_plan){ .number = syncs + n,
            .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
        varve_status status = write_files(&context, 0, "new", 2, &error);
        cr_assert_eq(status, n < 3 ? VARVE_IO : VARVE_UNKNOWN_OUTCOME);
        cr_assert_eq(error.status, status);
        cr_assert_eq(has_index(memory), n == 3);
        faulty_free(faulty);
        memory_free(memory);
    }
}

TEST(bundle_files, spares_an_index_that_may_not_be_replaced)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    const int flags = VV_PUBLISH_NO_REPLACE;
    varve_error error;
    memory_put(memory, "run/m.data-00000-of-00001", "stray", 5);
    cr_assert_ok(write_files(&context, flags, "old", 1, &error), error);
    cr_assert(is_old(memory));
    cr_assert_eq(
        write_files(&context, flags, "new", 1, &error), VARVE_EXISTS);
    cr_assert(is_old(memory));
    cr_assert_eq(memory_file_count(memory), 2);
    memory_free(memory);
}

TEST(bundle_files, spares_an_index_that_came_meanwhile)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_files files;
    struct vv_buffer index;
    varve_error error;
    vv_buffer_init(&index, test_allocator());
    cr_assert_ok(vv_bundle_files_begin(&files, &context, "run/m",
        VV_PUBLISH_NO_REPLACE, &error), error);
    memory_put(memory, "run/m.index", "other", 5);
    cr_assert_eq(
        vv_bundle_files_end(&files, &index, 0, &error), VARVE_EXISTS);
    cr_assert(file_is_text(memory, "run/m.index", "other"));
    cr_assert_eq(memory_file_count(memory), 1);
    memory_free(memory);
}

TEST(bundle_files, syncs_nothing_if_told_so)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    faulty_plan(faulty, &(struct faulty_plan){ .number = 0, .error = EIO,
        .kinds = FAULTY_SYNC | FAULTY_SYNC_DIRECTORY });
    cr_assert_ok(
        write_files(&context, VV_PUBLISH_NO_SYNC, "new", 1, &error), error);
    cr_assert(!faulty_hit(faulty));
    faulty_free(faulty);
    memory_free(memory);
}

TEST(bundle_files, gives_up_without_memory_and_leaves_the_older_one)
{
    for (long n = 0;; n++) {
        struct memory *memory = memory_new();
        struct vv_context context = test_context(memory_system(memory));
        varve_error error;
        cr_assert_ok(write_files(&context, 0, "old", 1, &error), error);
        test_fail_allocation(n, false);
        varve_status status = write_files(&context, 0, "new", 5, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert(status == VARVE_OK || is_old(memory));
        cr_assert(status == VARVE_OK || memory_file_count(memory) == 2);
        cr_assert_eq(memory_open_count(memory), 0);
        memory_free(memory);
        if (status == VARVE_OK)
            break;
    }
}
