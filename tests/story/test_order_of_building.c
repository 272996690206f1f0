/* test_order_of_building.c - Tests that if several nodes claim a value, it is
 * assigned by names and not by the order of building.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

/* Adds a variable "dense" with the alias "fc", in one step or two. */
static void add_dense(varve_node *root, float *dense)
{
    varve_node *aside = varve_add_detached(varve_node_graph(root));
    varve_node *node = varve_add_variable(aside, "x", varve_scalar(dense));
    varve_alias(node, "fc");
    varve_track(root, "dense", node);
}

TEST(order_of_building, an_own_name_is_preferred_to_an_alias)
{
    STORY_FILE("f", { "fc", 1 });
    varve_error error;
    for (int order = 0; order < 4; order++) {
        bool is_late = order > 1;
        float dense = 0, fc = 0;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = is_late ? story_read(root, "f", NULL) : NULL;
        if (order % 2)
            add_dense(root, &dense);
        story_add(root, "fc", &fc);
        if (order % 2 == 0)
            add_dense(root, &dense);
        if (!is_late)
            r = story_read(root, "f", NULL);
        cr_assert_eq(fc, 1, "its own name, order %d", order);
        cr_assert_eq(dense, order == 3, "built alone, it took what waited");
        story_unmatched(
            varve_assert_consumed(r, &error), "fc was restored from it", error);
        varve_remove(varve_find(root, "fc"));
        fc = 7;
        story_add(root, "fc", &fc);
        cr_assert_eq(fc, 7, "it was delivered");
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(order_of_building, an_own_name_below_an_alias_ranks_as_an_alias)
{
    STORY_FILE("f", { "fc/k", 1 }, { "fc/b", 2 });
    for (int order = 0; order < 2; order++) {
        float values[4] = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = order ? story_read(root, "f", NULL) : NULL;
        varve_node *dense = varve_add_object(root, "dense");
        varve_alias(dense, "fc");
        story_add(root, "dense/k", &values[0]);
        story_add(root, "dense/b", &values[1]);
        story_add(root, "fc/k", &values[2]);
        if (!order)
            r = story_read(root, "f", NULL);
        cr_assert_eq(values[2], 1);
        cr_assert_eq(values[1], 2, "the other has no such child");
        cr_assert_eq(values[0], (float)order);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* Writes a variable layer/k below "enc" and, as the same object, below
 * "dec". */
static void write_tied(void)
{
    static float k = 4, m = 5;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = story_add(root, "enc/k", &k);
    varve_track(root, "dec", varve_find(root, "enc"));
    varve_add_slot(
        varve_add_object(root, "opt"), node, "m", varve_scalar(&m));
    story_write(root, "tied");
    varve_graph_free(graph);
}

struct untied {
    varve_graph *graph;
    varve_node *root;
    float enc, dec, enc_m, dec_m;
};

static void build_untied(struct untied *u, varve_graph *graph, bool backwards)
{
    *u = (struct untied){ .graph = graph, .root = varve_graph_root(graph) };
    varve_node *opt = varve_add_object(u->root, "opt");
    for (int i = 0; i < 2; i++) {
        bool is_dec = (i == 0) == backwards; /* the first in the file */
        varve_node *k = story_add(u->root, is_dec ? "dec/k" : "enc/k",
            is_dec ? &u->dec : &u->enc);
        varve_add_slot(
            opt, k, "m", varve_scalar(is_dec ? &u->dec_m : &u->enc_m));
    }
}

/* The report uses the shortest path, and of equal ones the first by name:
 * "dec/k". */
TEST(order_of_building, a_formerly_shared_value_goes_to_the_first_saved_path)
{
    varve_error error;
    write_tied();
    for (int backwards = 0; backwards < 2; backwards++) {
        struct untied u;
        build_untied(&u, story_graph(), backwards);
        varve_restoration *r = story_read(u.root, "tied", NULL);
        cr_assert(u.dec == 4 && u.enc == 0, "backwards: %d", backwards);
        cr_assert(u.dec_m == 5 && u.enc_m == 0);
        story_unmatched(varve_assert_existing_objects_matched(r, &error),
            "shared in the file with dec/k, which was restored from it", error);
        varve_restoration_free(r);
        varve_graph_free(u.graph);
    }
}

TEST(order_of_building, a_formerly_shared_value_is_copied_on_request)
{
    varve_error error;
    write_tied();
    varve_read_options options = { .copy_shared = true };
    for (int backwards = 0; backwards < 2; backwards++) {
        struct untied u;
        build_untied(&u, story_graph(), backwards);
        varve_restoration *r =
            varve_dry_run(u.root, test_path("tied"), &options, &error);
        story_consumed(r);
        cr_assert_eq(story_findings(r, VARVE_FINDING_MATCHED), 4);
        varve_restoration_free(r);
        r = story_read(u.root, "tied", &options);
        cr_assert(u.dec == 4 && u.enc == 4 && u.dec_m == 5 && u.enc_m == 5);
        story_consumed(r);
        cr_assert_eq(story_findings(r, VARVE_FINDING_MATCHED), 4);
        u.dec = u.enc = 1;
        cr_assert_ok(varve_restore_again(r, u.root, &error), error);
        cr_assert(u.dec == 4 && u.enc == 4);
        float fresh[2] = { 7, 8 };
        varve_remove(varve_find_path(u.root, "enc/k"));
        story_add(u.root, "enc/k", &fresh[0]);
        cr_assert_eq(fresh[0], 7, "a copy is delivered once, too");
        varve_remove(varve_find(u.root, "dec"));
        story_add(u.root, "dec/k", &fresh[1]);
        cr_assert_eq(fresh[1], 8);
        varve_restoration_free(r);
        varve_graph_free(u.graph);
    }
}

/* The first path of the file gets the same value as when it is built first. An
 * earlier one keeps its value, and the assertions fail as in the other order,
 * because no copy was requested. */
TEST(order_of_building, a_formerly_shared_value_added_later)
{
    varve_error error;
    write_tied();
    for (int i = 0; i < 8; i++) {
        struct untied u;
        bool backwards = i & 1, copies = i & 2, is_replaced = i & 4;
        float fresh[2] = { 7, 8 };
        varve_graph *graph = story_graph();
        varve_restoration *r = story_read(varve_graph_root(graph), "tied",
            &(varve_read_options){ .copy_shared = copies });
        build_untied(&u, graph, backwards);
        cr_assert(u.dec == 4 && u.dec_m == 5, "backwards: %d", backwards);
        cr_assert_eq(u.enc, copies || !backwards ? 4 : 0);
        cr_assert_eq(u.enc_m, copies || !backwards ? 5 : 0);
        if (copies)
            story_consumed(r);
        else
            story_unmatched(varve_assert_existing_objects_matched(r, &error),
                "shared in the file with dec/k, which was restored from it",
                error);
        if (is_replaced) {
            varve_remove(varve_find_path(u.root, "enc/k"));
            story_add(u.root, "enc/k", &fresh[0]);
            varve_remove(varve_find_path(u.root, "dec/k"));
            cr_assert_ok(varve_restoration_retry(r, &error), error);
            story_add(u.root, "dec/k", &fresh[1]);
            cr_assert(fresh[0] == 7 && fresh[1] == 8, "delivered once");
        }
        u.enc = u.dec = 1;
        cr_assert_ok(varve_restore_again(r, u.root, &error), error);
        if (!is_replaced)
            cr_assert(u.dec == 4 && u.enc == 4, "both asked for it");
        varve_restoration_free(r);
        varve_graph_free(u.graph);
    }
}

/* One variable at both paths, added in either order; then two. */
TEST(order_of_building, a_shared_node_keeps_the_value_of_its_first_path)
{
    write_tied();
    for (int i = 0; i < 4; i++) {
        float k = 0, fresh = 7;
        bool is_object = i & 1, is_late = i & 2;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = is_late ? story_read(root, "tied", NULL) : NULL;
        varve_node *node = story_add(root, "enc/k", &k);
        if (is_object)
            varve_track(root, "dec", varve_find(root, "enc"));
        else
            varve_track(varve_add_object(root, "dec"), "k", node);
        if (!is_late)
            r = story_read(root, "tied", NULL);
        cr_assert_eq(k, 4);
        varve_untrack(root, "dec");
        story_add(root, "dec/k", &fresh);
        cr_assert_eq(fresh, 7, "%d: it was here", i);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* A variable with three names "a", "b" and "c/d"; names excluded by `except`
 * claim nothing. */
TEST(order_of_building, the_first_of_three_paths_gets_the_value)
{
    static float v = 4;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = story_add(root, "a", &v);
    varve_track(root, "b", node);
    varve_track(varve_add_object(root, "c"), "d", node);
    story_write(root, "three");
    varve_graph_free(graph);
    static const char *const orders[][3] = { { "c/d", "b", "a" },
        { "b", "a", "c/d" }, { "a", "c/d", "b" }, { "b", "c/d", "a" } };
    for (int i = 0; i < 8; i++) {
        float value[3] = { 0 };
        const char *const *paths = orders[i / 2];
        varve_read_options options = { .except = i % 2 ? "a" : NULL };
        graph = story_graph();
        root = varve_graph_root(graph);
        varve_restoration *r = story_read(root, "three", &options);
        for (int k = 0; k < 3; k++)
            story_add(root, paths[k], &value[k]);
        for (int k = 0; k < 3; k++) {
            if (*paths[k] == 'a')
                cr_assert_eq(value[k], i % 2 ? 0 : 4, "order %d", i);
        }
        cr_assert(i % 2 == 0 || value[0] == 4 || *paths[0] == 'a');
        cr_assert_eq(story_findings(r, VARVE_FINDING_PENDING), 0);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* The rename requests a copy, whichever node has the value. */
TEST(order_of_building, a_rename_to_a_matched_value_restores_both)
{
    STORY_FILE("f", { "dense/k", 3 }, { "dense/b", 4 });
    varve_rename rename = { "second_dense", "dense" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 } };
    for (int order = 0; order < 4; order++) {
        float v[4] = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r =
            order > 1 ? story_read(root, "f", &options) : NULL;
        for (int i = 0; i < 2; i++) {
            bool is_second = i == order % 2;
            story_add(root, is_second ? "second_dense/k" : "dense/k",
                &v[is_second ? 0 : 2]);
            story_add(root, is_second ? "second_dense/b" : "dense/b",
                &v[is_second ? 1 : 3]);
        }
        if (order < 2)
            r = story_read(root, "f", &options);
        cr_assert(
            v[0] == 3 && v[1] == 4 && v[2] == 3 && v[3] == 4, "%d", order);
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(order_of_building, excluded_paths_claim_nothing)
{
    write_tied();
    struct untied u;
    build_untied(&u, story_graph(), false);
    varve_restoration *r =
        story_read(u.root, "tied", &(varve_read_options){ .only = "enc" });
    cr_assert(u.enc == 4 && u.dec == 0);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(u.graph);
}

/* Two values of the file, one variable of the program under both names. */
TEST(order_of_building, two_saved_values_for_one_variable)
{
    STORY_FILE("differ", { "a", 4 }, { "b", 5 });
    STORY_FILE("equal", { "a", 4 }, { "b", 4 });
    varve_error error;
    for (int order = 0; order < 4; order++) {
        float v = 0;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *node = story_add(root, order % 2 ? "b" : "a", &v);
        varve_track(root, order % 2 ? "a" : "b", node);
        varve_restoration *r =
            story_read(root, order > 1 ? "equal" : "differ", NULL);
        cr_assert_eq(v, 4);
        cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
        if (order > 1)
            story_consumed(r);
        else
            story_unmatched(varve_assert_consumed(r, &error), "b", error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* The node that did not fit is removed; the other one fits. */
TEST(order_of_building, claims_pass_on_when_their_node_is_removed)
{
    varve_error error;
    write_tied();
    for (int i = 0; i < 3; i++) {
        float enc = 0, wide[2] = { 0 }, x;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = story_read(root, "tied", NULL);
        varve_add_variable(varve_add_object(root, "dec"), "k",
            varve_array(wide, 2));
        story_add(root, "enc/k", &enc);
        cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
        if (i == 2)
            varve_untrack(root, "dec");
        else
            varve_remove(varve_find_path(root, "dec/k"));
        if (i == 1)
            varve_remove(varve_find_path(root, "enc/k"));
        if (i == 2)
            cr_assert_ok(varve_restoration_retry(r, &error), error);
        else
            story_add(root, "x", &x);
        cr_assert_eq(enc, i == 1 ? 0 : 4);
        cr_assert_ok(varve_graph_check(graph, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* Freed and removed meanwhile, without dangling references. */
TEST(order_of_building, claims_end_with_their_nodes)
{
    varve_error error;
    write_tied();
    for (int i = 0; i < 4; i++) {
        struct untied u;
        build_untied(&u, story_graph(), false);
        varve_restoration *r = story_read(u.root, "tied",
            &(varve_read_options){ .copy_shared = i % 2 });
        if (i < 2)
            varve_remove(varve_find(u.root, i ? "enc" : "dec"));
        else
            varve_untrack(u.root, i == 2 ? "enc" : "dec");
        varve_report_free(varve_report_new(r, &error));
        cr_assert_ok(varve_restoration_retry(r, &error), error);
        float late = 9;
        story_add(u.root, i % 2 ? "enc/late" : "dec/late", &late);
        varve_report_free(varve_report_new(r, &error));
        cr_assert_ok(varve_graph_check(u.graph, &error), error);
        if (i < 2)
            varve_restoration_free(r);
        varve_graph_free(u.graph);
        if (i >= 2)
            varve_restoration_free(r);
    }
}

/* A variable that gets no value gets no slots of that value either, in any
 * order, also when it is built after the restore. */
TEST(order_of_building, a_slot_is_restored_only_with_its_variable)
{
    write_tied();
    for (int i = 0; i < 4; i++) {
        float enc = 0, dec = 0, m = 0;
        bool is_late = i & 1, with_copies = i & 2;
        varve_read_options options = { .copy_shared = with_copies };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r =
            is_late ? story_read(root, "tied", &options) : NULL;
        story_add(root, "dec/k", &dec);
        varve_node *k = story_add(root, "enc/k", &enc);
        varve_add_slot(
            varve_add_object(root, "opt"), k, "m", varve_scalar(&m));
        if (!is_late)
            r = story_read(root, "tied", &options);
        cr_assert_eq(dec, 4);
        cr_assert_eq(enc, with_copies ? 4 : 0);
        cr_assert_eq(m, with_copies ? 5 : 0);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}
