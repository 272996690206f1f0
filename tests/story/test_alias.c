/* test_alias.c - Tests that a node can have older names, so that a renamed type
 * still reads old files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(alias, an_alias_is_used_if_the_new_name_is_missing)
{
    STORY_FILE("f", { "dense/w", 4 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0;
    story_add(root, "projection/w", &w);
    varve_alias(varve_find(root, "projection"), "linear");
    varve_alias(varve_find(root, "projection"), "dense");
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(w, 4);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(alias, the_own_name_is_preferred_then_aliases_in_order)
{
    STORY_FILE("both", { "new", 1 }, { "old", 2 });
    STORY_FILE("olds", { "older", 3 }, { "old", 2 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 0;
    varve_node *node = story_add(root, "new", &v);
    varve_alias(node, "old");
    varve_alias(node, "older");
    varve_restoration_free(story_read(root, "both", NULL));
    cr_assert_eq(v, 1);
    varve_restoration_free(story_read(root, "olds", NULL));
    cr_assert_eq(v, 2);
    varve_graph_free(graph);
}

TEST(alias, an_alias_added_after_the_read_is_used)
{
    STORY_FILE("f", { "old", 2 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *node = story_add(root, "new", &v);
    cr_assert_eq(v, 0);
    varve_alias(node, "old");
    cr_assert_eq(v, 2);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* All other names of the node. */
#ifdef IS_WHOLE
TEST(alias, an_alias_added_after_the_read_works_with_global_names)
{
    varve_error error;
    float saved = 2, v = 0;
    const varve_write_options options = { .format = VARVE_FORMAT_TENSORFLOW };
    varve_graph *graph = story_graph();
    story_add(varve_graph_root(graph), "old", &saved);
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path("f"), &options,
                     &error),
        error);
    varve_graph_free(graph);
    graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = story_add(root, "new", &v);
    varve_restoration *r = story_read(
        root, "f", &(varve_read_options){ .expect.missing = "new" });
    cr_assert_eq(v, 0);
    varve_alias(node, "old");
    cr_assert_eq(v, 2);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
#endif

TEST(alias, is_not_saved_and_applies_at_every_path)
{
    STORY_FILE("f", { "part/old", 2 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 0;
    varve_node *part = varve_add_detached(graph);
    varve_alias(story_add(part, "new", &v), "old");
    varve_restoration *r = story_read(root, "f", NULL);
    varve_track(root, "part", part);
    cr_assert_eq(v, 2);
    story_write(root, "g");
    varve_restoration_free(r);
    varve_error error;
    varve_reader *reader =
        varve_reader_open(test_path("g"), test_allocator(), &error);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "part/new", &node));
    cr_assert_not(varve_reader_find(reader, "part/old", &node));
    varve_reader_free(reader);
    varve_graph_free(graph);
}
