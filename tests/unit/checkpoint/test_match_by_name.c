/* test_match_by_name.c - Tests matching by global names.
 *
 * SPDX-License-Identifier: MIT
 */
#define FILE_NAME "a.any" /* of any format */
#include "worlds.h"

#include "match.h"

static float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static float mine[8];

static varve_node *saved_leaf(varve_node *parent, const char *name, int i)
{
    return varve_add_variable(parent, name, varve_scalar(&values[i]));
}

static varve_node *leaf(varve_node *parent, const char *name, int i)
{
    mine[i] = 0;
    return varve_add_variable(parent, name, varve_scalar(&mine[i]));
}

static varve_node *named(
    varve_node *parent, const char *name, int i, const char *global)
{
    varve_node *node = leaf(parent, name, i);
    varve_set_global_name(node, global);
    return node;
}

static void finish(varve_node *root)
{
    write_root(root);
    free_root(root);
}

static void assert_all_matched(varve_restoration *r)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_assert_consumed(r, &error), error);
}

/* Writes a file of named values: a/w is 1, a/b is 2; c is 3, and "c/d/e", which
 * can only be a single edge, is 4. */
static void write_names(void)
{
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    saved_leaf(a, "w", 0);
    saved_leaf(a, "b", 1);
    saved_leaf(root, "c", 2);
    saved_leaf(root, "c/d/e", 3);
    finish(root);
}

static varve_node *build_other(void)
{
    varve_node *root = new_root();
    varve_node *net = varve_add_object(root, "net");
    named(net, "kernel", 0, "a/w");
    named(net, "bias", 1, "a/b");
    named(root, "x", 2, "c");
    named(varve_add_object(net, "deep"), "y", 3, "c/d/e");
    return root;
}

static void assert_other_is_filled(void)
{
    cr_assert(mine[0] == 1 && mine[1] == 2 && mine[2] == 3 && mine[3] == 4);
}

TEST(by_name, matches_a_global_name_to_a_saved_path)
{
    begin_world();
    write_names();
    varve_node *root = build_other();
    varve_restoration *r = read_root(root, NULL);
    assert_other_is_filled();
    assert_all_matched(r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, is_listed_in_reports_and_dry_runs)
{
    begin_world();
    write_names();
    varve_node *root = build_other();
    varve_error error = { 0 };
    varve_restoration *plan = varve_dry_run(root, FILE_NAME, NULL, &error);
    cr_assert(plan, "%s", error.message);
    varve_report *report = varve_report_new(plan, &error);
    varve_finding finding;
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_MATCHED), 4);
    cr_assert(varve_report_at(report, VARVE_FINDING_MATCHED, 0, &finding));
    cr_assert_str_eq(finding.reason, "by its global name");
    cr_assert(strstr(varve_report_text(report), "net/deep/y"));
    cr_assert(strstr(varve_report_text(report), " <- c%2Fd%2Fe"));
    cr_assert_eq(mine[0], 0);
    varve_report_free(report);
    varve_restoration_free(plan);
    free_root(root);
    end_world();
}

#ifdef VV_HAVE_FORMATS
/* Writes a file that identifies values by keys: the global names of nodes. If
 * keys are split at dots, a key differs from the path of its value. */
static void finish_keys(varve_node *root)
{
    varve_error error = { 0 };
    const varve_write_options options = { .format = VARVE_FORMAT_SAFETENSORS,
        .foreign.global_names = true };
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    free_root(root);
}

static const varve_read_options dotted = { .foreign.dots = true };

