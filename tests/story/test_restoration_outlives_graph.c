/* test_restoration_outlives_graph.c - Tests that graph and restoration may be
 * freed in either order, and that the file may be deleted or changed while one
 * is open.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>

TEST(restoration_outlives_graph, every_call_works_after_the_graph_is_freed)
{
    STORY_FILE("f", { "a", 1 }, { "b", 2 });
    varve_error error;
    varve_graph *graph = story_graph();
    float a = 0;
    story_add(varve_graph_root(graph), "a", &a);
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    varve_graph_free(graph);
    cr_assert_eq(a, 1);
    cr_assert_str_eq(varve_restoration_path(r), test_path("f"));
    varve_pending_count(r);
    story_unmatched(varve_assert_consumed(r, &error), "freed", error);
    (void)!varve_assert_nontrivial_match(r, &error);
    (void)!varve_restoration_retry(r, &error);
    (void)!varve_restoration_verify(r, &error);
    varve_report_free(varve_report_new(r, &error));
    (void)!varve_drop_pending(r, NULL, &error);
    varve_restoration_free(r);
}

/* B20 */
TEST(restoration_outlives_graph, freeing_it_closes_the_file)
{
    STORY_FILE("f", { "a", 1 });
    int before = test_descriptor_count();
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    varve_restoration_free(r);
    cr_assert_eq(test_descriptor_count(), before);
    varve_graph_free(graph);
}

TEST(restoration_outlives_graph, a_deleted_file_still_provides_pending_values)
{
    STORY_FILE("f", { "a", 1 });
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    cr_assert_eq(remove(test_path("f")), 0);
    float a = 0;
    story_add(varve_graph_root(graph), "a", &a);
    cr_assert_eq(a, 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(restoration_outlives_graph,
    a_replaced_file_still_provides_the_older_values)
{
    STORY_FILE("f", { "a", 1 });
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    STORY_FILE("f", { "a", 2 });
    float a = 0;
    story_add(varve_graph_root(graph), "a", &a);
    cr_assert_eq(a, 1);
    varve_restoration_free(r);
    varve_restoration_free(story_read(varve_graph_root(graph), "f", NULL));
    cr_assert_eq(a, 2);
    varve_graph_free(graph);
}
