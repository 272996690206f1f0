/* test_fixed_source.c - Tests files of records with a fixed size.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixed_source.h"

#include "sources.h"

TEST(array_source, returns_a_batch_as_an_array)
{
    varve_error error = { 0 };
    static const float data[5][2] = {
        { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 8, 9 }
    };
    const varve_records_options options = {
        .batch = 2,
        .epochs = 1,
        .allocator = test_allocator(),
    };
    varve_records *records = varve_records_open_array(
        data, 5, sizeof data[0], &options, &error);
    for (size_t i = 0; i < 5; i += 2) {
        varve_batch batch;
        cr_assert_ok(varve_records_next(records, &batch, &error), error);
        cr_assert_eq(batch.count, i < 4 ? 2 : 1);
        cr_assert_arr_eq(
            batch.records[0].data, data[i], batch.count * sizeof data[0]);
        cr_assert_eq((uintptr_t)batch.records[0].data % 16, 0);
    }
    varve_records_free(records);
}

/* The first half of the fingerprint of an array, as the graph shows it. */
static uint64_t print_of(
    const void *data, uint64_t count, size_t size, bool no_content)
{
    const varve_records_options options = {
        .no_content = no_content,
        .allocator = test_allocator(),
    };
    varve_records *records =
        varve_records_open_array(data, count, size, &options, NULL);
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *node =
        varve_add_records(varve_graph_root(graph), "r", records);
    uint64_t print =
        *(const uint64_t *)varve_data(varve_find(node, "fingerprint"));
    varve_graph_free(graph);
    varve_records_free(records);
    return print;
}

TEST(array_source, has_the_fingerprint_of_its_content_and_extents)
{
    uint64_t print = print_of("abcdef", 3, 2, false);
    cr_assert_eq(print_of("abcdef", 3, 2, false), print);
    cr_assert_neq(print_of("abcdeg", 3, 2, false), print);
    cr_assert_neq(print_of("abcdef", 2, 3, false), print);
    print = print_of("abcdef", 3, 2, true);
    cr_assert_eq(print_of("uvwxyz", 3, 2, true), print);
    cr_assert_neq(print_of("abcdef", 2, 2, true), print);
}

TEST(array_source, refuses_invalid_arguments)
{
    varve_error error = { 0 };
    cr_assert_null(varve_records_open_array(NULL, 1, 1, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_records_open_array("", 1, 0, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(
        varve_records_open_array("", UINT64_MAX / 2, 3, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
}

TEST(array_source, handles_failed_allocations)
{
    const varve_records_options options = { .allocator = test_allocator() };
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        varve_batch batch;
        test_fail_allocation(n, false);
        varve_records *records =
            varve_records_open_array("abc", 3, 1, &options, &error);
        varve_status status = records
            ? varve_records_next(records, &batch, &error) : error.status;
        bool failed = test_allocation_count() > n;
        varve_records_free(records);
        cr_assert_eq(status, failed ? VARVE_NO_MEMORY : VARVE_OK);
        if (!failed)
            break;
    }
    test_fail_allocation(-1, false);
}

static varve_records *open_fixed(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    const struct vv_fixed fixed = { "file", 2, 3 };
    return vv_records_open_fixed_in(context, &fixed, options, error);
}

TEST(fixed_source, reads_records_after_a_header)
{
    holds(open_fixed, "--abcdef", 8, "abc|def|");
    holds(open_fixed, "--", 2, "");
}

TEST(fixed_source, refuses_a_file_that_ends_in_a_record)
{
    for (int no_content = 0; no_content < 2; no_content++) {
        varve_records_options options = { .no_content = no_content };
        refuses(open_fixed, &options, "-", 1, VARVE_TRUNCATED,
            "file: the file cannot be 2 bytes and then records of 3 bytes: "
            "it has 1 byte");
        refuses(
            open_fixed, &options, "--ab", 4, VARVE_TRUNCATED, "has 4 bytes");
        refuses(
            open_fixed, &options, "--abcd", 6, VARVE_TRUNCATED, "has 6 bytes");
    }
}

TEST(fixed_source, requires_a_size)
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

TEST(fixed_source, handles_failed_calls)
{
    survives_faults(open_fixed, "--abcdefghijkl", 14, "abc|def|ghi|jkl|");
}
