/* test_whole_source.c - Tests lists of files, each of which is one record.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include "whole_source.h"

/* Opens "file" twice: the second one is read from its beginning again. */
static varve_records *open_records(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    static const char *const paths[] = { "file", "file" };
    return vv_records_open_files_in(context, paths, 2, options, error);
}

TEST(whole_source, has_a_record_for_each_file)
{
    holds(open_records, "abc", 3, "abc|abc|");
    holds(open_records, "a\nb\n", 4, "a\nb\n|a\nb\n|");
    holds(open_records, "", 0, "||");
}

static varve_records *open_missing(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    static const char *const paths[] = { "file", "none" };
    return vv_records_open_files_in(context, paths, 2, options, error);
}

static varve_records *open_null(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    static const char *const paths[] = { "file", NULL };
    return vv_records_open_files_in(context, paths, 2, options, error);
}

static varve_records *open_nothing(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    return vv_records_open_files_in(context, NULL, 0, options, error);
}

TEST(whole_source, refuses_invalid_paths)
{
    refuses(open_missing, &plain_options, "abc", 3, VARVE_NOT_FOUND, "none: ");
    refuses(open_null, &plain_options, "abc", 3, VARVE_MISUSE,
        "files: the array of 2 paths is NULL");
    holds(open_nothing, "abc", 3, "");
}

TEST(whole_source, handles_failed_calls)
{
    survives_faults(open_records, "abc", 3, "abc|abc|");
}

/* Returns the first half of the fingerprint of three files in some order. */
static uint64_t print_of(const char *const *paths, const char *content)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error = { 0 };
    memory_put(memory, "a", content, strlen(content));
    memory_put(memory, "b", "bcd", 3);
    varve_records *records = vv_records_open_files_in(
        &context, paths, 2, &plain_options, &error);
    cr_assert(records, "%s", error.message);
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *node =
        varve_add_records(varve_graph_root(graph), "r", records);
    uint64_t print =
        *(const uint64_t *)varve_data(varve_find(node, "fingerprint"));
    varve_graph_free(graph);
    varve_records_free(records);
    memory_free(memory);
    return print;
}

TEST(whole_source, has_a_fingerprint_of_its_contents_in_order)
{
    static const char *const there[] = { "a", "b" };
    static const char *const back[] = { "b", "a" };
    uint64_t print = print_of(there, "abc");
    cr_assert_eq(print_of(there, "abc"), print);
    cr_assert_neq(print_of(there, "abd"), print);
    cr_assert_neq(print_of(back, "abc"), print);
}

TEST(whole_source, detects_a_changed_file)
{
    varve_error error = { 0 };
    varve_batch batch;
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    memory_put(memory, "file", "abc", 3);
    varve_records *records = open_records(&context, &plain_options, &error);
    cr_assert(records, "%s", error.message);
    memory_put(memory, "file", "abcd", 4);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(
            varve_records_next(records, &batch, &error), VARVE_MISMATCH);
        cr_assert(strstr(error.message, "file: the file has changed since "
            "its records were opened: it had"),
            "%s", error.message);
    }
    memory_put(memory, "file", "abc", 3);
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    varve_records_free(records);
    memory_free(memory);
}
