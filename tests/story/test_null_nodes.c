/* test_null_nodes.c - Tests that a change of a node that varve_find did not
 * find is an error, because the variable would not be saved.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

static float late = 1;

static void add(varve_node *node)
{
    varve_add_variable(node, "late", varve_scalar(&late));
}

static void append(varve_node *node)
{
    varve_list_append(node, node);
}

static void alias(varve_node *node)
{
    varve_alias(node, "older");
}

static void tag(varve_node *node)
{
    varve_tag(node, VARVE_TAG_LOCAL);
}

static void rebind(varve_node *node)
{
    varve_rebind(node, varve_scalar(&late));
}

TEST(null_nodes, a_change_of_a_missing_node_fails_the_save)
{
    static void (*const changes[])(varve_node *) = { add, append, alias, tag,
        rebind, varve_mark_dirty };
    float w = 1;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        varve_error error = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        story_add(root, "model/w", &w);
        changes[i](varve_find(root, "modle"));
        cr_assert_eq(varve_write(root, test_path("f"), NULL, &error),
            VARVE_MISUSE);
        cr_assert(story_says(&error, "the node is NULL") &&
                      story_says(&error, "varve_find"),
            "%s", error.message);
        cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISUSE);
        cr_assert_ok(varve_write(root, test_path("f"), NULL, &error), error);
        varve_graph_free(graph);
    }
}

TEST(null_nodes, may_be_searched_and_read)
{
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *missing = varve_find(root, "modle");
    cr_assert_null(varve_find(missing, "w"));
    cr_assert_null(varve_data(missing));
    cr_assert_not(varve_has_tag(missing, "local"));
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_graph_free(graph);
}
