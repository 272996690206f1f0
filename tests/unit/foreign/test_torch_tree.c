/* test_torch_tree.c - Tests joining names of nested state dicts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "structure.h"
#include "torch_tree.h"

#include "readers.h"
#include "targets.h"

static float x = 1;

static void put_all(varve_node *root, const char *const *paths)
{
    for (; *paths; paths++) {
        char path[64];
        varve_node *node = root;
        snprintf(path, sizeof path, "%s", *paths);
        for (char *name = strtok(path, "/"), *next; name; name = next) {
            next = strtok(NULL, "/");
            varve_node *child = varve_find(node, name);
            if (!next)
                varve_add_variable(node, name, varve_scalar(COPY_AT(&x)));
            else
                node = child ? child : varve_add_object(node, name);
        }
    }
}

static void build_plain(varve_node *root)
{
    static const char *const paths[] = { "a/b/c", "a/d", "e", NULL };
    put_all(root, paths);
}

/* Builds models beside an optimizer. */
static void build_trained(varve_node *root)
{
    static const char *const paths[] = { "net/b/c", "net/d", "run/m/a/b",
        NULL };
    put_all(root, paths);
    varve_node *adam = varve_add_object(varve_find(root, "run"), "adam");
    varve_add_slot(adam, varve_find_path(root, "net/d"), "m",
        varve_scalar(COPY_AT(&x)));
}

static void check_paths(
    void (*build)(varve_node *root), const char *const *paths, size_t count)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build, NULL, &error), error);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    for (size_t i = 0; i < count; i++) {
        cr_assert(varve_reader_find(r, paths[i], &node), "%s", paths[i]);
        cr_assert(node.has_value, "%s", paths[i]);
    }
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_tree, joins_names_by_dots)
{
    static const char *const paths[] = { "a.b.c", "a.d", "e" };
    check_paths(build_plain, paths, 3);
}

TEST(torch_tree, has_dicts_next_to_an_optimizer_and_above_it)
{
    static const char *const paths[] = { "net/b.c", "net/d", "run/m/a.b",
        "run/adam/state/0/m", "run/adam/m(net/d)" };
    check_paths(build_trained, paths, 4);
}

/* With `dots`, names with dots become nested objects. */
static void write_again(
    struct world *w, const char *path, const char *again, bool dots)
{
    varve_error error = { 0 };
    varve_graph *graph = vv_graph_from_in(&w->context, path,
        &(varve_read_options){ .foreign.dots = dots }, &error);
    cr_assert(graph, "%s", error.message);
    cr_assert_eq(
        varve_find_path(varve_graph_root(graph), "net/b/c") != NULL, dots);
    cr_assert_ok(varve_write(varve_graph_root(graph), again,
        &(varve_write_options){ .format = VARVE_FORMAT_TORCH }, &error),
        error);
    varve_graph_free(graph);
    read_back(&w->context, again);
}

TEST(torch_tree, is_unchanged_after_a_read_with_dotted_paths)
{
    struct world w = world_new();
    varve_error error = { 0 };
    size_t b, c;
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build_trained, NULL, &error), error);
    write_again(&w, "a.pt", "b.pt", false);
    write_again(&w, "a.pt", "c.pt", true);
    unsigned char *first = memory_bytes(w.memory, "b.pt", &b);
    unsigned char *second = memory_bytes(w.memory, "c.pt", &c);
    cr_assert_eq(b, c);
    cr_assert_eq(memcmp(first, second, b), 0);
    world_free(&w);
}
