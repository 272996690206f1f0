/* test_publish.c - Tests publishing files without failures, and the cases that
 * must be refused.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "name.h"
#include "publishing.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"

static const struct vv_context *posix(void)
{
    static struct vv_context context;
    context = test_context(&vv_posix_system);
    return &context;
}

TEST(publish, a_new_file_is_the_only_new_name)
{
    varve_error error;
    cr_assert_ok(publish(posix(), test_path("f"), 0, "new", &error), error);
    cr_assert(holds(posix(), test_path("f"), "new"));
    cr_assert_eq(test_file_count(), 1);
}

TEST(publish, an_old_file_is_replaced_only_at_the_end)
{
    varve_error error;
    const char *path = test_path("f");
    test_write_file(path, "old", 3);
    struct vv_publication p;
    cr_assert_ok(vv_publish_begin(&p, posix(), path, 0, &error), error);
    cr_assert_ok(vv_file_write(
        posix(), p.file, path, "newer", 5, 0, &error), error);
    cr_assert(holds(posix(), path, "old"));
    cr_assert_ok(vv_publish_end(&p, VARVE_OK, &error), error);
    cr_assert(holds(posix(), path, "newer"));
    cr_assert_eq(test_file_count(), 1);
}

TEST(publish, aborting_keeps_the_old_file)
{
    varve_error error = { .status = VARVE_CANCELLED, .message = "mine" };
    const char *path = test_path("f");
    test_write_file(path, "old", 3);
    struct vv_publication p;
    cr_assert_ok(vv_publish_begin(&p, posix(), path, 0, &error), error);
    cr_assert_eq(
        vv_publish_end(&p, VARVE_CANCELLED, &error), VARVE_CANCELLED);
    cr_assert_str_eq(error.message, "mine", "the cause was overwritten");
    cr_assert(holds(posix(), path, "old"));
    cr_assert_eq(test_file_count(), 1);
}

TEST(publish, the_mode_follows_the_umask)
{
    static const mode_t masks[] = { 0, 022, 077 };
    for (size_t i = 0; i < 3; i++) {
        mode_t old = umask(masks[i]);
        struct vv_publication p;
        varve_error error;
        cr_assert_ok(vv_publish_begin(
            &p, posix(), test_path("f"), 0, &error), error);
        struct stat during, after;
        cr_assert_eq(fstat(p.file, &during), 0);
        cr_assert_ok(vv_publish_end(&p, VARVE_OK, &error), error);
        umask(old);
        cr_assert_eq(stat(test_path("f"), &after), 0);
        cr_assert_eq(during.st_mode & 07777, 0666 & ~masks[i]);
        cr_assert_eq(after.st_mode & 07777, 0666 & ~masks[i]);
        cr_assert_eq(unlink(test_path("f")), 0);
    }
}

TEST(publish, no_replace_refuses_before_and_after_the_work)
{
    varve_error error;
    const char *path = test_path("f");
    int flags = VV_PUBLISH_NO_REPLACE;
    struct vv_publication p;
    cr_assert_ok(vv_publish_begin(&p, posix(), path, flags, &error), error);
    test_write_file(path, "old", 3);
    cr_assert_eq(vv_publish_end(&p, VARVE_OK, &error), VARVE_EXISTS);
    cr_assert_eq(vv_publish_begin(
        &p, posix(), path, flags, &error), VARVE_EXISTS);
    cr_assert_eq(error.status, VARVE_EXISTS);
    cr_assert(holds(posix(), path, "old"));
    cr_assert_eq(test_file_count(), 1);
    cr_assert_eq(unlink(path), 0);
    cr_assert_ok(publish(posix(), path, flags, "new", &error), error);
    cr_assert(holds(posix(), path, "new"));
}

/* File systems without RENAME_NOREPLACE (NFS, FUSE), and some without hard
 * links (FAT). `kinds` are the unsupported calls. */
