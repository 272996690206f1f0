/* test_manager_open.c - Tests opening a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "manage_world.h"

TEST(manager_open, refuses_invalid_arguments)
{
    varve_error error;
    struct world w;
    world_begin(&w, NULL);
    cr_assert_null(varve_manager_new(NULL, "run", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_manager_new(w.root, NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    varve_manager_options options = { .prefix = "a/b" };
    cr_assert_null(varve_manager_new(w.root, "run", &options, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    options = (varve_manager_options){ .metric = "" };
    cr_assert_null(varve_manager_new(w.root, "run", &options, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    world_end(&w);
}

/* `run/ckpt` is a prefix for varve_save and the command. */
TEST(manager_open, requires_a_directory_and_not_a_prefix)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, NULL);
    world_save(&w, 1);
    cr_assert_null(varve_manager_new(w.root, "run/ckpt", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert(strstr(error.message, "run/ckpt: this is the prefix of "
        "checkpoints ckpt-N.varve"), "%s", error.message);
    varve_manager *other =
        varve_manager_new(w.root, "run/other", NULL, &error);
    cr_assert(other, "%s", error.message);
    varve_manager_free(other);
    world_end(&w);
}

/* These would otherwise be found by the first save or the second start, hours
 * after the program was started. */
TEST(manager_open, checks_the_options_of_later_saves_and_resumes)
{
    static const varve_rename unlike = { "a/*", "b" };
    static const varve_write_options level = { .compress = 77 };
    static const varve_write_options files = { .collective.files = 2 };
    static const varve_read_options lost = { .rename.file = "nofile.txt" };
    static const varve_read_options wild = {
        .rename = { .list = &unlike, .count = 1 }
    };
    static const varve_read_options idle = { .cast_only = "a" };
    static const struct {
        varve_manager_options options;
        const char *text;
        varve_status status;
    } all[] = {
        { { .write = &level }, "compress: the level must be 0 to 19, found 77",
            VARVE_MISUSE },
        { { .write = &files }, "`collective.files` must be 0", VARVE_MISUSE },
        { { .read = &lost }, "rename.file: nofile.txt: ", VARVE_NOT_FOUND },
        { { .read = &wild }, "both sides need the same wildcards",
            VARVE_MISUSE },
        { { .read = &idle }, "`cast_only` has no effect", VARVE_MISUSE },
    };
    struct world w;
    world_begin(&w, &(varve_manager_options){ .prefix = "other" });
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        varve_error error = { 0 };
        cr_assert_null(
            varve_manager_new(w.root, "run", &all[i].options, &error), "%zu",
            i);
        cr_assert_eq(error.status, all[i].status, "%s", error.message);
        cr_assert(strstr(error.message, all[i].text), "%s", error.message);
    }
    world_end(&w);
}

/* A negative number becomes one that no step reaches. */
TEST(manager_open, refuses_intervals_that_were_negative)
{
    const struct {
        varve_manager_options options;
        const char *text;
    } all[] = {
        { { .interval_steps = (uint64_t)-5 },
            "run: `interval_steps` must be 0 to "
            "9223372036854775807, found -5" },
        { { .interval_seconds = (uint64_t)-1 },
            "run: `interval_seconds` must be 0 to "
            "9223372036854775807, found -1" },
        { { .keep_every_steps = (uint64_t)-1 },
            "run: `keep_every_steps` must be 0 to "
            "9223372036854775807, found -1" },
        { { .keep_every_seconds = (uint64_t)-1 },
            "run: `keep_every_seconds` must be 0 to "
            "9223372036854775807, found -1" },
        { { .levels = &(varve_level){ "l", .every_steps = (uint64_t)-1 },
              .level_count = 1 },
            "l: `every_steps` must be 0 to "
            "9223372036854775807, found -1" },
        { { .levels = &(varve_level){ "l", .every_seconds = (uint64_t)-1 },
              .level_count = 1 },
            "l: `every_seconds` must be 0 to "
            "9223372036854775807, found -1" },
        { { .levels = &(varve_level){ "l", .keep_every_steps = (uint64_t)-1 },
              .level_count = 1 },
            "l: `keep_every_steps` must be 0 to "
            "9223372036854775807, found -1" },
    };
    struct world w;
    world_begin(&w, &(varve_manager_options){ .prefix = "other" });
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        varve_error error = { 0 };
        cr_assert_null(
            varve_manager_new(w.root, "run", &all[i].options, &error), "%zu",
            i);
        cr_assert_eq(error.status, VARVE_MISUSE);
        cr_assert_str_eq(error.message, all[i].text);
    }
    world_end(&w);
}
