/* test_replaced_child.c - Tests that a value is restored once: a replacement of
 * a restored child keeps its own value, and the report says so.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

/* Checks that the only finding is a value that only the program has. */
static void only_says(varve_restoration *r, const char *path)
{
    varve_error error;
    varve_finding f;
    varve_report *report = varve_report_new(r, &error);
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_MISSING), 1, "%s",
        varve_report_text(report));
    cr_assert(varve_report_at(report, VARVE_FINDING_MISSING, 0, &f));
    cr_assert_str_eq(f.program_path, path);
    cr_assert_str_eq(f.reason, "an earlier node was restored from its value");
    varve_report_free(report);
    story_unmatched(
        varve_assert_existing_objects_matched(r, &error), path, error);
}

/* B52 */
TEST(replaced_child, is_not_restored)
{
    STORY_FILE("f", { "layer/w", 5 }, { "layer/late", 6 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float old = 0, new = 0, late = 0;
    story_add(root, "layer/w", &old);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(old, 5);
    old = 77;
    varve_node *layer = varve_add_detached(graph);
    varve_add_variable(layer, "w", varve_scalar(&new));
    varve_replace(root, "layer", layer);
    cr_assert_eq(new, 0);
    cr_assert_eq(old, 77, "the old one is no business of ours");
    only_says(r, "layer/w");
    story_add(root, "layer/late", &late);
    cr_assert_eq(late, 6, "what was not delivered waits for the new one");
    cr_assert_ok(varve_restore_again(r, layer, &error), error);
    cr_assert_eq(new, 5);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(replaced_child, is_not_restored_after_untrack_or_remove)
{
    STORY_FILE("f", { "w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    story_add(root, "w", &w);
    cr_assert_eq(w, 5);
    varve_untrack(root, "w");
    story_consumed(r);
    w = 1;
    varve_node *node = story_add(root, "w", &w);
    cr_assert_eq(w, 1);
    only_says(r, "w");
    varve_remove(node);
    cr_assert_eq(varve_pending_count(r), 0);
    cr_assert_null(varve_pending(root, "w"));
    story_consumed(r);
    story_add(root, "w", &w);
    cr_assert_eq(w, 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static varve_status nines(const varve_tensor *tensor, void *user)
{
    (void)user;
    *(float *)tensor->data = 9;
    return VARVE_OK;
}

TEST(replaced_child, of_library_memory_runs_its_initializer)
{
    STORY_FILE("f", { "w", 5 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    for (int i = 0; i < 3; i++) {
        varve_node *node = varve_add_allocated_variable(
            root, "w", VARVE_FLOAT32, VARVE_SCALAR, nines, NULL);
        cr_assert_eq(*(float *)varve_data(node), i ? 9 : 5);
        cr_assert_eq(varve_state_of(node),
            i ? VARVE_INITIALIZED : VARVE_RESTORED);
        varve_remove(node);
    }
    varve_restoration_free(r);
    varve_graph_free(graph);
}

#ifdef IS_WHOLE
/* The permutation of a new epoch, in new memory, under the old name. */
TEST(replaced_child, keeps_its_new_value_in_a_resumed_run)
{
    int first[2] = { 0, 1 }, next[2] = { 1, 0 }, last[2] = { 8, 9 };
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "order", varve_array(first, 2));
    varve_manager *m =
        varve_manager_new(root, test_path("run"), NULL, &error);
    cr_assert(m, "%s", error.message);
    cr_assert_ok(varve_manager_save(m, 1, &error), error);
    first[0] = 7;
    cr_assert_ok(varve_manager_resume(m, &error), error);
    cr_assert_eq(first[0], 0);
    varve_remove(varve_find(root, "order"));
    varve_node *order =
        varve_add_variable(root, "order", varve_array(next, 2));
    cr_assert(next[0] == 1 && next[1] == 0);
    varve_restoration *r = varve_manager_restoration(m);
    only_says(r, "order");
    cr_assert_ok(varve_manager_finish_resume(m, &error), error);
    cr_assert_eq(varve_manager_restoration(m), r);
    varve_restoration_free(r); /* owned by the manager */
    varve_replace(root, "order",
        varve_add_variable(varve_add_detached(graph), "order",
            varve_array(last, 2)));
    cr_assert_eq(last[0], 8);
    varve_remove(order);
    cr_assert_ok(varve_manager_save(m, 2, &error), error);
    varve_manager_free(m);
    varve_graph_free(graph);
}
#endif

/* Remaining elements keep their values when their positions change; a new
 * element does not inherit a value that was already restored. */
TEST(replaced_child, is_not_restored_in_a_shrunk_or_reordered_list)
{
    STORY_FILE("f", { "list/0", 10 }, { "list/1", 11 }, { "list/2", 12 });
    varve_error error;
    float a = 0, b = 0, c = 50, d = 60, e = 70;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "list");
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&a));
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&b));
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert(a == 10 && b == 11);
    varve_list_remove(list, 1);
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&c));
    cr_assert_eq(c, 50);
    only_says(r, "list/1");
    varve_list_reorder(list, (size_t[]){ 1, 0 }, 2);
    cr_assert(a == 10 && c == 50);
    varve_list_remove(list, 0);
    cr_assert(a == 10);
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&d));
    cr_assert_eq(d, 60, "position 1 was served");
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&e));
    cr_assert_eq(e, 12, "position 2 was not");
    only_says(r, "list/1");
    float f = 80, g = 90;
    varve_node *aside = varve_add_detached(graph);
    varve_list_replace(
        list, 2, varve_add_variable(aside, "f", varve_scalar(&f)));
    varve_list_insert(
        list, 0, varve_add_variable(aside, "g", varve_scalar(&g)));
    cr_assert(f == 80 && g == 90);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A variable keeps changes that were made since it was restored. */
