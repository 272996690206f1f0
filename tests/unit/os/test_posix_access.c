/* test_posix_access.c - Tests access rights of published files: links are
 * followed, and a replaced file passes its access rights on to the new one.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "publishing.h"
#include "support/faulty_system.h"

static const struct vv_context *posix(void)
{
    static struct vv_context context;
    context = test_context(&vv_posix_system);
    return &context;
}

static bool is_link(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

static unsigned mode_of(const char *path)
{
    struct stat found;
    cr_assert_eq(stat(path, &found), 0);
    return found.st_mode & 07777;
}

/* Checks that a link "l" to `target` is kept, and that "far/f" is written. */
static void publish_through(const char *target, const char *older)
{
    varve_error error;
    if (older)
        test_write_file(test_path("far/f"), older, strlen(older));
    cr_assert_eq(symlink(target, test_path("l")), 0);
    cr_assert_ok(publish(posix(), test_path("l"), 0, "new", &error), error);
    cr_assert(is_link(test_path("l")));
    cr_assert(holds(posix(), test_path("far/f"), "new"));
    cr_assert_eq(count_beside(posix(), test_path("far/f")), 1);
    cr_assert_eq(unlink(test_path("l")), 0);
    cr_assert_eq(unlink(test_path("far/f")), 0);
}

TEST(posix_access, the_target_of_a_link_is_replaced_or_created)
{
    char whole[4096];
    cr_assert_eq(mkdir(test_path("far"), 0777), 0);
    cr_assert_eq(mkdir(test_path("chain"), 0777), 0);
    cr_assert_eq(symlink("chain", test_path("short")), 0);
    cr_assert_eq(symlink("two", test_path("chain/one")), 0);
    cr_assert_eq(symlink("../far/f", test_path("chain/two")), 0);
    snprintf(whole, sizeof whole, "%s", test_path("far/f"));
    for (int i = 0; i < 2; i++) {
        const char *older = i ? "old" : NULL;
        publish_through("far/f", older);
        publish_through("far/../far/f", older);
        publish_through(whole, older);
        publish_through("short/one", older);
    }
    cr_assert(is_link(test_path("chain/one")));
    cr_assert(is_link(test_path("chain/two")));
}

static void refuse(const char *path, int flags, varve_status expected,
    const char *words)
{
    struct vv_publication p;
    varve_error error = { 0 };
    int before = count_beside(posix(), path);
    cr_assert_eq(vv_publish_begin(&p, posix(), path, flags, &error), expected,
        "%s", error.message);
    cr_assert(strstr(error.message, words), "%s", error.message);
    cr_assert(is_link(path));
    cr_assert_eq(count_beside(posix(), path), before);
}

TEST(posix_access, links_to_no_file_are_refused)
{
    cr_assert_eq(mkdir(test_path("d"), 0777), 0);
    cr_assert_eq(symlink("b", test_path("a")), 0);
    cr_assert_eq(symlink("a", test_path("b")), 0);
    refuse(test_path("a"), 0, VARVE_IO, "following its symbolic links");
    cr_assert_eq(symlink("d", test_path("to_d")), 0);
    refuse(test_path("to_d"), 0, VARVE_IS_DIRECTORY, "directory");
    cr_assert_eq(symlink("d/", test_path("to_slash")), 0);
    refuse(test_path("to_slash"), 0, VARVE_IS_DIRECTORY, "directory");
    cr_assert_eq(symlink("..", test_path("to_dots")), 0);
    refuse(test_path("to_dots"), 0, VARVE_IS_DIRECTORY, "directory");
    cr_assert_eq(symlink("none/f", test_path("to_none")), 0);
    refuse(test_path("to_none"), 0, VARVE_NOT_FOUND, "none");
}

TEST(posix_access, no_replace_refuses_a_link)
{
    int flags = VV_PUBLISH_NO_REPLACE;
    test_write_file(test_path("f"), "old", 3);
    cr_assert_eq(symlink("f", test_path("l")), 0);
    refuse(test_path("l"), flags, VARVE_EXISTS, "");
    cr_assert_eq(symlink("missing", test_path("dangling")), 0);
    refuse(test_path("dangling"), flags, VARVE_EXISTS, "");
    cr_assert(holds(posix(), test_path("f"), "old"));
}

