/* test_removed_nodes.c - Tests removing nodes while restorations are open:
 * removed nodes are not written to, and new nodes get the values that were not
 * restored yet.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "story.h"

TEST(removed_nodes, may_be_removed_at_any_point_of_a_deferred_restore)
{
    STORY_FILE("f", { "a/b/v", 1 }, { "a/w", 2 }, { "x", 3 });
    varve_error error;
    for (int point = 0; point < 4; point++) {
        float v = 0, w = 0, x = 0;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = story_read(root, "f", NULL);
        story_object(root, "a/b");
        if (point > 0)
            story_add(root, "a/b/v", &v);
        if (point > 1)
            story_add(root, "a/w", &w);
        if (point > 2)
            story_add(root, "x", &x);
        varve_remove(varve_find(root, "a"));
        cr_assert_null(varve_find(root, "a"));
        v = w = 0;
        cr_assert_eq(varve_pending_count(r), (size_t)(3 - point));
        varve_report_free(varve_report_new(r, &error));
        story_add(root, "a/b/v", &v);
        story_add(root, "a/w", &w);
        if (point < 3)
            story_add(root, "x", &x);
        cr_assert_eq(v, point > 0 ? 0 : 1);
        cr_assert_eq(w, point > 1 ? 0 : 2);
        cr_assert_eq(x, 3);
        cr_assert_ok(varve_restore_again(r, root, &error), error);
        cr_assert(v == 1 && w == 2 && x == 3);
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(removed_nodes, with_slots_failed_states_and_two_restorations)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1, m = 2;
    varve_node *variable = story_add(root, "v", &v);
    varve_add_slot(
        varve_add_object(root, "adam"), variable, "m", varve_scalar(&m));
    story_write(root, "f");
    varve_restoration *one = story_read(root, "f", NULL);
    varve_restoration *two = story_read(root, "f", NULL);
    varve_remove(variable);
    cr_assert_null(varve_slot_first(varve_find(root, "adam")));
    float v2[2] = { 0 }, v3 = 0, m3 = 0;
    varve_node *wrong = varve_add_variable(root, "v", varve_array(v2, 2));
    varve_error error;
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(varve_restore_again(two, wrong, &error), VARVE_MISMATCH);
    varve_remove(wrong);
    variable = story_add(root, "v", &v3);
    varve_add_slot(
        varve_find(root, "adam"), variable, "m", varve_scalar(&m3));
    cr_assert(v3 == 0 && m3 == 0);
    cr_assert_ok(varve_restore_again(two, root, &error), error);
    cr_assert(v3 == 1 && m3 == 2 && v2[0] == 0);
    story_consumed(one);
    varve_restoration_free(two);
    varve_restoration_free(one);
    varve_graph_free(graph);
}

#ifdef IS_WHOLE
/* A long run: thousands of names are added and removed while a restoration
 * is open, and its pending values are restored under their own names or
 * aliases. */
TEST(removed_nodes, release_their_names)
{
    enum { VALUES = 20, PASSING = 1000 };
    static const varve_rename rename[] = { { "renamed/*", "*" } };
    const varve_read_options options[] = { { 0 },
        { .rename = { .list = rename, .count = 1 } } };
    struct story_value values[VALUES + 1] = { { NULL, 0 } };
    static char names[VALUES][8];
    char text[32];
    for (int i = 0; i < VALUES; i++) {
        snprintf(names[i], sizeof names[i], "x%d", i);
        values[i] = (struct story_value){ names[i], (float)i + 1 };
    }
    story_file("f", values);
    for (int round = 0; round < 3; round++) {
        bool renames = round == 1, aliases = round == 2;
        float found[VALUES] = { 0 };
        varve_error error;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *parent = renames ? story_object(root, "renamed") : root;
        varve_restoration *r = story_read(root, "f", &options[renames]);
        varve_saver *saver = varve_saver_new(graph, NULL, NULL);
        size_t bytes = 0;
        for (int i = 0; i < VALUES; i++) {
            for (int k = 0; k < PASSING; k++) {
                snprintf(text, sizeof text, "passing-%d-%d", i, k);
                varve_remove(varve_add_object(parent, text));
            }
            if (i == VALUES / 2)
                bytes = test_byte_count();
            snprintf(text, sizeof text, "new-%d", i);
            varve_node *node = varve_add_allocated_variable(parent,
                aliases ? text : names[i], VARVE_FLOAT32,
                varve_shape_of(0, NULL), NULL, NULL);
            if (aliases)
                varve_alias(node, names[i]);
            cr_assert_ok(varve_saver_add(saver, text, node, &error), error);
            found[i] = *(const float *)varve_data(node);
        }
        for (int i = 0; i < VALUES; i++)
            cr_assert_eq(found[i], (float)i + 1, "%d: %s", round, names[i]);
        cr_assert_leq(test_byte_count(), bytes + 65536);
        cr_assert_ok(
            varve_saver_save(saver, test_path("g"), NULL, &error), error);
        story_consumed(r);
        varve_saver_free(saver);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* Each is restored under its own name, although internal name numbers were
 * reused. */
TEST(removed_nodes, release_the_names_of_slots)
{
    enum { SLOTS = 20, PASSING = 1000 };
    float one = 1, found[SLOTS] = { 0 }, saved[SLOTS];
    char text[32];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *variable = story_add(root, "v", &one);
    varve_node *owner = varve_add_object(root, "adam");
    for (int i = 0; i < SLOTS; i++) {
        saved[i] = (float)i + 1;
        snprintf(text, sizeof text, "x%d", i);
        varve_add_slot(owner, variable, text, varve_scalar(&saved[i]));
    }
    story_write(root, "f");
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    variable = story_add(root, "v", &one);
    owner = varve_add_object(root, "adam");
    for (int i = 0; i < SLOTS; i++) {
        for (int k = 0; k < PASSING; k++) {
            snprintf(text, sizeof text, "passing-%d-%d", i, k);
            varve_node *slot =
                varve_add_slot(owner, variable, text, varve_scalar(&one));
            varve_remove(slot);
        }
        snprintf(text, sizeof text, "x%d", i);
        varve_add_slot(owner, variable, text, varve_scalar(&found[i]));
        cr_assert_eq(found[i], (float)i + 1, "slot %s", text);
    }
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
#endif