static void publish_beside_another(unsigned kinds, int number)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){
        .sticky = true, .kinds = kinds, .error = number });
    int flags = VV_PUBLISH_NO_REPLACE;
    varve_error error;
    cr_assert_ok(publish(&context, "f", flags, "new", &error), error);
    struct vv_publication p;
    cr_assert_ok(vv_publish_begin(&p, &context, "g", flags, &error), error);
    memory_put(memory, "g", "old", 3);
    cr_assert_eq(vv_publish_end(&p, VARVE_OK, &error), VARVE_EXISTS);
    cr_assert(holds(&context, "f", "new"));
    cr_assert(holds(&context, "g", "old"));
    cr_assert_eq(memory_file_count(memory), 2);
    cr_assert_eq(faulty_open_count(faulty), 0);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(publish, no_replace_works_without_rename_noreplace)
{
    publish_beside_another(FAULTY_RENAME_NEW, EINVAL);
    publish_beside_another(FAULTY_RENAME_NEW, ENOSYS);
}

TEST(publish, no_replace_works_without_hard_links)
{
    publish_beside_another(FAULTY_RENAME_NEW | FAULTY_LINK, ENOSYS);
}

/* Another writer, whose file appears after the checks and just before the last
 * calls of a publication. */
static struct {
    struct vv_system system;
    const struct vv_system *under;
    struct memory *memory;
    bool has_links;
} late;

static int rename_new_unsupported(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    (void)directory;
    (void)from;
    (void)to;
    memory_put(late.memory, "f", "other", 5);
    return -EINVAL;
}

static int link_unsupported(
    void *state, int directory, const char *from, const char *to)
{
    return late.has_links ? late.under->link(state, directory, from, to)
                          : -EPERM;
}

TEST(publish, a_file_created_just_before_the_rename_is_not_replaced)
{
    for (int i = 0; i < 2; i++) {
        late.memory = memory_new();
        late.under = memory_system(late.memory);
        late.system = *late.under;
        late.system.rename_new = rename_new_unsupported;
        late.system.link = link_unsupported;
        late.has_links = i == 1;
        struct vv_context context = test_context(&late.system);
        varve_error error;
        cr_assert_eq(publish(&context, "f", VV_PUBLISH_NO_REPLACE, "new",
            &error), VARVE_EXISTS);
        cr_assert(holds(&context, "f", "other"));
        cr_assert_eq(memory_file_count(late.memory), 1);
        memory_free(late.memory);
    }
}

/* The first answer was lost: the call was executed, and its repetition returns
 * EEXIST. */
static int link_twice(
    void *state, int directory, const char *from, const char *to)
{
    cr_assert_eq(late.under->link(state, directory, from, to), 0);
    return late.under->link(state, directory, from, to);
}

static int rename_new_lacking(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    (void)directory;
    (void)from;
    (void)to;
    return -ENOSYS;
}

TEST(publish, a_link_call_with_a_lost_result_has_published)
{
    late.memory = memory_new();
    late.under = memory_system(late.memory);
    late.system = *late.under;
    late.system.rename_new = rename_new_lacking;
    late.system.link = link_twice;
    struct vv_context context = test_context(&late.system);
    varve_error error;
    cr_assert_ok(
        publish(&context, "f", VV_PUBLISH_NO_REPLACE, "new", &error), error);
    cr_assert(holds(&context, "f", "new"));
    cr_assert_eq(memory_file_count(late.memory), 1);
    memory_free(late.memory);
}

TEST(publish, no_replace_treats_a_dangling_link_as_a_file)
{
    varve_error error;
    cr_assert_eq(symlink("nowhere", test_path("link")), 0);
    varve_status status = publish(posix(), test_path("link"),
        VV_PUBLISH_NO_REPLACE, "new", &error);
    struct stat found;
    cr_assert_eq(status, VARVE_EXISTS);
    cr_assert_eq(lstat(test_path("link"), &found), 0);
    cr_assert(S_ISLNK(found.st_mode));
    cr_assert_eq(test_file_count(), 1);
}

TEST(publish, missing_directories_are_created)
{
    varve_error error;
    const char *path = test_path("a/b/f");
    cr_assert_ok(publish(posix(), path, 0, "new", &error), error);
    cr_assert(holds(posix(), path, "new"));
    cr_assert_eq(count_beside(posix(), path), 1);
}

