/* test_line_source.c - Tests text files whose lines are records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include <stdlib.h>

#include "line_source.h"

static varve_records *open_lines(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    return vv_records_open_lines_in(context, "file", options, error);
}

static void lines(const char *content, const char *wanted)
{
    holds(open_lines, content, strlen(content), wanted);
}

TEST(line_source, reads_lines_without_line_ends)
{
    lines("a\nbc\n", "a|bc|");
    lines("a\nbc", "a|bc|");
    lines("\n\na\n\n", "||a||");
    lines("\n", "|");
    lines("a", "a|");
    lines("", "");
    lines("a\r\nb\rc\r\n\r\nd\r", "a|b\rc||d\r|");
    holds(open_lines, "a\0b\nc", 5, "a");
}

/* Longer than a single read, with line ends at every position around its
 * boundary. */
TEST(line_source, finds_lines_anywhere_in_a_large_file)
{
    enum { SIZE = (1 << 20) + 64 };
    char *content = malloc(SIZE);
    for (int at = -3; at < 3; at++) {
        varve_error error = { 0 };
        struct memory *memory = memory_new();
        struct vv_context context = test_context(memory_system(memory));
        memset(content, 'x', SIZE);
        content[(1 << 20) + at] = '\n';
        memory_put(memory, "file", content, SIZE);
        varve_records *records = open_lines(&context, &plain_options, &error);
        varve_batch batch;
        cr_assert_eq(varve_records_count(records), 2);
        cr_assert_ok(varve_records_next(records, &batch, &error), error);
        cr_assert_eq(batch.records->size, (size_t)((1 << 20) + at));
        cr_assert_ok(varve_records_next(records, &batch, &error), error);
        cr_assert_eq(batch.records->size, (size_t)(63 - at));
        varve_records_free(records);
        memory_free(memory);
    }
    free(content);
}

TEST(line_source, handles_failed_calls)
{
    survives_faults(open_lines, "one\ntwo\n\nfour\nfive", 18,
        "one|two||four|five|");
}
