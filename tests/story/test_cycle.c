/* test_cycle.c - Tests cyclic graphs: all operations terminate, and each node
 * is saved once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

static void build(varve_node *root, float *v, float *w)
{
    story_add(root, "first/v", v);
    story_add(root, "first/second/w", w);
    varve_node *second = varve_find_path(root, "first/second");
    varve_track(second, "first", varve_find(root, "first"));
    varve_track(second, "self", second);
    varve_track(second, "top", root);
}

static void write_cycle(void)
{
    varve_graph *graph = story_graph();
    float v = 3, w = 4;
    build(varve_graph_root(graph), &v, &w);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
}

/* B14, D45 */
TEST(cycle, is_saved_and_restored_into_existing_nodes)
{
    write_cycle();
    varve_graph *graph = story_graph();
    float v = 0, w = 0;
    build(varve_graph_root(graph), &v, &w);
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    cr_assert_eq(v, 3);
    cr_assert_eq(w, 4);
    story_consumed(r);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MISMATCHED), 0);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(cycle, is_restored_when_it_is_built_after_the_read)
{
    write_cycle();
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    float v = 0, w = 0;
    build(varve_graph_root(graph), &v, &w);
    cr_assert_eq(v, 3);
    cr_assert_eq(w, 4);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(cycle, is_restored_if_the_back_edge_is_added_first)
{
    write_cycle();
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 0;
    varve_node *aside = varve_add_detached(graph);
    varve_node *second = varve_add_object(aside, "second");
    varve_track(second, "self", second);
    varve_add_variable(aside, "v", varve_scalar(&v));
    varve_restoration *r = story_read(root, "f", NULL);
    varve_track(root, "first", aside);
    cr_assert_eq(v, 3);
    varve_untrack(root, "first");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(cycle, bytes_and_nodes_are_in_the_file_once)
{
    write_cycle();
    varve_error error;
    varve_reader *reader =
        varve_reader_open(test_path("f"), test_allocator(), &error);
    cr_assert(reader);
    cr_assert_eq(varve_reader_node_count(reader), 5);
    varve_saved_node node;
    cr_assert(varve_reader_find(
        reader, "first/second/top/first/second/self/w", &node));
    cr_assert_str_eq(node.path, "first/second/w");
    varve_reader_free(reader);
}
