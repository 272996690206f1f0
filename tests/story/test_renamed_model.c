/* test_renamed_model.c - a checkpoint outlives the names of the program: the
 * model is called otherwise now, and is not built yet.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

TEST(renamed_model, values_land_in_a_renamed_layer_that_is_built_later)
{
    STORY_FILE("f", { "dense/kernel", 1 }, { "dense/bias", 2 });
    varve_rename rename = { "classifier", "dense" };
    varve_read_options options = { .renames = &rename, .rename_count = 1 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *here = varve_add_object(root, "classifier");
    varve_restoration *r = story_read(root, "f", &options);
    cr_assert(varve_pending(here, "kernel"));
    float kernel = 0, bias = 0;
    varve_add_variable(here, "kernel", varve_scalar(&kernel));
    varve_add_variable(here, "bias", varve_scalar(&bias));
    cr_assert_eq(kernel, 1);
    cr_assert_eq(bias, 2);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(renamed_model, a_part_of_another_model_lands_deeper_in_this_one)
{
    STORY_FILE("f", { "vgg/features/0/w", 5 }, { "vgg/head/w", 6 });
    varve_rename rename = { "backbone", "vgg/features" };
    varve_read_options options = {
        .renames = &rename, .rename_count = 1, .only = "backbone" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0, head = 9;
    story_add(root, "backbone/0/w", &w);
    story_add(root, "head/w", &head);
    varve_restoration *r = story_read(root, "f", &options);
    cr_assert_eq(w, 5);
    cr_assert_eq(head, 9);
    varve_error error;
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(renamed_model, without_the_rename_the_report_names_the_nearest)
{
    STORY_FILE("f", { "model/encoder/kernel", 1 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float kernel = 0;
    story_add(root, "model/encodr/kernel", &kernel);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_error error;
    story_unmatched(
        varve_assert_consumed(r, &error), "model/encoder/kernel", error);
    cr_assert(story_says(&error, "encodr"), "%s", error.message);
    cr_assert(story_says(&error, "float32[]"), "%s", error.message);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
