/* test_array_source.c - Tests records of an array in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

TEST(array_source, gives_a_batch_as_an_array)
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

/* Returns the first half of the fingerprint of an array, as stored in the
 * graph. */
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

TEST(array_source, refuses_what_cannot_be)
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

TEST(array_source, survives_running_out_of_memory)
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
