/* output_log.h - Provides a graph and a log file for the tests of output.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef OUTPUT_LOG_H
#define OUTPUT_LOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = varve_graph_new(test_allocator());
    root = varve_graph_root(graph);
}

static FILE *open_log(const char *mode)
{
    FILE *log = fopen(test_path("log"), mode);
    cr_assert_not_null(log);
    return log;
}

static void check_log(const char *wanted)
{
    size_t size;
    char *bytes = test_read_file(test_path("log"), &size);
    cr_assert_eq(size, strlen(wanted), "%.*s", (int)size, bytes);
    cr_assert_eq(memcmp(bytes, wanted, size), 0, "%.*s", (int)size, bytes);
    free(bytes);
}

static void save(void)
{
    varve_error error = { 0 };
    cr_assert_ok(
        varve_write(root, test_path("a.varve"), NULL, &error), error);
}

#endif
