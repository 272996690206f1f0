/* test_subtree.c - Tests that a part of a file can be restored into any node,
 * and that a node can be the root of a save and later a part of something
 * larger.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(subtree, of_a_file_can_be_restored_into_any_node)
{
    STORY_FILE("f", { "all/model/a", 1 }, { "all/model/b/c", 2 },
        { "all/other", 3 });
    varve_error error;
    varve_read_options options = { .subtree = "all/model" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float a = 0, c = 0, outside = 9;
    story_add(root, "here/a", &a);
    story_add(root, "other", &outside);
    varve_restoration *r =
        story_read(varve_find(root, "here"), "f", &options);
    cr_assert_eq(a, 1);
    cr_assert_eq(varve_pending_count(r), 1);
    story_add(root, "here/b/c", &c);
    cr_assert_eq(c, 2);
    cr_assert_eq(varve_pending_count(r), 0);
    cr_assert_eq(outside, 9);
    story_consumed(r);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_MATCHED, 0, &finding));
    cr_assert_str_eq(finding.program_path, "a");
    cr_assert_str_eq(finding.file_path, "a");
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(subtree, missing_in_the_file_is_reported)
{
    STORY_FILE("f", { "model/a", 1 });
    varve_error error;
    varve_read_options options = { .subtree = "modle" };
    varve_graph *graph = story_graph();
    story_refused(
        varve_graph_root(graph), "f", &options, VARVE_NOT_FOUND, &error);
    cr_assert(story_says(&error, "modle"), "%s", error.message);
    cr_assert(story_is_one_line(&error));
    varve_graph_free(graph);
}

TEST(subtree, a_saved_root_becomes_a_subtree_of_a_larger_graph)
{
    float w = 1, step = 2;
    varve_graph *graph = story_graph();
    varve_node *model = story_object(varve_graph_root(graph), "model");
    story_add(model, "w", &w);
    story_write(model, "model");
    story_add(varve_graph_root(graph), "step", &step);
    story_write(varve_graph_root(graph), "all");
    varve_graph_free(graph);

    graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w2 = 0, alone = 0;
    story_add(root, "deep/inside/w", &w2);
    varve_node *inside = varve_find_path(root, "deep/inside");
    varve_restoration_free(story_read(inside, "model", NULL));
    cr_assert_eq(w2, 1);
    varve_read_options options = { .subtree = "model" };
    story_add(root, "w", &alone);
    varve_restoration_free(story_read(root, "all", &options));
    cr_assert_eq(alone, 1);
    varve_graph_free(graph);
}

/* A32 */
TEST(subtree, any_node_can_be_written_with_its_own_counter)
{
    varve_error error;
    varve_write_options fast = { .no_sync = true };
    float w = 1;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "model/w", &w);
    varve_node *model = varve_find(root, "model");
    cr_assert_ok(varve_save(model, test_path("m"), &fast, &error), error);
    cr_assert_ok(varve_save(model, test_path("m"), &fast, &error), error);
    cr_assert_ok(varve_save(root, test_path("r"), &fast, &error), error);
    cr_assert_eq(varve_save_counter(model), 2);
    cr_assert_eq(varve_save_counter(root), 1);
    varve_graph_free(graph);
}