TEST(replaced_child, removed_and_added_again_keeps_its_value)
{
    STORY_FILE("f", { "w", 5 }, { "other", 7 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0, new = 1;
    varve_node *node = story_add(root, "w", &w);
    varve_restoration *r = story_read(
        root, "f", &(varve_read_options){ .expect.unexpected = "other" });
    cr_assert_eq(w, 5);
    varve_track(varve_add_detached(graph), "w", node);
    varve_untrack(root, "w");
    story_consumed(r);
    w = 6;
    varve_track(root, "w", node);
    cr_assert_eq(w, 6);
    story_consumed(r);
    varve_untrack(root, "w");
    varve_track(root, "other", node);
    cr_assert_eq(w, 6, "it has its value");
    story_add(root, "w", &new);
    cr_assert_eq(new, 1);
    only_says(r, "w");
    varve_untrack(root, "other");
    varve_remove(varve_find(root, "w"));
    float other = 0;
    varve_report_free(varve_report_new(r, &error));
    varve_track(root, "other", node);
    cr_assert_eq(w, 6);
    varve_remove(node);
    story_add(root, "other", &other);
    cr_assert_eq(other, 7, "it waited for a node of its own");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* Its type need not match the node of the file at the new path. */
TEST(replaced_child, moved_to_a_path_of_a_saved_object_is_no_mismatch)
{
    varve_error error;
    for (int first = 0; first < 2; first++) {
        STORY_FILE("f", { "w", 5 }, { "part/x", 6 });
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        float w = 0, x = 0;
        varve_node *node = story_add(root, "w", &w);
        story_add(root, "part/x", &x);
        varve_restoration *r = story_read(root, "f", NULL);
        cr_assert(w == 5 && x == 6);
        if (first == 0)
            varve_replace(root, "part", node);
        varve_replace(root, "w", varve_add_detached(graph));
        if (first == 1)
            varve_replace(root, "part", node);
        cr_assert_ok(varve_graph_check(graph, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* Nodes added below a detached node wait with it; cycles without the root are
 * not matched. */
TEST(replaced_child, not_reachable_gets_no_value)
{
    varve_error error;
    for (int way = 0; way < 4; way++) {
        STORY_FILE("f", { "part/below/x", 5 }, { "part/y", 6 });
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *old = story_object(root, "part");
        varve_node *below = story_object(root, "part/below");
        if (way & 1)
            varve_track(below, "up", old);
        varve_restoration *r = story_read(root, "f", NULL);
        varve_untrack(root, "part");
        float x = -1, y = -1;
        double wrong = -1;
        if (way & 2)
            varve_add_variable(below, "x", varve_scalar(&wrong));
        else
            story_add(below, "x", &x);
        cr_assert(x == -1 && wrong == -1);
        cr_assert_ok(varve_graph_check(graph, &error), error);
        cr_assert_eq(varve_pending_count(r), 2);
        float new = -1;
        story_add(root, "part/below/x", &new);
        story_add(old, "y", &y);
        cr_assert(new == 5 && y == -1);
        varve_replace(root, "part", old);
        cr_assert_eq(y, 6);
        cr_assert(x == -1 && wrong == -1, "it was delivered");
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(replaced_child, has_new_slots)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 3, m = 4;
    varve_node *variable = story_add(root, "v", &v);
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, variable, "m", varve_scalar(&m));
    story_write(root, "f");
    varve_restoration *r = story_read(root, "f", NULL);
    float v2 = 0, m2 = 0;
    varve_node *aside = varve_add_detached(graph);
    varve_remove(variable);
    variable = varve_add_variable(aside, "v", varve_scalar(&v2));
    varve_track(root, "v", variable);
    varve_add_slot(adam, variable, "m", varve_scalar(&m2));
    cr_assert(v2 == 0 && m2 == 0);
    cr_assert_ok(varve_restore_again(r, variable, &error), error);
    cr_assert(v2 == 3 && m2 == 4);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* The value of an older restoration is not restored afterwards. */
TEST(replaced_child, of_two_restorations_gets_no_value)
{
    STORY_FILE("old", { "w", 5 }, { "x", 6 });
    STORY_FILE("new", { "w", 7 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0, again = 0, x = 0;
    varve_restoration *old = story_read(root, "old", NULL);
    varve_restoration *new = story_read(root, "new", NULL);
    varve_node *node = story_add(root, "w", &w);
    cr_assert_eq(w, 7);
    varve_remove(node);
    node = story_add(root, "w", &again);
    story_add(root, "x", &x);
    cr_assert(again == 0 && x == 6);
    varve_remove(node);
    varve_error error;
    cr_assert_ok(varve_assert_existing_objects_matched(old, &error), error);
    story_consumed(old);
    varve_restoration_free(new);
    story_add(root, "w", &again);
    cr_assert_eq(again, 0);
    varve_restoration_free(old);
    varve_graph_free(graph);
}

/* Restoring a snapshot changes values but not which nodes were restored. */
TEST(replaced_child, is_not_restored_after_a_snapshot_restore)
{
    STORY_FILE("f", { "w", 5 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float w = 0, new = 1;
    varve_node *node = story_add(root, "w", &w);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_remove(node);
    story_add(root, "w", &new);
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert(s, "%s", error.message);
    new = 2;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(new, 1);
    only_says(r, "w");
    varve_snapshot_free(s);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B47, B48 */
TEST(replaced_child, follows_the_rules_for_duplicate_names)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_detached(graph);
    varve_track(root, "a", a);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(varve_edge_count(root), 1);
    varve_replace(root, "a", b);
    cr_assert_eq(varve_find(root, "a"), b);
    varve_untrack(root, "a");
    cr_assert_eq(varve_edge_count(root), 0);
    varve_track(root, "a", a);
    cr_assert_eq(varve_edge_count(root), 1);
    varve_track(root, "a", b);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_DUPLICATE);
    cr_assert_eq(varve_find(root, "a"), a);
    varve_graph_free(graph);
}
