/* test_replaced.c - Tests saving through a symbolic link and over a file of
 * mode 600: both keep these properties.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* for symlink */

#include "story.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static double value;

static varve_status write_value(const char *path, double wanted,
    const varve_write_options *options, varve_error *error)
{
    varve_graph *graph = story_graph();
    value = wanted;
    varve_add_variable(varve_graph_root(graph), "v", varve_scalar(&value));
    varve_status status =
        varve_write(varve_graph_root(graph), path, options, error);
    varve_graph_free(graph);
    return status;
}

static double read_value(const char *path)
{
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    value = -1;
    varve_add_variable(varve_graph_root(graph), "v", varve_scalar(&value));
    varve_restoration *restoration =
        varve_read(varve_graph_root(graph), path, NULL, &error);
    cr_assert(restoration, "%s", error.message);
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return value;
}

static void check_link(const char *path)
{
    struct stat found;
    cr_assert_eq(lstat(path, &found), 0);
    cr_assert(S_ISLNK(found.st_mode));
}

TEST(replaced, a_link_is_kept_and_its_target_replaced)
{
    varve_error error = { 0 };
    cr_assert_eq(mkdir(test_path("disk"), 0777), 0);
    cr_assert_eq(symlink("disk/real.varve", test_path("run.varve")), 0);
    for (int i = 1; i <= 2; i++) {
        cr_assert_ok(
            write_value(test_path("run.varve"), i, NULL, &error), error);
        check_link(test_path("run.varve"));
        cr_assert_eq(read_value(test_path("disk/real.varve")), i);
        cr_assert_eq(read_value(test_path("run.varve")), i);
    }
}

/* Other formats can be replaced, too; a checkpoint of several files would be
 * separated. */
TEST(replaced, a_link_to_a_checkpoint_of_several_files_is_refused)
{
    varve_error error = { 0 };
    const varve_write_options numpy = { .format = VARVE_FORMAT_NPZ };
    const varve_write_options incremental = { .incremental = true };
    const varve_write_options careful = { .no_replace = true };
    cr_assert_eq(mkdir(test_path("disk"), 0777), 0);
    cr_assert_eq(symlink("disk/real.npz", test_path("run.npz")), 0);
    cr_assert_ok(write_value(test_path("run.npz"), 1, &numpy, &error), error);
    check_link(test_path("run.npz"));
    cr_assert_eq(read_value(test_path("disk/real.npz")), 1);
    cr_assert_eq(symlink("disk/real.varve", test_path("run.varve")), 0);
    cr_assert_eq(
        write_value(test_path("run.varve"), 1, &careful, &error),
        VARVE_EXISTS);
    cr_assert_ok(write_value(test_path("run.varve"), 1, NULL, &error), error);
    cr_assert_eq(write_value(test_path("run.varve"), 2, &incremental, &error),
        VARVE_MISUSE);
    cr_assert(strstr(error.message, "symbolic link"), "%s", error.message);
    check_link(test_path("run.varve"));
    cr_assert_eq(read_value(test_path("disk/real.varve")), 1);
}

TEST(replaced, a_file_keeps_its_mode)
{
    varve_error error = { 0 };
    struct stat found;
    const char *path = test_path("secret.varve");
    mode_t old = umask(022);
    cr_assert_ok(write_value(path, 1, NULL, &error), error);
    cr_assert_eq(chmod(path, 0600), 0);
    cr_assert_ok(write_value(path, 2, NULL, &error), error);
    umask(old);
    cr_assert_eq(stat(path, &found), 0);
    cr_assert_eq(found.st_mode & 0777, 0600);
    cr_assert_eq(read_value(path), 2);
}

/* Returns the number of files in a directory with this prefix and mode. */
static int count_files(
    const char *directory, const char *begin, unsigned mode)
{
    int count = 0;
    struct dirent *entry;
    DIR *open = opendir(directory);
    cr_assert(open);
    while ((entry = readdir(open))) {
        struct stat found;
        cr_assert_eq(
            fstatat(dirfd(open), entry->d_name, &found, AT_SYMLINK_NOFOLLOW),
            0);
        count += S_ISREG(found.st_mode) && (found.st_mode & 0777) == mode &&
                 strncmp(entry->d_name, begin, strlen(begin)) == 0;
    }
    closedir(open);
    return count;
}

static void write_twice(const char *path, const varve_write_options *options)
{
    varve_error error = { 0 };
    mode_t old = umask(022);
    cr_assert_ok(write_value(path, 1, options, &error), error);
    cr_assert_eq(chmod(path, 0600), 0);
    cr_assert_ok(write_value(path, 2, options, &error), error);
    umask(old);
    cr_assert_eq(read_value(path), 2);
}

/* These files contain the values. */
TEST(replaced, data_files_have_the_mode_of_the_index)
{
    const varve_write_options incremental = { .incremental = true };
    const varve_write_options tensorflow = { .format =
                                                 VARVE_FORMAT_TENSORFLOW };
    char directory[512];
    snprintf(directory, sizeof directory, "%s", test_path("."));
    write_twice(test_path("t.index"), &tensorflow);
    cr_assert_eq(count_files(directory, "t.", 0600), 3, "two of data");
    cr_assert_eq(count_files(directory, "t.", 0644), 0);
    write_twice(test_path("secret.varve"), &incremental);
    snprintf(directory, sizeof directory, "%s", test_path("layers"));
    cr_assert_eq(count_files(directory, "", 0600), 1, "the newer layer");
}