TEST(posix_access, a_link_is_refused_for_files_with_data_files)
{
    test_write_file(test_path("f"), "old", 3);
    cr_assert_eq(symlink("f", test_path("l")), 0);
    refuse(test_path("l"), VV_PUBLISH_NO_LINK, VARVE_MISUSE, "symbolic link");
    cr_assert(holds(posix(), test_path("f"), "old"));
}

TEST(posix_access, the_mode_of_a_replaced_file_is_kept)
{
    static const unsigned modes[] = { 0600, 0640, 0666, 0400, 0444, 0000 };
    const char *path = test_path("f");
    mode_t old = umask(022);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct vv_publication p;
        struct stat during;
        varve_error error;
        test_write_file(path, "old", 3);
        cr_assert_eq(chmod(path, modes[i]), 0);
        cr_assert_ok(vv_publish_begin(&p, posix(), path, 0, &error), error);
        cr_assert_eq(fstat(p.file, &during), 0);
        cr_assert_eq(during.st_mode & 07777, modes[i] | 0600);
        cr_assert_ok(vv_publish_end(&p, VARVE_OK, &error), error);
        cr_assert_eq(mode_of(path), modes[i]);
        cr_assert_eq(unlink(path), 0);
    }
    umask(old);
}

TEST(posix_access, the_owner_of_a_replaced_file_is_kept_if_permitted)
{
    const char *path = test_path("f");
    struct stat found;
    varve_error error;
    test_write_file(path, "old", 3);
    cr_assert_eq(chmod(path, 0640), 0);
    bool is_permitted = chown(path, 12345, 12346) == 0;
    cr_assert_ok(publish(posix(), path, 0, "new", &error), error);
    cr_assert_eq(stat(path, &found), 0);
    cr_assert_eq(found.st_uid, is_permitted ? 12345 : geteuid());
    cr_assert_eq(found.st_mode & 07777, 0640);
    if (is_permitted)
        cr_assert_eq(found.st_gid, 12346);
}

/* Another user may replace a file in a shared directory. */
TEST(posix_access, a_group_that_cannot_be_kept_gets_the_rights_of_others)
{
    const char *path = test_path("f");
    struct stat found;
    varve_error error;
    if (geteuid() != 0)
        return; /* cannot create files of another owner */
    test_write_file(path, "old", 3);
    cr_assert_eq(chmod(path, 0664), 0);
    cr_assert_eq(chmod(test_path("."), 0777), 0);
    cr_assert_eq(setegid(12346), 0);
    cr_assert_eq(seteuid(12345), 0);
    varve_status status = publish(posix(), path, 0, "new", &error);
    cr_assert_eq(seteuid(0), 0);
    cr_assert_eq(setegid(0), 0);
    cr_assert_ok(status, error);
    cr_assert_eq(stat(path, &found), 0);
    cr_assert_eq(found.st_uid, 12345);
    cr_assert_eq(found.st_mode & 07777, 0644);
}

/* Creates a directory like /tmp, with a link and a file of another user. */
static bool make_shared(const char *directory, const char *to)
{
    char path[512];
    if (geteuid() != 0)
        return false; /* cannot create files of another owner */
    cr_assert_eq(mkdir(directory, 0777), 0);
    cr_assert_eq(chmod(test_path("."), 0755), 0);
    cr_assert_eq(chmod(directory, 01777), 0);
    snprintf(path, sizeof path, "%s/l", directory);
    cr_assert_eq(symlink(to, path), 0);
    cr_assert_eq(lchown(path, 12345, 12346), 0);
    snprintf(path, sizeof path, "%s/f", directory);
    test_write_file(path, "old", 3);
    cr_assert_eq(chown(path, 12345, 12346), 0);
    cr_assert_eq(chmod(path, 0666), 0);
    return true;
}

