/* test_fixed_source.c - Tests files of records with a fixed size.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include "fixed_source.h"

static varve_records *open_fixed(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    const struct vv_fixed fixed = { "file", 2, 3 };
    return vv_records_open_fixed_in(context, &fixed, options, error);
}

TEST(fixed_source, gives_records_behind_a_header)
{
    holds(open_fixed, "--abcdef", 8, "abc|def|");
    holds(open_fixed, "--", 2, "");
}

TEST(fixed_source, refuses_a_file_that_ends_within)
{
    for (int no_content = 0; no_content < 2; no_content++) {
        varve_records_options options = { .no_content = no_content };
        refuses(open_fixed, &options, "-", 1, VARVE_TRUNCATED,
            "file: the file cannot be 2 bytes and then records of 3 bytes: "
            "it has 1 bytes");
        refuses(
            open_fixed, &options, "--ab", 4, VARVE_TRUNCATED, "has 4 bytes");
        refuses(
            open_fixed, &options, "--abcd", 6, VARVE_TRUNCATED, "has 6 bytes");
    }
}

TEST(fixed_source, needs_a_size)
{
    varve_error error = { 0 };
    cr_assert_null(varve_records_open_fixed("x", 0, 0, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_records_open_fixed(NULL, 0, 0, NULL, NULL));
    test_write_file(test_path("f"), "abcdef", 6);
    varve_records *records =
        varve_records_open_fixed(test_path("f"), 0, 2, NULL, &error);
    cr_assert_eq(varve_records_count(records), 3);
    varve_records_free(records);
}

TEST(fixed_source, survives_faults)
{
    survives_faults(open_fixed, "--abcdefghijkl", 14, "abc|def|ghi|jkl|");
}
