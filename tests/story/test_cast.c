/* test_cast.c - Tests that types must agree unless a cast is requested: only if
 * every value is preserved, or to the nearest value with a count of inexact
 * ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

static void write_float32(void)
{
    float v[4] = { 1.5f, -2, 300, 4 };
    varve_graph *graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "v", varve_array(v, 2, 2));
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
}

TEST(cast, without_a_cast_types_must_be_equal)
{
    write_float32();
    varve_error error;
    double v[4] = { 9, 9, 9, 9 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_array(v, 2, 2));
    story_refused(root, "f", NULL, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "float32[2,2]"), "%s", error.message);
    cr_assert(story_says(&error, "float64[2,2]"), "%s", error.message);
    cr_assert_eq(v[0], 9);
    varve_graph_free(graph);
}

/* The hint names only what is still missing. */
TEST(cast, a_mismatch_names_the_options_that_permit_it)
{
    write_float32();
    varve_error error;
    varve_read_options options = { 0 };
    double six[6] = { 0 }, four[4];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_array(six, 2, 3));
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "`cast`"), "%s", error.message);
    cr_assert(story_says(&error, "`resize`"), "%s", error.message);
    options.cast = VARVE_CAST_ANY;
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    cr_assert_not(story_says(&error, "`cast`"), "%s", error.message);
    cr_assert(story_says(&error, "`resize`"), "%s", error.message);
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_variable(varve_add_object(root, "v"), "x", varve_array(four, 4));
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "`except`"), "%s", error.message);
    varve_graph_free(graph);
}

TEST(cast, widen_accepts_only_exact_conversions)
{
    write_float32();
    varve_error error;
    varve_read_options options = { .cast = VARVE_CAST_WIDEN };
    double v[4] = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_array(v, 2, 2));
    varve_restoration *r = story_read(root, "f", &options);
    cr_assert_eq(v[0], 1.5);
    cr_assert_eq(v[2], 300);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_MATCHED, 0, &finding));
    cr_assert(finding.cast);
    cr_assert_eq(finding.inexact, 0);
    cr_assert_eq(finding.saved.dtype, VARVE_FLOAT32);
    cr_assert_eq(finding.wanted.dtype, VARVE_FLOAT64);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);

    signed char narrow[4] = { 1, 1, 1, 1 };
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_array(narrow, 2, 2));
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    cr_assert_eq(narrow[0], 1);
    varve_graph_free(graph);
}

TEST(cast, any_rounds_and_counts_inexact_values)
{
    write_float32();
    varve_error error;
    varve_read_options options = { .cast = VARVE_CAST_ANY };
    for (int late = 0; late < 2; late++) {
        signed char v[4] = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = late ? story_read(root, "f", &options) : NULL;
        varve_add_variable(root, "v", varve_array(v, 2, 2));
        if (!late)
            r = story_read(root, "f", &options);
        cr_assert_eq(v[0], 1, "toward zero, as C does");
        cr_assert_eq(v[1], -2);
        cr_assert_eq(v[2], 127, "beyond the end: the end");
        cr_assert_eq(v[3], 4);
        varve_report *report = varve_report_new(r, &error);
        varve_finding finding;
        cr_assert(varve_report_at(report, VARVE_FINDING_MATCHED, 0, &finding));
        cr_assert(finding.cast);
        cr_assert_eq(finding.inexact, 2);
        varve_report_free(report);
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(cast, strings_are_never_converted)
{
    varve_error error;
    varve_string text = { "1", 1 };
    varve_graph *graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "v", varve_scalar(&text));
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    varve_read_options options = { .cast = VARVE_CAST_ANY };
    float v = 3;
    graph = story_graph();
    story_add(varve_graph_root(graph), "v", &v);
    story_refused(
        varve_graph_root(graph), "f", &options, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "string[]"), "%s", error.message);
    varve_graph_free(graph);
}

TEST(cast, works_above_the_staging_size_and_streaming)
{
    write_float32();
    for (int i = 0; i < 2; i++) {
        varve_read_options options = { .cast = VARVE_CAST_WIDEN,
            .resources.staging_size = 1,
            .passes = i ? VARVE_ONE_PASS : VARVE_TWO_PASSES };
        double v[4] = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_add_variable(root, "v", varve_array(v, 2, 2));
        varve_restoration *r = story_read(root, "f", &options);
        cr_assert_eq(v[1], -2);
        cr_assert_eq(v[3], 4);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* Only variables that match the patterns are cast. */
TEST(cast, applies_to_paths_that_match_its_patterns)
{
    float weight = 1.5f, step = 3;
    double wide_weight = 0, wide_step = 9;
    varve_error error;
    varve_read_options options = { .cast = VARVE_CAST_WIDEN,
        .cast_only = "model" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "weight", varve_scalar(&weight));
    varve_add_variable(root, "step", varve_scalar(&step));
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    model = varve_add_object(root, "model");
    varve_add_variable(model, "weight", varve_scalar(&wide_weight));
    varve_add_variable(root, "step", varve_scalar(&wide_step));
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "step"), "%s", error.message);
    cr_assert_eq(wide_weight, 0);
    options.cast_only = "mod*|step";
    varve_restoration_free(story_read(root, "f", &options));
    cr_assert_eq(wide_weight, 1.5);
    cr_assert_eq(wide_step, 3);
    options.cast = VARVE_CAST_NONE;
    story_refused(root, "f", &options, VARVE_MISUSE, &error);
    cr_assert(story_says(&error, "`cast_only`"), "%s", error.message);
    varve_graph_free(graph);
}

/* Also for variables that are added later; a pattern without a match is
 * reported. */
TEST(cast, applies_to_matching_variables_added_later)
{
    write_float32();
    varve_error error = { 0 };
    double v[4] = { 0 };
    varve_read_options options = { .cast = VARVE_CAST_WIDEN,
        .cast_only = "v|other" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = varve_read(root, test_path("f"), &options, &error);
    cr_assert_not_null(r, "%s", error.message);
    varve_add_variable(root, "v", varve_array(v, 2, 2));
    cr_assert_eq(v[0], 1.5);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_MISMATCHED, 0, &finding));
    cr_assert_str_eq(
        finding.reason, "this pattern of `cast_only` matched nothing");
    cr_assert_str_eq(finding.program_path, "other");
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
