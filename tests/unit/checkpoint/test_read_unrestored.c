/* test_read_unrestored.c - Tests options that a function does not support.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "read.h"

static void check(
    const varve_read_options *options, bool has_program, const char *name)
{
    varve_error error = { 0 };
    varve_status status =
        vv_check_unrestored(options, "a call", has_program, &error);
    cr_assert_eq(status, name ? VARVE_MISUSE : VARVE_OK, "%s", name);
    cr_assert(!name || strstr(error.message, name), "%s", error.message);
}

TEST(unrestored, reports_an_option_that_requires_a_restoration)
{
    const varve_read_options map = { .map = true };
    const varve_read_options missing = { .expect.missing = "a" };
    const varve_read_options unused = { .expect.unexpected = "a" };
    for (int has_program = 0; has_program < 2; has_program++) {
        check(&map, has_program, "a call: `map` must not be set");
        check(&missing, has_program, "`expect.missing`");
        check(&unused, has_program, "`expect.unexpected`");
    }
}

TEST(unrestored, reports_an_option_that_requires_a_program_graph)
{
    static const varve_rename renames[] = { { "a", "b" } };
    const struct {
        varve_read_options options;
        const char *name;
    } all[] = {
        { { .resize = "a" }, "`resize`" },
        { { .reshape = true }, "`reshape`" },
        { { .copy_shared = true }, "`copy_shared`" },
        { { .cast = VARVE_CAST_ANY }, "`cast`" },
        { { .rename = { .list = renames, .count = 1 } }, "`rename.list`" },
        { { .rename.file = "names" }, "`rename.file`" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check(&all[i].options, false, all[i].name);
        check(&all[i].options, true, NULL);
    }
}

TEST(unrestored, accepts_selection_and_read_options)
{
    const varve_read_options options = { .only = "a", .subtree = "b",
        .no_verify = true, .passes = VARVE_ONE_PASS, .foreign.dots = true,
        .resources.threads = 1 };
    check(NULL, false, NULL);
    check(&options, false, NULL);
}