static void check_is_directory(const char *path)
{
    varve_error error = { .status = VARVE_OK };
    cr_assert_eq(
        publish(posix(), path, 0, "new", &error), VARVE_IS_DIRECTORY);
    cr_assert_eq(error.status, VARVE_IS_DIRECTORY);
    cr_assert_eq(strncmp(error.message, path, strlen(path)), 0);
}

/* As root, a rename would replace /dev/full. */
TEST(publish, a_pipe_is_not_replaced)
{
    varve_error error;
    struct stat after;
    const char *path = test_path("pipe");
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(publish(posix(), path, 0, "new", &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "this is a device, pipe or socket"), "%s",
        error.message);
    cr_assert_eq(stat(path, &after), 0);
    cr_assert(S_ISFIFO(after.st_mode));
}

TEST(publish, a_directory_is_refused)
{
    cr_assert_eq(mkdir(test_path("sub"), 0700), 0);
    check_is_directory(test_path("sub"));
    check_is_directory(test_path("sub/"));
    check_is_directory(test_path("none/"));
    check_is_directory(test_path("sub/."));
    cr_assert_eq(symlink("sub", test_path("link")), 0);
    check_is_directory(test_path("link"));
    cr_assert_eq(test_file_count(), 2);
    cr_assert_eq(rmdir(test_path("sub")), 0, "something was left in it");
}

/* A directory that was created after the start. */
TEST(publish, a_directory_is_not_replaced)
{
    varve_error error;
    struct vv_publication p;
    const char *path = test_path("f");
    cr_assert_ok(vv_publish_begin(&p, posix(), path, 0, &error), error);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(vv_publish_end(&p, VARVE_OK, &error), VARVE_IS_DIRECTORY);
    cr_assert_eq(test_file_count(), 1);
}

TEST(publish, an_empty_path_is_not_found)
{
    varve_error error;
    cr_assert_eq(publish(posix(), "", 0, "new", &error), VARVE_NOT_FOUND);
    cr_assert_null(strchr(error.message, '\n'));
}

static int copy_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    strcpy(user, name);
    return 1;
}

/* The temporary name is ".<name>.<16 hex digits>.tmp". */
static void check_temporary(const char *name, size_t kept)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    struct vv_publication p;
    cr_assert_ok(vv_publish_begin(&p, &context, name, 0, &error), error);
    char found[256] = "";
    cr_assert_ok(vv_directory_each(
        &context, "", copy_name, found, &error), error);
    cr_assert_eq(strlen(found), kept + 22);
    cr_assert_eq(found[0], '.');
    cr_assert_eq(memcmp(found + 1, name, kept), 0);
    cr_assert_eq(found[1 + kept], '.');
    cr_assert_eq(strspn(found + kept + 2, "0123456789abcdef"), 16);
    cr_assert_str_eq(found + kept + 18, ".tmp");
    cr_assert(vv_utf8_is_valid(found, strlen(found)));
    cr_assert_ok(vv_publish_end(&p, VARVE_OK, &error), error);
    cr_assert_eq(memory_file_count(memory), 1);
    memory_free(memory);
}

TEST(publish, temporary_names_fit_the_name_limit)
{
    check_temporary("f", 1);
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    check_temporary(name, 233);
    for (size_t i = 0; i < 254; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    check_temporary(name, 232);
    name[233] = '\0';
    name[232] = 'n';
    check_temporary(name, 233);
}

TEST(publish, too_long_names_are_refused_before_the_work)
{
    char name[257];
    memset(name, 'n', 256);
    name[256] = '\0';
    struct vv_publication p;
    varve_error error;
    cr_assert_eq(vv_publish_begin(
        &p, posix(), test_path(name), 0, &error), VARVE_IO);
    cr_assert_eq(error.system_error, ENAMETOOLONG);
}

TEST(publish, a_used_temporary_name_is_not_changed)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_CREATE, .error = EEXIST });
    varve_error error;
    cr_assert_ok(publish(&context, "f", 0, "new", &error), error);
    size_t first = faulty_log_find(faulty, FAULTY_CREATE, 0);
    size_t second = faulty_log_find(faulty, FAULTY_CREATE, first + 1);
    cr_assert_str_neq(faulty_log_at(faulty, first)->name,
        faulty_log_at(faulty, second)->name);

    faulty_plan(faulty, &(struct faulty_plan){
        .sticky = true, .kinds = FAULTY_CREATE, .error = EEXIST });
    cr_assert_eq(publish(&context, "g", 0, "new", &error), VARVE_IO);
    cr_assert_eq(faulty_log_find(faulty, FAULTY_REMOVE, 0),
        faulty_log_size(faulty), "somebody else's file was removed");
    faulty_free(faulty);
    memory_free(memory);
}