TEST(posix_access, a_planted_link_is_not_followed)
{
    char directory[512], other[512];
    snprintf(directory, sizeof directory, "%s", test_path("shared"));
    snprintf(other, sizeof other, "%s", test_path("mine"));
    test_write_file(other, "mine", 4);
    if (!make_shared(directory, "../mine"))
        return;
    refuse(test_path("shared/l"), 0, VARVE_NO_PERMISSION, "another user");
    cr_assert(holds(posix(), other, "mine"));
    /* The owner of the directory may have created it. */
    varve_error error;
    cr_assert_eq(chown(directory, 12345, 12346), 0);
    cr_assert_ok(
        publish(posix(), test_path("shared/l"), 0, "new", &error), error);
    cr_assert(holds(posix(), other, "new"));
}

TEST(posix_access, a_planted_file_gives_no_access)
{
    char directory[512];
    struct stat found;
    varve_error error;
    snprintf(directory, sizeof directory, "%s", test_path("shared"));
    if (!make_shared(directory, "f"))
        return;
    mode_t old = umask(077);
    varve_status status =
        publish(posix(), test_path("shared/f"), 0, "new", &error);
    umask(old);
    cr_assert_ok(status, error);
    cr_assert_eq(stat(test_path("shared/f"), &found), 0);
    cr_assert_eq(found.st_uid, 0);
    cr_assert_eq(found.st_mode & 07777, 0600);
}

TEST(posix_access, setuid_and_setgid_bits_are_dropped)
{
    const char *path = test_path("f");
    varve_error error;
    test_write_file(path, "old", 3);
    cr_assert_eq(chmod(path, 07755), 0);
    cr_assert_ok(publish(posix(), path, 0, "new", &error), error);
    cr_assert_eq(mode_of(path), 0755);
}

#ifdef __linux__
/* A POSIX list as stored by Linux: the owner reads and writes, user 12345
 * reads, the group has no access, the mask allows reading, others have no
 * access. */
static const unsigned char access_list[] = { 2, 0, 0, 0, /* the version */
    1, 0, 6, 0, 255, 255, 255, 255,                      /* the owner */
    2, 0, 4, 0, 0x39, 0x30, 0, 0,                        /* user 12345 */
    4, 0, 0, 0, 255, 255, 255, 255,                      /* the group */
    16, 0, 4, 0, 255, 255, 255, 255,                     /* the mask */
    32, 0, 0, 0, 255, 255, 255, 255 };                   /* others */

static bool has_list(const char *path)
{
    unsigned char found[256];
    ssize_t size =
        getxattr(path, "system.posix_acl_access", found, sizeof found);
    if (size < 0)
        return false;
    cr_assert_eq((size_t)size, sizeof access_list);
    cr_assert_eq(memcmp(found, access_list, sizeof access_list), 0);
    return true;
}

TEST(posix_access, an_acl_is_kept_and_none_is_inherited)
{
    const char *path = test_path("f");
    varve_error error;
    test_write_file(path, "old", 3);
    if (setxattr(path, "system.posix_acl_access", access_list,
            sizeof access_list, 0))
        return; /* the file system has none */
    cr_assert_ok(publish(posix(), path, 0, "new", &error), error);
    cr_assert(has_list(path));
    cr_assert_eq(mode_of(path), 0640);
    cr_assert_eq(unlink(path), 0);
    test_write_file(path, "old", 3);
    cr_assert_eq(chmod(path, 0640), 0);
    cr_assert_eq(setxattr(test_path("."), "system.posix_acl_default",
                     access_list, sizeof access_list, 0), 0);
    cr_assert_ok(publish(posix(), path, 0, "new", &error), error);
    cr_assert_not(has_list(path));
    cr_assert_eq(mode_of(path), 0640);
}

