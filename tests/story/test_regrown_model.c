/* test_regrown_model.c - Tests a program that grows and shrinks between saves:
 * each file restores what it contains.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>

/* A12, A13 */
TEST(regrown_model, an_older_save_leaves_newer_variables_unchanged)
{
    varve_error error;
    varve_write_options fast = { .no_sync = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v[10];
    for (int i = 0; i < 10; i++) {
        char name[8];
        snprintf(name, sizeof name, "var_%d", i);
        v[i] = (float)i;
        varve_add_variable(root, name, varve_scalar(&v[i]));
        cr_assert_ok(varve_save(root, test_path("c"), &fast, &error), error);
    }
    char latest[512];
    cr_assert_ok(
        varve_latest(test_path("c"), latest, sizeof latest, &error), error);
    cr_assert_str_eq(latest, test_path("c-10.varve"));
    for (int i = 0; i < 10; i++)
        v[i] = 314;
    varve_restoration *r =
        varve_restore(root, test_path("c-6"), NULL, &error);
    cr_assert(r, "%s", error.message);
    for (int i = 0; i < 10; i++)
        cr_assert_eq(v[i], i < 6 ? (float)i : 314);
    varve_restoration_free(r);
    cr_assert_eq(varve_save_counter(root), 6);
    r = varve_restore(root, test_path("c-10"), NULL, &error);
    cr_assert(r, "%s", error.message);
    for (int i = 0; i < 10; i++)
        cr_assert_eq(v[i], (float)i);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B26 */
TEST(regrown_model, three_runs_continue_the_counter)
{
    varve_error error;
    varve_write_options fast = { .no_sync = true };
    for (int round = 0; round < 3; round++) {
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r =
            varve_restore(root, test_path("c"), NULL, &error);
        cr_assert(r || (round == 0 && error.status == VARVE_NOT_FOUND));
        int64_t iterations = 0;
        varve_add_variable(root, "iterations", varve_scalar(&iterations));
        cr_assert_eq(iterations, 10 * round);
        for (int step = 0; step < 10; step++)
            iterations++;
        cr_assert_ok(varve_save(root, test_path("c"), &fast, &error), error);
        cr_assert_eq(varve_save_counter(root), (uint64_t)round + 1);
        if (r)
            story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(regrown_model, removed_variables_are_reported_and_the_rest_restored)
{
    STORY_FILE("f", { "a", 1 }, { "b", 2 }, { "c/d", 3 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float a = 0, b = 0, e = 5;
    story_add(root, "a", &a);
    story_add(root, "b", &b);
    story_add(root, "c2/e", &e);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(a, 1);
    cr_assert_eq(b, 2);
    cr_assert_eq(e, 5);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MATCHED), 2);
    cr_assert_eq(story_findings(r, VARVE_FINDING_PENDING), 1);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MISSING), 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A16 */
TEST(regrown_model, a_restore_into_an_empty_graph_sets_the_counter)
{
    varve_error error;
    varve_write_options fast = { .no_sync = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 3;
    story_add(root, "v", &v);
    for (int i = 0; i < 12; i++)
        cr_assert_ok(varve_save(root, test_path("c"), &fast, &error), error);
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_restoration *r = varve_restore(root, test_path("c"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_save_counter(root), 12);
    cr_assert_eq(varve_restoration_counter(r), 12);
    v = 0;
    varve_node *aside = varve_add_detached(graph);
    varve_node *node = varve_add_variable(aside, "v", varve_scalar(&v));
    cr_assert_eq(v, 0);
    varve_track(root, "v", node);
    cr_assert_eq(v, 3);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
