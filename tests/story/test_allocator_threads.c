/* test_allocator_threads.c - Tests that only the documented calls use the
 * program's allocator on other threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <varve/manager.h>
#include <varve/reader.h>
#include <varve/saver.h>
#include <varve/snapshot.h>
#include <varve/structure.h>

enum { SIZE = 24 << 20 };

static pthread_t me;
static atomic_int elsewhere;

static void *allocate(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (!pthread_equal(me, pthread_self()))
        elsewhere++;
    if (size)
        return realloc(old, size);
    free(old);
    return NULL;
}

static const varve_allocator allocator = { allocate, NULL };
static int8_t *bytes;
static varve_graph *graph;
static varve_node *root;
static varve_error error;

static void write_plainly(void)
{
    cr_assert_ok(varve_write(root, test_path("f"), NULL, &error), error);
}

static void write_packed(void)
{
    varve_write_options options = { .compress = 1 };
    cr_assert_ok(varve_write(root, test_path("z"), &options, &error), error);
}

static void save_layers(void)
{
    varve_write_options options = { .incremental = true };
    cr_assert_ok(varve_write(root, test_path("l"), &options, &error), error);
    bytes[5]++;
    cr_assert_ok(varve_write(root, test_path("l"), &options, &error), error);
}

static void take_snapshots(void)
{
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert(s, "%s", error.message);
    cr_assert_ok(varve_snapshot_retake(s, &error), error);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    varve_snapshot_free(s);
}

static void manage(void)
{
    varve_manager *m =
        varve_manager_new(root, test_path("run"), NULL, &error);
    cr_assert(m, "%s", error.message);
    cr_assert_ok(varve_manager_save(m, 1, &error), error);
    varve_manager_free(m);
}

static void save_by_names(void)
{
    varve_saver *s = varve_saver_new(graph, NULL, &error);
    cr_assert(s, "%s", error.message);
    cr_assert_ok(
        varve_saver_add(s, "b", varve_find(root, "bytes"), &error), error);
    cr_assert_ok(varve_saver_save(s, test_path("s"), NULL, &error), error);
    varve_saver_free(s);
}

static void look_into(void)
{
    varve_reader *r = varve_reader_open(test_path("f"), &allocator, &error);
    cr_assert(r, "%s", error.message);
    varve_saved_node node;
    cr_assert(varve_reader_find(r, "bytes", &node));
    cr_assert_ok(varve_reader_read(r, node.id, bytes, SIZE, &error), error);
    varve_reader_free(r);
}

TEST(allocator, is_called_only_by_the_threads_that_its_header_documents)
{
    static const struct {
        const char *name;
        void (*call)(void);
    } calls[] = { { "write", write_plainly }, { "packed", write_packed },
        { "layers", save_layers }, { "snapshots", take_snapshots },
        { "manager", manage }, { "saver", save_by_names },
        { "reader", look_into } };
    me = pthread_self();
    bytes = calloc(1, SIZE);
    graph = varve_graph_new(&allocator);
    root = varve_graph_root(graph);
    varve_add_variable(root, "bytes", varve_array(bytes, SIZE));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        calls[i].call();
        cr_assert_eq(elsewhere, 0, "%s", calls[i].name);
    }
    varve_graph_free(graph);
    free(bytes);
}
