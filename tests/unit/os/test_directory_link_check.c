/* test_directory_link_check.c - Tests whether files and links are in the same
 * directory.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* symlink */
#include "directory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "default_allocator.h"
#include "support/test.h"
#include "system.h"

static struct vv_context context(void)
{
    return (struct vv_context){ .allocator = *test_allocator(),
        .system = &vv_posix_system };
}

static const char *in_test(const char *name, char path[256])
{
    snprintf(path, 256, "%s", test_path(name));
    return path;
}

static void put(const char *name)
{
    FILE *file = fopen(test_path(name), "w");
    cr_assert(file, "%s", name);
    fclose(file);
}

static void link_to(const char *target, const char *name)
{
    cr_assert_eq(symlink(target, test_path(name)), 0, "%s", name);
}

static varve_status check(
    const char *naming, const char *name, varve_error *error)
{
    struct vv_context c = context();
    char one[256], other[256];
    return vv_file_check_directory(
        &c, in_test(naming, one), in_test(name, other), error);
}

static void allows(const char *naming, const char *name)
{
    varve_error error = { 0 };
    cr_assert_eq(check(naming, name, &error), VARVE_OK, "%s", error.message);
}

static void refuses(const char *naming, const char *name)
{
    varve_error error = { 0 };
    cr_assert_eq(check(naming, name, &error), VARVE_NO_PERMISSION, "%s", name);
    cr_assert(strstr(error.message,
                  "a symbolic link to a file outside this directory,"),
        "%s", error.message);
    cr_assert(strstr(error.message, "foreign.follow_links"));
}

static void make_directories(void)
{
    cr_assert_eq(mkdir(test_path("a"), 0777), 0);
    cr_assert_eq(mkdir(test_path("b"), 0777), 0);
    put("a/index");
    put("a/data");
    put("b/data");
}

TEST(link_check, allows_files_and_links_of_the_directory)
{
    char target[256];
    make_directories();
    link_to("data", "a/link");
    link_to("../a/data", "a/round");
    link_to(in_test("a/data", target), "a/absolute");
    link_to("link", "a/chain");
    link_to("none", "a/nowhere");
    link_to("a", "c");
    static const char *const names[] = { "a/data", "a/link", "a/round",
        "a/absolute", "a/chain", "a/nowhere", "a/none", "c/link" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        allows("a/index", names[i]);
}

TEST(link_check, refuses_links_out_of_the_directory)
{
    make_directories();
    link_to("../b/data", "a/link");
    link_to("/etc/passwd", "a/absolute");
    link_to("link", "a/chain");
    link_to("../b", "a/b");
    link_to("b/data", "a/through");
    static const char *const names[] = { "a/link", "a/absolute", "a/chain",
        "a/through" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        refuses("a/index", names[i]);
    struct vv_context c = context();
    varve_error error = { 0 };
    c.follows_links = true;
    cr_assert_eq(vv_file_check_directory(
                     &c, test_path("a/index"), test_path("a/link"), &error),
        VARVE_OK);
}

TEST(link_check, allows_links_to_the_directory_of_the_index)
{
    make_directories();
    put("b/index");
    link_to("../b/index", "a/linked");
    link_to("../b/data", "a/link");
    link_to("../data", "a/above");
    put("data");
    allows("a/linked", "a/link");
    refuses("a/linked", "a/above");
    refuses("a/index", "a/link");
}

TEST(link_check, ends_on_cycles_of_links)
{
    varve_error error = { 0 };
    make_directories();
    link_to("ring", "a/ring");
    cr_assert_eq(check("a/index", "a/ring", &error), VARVE_IO);
}

TEST(link_check, reports_every_failed_allocation)
{
    make_directories();
    put("b/index");
    link_to("../b/index", "a/linked");
    link_to("../b/data", "a/link");
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        varve_status status = check("a/linked", "a/link", &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%ld: %s", n, error.message);
    }
}
