/* test_renamed_model.c - Tests a checkpoint of a model that has been renamed
 * and is not built yet.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

TEST(renamed_model, values_are_restored_into_a_renamed_later_layer)
{
    STORY_FILE("f", { "dense/kernel", 1 }, { "dense/bias", 2 });
    varve_rename rename = { "classifier", "dense" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 } };
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

TEST(renamed_model, a_subtree_of_another_model_is_restored_deeper)
{
    STORY_FILE("f", { "vgg/features/0/w", 5 }, { "vgg/head/w", 6 });
    varve_rename rename = { "backbone", "vgg/features" };
    varve_read_options options = {
        .rename = { .list = &rename, .count = 1 }, .only = "backbone" };
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

TEST(renamed_model, without_the_rename_the_report_suggests_the_nearest)
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

/* Builds the model with the names at the time of the save, or the current
 * ones. */
static varve_graph *make_part(bool is_old, float *values)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *net = story_object(root, is_old ? "network" : "netwrk");
    varve_node *block = varve_add_object(net, "block");
    varve_node *w = varve_add_variable(
        block, is_old ? "w*(1)" : "w*(2)", varve_scalar(values));
    varve_add_variable(
        block, is_old ? "a->b" : "a->c", varve_array(values + 1, 2));
    varve_node *opt = varve_add_object(root, is_old ? "adam%w" : "adam%");
    varve_add_slot(opt, w, is_old ? "momentum" : "momentm",
        varve_scalar(values + 3));
    return graph;
}

enum { MOST_RENAMES = 8 };

/* Uses the suggestions of the report as renames and in a file of renames. */
static size_t paste(const varve_report *report, varve_rename *renames)
{
    FILE *file = fopen(test_path("renames"), "w");
    varve_finding f;
    size_t count = 0;
    cr_assert(file);
    for (size_t i = 0; varve_report_at(report, VARVE_FINDING_MISSING, i, &f);
         i++) {
        cr_assert(f.nearest, "%s", f.program_path);
        cr_assert_lt(count, MOST_RENAMES);
        renames[count++] = (varve_rename){ f.program_path, f.nearest };
    }
    count = 0;
    for (size_t i = 0; varve_report_at(report, VARVE_FINDING_UNEXPECTED, i, &f);
         i++) {
        fprintf(file, "%s -> %s\n", f.nearest, f.file_path);
        count++;
    }
    cr_assert_eq(fclose(file), 0);
    return count;
}

TEST(renamed_model, the_suggested_path_works_as_a_rename)
{
    varve_error error;
    float saved[4] = { 1, 2, 3, 4 }, mine[4] = { 0 };
    varve_graph *graph = make_part(true, saved);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    graph = make_part(false, mine);
    story_refused(
        varve_graph_root(graph), "f", NULL, VARVE_UNMATCHED, &error);
    varve_restoration *r =
        varve_dry_run(varve_graph_root(graph), test_path("f"), NULL, &error);
    varve_report *report = varve_report_new(r, &error);
    varve_rename renames[MOST_RENAMES];
    cr_assert_eq(paste(report, renames), 3, "%s", varve_report_text(report));
    varve_restoration_free(r);
    varve_graph_free(graph);
    varve_read_options by[] = { { .rename = { .list = renames, .count = 3 } },
        { .rename.file = test_path("renames") } };
    for (size_t i = 0; i < 2; i++) {
        memset(mine, 0, sizeof mine);
        graph = make_part(false, mine);
        r = story_read(varve_graph_root(graph), "f", &by[i]);
        story_consumed(r);
        cr_assert_eq(memcmp(mine, saved, sizeof mine), 0);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
    varve_report_free(report);
}
