/* test_random_key.c - Tests the keys of random streams.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "golden/philox.h"
#include "random_key.h"

static bool same_key(const varve_random *a, const varve_random *b)
{
    return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

TEST(random_key, equals_that_of_another_hash_implementation)
{
    char long_path[301];
    memset(long_path, 'a', 300);
    long_path[300] = '\0';
    for (size_t i = 0; i < sizeof golden_keys / sizeof *golden_keys; i++) {
        const struct golden_key *g = &golden_keys[i];
        varve_random stream;
        varve_random_seed(&stream, g->seed, g->path ? g->path : long_path);
        cr_assert_arr_eq(stream.key, g->key, sizeof g->key);
        cr_assert_eq(stream.position, 0);
    }
}

TEST(random_key, depends_on_every_part)
{
    varve_random a, b, c, d;
    varve_random_seed(&a, 1, "x");
    varve_random_seed(&b, 2, "x");
    varve_random_seed(&c, 1, "y");
    cr_assert(!same_key(&a, &b) && !same_key(&a, &c));
    d = varve_random_split(&a, "x");
    b = varve_random_split(&a, "y");
    cr_assert(!same_key(&d, &b) && !same_key(&d, &a));
    c = varve_random_split(&c, "x");
    cr_assert(!same_key(&d, &c));
}

TEST(random_key, is_derived_from_seeds_and_path)
{
    varve_error error = { 0 };
    varve_random in_graph[6], wanted;
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_random(root, "first", &in_graph[0], 0);
    varve_set_seed(graph, 42);
    varve_node *model = varve_add_object(root, "model");
    varve_node *layers = varve_add_list(model, "a/b");
    varve_node *layer = varve_add_object(layers, VARVE_APPEND);
    varve_add_random(model, "dropout", &in_graph[1], 0);
    varve_add_random(layer, "noise", &in_graph[2], 0);
    varve_add_random(layers, VARVE_APPEND, &in_graph[3], 0);
    varve_add_random(model, "seeded", &in_graph[4], 7);
    varve_track(root, "other", layer); /* the first edge counts */
    varve_add_random(layer, "late", &in_graph[5], 0);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_random_seed(&wanted, 0, "first");
    cr_assert(same_key(&in_graph[0], &wanted));
    varve_random_seed(&wanted, 42, "model/dropout");
    cr_assert(same_key(&in_graph[1], &wanted));
    varve_random_seed(&wanted, 42, "model/a%2Fb/0/noise");
    cr_assert(same_key(&in_graph[2], &wanted));
    varve_random_seed(&wanted, 42, "model/a%2Fb/1");
    cr_assert(same_key(&in_graph[3], &wanted));
    vv_random_key(wanted.key, (const uint64_t[]){ 42, 7 }, 2, "model/seeded");
    cr_assert(same_key(&in_graph[4], &wanted));
    varve_random_seed(&wanted, 42, "model/a%2Fb/0/late");
    cr_assert(same_key(&in_graph[5], &wanted));
    varve_graph_free(graph);
}

static void check_path(varve_node *parent, const char *name, const char *path)
{
    static varve_random streams[128];
    static size_t count;
    varve_random *stream = &streams[count++], wanted;
    varve_add_random(parent, name, stream, 0);
    varve_random_seed(&wanted, 0, path);
    cr_assert(same_key(stream, &wanted), "%s", path);
}

TEST(random_key, follows_a_path_that_changes)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "list"), *at[3];
    for (int i = 0; i < 3; i++)
        at[i] = varve_add_object(list, VARVE_APPEND);
    varve_node *deep = varve_add_object(at[2], "deep");
    check_path(deep, "a", "list/2/deep/a");
    check_path(deep, "b", "list/2/deep/b");
    check_path(varve_add_object(deep, "x"), "c", "list/2/deep/x/c");
    check_path(at[1], "d", "list/1/d");
    check_path(root, "e", "e");
    check_path(deep, "f", "list/2/deep/f");
    varve_list_remove(list, 0);
    check_path(deep, "g", "list/1/deep/g");
    check_path(list, VARVE_APPEND, "list/2");
    varve_list_insert(list, 0, varve_add_object(root, "other"));
    check_path(deep, "h", "list/2/deep/h");
    varve_track(root, "second", deep);
    check_path(deep, "i", "list/2/deep/i");
    varve_untrack(at[2], "deep");
    check_path(deep, "j", "second/j");
    varve_untrack(root, "second");
    varve_node *again = varve_add_object(root, "second");
    check_path(again, "k", "second/k");
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_graph_free(graph);
}

