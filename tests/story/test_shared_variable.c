/* test_shared_variable.c - Tests shared nodes: a node with two names is saved
 * and restored once; a node shared on one side only is reported.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(shared_variable, is_saved_once_and_restored_by_either_name)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 8;
    varve_track(story_object(root, "decoder"), "tied",
        story_add(root, "encoder/kernel", &v));
    story_write(root, "f");
    varve_reader *reader =
        varve_reader_open(test_path("f"), test_allocator(), &error);
    cr_assert(reader);
    varve_saved_node one, other;
    cr_assert(varve_reader_find(reader, "encoder/kernel", &one));
    cr_assert(varve_reader_find(reader, "decoder/tied", &other));
    cr_assert_eq(one.id, other.id);
    varve_reader_free(reader);
    varve_graph_free(graph);

    graph = story_graph();
    float tied = 0;
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    story_add(varve_graph_root(graph), "decoder/tied", &tied);
    cr_assert_eq(tied, 8);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B10 */
TEST(shared_variable, split_into_two_is_reported_with_both_paths)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 8;
    varve_track(root, "second", story_add(root, "first", &v));
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    float first = 0, second = 0;
    story_add(root, "first", &first);
    story_add(root, "second", &second);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(first, 8);
    cr_assert_eq(second, 0);
    story_unmatched(varve_assert_consumed(r, &error), "second", error);
    cr_assert(story_says(&error, "first"), "%s", error.message);
    cr_assert_eq(
        varve_assert_existing_objects_matched(r, &error), VARVE_UNMATCHED);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B10: objects */
TEST(shared_variable, one_saved_object_does_not_match_two_objects)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 8;
    story_add(root, "left/dep/v", &v);
    varve_track(story_object(root, "right"), "dep",
        varve_find_path(root, "left/dep"));
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    float left = 0, right = 0;
    story_add(root, "left/dep/v", &left);
    story_add(root, "right/dep/v", &right);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(left, 8);
    cr_assert_eq(right, 0);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert_eq(
        varve_assert_existing_objects_matched(r, &error), VARVE_UNMATCHED);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B11 */
TEST(shared_variable, two_saved_objects_may_match_one_object)
{
    STORY_FILE("f", { "dep1/v1", 32 }, { "dep2/v2", 64 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v1 = 0, v2 = 0;
    story_add(root, "dep1/v1", &v1);
    story_add(root, "dep1/v2", &v2);
    varve_track(root, "dep2", varve_find(root, "dep1"));
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(v1, 32);
    cr_assert_eq(v2, 64);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(shared_variable, two_saved_values_for_one_variable_are_a_finding)
{
    STORY_FILE("f", { "a", 1 }, { "b", 2 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 0;
    varve_track(root, "b", story_add(root, "a", &v));
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(v, 1);
    story_unmatched(varve_assert_consumed(r, &error), "b", error);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MISMATCHED), 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* Many published models contain a tied weight twice. Equal values are not
 * reported in any format, also if the file has no checksum of a whole value.
 * Different values are reported, even if only their last byte differs. */
TEST(shared_variable, two_equal_saved_values_may_match_one_variable)
{
    enum { COUNT = 10000 }; /* more than is compared at once */
    static const varve_format formats[] = {
        VARVE_FORMAT_VARVE,
#ifdef VV_HAVE_FORMATS
        VARVE_FORMAT_SAFETENSORS,
        VARVE_FORMAT_NPZ,
        VARVE_FORMAT_TENSORFLOW,
        VARVE_FORMAT_TENSORFLOW_NAMES,
        VARVE_FORMAT_TORCH,
#endif
    };
    static float a[COUNT], b[COUNT], w[COUNT];
    for (size_t i = 0; i < 2 * sizeof formats / sizeof *formats; i++) {
        varve_error error;
        bool differs = i % 2;
        for (int k = 0; k < COUNT; k++)
            a[k] = b[k] = (float)k;
        b[COUNT - 1] += differs ? 1 : 0;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_add_variable(root, "a", varve_array(a, COUNT));
        varve_add_variable(root, "b", varve_array(b, COUNT));
        varve_write_options options = { .format = formats[i / 2] };
        char name[] = { (char)('a' + i), '\0' };
        cr_assert_ok(
            varve_write(root, test_path(name), &options, &error), error);
        varve_graph_free(graph);
        graph = story_graph();
        root = varve_graph_root(graph);
        varve_track(
            root, "b", varve_add_variable(root, "a", varve_array(w, COUNT)));
        varve_restoration *r = story_read(root, name, NULL);
        if (differs)
            story_unmatched(varve_assert_consumed(r, &error), "b", error);
        else
            story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}
