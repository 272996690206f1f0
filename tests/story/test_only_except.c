/* test_only_except.c - Tests reads that are restricted to a part of the
 * program: `*` matches one level, `**` many, a path includes everything below
 * it, and '|' separates alternatives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

static const char *const paths[] = { "a/b/kernel", "a/b/bias", "a/c/kernel",
    "d/kernel", "step" };

enum { COUNT = 5 };

static void write_all(void)
{
    STORY_FILE("f", { "a/b/kernel", 1 }, { "a/b/bias", 1 },
        { "a/c/kernel", 1 }, { "d/kernel", 1 }, { "step", 1 });
}

/* Checks which of the five values are restored, as a string of ones and zeros,
 * also if the program is built after the read. */
static void expect(const char *only, const char *except, const char *arrive)
{
    varve_error error;
    varve_read_options options = { .only = only, .except = except };
    for (int late = 0; late < 2; late++) {
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = NULL;
        float v[COUNT] = { 0 };
        char found[COUNT + 1] = { 0 };
        if (late)
            r = story_read(root, "f", &options);
        for (int i = 0; i < COUNT; i++)
            story_add(root, paths[i], &v[i]);
        if (!late)
            r = story_read(root, "f", &options);
        for (int i = 0; i < COUNT; i++)
            found[i] = v[i] == 1 ? '1' : '0';
        cr_assert_str_eq(found, arrive, "only %s except %s%s: %s", only, except,
            late ? " late" : "", found);
        cr_assert_ok(varve_assert_consumed(r, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(only_except, patterns)
{
    write_all();
    expect(NULL, NULL, "11111");
    expect("a", NULL, "11100");
    expect("/a/b", NULL, "11000");
    expect("*/kernel", NULL, "00010");
    expect("**/kernel", NULL, "10110");
    expect("a/*/kernel", NULL, "10100");
    expect("a/b|step", NULL, "11001");
    expect(NULL, "a", "00011");
    expect(NULL, "**/bias|step", "10110");
    expect("a", "a/c", "11000");
    expect("a", "**", "00000");
}

TEST(only_except, excluded_values_do_not_fail_assertions)
{
    write_all();
    varve_error error;
    varve_read_options options = { .only = "a" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float kernel = 0, extra = 0;
    story_add(root, "a/b/kernel", &kernel);
    story_add(root, "d/extra", &extra);
    varve_restoration *r = story_read(root, "f", &options);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    story_unmatched(varve_assert_consumed(r, &error), "a/b/bias", error);
    cr_assert_not(story_says(&error, "step"), "%s", error.message);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(only_except, an_excluded_library_owned_variable_is_initialized)
{
    write_all();
    varve_read_options options = { .except = "step" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", &options);
    varve_node *step = varve_add_allocated_variable(
        root, "step", VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    cr_assert_eq(*(float *)varve_data(step), 0);
    cr_assert_eq(varve_state_of(step), VARVE_INITIALIZED);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(only_except, slots_are_named_by_owner_slot_and_variable)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1, m = 2;
    varve_node *variable = story_add(root, "model/v", &v);
    varve_add_slot(
        varve_add_object(root, "adam"), variable, "m", varve_scalar(&m));
    story_write(root, "f");
    v = m = 0;
    varve_read_options options = { .only = "adam/m(model/v)" };
    varve_restoration *r = story_read(root, "f", &options);
    cr_assert_eq(v, 0);
    cr_assert_eq(m, 2);
    varve_restoration_free(r);
    m = 0;
    options = (varve_read_options){ .except = "adam" };
    r = story_read(root, "f", &options);
    cr_assert_eq(v, 1);
    cr_assert_eq(m, 0);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