TEST(random_key, follows_a_long_path)
{
    char path[1024] = "";
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *node = varve_graph_root(graph);
    for (int i = 0; i < 60; i++) {
        node = varve_add_object(node, "a/name");
        strcat(path, i ? "/a%2Fname" : "a%2Fname");
        size_t size = strlen(path);
        strcat(path, "/s");
        check_path(node, "s", path);
        path[size] = '\0';
    }
    cr_assert_ok(varve_graph_check(graph, NULL), (varve_error){ 0 });
    varve_graph_free(graph);
}

TEST(random_key, is_two_variables_in_the_graph)
{
    varve_random stream;
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_random(root, "r", &stream, 0);
    cr_assert_eq(varve_node_kind(node), VARVE_OBJECT);
    cr_assert(varve_has_tag(node, VARVE_TAG_RANDOM));
    cr_assert_eq(varve_edge_count(node), 2);
    char text[VARVE_TENSOR_TEXT_SIZE];
    varve_node *key = varve_find(node, "key");
    varve_node *position = varve_find(node, "position");
    cr_assert_str_eq(
        varve_tensor_text(varve_value(key), text), "uint64[2]");
    cr_assert_str_eq(
        varve_tensor_text(varve_value(position), text), "uint64[]");
    cr_assert_eq(varve_data(key), (void *)stream.key);
    cr_assert_eq(varve_data(position), (void *)&stream.position);
    varve_graph_free(graph);
}

/* The way up from a detached node may be a cycle. */
TEST(random_key, requires_a_path_from_the_root)
{
    static const char *const wanted =
        "\": a random stream needs an object that can be reached";
    for (int around = 0; around < 2; around++) {
        varve_error error = { 0 };
        varve_random stream = { .position = 5 };
        varve_graph *graph = varve_graph_new(test_allocator());
        varve_node *detached = varve_add_detached(graph);
        varve_node *child = varve_add_object(detached, "child");
        if (around)
            varve_track(child, "back", detached);
        varve_node *node = varve_add_random(child, "r", &stream, 0);
        cr_assert_eq(varve_node_kind(node), VARVE_NIL);
        cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
        cr_assert_not_null(strstr(error.message, wanted));
        cr_assert_eq(stream.position, 5);
        varve_graph_free(graph);
    }
}

/* Adds a stream at a place that must be refused. */
static varve_status refused(int way)
{
    varve_error error = { 0 };
    varve_random stream;
    double value = 0;
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_node *leaf = varve_add_variable(root, "v",
        varve_view(&value, VARVE_FLOAT64, varve_shape_of(0, NULL)));
    if (way == 0)
        varve_add_random(leaf, "r", &stream, 0);
    else if (way == 1)
        varve_add_random(root, "v", &stream, 0);
    else if (way == 2)
        varve_add_random(root, NULL, &stream, 0);
    else
        varve_add_random(root, "r", NULL, 0);
    varve_status status = varve_graph_check(graph, &error);
    varve_add_random(root, "more", &stream, 0);
    varve_graph_free(graph);
    return status;
}

TEST(random_key, refuses_an_invalid_path)
{
    cr_assert_eq(refused(0), VARVE_MISUSE);
    cr_assert_eq(refused(1), VARVE_DUPLICATE);
    cr_assert_eq(refused(2), VARVE_BAD_NAME);
    cr_assert_eq(refused(3), VARVE_MISUSE);
}

TEST(random_key, handles_failed_allocations)
{
    for (long n = 0;; n++) {
        varve_random stream;
        test_fail_allocation(n, true);
        varve_graph *graph = varve_graph_new(test_allocator());
        varve_set_seed(graph, 3);
        varve_node *root = varve_graph_root(graph);
        varve_add_random(
            varve_add_object(root, "object"), "stream", &stream, 0);
        varve_status status = varve_graph_check(graph, NULL);
        bool failed = test_allocation_count() > n;
        varve_graph_free(graph);
        if (!failed) {
            cr_assert_eq(status, VARVE_OK);
            break;
        }
        cr_assert_eq(status, VARVE_NO_MEMORY);
    }
    test_fail_allocation(-1, false);
}
