/* test_rename_path_pattern.c - Tests the public functions for path patterns and
 * renames.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <varve/structure.h>

TEST(path_pattern, matches_paths_and_their_subtrees)
{
    cr_assert(varve_path_matches("model/**/bias|opt", "model/a/b/bias"));
    cr_assert(varve_path_matches("model|opt", "opt/m(model/kernel)"));
    cr_assert(!varve_path_matches("model/**/bias|opt", "model/a/b/kernel"));
    cr_assert(!varve_path_matches(NULL, "model"));
    cr_assert(!varve_path_matches("model", NULL));
}

static varve_status rename_to(
    const char *from, const char *to, const char *path, char text[8])
{
    return varve_path_rename(from, to, path, text, 8);
}

TEST(path_pattern, renames_a_path_that_it_matches_exactly)
{
    char text[8] = "same";
    cr_assert_eq(rename_to("a/*/c", "x/*", "a/b/c", text), VARVE_OK);
    cr_assert_str_eq(text, "x/b");
    cr_assert_eq(rename_to("a/**", "**", "a", text), VARVE_OK);
    cr_assert_str_eq(text, "");
    cr_assert_eq(rename_to("a", "b", "a/c", text), VARVE_NOT_FOUND);
    cr_assert_eq(rename_to("a/*", "b", "a/c", text), VARVE_MISUSE);
    cr_assert_eq(rename_to(NULL, "b", "a", text), VARVE_MISUSE);
    cr_assert_str_eq(text, "");
}

TEST(path_pattern, refuses_results_that_do_not_fit)
{
    char text[8] = "same";
    cr_assert_eq(rename_to("a", "1234567", "a", text), VARVE_OK);
    cr_assert_str_eq(text, "1234567");
    cr_assert_eq(rename_to("a", "12345678", "a", text), VARVE_LIMIT);
    cr_assert_str_eq(text, "1234567");
}