/* With another group its entry would apply to other users. */
TEST(posix_access, an_acl_without_its_group_leaves_access_to_the_owner_only)
{
    const char *path = test_path("f");
    varve_error error;
    test_write_file(path, "old", 3);
    if (geteuid() != 0 || setxattr(path, "system.posix_acl_access",
                              access_list, sizeof access_list, 0))
        return;
    cr_assert_eq(chmod(test_path("."), 0777), 0);
    cr_assert_eq(setegid(12346), 0);
    cr_assert_eq(seteuid(12345), 0);
    varve_status status = publish(posix(), path, 0, "new", &error);
    cr_assert_eq(seteuid(0), 0);
    cr_assert_eq(setegid(0), 0);
    cr_assert_ok(status, error);
    cr_assert_not(has_list(path));
    cr_assert_eq(mode_of(path), 0600);
}
#endif

/* Data in a second file is protected from its first byte on. */
TEST(posix_access, a_data_file_has_the_access_of_the_replaced_file)
{
    struct vv_publication p, beside;
    struct stat during;
    varve_error error;
    const char *path = test_path("f");
    char other[512];
    snprintf(other, sizeof other, "%s", test_path("g"));
    test_write_file(path, "old", 3);
    cr_assert_eq(chmod(path, 0600), 0);
    cr_assert_ok(vv_publish_begin(&p, posix(), path, 0, &error), error);
    cr_assert_ok(vv_publish_begin_in(&beside, posix(), p.directory, "g", other,
        0, vv_publish_access(&p), &error), error);
    cr_assert_eq(fstat(beside.file, &during), 0);
    cr_assert_eq(during.st_mode & 07777, 0600);
    cr_assert_ok(vv_publish_close(&beside, VARVE_OK, &error), error);
    cr_assert_ok(vv_publish_place(&beside, other, &error), error);
    cr_assert_ok(vv_publish_end(&p, VARVE_OK, &error), error);
    cr_assert_eq(mode_of(other), 0600);
    cr_assert_eq(unlink(path), 0);
    cr_assert_ok(vv_publish_begin(&p, posix(), path, 0, &error), error);
    cr_assert_null(vv_publish_access(&p));
    cr_assert_ok(vv_publish_end(&p, VARVE_OK, &error), error);
}

/* Each call fails once: the older file remains, and no other one. */
TEST(posix_access, a_failure_of_any_call_keeps_the_older_file)
{
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("l"));
    struct faulty *faulty = faulty_new(&vv_posix_system);
    struct vv_context context = test_context(faulty_system(faulty));
    cr_assert_eq(mkdir(test_path("far"), 0777), 0);
    cr_assert_eq(symlink("far/f", path), 0);
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        test_write_file(test_path("far/f"), "old", 3);
        cr_assert_eq(chmod(test_path("far/f"), 0400), 0);
        faulty_plan(faulty, &(struct faulty_plan){
            .number = n, .kinds = FAULTY_INFO, .error = EIO });
        varve_status status = publish(&context, path, 0, "new", &error);
        bool is_hit = faulty_hit(faulty);
        cr_assert_eq(status, is_hit ? VARVE_IO : VARVE_OK, "%s",
            error.message);
        faulty_plan(faulty, NULL);
        cr_assert(is_link(path));
        cr_assert(
            holds(posix(), test_path("far/f"), is_hit ? "old" : "new"));
        cr_assert_eq(count_beside(posix(), test_path("far/f")), 1);
        cr_assert_eq(faulty_open_count(faulty), 0);
        cr_assert_eq(unlink(test_path("far/f")), 0);
        if (is_hit)
            continue;
        cr_assert_geq(n, 4, "two looks, and the mode twice");
        break;
    }
    faulty_free(faulty);
}

/* Returns the number of system calls of a save for names and modes. */
static size_t count_looks(const char *path)
{
    struct faulty *faulty = faulty_new(&vv_posix_system);
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    cr_assert_ok(publish(&context, path, 0, "new", &error), error);
    size_t count = 0;
    for (size_t i = 0; i < faulty_log_size(faulty); i++)
        count += faulty_log_at(faulty, i)->kind == FAULTY_INFO;
    faulty_free(faulty);
    return count;
}

TEST(posix_access, a_usual_save_makes_few_calls)
{
    cr_assert_eq(count_looks(test_path("f")), 1, "one look");
    cr_assert_eq(count_looks(test_path("f")), 2, "one look, and the mode");
}