TEST(by_name, matches_a_path_to_a_saved_name)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *deep = varve_add_object(root, "deep");
    varve_set_global_name(saved_leaf(deep, "x", 0), "a.1/w");
    varve_set_global_name(saved_leaf(deep, "y", 1), "a.1/b(1)");
    finish_keys(root);
    root = new_root();
    varve_node *a = varve_add_object(root, "a.1");
    leaf(a, "w", 0);
    leaf(a, "b(1)", 1);
    varve_restoration *r = read_root(root, &dotted);
    cr_assert(mine[0] == 1 && mine[1] == 2);
    assert_all_matched(r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
#endif

/* The global name of a node in an object graph is only a label. */
TEST(by_name, does_not_match_a_path_to_a_label)
{
    static const varve_format formats[] = {
        VARVE_FORMAT_VARVE,
#ifdef VV_HAVE_FORMATS
        VARVE_FORMAT_TENSORFLOW,
#endif
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        begin_world();
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_node *kernel =
            saved_leaf(varve_add_object(root, "net"), "kernel", 0);
        varve_set_global_name(kernel, "head");
        saved_leaf(root, "same", 1);
        cr_assert_ok(
            varve_write(root, FILE_NAME,
                &(varve_write_options){ .format = formats[i] }, &error),
            error);
        free_root(root);
        root = new_root();
        leaf(root, "head", 0);
        leaf(root, "same", 1);
        varve_restoration *r = read_root(root, NULL);
        cr_assert(mine[0] == 0 && mine[1] == 2);
        cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
        varve_set_global_name(varve_find(root, "head"), "head");
        cr_assert_eq(mine[0], 1, "the program asks for it");
        assert_all_matched(r);
        varve_restoration_free(r);
        free_root(root);
        end_world();
    }
}

TEST(by_name, matches_equal_global_names)
{
    begin_world();
    varve_node *root = new_root();
    varve_set_global_name(saved_leaf(root, "old", 0), "a/w");
    finish(root);
    root = new_root();
    named(root, "new", 0, "a/w");
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(mine[0], 1);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, prefers_paths_aliases_and_renames)
{
    static const varve_rename rename = { "renamed", "target" };
    static const varve_read_options options = { .rename = { .list = &rename,
        .count = 1 } };
    begin_world();
    varve_node *root = new_root();
    saved_leaf(root, "path", 0);
    saved_leaf(root, "older", 1);
    saved_leaf(root, "target", 2);
    saved_leaf(root, "x", 3);
    finish(root);
    root = new_root();
    named(root, "path", 0, "x");
    varve_alias(named(root, "aliased", 1, "x/1"), "older");
    named(root, "renamed", 2, "x/2");
    varve_restoration *r = read_root(root, &options);
    cr_assert(mine[0] == 1 && mine[1] == 2 && mine[2] == 3);
    cr_assert_eq(varve_pending_count(r), 1, "x");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

#ifdef VV_HAVE_FORMATS
/* As for paths: a rename decides, even if its target does not exist. Names
 * without a rename, and names that are not paths, are looked up as usual. */
TEST(by_name, does_not_use_the_old_path_of_a_rename)
{
    static const varve_rename renames[] = { { "a.1/w", "nowhere" },
        { "c.1", "nowhere" }, { "*/x", "nowhere/*" }, { "named", "nowhere" },
        { "d.1/**", "nowhere/**" } };
    static const varve_read_options options = { .rename = { .list = renames,
        .count = 5 }, .foreign.dots = true };
    static const char *const names[] = { "a.1/w", "a.1/b", "c.1/w", "d.1/w",
        "e.1/x", "own" };
    for (int late = 0; late < 2; late++) {
        begin_world();
        varve_node *root = new_root();
        varve_node *deep = varve_add_object(root, "deep");
        for (int i = 0; i < 6; i++) {
            char name[] = { (char)('m' + i), '\0' };
            varve_set_global_name(saved_leaf(deep, name, i), names[i]);
        }
        finish_keys(root);
        root = new_root();
        varve_restoration *r = late ? read_root(root, &options) : NULL;
        varve_node *a = varve_add_object(root, "a.1");
        leaf(a, "w", 0);
        leaf(a, "b", 1);
        leaf(varve_add_object(root, "c.1"), "w", 2);
        leaf(varve_add_object(root, "d.1"), "w", 3);
        leaf(varve_add_object(root, "e.1"), "x", 4);
        named(root, "named", 5, "own");
        cr_assert(!late || !varve_pending(a, "w"));
        r = late ? r : read_root(root, &options);
        for (int i = 0; i < 6; i++)
            cr_assert_eq(mine[i], i == 1 || i == 5 ? values[i] : 0, "%d", i);
        varve_restoration_free(r);
        free_root(root);
        end_world();
    }
}
#endif

TEST(by_name, reports_a_second_claim_as_a_conflict)
{
    begin_world();
    varve_node *root = new_root();
    saved_leaf(root, "x", 0);
    finish(root);
    root = new_root();
    named(root, "a", 1, "x"); /* is visited before x */
    leaf(root, "x", 0);
    varve_restoration *r = read_root(root, NULL);
    cr_assert(mine[0] == 1 && mine[1] == 0);
    varve_report *report = varve_report_new(r, NULL);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_MISMATCHED, 0, &finding));
    cr_assert_str_eq(finding.program_path, "a");
    cr_assert_str_eq(finding.reason, "x was restored from it");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, does_not_match_objects)
{
    begin_world();
    write_names();
    varve_node *root = new_root();
    named(root, "x", 0, "a");
    named(root, "y", 1, "c/d");
    varve_restoration *r = read_strange(root);
    cr_assert(mine[0] == 0 && mine[1] == 0);
    cr_assert_eq(varve_pending_count(r), 4);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, matches_nodes_named_later)
{
    begin_world();
    write_names();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    varve_node *net = varve_add_object(root, "net");
    named(net, "kernel", 0, "a/w");
    cr_assert_eq(mine[0], 1, "the first name there is");
    named(net, "bias", 1, "a/b");
    varve_node *apart = varve_add_detached(varve_node_graph(root));
    named(apart, "x", 2, "c");
    cr_assert_eq(mine[2], 0, "not yet part of the root");
    varve_track(net, "apart", apart);
    cr_assert(mine[1] == 2 && mine[2] == 3);
    named(apart, "y", 3, "c/d/e");
    cr_assert_eq(mine[3], 4);
    good(root);
    assert_all_matched(r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

#ifdef VV_HAVE_FORMATS
TEST(by_name, matches_a_path_added_later)
{
    begin_world();
    varve_node *root = new_root();
    varve_set_global_name(saved_leaf(root, "old", 0), "a.1/w");
    varve_set_global_name(saved_leaf(root, "other", 1), "v");
    finish_keys(root);
    root = new_root();
    varve_restoration *r = read_root(root, &dotted);
    varve_node *a = varve_add_object(root, "a.1");
    const varve_tensor *pending = varve_pending(a, "w");
    cr_assert(pending && pending->dtype == VARVE_FLOAT32);
    cr_assert(varve_pending(root, "v") && !varve_pending(a, "v"));
    varve_node *w = varve_add_allocated_variable(
        a, "w", VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    cr_assert_eq(*(float *)varve_data(w), 1);
    cr_assert_eq(varve_state_of(w), VARVE_RESTORED);
    cr_assert_null(varve_pending(a, "w"));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
#endif

TEST(by_name, does_not_match_removed_nodes)
{
    begin_world();
    write_names();
    varve_node *root = new_root();
    varve_node *net = varve_add_object(root, "net");
    named(net, "kernel", 0, "a/w");
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(mine[0], 1);
    varve_untrack(root, "net");
    named(net, "bias", 1, "a/b");
    cr_assert_eq(mine[1], 0, "out of reach");
    varve_set_global_name(varve_find(net, "kernel"), NULL);
    varve_node *kernel = named(root, "kernel", 2, "a/w");
    cr_assert_eq(mine[2], 0, "it was delivered");
    varve_error error;
    cr_assert_ok(varve_restore_again(r, kernel, &error), error);
    cr_assert_eq(mine[2], 1);
    varve_remove(kernel);
    named(root, "kernel", 4, "a/w");
    cr_assert_eq(mine[4], 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, searches_only_below_the_subtree)
{
    static const varve_read_options options = { .subtree = "top" };
    begin_world();
    varve_node *root = new_root();
    varve_node *top = varve_add_object(root, "top");
    saved_leaf(varve_add_object(top, "a"), "w", 0);
    varve_set_global_name(saved_leaf(top, "in", 1), "inside");
    varve_set_global_name(saved_leaf(root, "out", 2), "outside");
    saved_leaf(root, "beside", 3);
    finish(root);
    root = new_root();
    named(root, "x", 0, "a/w");
    named(root, "i", 1, "inside");
    named(root, "o", 2, "outside");
    named(root, "y", 3, "beside");
    varve_restoration *r = read_root(root, &options);
    cr_assert(mine[0] == 1 && mine[1] == 2 && mine[2] == 0 && mine[3] == 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, follows_the_options_of_a_read)
{
    static const varve_read_options options = { .only = "net/bias" };
    begin_world();
    write_names();
    varve_node *root = build_other();
    varve_restoration *r = read_root(root, &options);
    cr_assert(mine[0] == 0 && mine[1] == 2 && mine[2] == 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, reads_states_and_slots)
{
    struct text_state saved = { .text = "state" };
    struct text_state state = { .text = "" };
    begin_world();
    varve_node *root = new_root();
    varve_add_state(root, "rng", &text_callbacks, &saved);
    saved_leaf(root, "m", 1);
    finish(root);
    root = new_root();
    varve_set_global_name(
        varve_add_state(root, "s", &text_callbacks, &state), "rng");
    varve_node *w = leaf(root, "w", 0);
    mine[1] = 0;
    varve_set_global_name(
        varve_add_slot(root, w, "momentum", varve_scalar(&mine[1])), "m");
    varve_restoration *r = read_root(root, NULL);
    cr_assert_str_eq(state.text, "state");
    cr_assert_eq(mine[1], 2);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(by_name, is_correct_after_any_failed_allocation)
{
    begin_world();
    write_names();
    bool is_done = false;
    for (long n = 0; !is_done; n++) {
        varve_error error = { 0 };
        varve_node *root = build_other();
        test_fail_allocation(n, false);
        varve_restoration *r = varve_read(root, FILE_NAME, NULL, &error);
        test_fail_allocation(-1, false);
        is_done = r != NULL;
        cr_assert(is_done || error.status == VARVE_NO_MEMORY);
        if (is_done)
            assert_other_is_filled();
        else
            cr_assert(mine[0] == 0 && mine[3] == 0, "allocation %ld", n);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* Names that could not be matched for lack of memory are matched by a retry. */
TEST(by_name, matches_late_names_after_a_failed_allocation)
{
    begin_world();
    write_names();
    bool was_tried = true;
    for (long n = 0; was_tried; n++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        leaf(root, "kernel", 0);
        varve_node *net = varve_add_object(root, "net");
        leaf(net, "bias", 1);
        varve_restoration *r = read_strange(root);
        test_fail_allocation(n, n % 2);
        varve_set_global_name(varve_find(net, "bias"), "a/b");
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        if (varve_global_name(varve_find(net, "bias"))) {
            cr_assert_ok(varve_restoration_retry(r, &error), error);
            cr_assert_eq(mine[1], 2, "allocation %ld", n);
            varve_set_global_name(varve_find(root, "kernel"), "a/w");
            cr_assert_eq(mine[0], 1, "allocation %ld", n);
        }
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}