/* Asserts the kinds of calls of a publication, in order. */
static void check_order(int flags, const char *expected)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    char calls[512] = "";
    cr_assert_ok(publish(&context, "f", flags, "new", &error), error);
    for (size_t i = 0; i < faulty_log_size(faulty); i++) {
        strcat(calls, faulty_kind_name(faulty_log_at(faulty, i)->kind));
        strcat(calls, " ");
    }
    cr_assert_str_eq(calls, expected);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(publish, calls_have_the_order_required_for_power_cuts)
{
    check_order(0, "open_directory open_directory sync_directory "
        "close_directory open_directory each_name random create open lock "
        "open close write sync close_created rename close sync_directory "
        "close_directory ");
    check_order(VV_PUBLISH_NO_REPLACE, "open_directory open_directory "
        "sync_directory close_directory open_directory each_name random "
        "create open lock open close write sync close_created rename_new "
        "close sync_directory close_directory ");
    check_order(VV_PUBLISH_NO_SYNC, "open_directory open_directory each_name "
        "random create open lock open close write close_created rename "
        "close close_directory ");
}

TEST(publish, calls_are_relative_to_one_directory)
{
    static const unsigned kinds[] = {
        FAULTY_CREATE, FAULTY_RENAME, FAULTY_REMOVE, FAULTY_SYNC_DIRECTORY };
    struct memory *memory = memory_new();
    memory_put(memory, "a/b/other", "", 0);
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    struct vv_publication p;
    cr_assert_ok(publish(&context, "a/b/f", 0, "new", &error), error);
    cr_assert_ok(vv_publish_begin(&p, &context, "a/b/f", 0, &error), error);
    vv_publish_end(&p, VARVE_CANCELLED, &error);
    for (size_t i = 0; i < 4; i++) {
        size_t at = faulty_log_find(faulty, kinds[i], 0);
        const struct faulty_call *call = faulty_log_at(faulty, at);
        cr_assert_geq(call->descriptor, 0);
        cr_assert_null(strchr(call->name, '/'));
        cr_assert_null(strchr(call->to, '/'));
    }
    faulty_free(faulty);
    memory_free(memory);
}

TEST(publish, a_file_over_the_size_limit_is_no_space_and_no_signal)
{
    struct rlimit old, tight;
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 4096;
    char bytes[8192] = "";
    const char *path = test_path("f");
    test_write_file(path, "old", 3);
    struct vv_publication p;
    varve_error error;
    cr_assert_ok(vv_publish_begin(&p, posix(), path, 0, &error), error);
    setrlimit(RLIMIT_FSIZE, &tight);
    varve_status status = vv_file_write(
        posix(), p.file, path, bytes, sizeof bytes, 0, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    cr_assert_eq(status, VARVE_NO_SPACE);
    cr_assert_eq(vv_publish_end(&p, status, &error), VARVE_NO_SPACE);
    cr_assert_eq(error.system_error, EFBIG);
    cr_assert(holds(posix(), path, "old"));
    cr_assert_eq(test_file_count(), 1);
}

/* A dangling name counts as taken. */
TEST(publish, a_link_in_a_cycle_is_not_replaced)
{
    varve_error error;
    const char *path = test_path("f");
    cr_assert_eq(symlink("f", path), 0);
    cr_assert_eq(publish(posix(), path, VV_PUBLISH_NO_REPLACE, "new", &error),
        VARVE_EXISTS);
    cr_assert_eq(test_file_count(), 1);
    cr_assert_eq(publish(posix(), path, 0, "new", &error), VARVE_IO);
    cr_assert_eq(error.system_error, ELOOP);
    cr_assert_eq(test_file_count(), 1);
}
