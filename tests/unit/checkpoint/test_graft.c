/* test_graft.c - Tests copying a subgraph into another graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

static float weights[4] = { 1, 2, 3, 4 };
static float momentum[4] = { 5, 6, 7, 8 };
static varve_string text = { "text", 4 };
static int fails; /* the save callback of the state fails */

static varve_status save(void *self, varve_sink *sink)
{
    varve_put(sink, self, strlen(self));
    return fails ? VARVE_IO : VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    memcpy(self, bytes, size);
    return VARVE_OK;
}

/* Builds a model with a subgraph that has every kind of node. */
static varve_graph *build(void)
{
    static const varve_state_callbacks callbacks = { save, load };
    varve_graph *g = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(g);
    varve_node *part = varve_add_object(root, "part");
    varve_node *w =
        varve_add_variable(part, "w", varve_array(weights, 2, 2));
    varve_node *list = varve_add_list(part, "list");
    varve_track(list, VARVE_APPEND, w);
    varve_track(list, VARVE_APPEND, part);
    varve_add_variable(part, "text", varve_scalar(&text));
    varve_node *inner = varve_add_object(part, "optimizer");
    varve_add_slot(inner, w, "m", varve_array(momentum, 2, 2));
    varve_node *outer = varve_add_object(root, "optimizer");
    varve_add_slot(outer, w, "n", varve_array(momentum, 2, 2));
    varve_add_state(part, "state", &callbacks, "bytes");
    varve_tag(w, VARVE_TAG_TRAINABLE);
    varve_alias(w, "older");
    varve_set_global_name(w, "global");
    fails = 0;
    return g;
}

TEST(graft, copies_a_subtree_completely)
{
    varve_error error;
    varve_graph *from = build();
    varve_graph *to = varve_graph_new(test_allocator());
    varve_node *part = varve_copy_subgraph(varve_graph_root(to), "new",
        varve_find(varve_graph_root(from), "part"), &error);
    cr_assert(part, "%s", error.message);
    cr_assert_eq(part, varve_find(varve_graph_root(to), "new"));
    varve_node *w = varve_find(part, "w");
    cr_assert_eq(varve_find_path(part, "list/0"), w);
    cr_assert_eq(varve_find_path(part, "list/1"), part);
    cr_assert_neq(varve_data(w), weights);
    cr_assert_arr_eq((float *)varve_data(w), weights, 4);
    varve_node *m = varve_find_slot(varve_find(part, "optimizer"), w, "m");
    cr_assert_arr_eq((float *)varve_data(m), momentum, 4);
    cr_assert(varve_has_tag(w, VARVE_TAG_TRAINABLE));
    cr_assert_str_eq(varve_global_name(w), "global");
    varve_graph_free(from);
    const varve_string *copy = varve_data(varve_find(part, "text"));
    cr_assert_eq(copy->size, 4);
    cr_assert_eq(memcmp(copy->data, "text", 4), 0);
    cr_assert_ok(varve_write(
                     varve_graph_root(to), test_path("f"), NULL, &error),
        error);
    varve_graph_free(to);
    to = varve_graph_from(test_path("f"), test_allocator(), &error);
    cr_assert(varve_find_path(varve_graph_root(to), "new/state"));
    varve_graph_free(to);
}

TEST(graft, works_within_one_graph)
{
    varve_error error;
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    varve_node *copy =
        varve_copy_subgraph(root, "twin", varve_find(root, "part"), &error);
    cr_assert(copy, "%s", error.message);
    cr_assert_null(
        varve_global_name(varve_find(copy, "w")), "it is taken");
    cr_assert_ok(varve_graph_check(g, &error), error);
    varve_graph_free(g);
}

TEST(graft, a_failed_state_or_a_duplicate_name_creates_nothing)
{
    varve_error error;
    varve_graph *from = build();
    varve_graph *to = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(to);
    varve_node *part = varve_find(varve_graph_root(from), "part");
    fails = 1;
    cr_assert_null(varve_copy_subgraph(root, "a", part, &error));
    cr_assert_eq(error.status, VARVE_CALLBACK);
    cr_assert_ok(varve_graph_check(to, &error), error);
    cr_assert_null(varve_find(root, "a"));
    fails = 0;
    varve_add_object(root, "taken");
    cr_assert_null(varve_copy_subgraph(root, "taken", part, &error));
    cr_assert_eq(error.status, VARVE_DUPLICATE);
    cr_assert_null(varve_copy_subgraph(NULL, "a", part, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_copy_subgraph(root, "a", NULL, &error));
    varve_graph_free(from);
    varve_graph_free(to);
}

TEST(graft, leaks_nothing_without_memory)
{
    varve_error error;
    varve_graph *from = build();
    varve_node *part = varve_find(varve_graph_root(from), "part");
    for (long n = 0;; n++) {
        varve_graph *to = varve_graph_new(test_allocator());
        test_fail_allocation(n, false);
        varve_node *copy =
            varve_copy_subgraph(varve_graph_root(to), "copy", part, &error);
        test_fail_allocation(-1, false);
        varve_graph_free(to);
        if (copy)
            break;
        cr_assert_eq(error.status, VARVE_NO_MEMORY, "%s", error.message);
    }
    varve_graph_free(from);
}
