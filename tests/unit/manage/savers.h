/* savers.h - Provides what the tests of savers share: a file system in memory,
 * a graph of a few numbers, and lists of files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_SAVERS_H
#define UNIT_SAVERS_H

#include "support/memory_system.h"
#include "support/test_context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "reader.h"
#include "saver.h"
#include "saver_list.h"

static struct {
    struct memory *memory;
    struct vv_context context;
    varve_graph *graph;
    varve_node *root;
    float x[8];
} world;

static inline void begin_graph(void)
{
    world.graph = vv_graph_new_in(&world.context);
    world.root = varve_graph_root(world.graph);
}

static inline void begin_world(void)
{
    world.memory = memory_new();
    world.context = test_context(memory_system(world.memory));
    for (int i = 0; i < 8; i++)
        world.x[i] = (float)(i + 1);
    begin_graph();
}

static inline void end_graph(void)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_graph_check(world.graph, &error), error);
    varve_graph_free(world.graph);
}

static inline void end_world(void)
{
    end_graph();
    cr_assert_eq(memory_open_count(world.memory), 0);
    memory_free(world.memory);
}

/* Adds a variable for x[i]. */
static inline varve_node *leaf(varve_node *parent, const char *name, int i)
{
    return varve_add_variable(parent, name, varve_scalar(&world.x[i]));
}

static inline varve_saver *new_saver(const varve_saver_options *options)
{
    varve_error error = { 0 };
    varve_saver *saver = varve_saver_new(world.graph, options, &error);
    cr_assert(saver, "%s", error.message);
    return saver;
}

static inline void add(varve_saver *saver, const char *name, varve_node *node)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_saver_add(saver, name, node, &error), error);
}

static inline void save(varve_saver *saver, const char *prefix, uint64_t step)
{
    varve_error error = { 0 };
    varve_saver_save_options options = { .has_step = true, .step = step };
    cr_assert_ok(varve_saver_save(saver, prefix, &options, &error), error);
}

static inline void restore(varve_saver *saver, const char *path)
{
    varve_error error = { 0 };
    cr_assert_ok(
        varve_saver_restore(saver, path, NULL, NULL, &error), error);
}

static inline bool is_there(const char *path)
{
    size_t size;
    return memory_bytes(world.memory, path, &size) != NULL;
}

/* Asserts the list, oldest first, separated by spaces. */
static inline void assert_list(const varve_saver *saver, const char *wanted)
{
    char text[1024] = "";
    for (size_t i = 0; i < varve_saver_count(saver); i++)
        sprintf(text + strlen(text), "%s%s", i ? " " : "",
            varve_saver_at(saver, i));
    cr_assert_str_eq(text, wanted);
}

/* Asserts the paths of the variables and states in a file. */
static inline void assert_paths(const char *path, const char *wanted)
{
    char text[1024] = "";
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, path, &error);
    cr_assert(reader, "%s", error.message);
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        if (node.has_value)
            sprintf(text + strlen(text), "%s%s", *text ? " " : "", node.path);
    }
    varve_reader_free(reader);
    cr_assert_str_eq(text, wanted);
}

#endif
