/* test_scope.c - Tests patterns of read options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <varve/restoration.h>

#include "scope.h"

static float kept[2] = { 1, 2 };
static float w[2];

/* model/layer/w and opt/0 are one variable. */
static varve_node *shared(float *data)
{
    varve_node *root = new_root();
    varve_node *layer =
        varve_add_object(varve_add_object(root, "model"), "layer");
    varve_node *v = varve_add_variable(layer, "w", varve_array(data, 2));
    varve_track(varve_add_object(root, "opt"), "0", v);
    return root;
}

static void write_shared(void)
{
    varve_node *root = shared(kept);
    write_root(root);
    free_root(root);
}

TEST(scope, selects_by_any_path_and_excludes_by_all)
{
    static const struct {
        const char *only;
        const char *except;
        bool taken;
        const char *path;
    } cases[] = {
        { "model", NULL, true, "model/layer/w" },
        { "opt", NULL, true, "opt/0" },
        { NULL, "opt", true, "model/layer/w" },
        { NULL, "model", true, "opt/0" },
        { NULL, "model|opt", false, "opt/0" },
        { "model", "opt", true, "model/layer/w" },
        { "mod", NULL, false, "opt/0" },
    };
    begin_world();
    write_shared();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_read_options options = { .only = cases[i].only,
            .except = cases[i].except };
        varve_error error = { 0 };
        varve_finding finding;
        varve_node *root = shared(w);
        memset(w, 0, sizeof w);
        varve_restoration *r = read_root(root, &options);
        cr_assert_eq(w[1] == 2, cases[i].taken, "case %zu", i);
        varve_report *report = varve_report_new(r, &error);
        cr_assert(varve_report_at(report,
            cases[i].taken ? VARVE_FINDING_MATCHED : VARVE_FINDING_UNEXPECTED,
            0, &finding));
        cr_assert_str_eq(finding.program_path, cases[i].path);
        varve_report_free(report);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

TEST(scope, selects_nodes_by_a_path_added_later)
{
    static const varve_read_options cases[] = { { .only = "model" },
        { .except = "opt" } };
    begin_world();
    write_shared();
    for (size_t i = 0; i < 2; i++) {
        varve_node *root = new_root();
        memset(w, 0, sizeof w);
        varve_node *v = varve_add_variable(
            varve_add_object(root, "opt"), "0", varve_array(w, 2));
        varve_restoration *r = read_root(root, &cases[i]);
        cr_assert_eq(w[1], 0);
        varve_node *apart = varve_add_detached(varve_node_graph(root));
        varve_track(apart, "w", v);
        varve_track(varve_add_object(root, "model"), "own", apart);
        cr_assert_eq(w[1], 2);
        good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* It is the same mismatch as if it had been selected from the start, and is
 * reported once. */
TEST(scope, reports_an_object_when_a_variable_is_selected_later)
{
    static const varve_read_options cases[] = { { .only = "b|c" },
        { .except = "a" } };
    for (size_t i = 0; i < 2; i++) {
        begin_world();
        varve_node *root = new_root();
        varve_add_variable(
            varve_add_object(root, "a"), "w", varve_array(kept, 2));
        varve_add_variable(root, "c", varve_array(COPY_OF(kept), 2));
        write_root(root);
        free_root(root);
        root = new_root();
        varve_node *a = varve_add_variable(root, "a", varve_array(w, 2));
        varve_restoration *r = read_root(root, &cases[i]);
        good(root);
        varve_track(root, "b", a);
        cr_assert_eq(
            varve_graph_check(varve_node_graph(root), NULL), VARVE_MISMATCH);
        cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MISMATCHED), 1);
        varve_track(root, "d", a);
        varve_error error = { 0 };
        cr_assert_eq(varve_restoration_retry(r, &error), VARVE_MISMATCH);
        cr_assert(strstr(error.message, "1 "), "%s", error.message);
        cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
        good(root);
        varve_restoration_free(r);
        free_root(root);
        end_world();
    }
}

TEST(scope, is_reevaluated_after_untrack)
{
    begin_world();
    write_shared();
    varve_node *root = shared(w);
    memset(w, 0, sizeof w);
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .only = "model" });
    varve_node *v = varve_find_path(root, "opt/0");
    cr_assert(vv_scope_takes(&r->pairing.scopes, v));
    varve_untrack(varve_find_path(root, "model/layer"), "w");
    varve_error error = { 0 };
    varve_report_free(varve_report_new(r, &error));
    cr_assert_not(vv_scope_takes(&r->pairing.scopes, v));
    varve_track(varve_find(root, "model"), "again", v);
    cr_assert(vv_scope_takes(&r->pairing.scopes, v));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(scope, needs_at_most_twice_the_necessary_memory)
{
    begin_world();
    write_shared();
    varve_node *root = shared(w);
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .only = "model" });
    for (int i = 0; i < 20000; i++) {
        varve_remove(varve_add_object(root, "passing"));
    }
    cr_assert_lt(r->pairing.scopes.of[VV_ONLY].count, 5000u);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(scope, resizes_by_any_path)
{
    float large[3] = { 0 };
    begin_world();
    write_shared();
    varve_node *root = new_root();
    varve_node *opt = varve_add_object(root, "opt");
    varve_node *v = varve_add_variable(opt, "0", varve_array(large, 3));
    varve_track(varve_add_object(root, "model"), "x", v);
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .resize = "model" });
    cr_assert_eq(large[1], 2);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(scope, must_leave_something_to_restore)
{
    varve_error error = { 0 };
    begin_world();
    write_shared();
    varve_node *root = shared(w);
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .only = "modle/layer" });
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert(
        strstr(error.message, "nearest: \"model/layer\""), "%s", error.message);
    cr_assert_eq(varve_assert_nontrivial_match(r, &error), VARVE_UNMATCHED);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    /* A pending value counts as selected. */
    root = new_root();
    r = read_root(root, &(varve_read_options){ .only = "model" });
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert_not(strstr(error.message, "`only` selects nothing"));
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MISMATCHED), 0u);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Returns true if a value that the program lacks was excluded. */
static bool is_left_out(const varve_read_options *options, const char *path)
{
    varve_error error = { 0 };
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, options);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding = { 0 };
    bool left_out = false, waits = false;
    cr_assert_not_null(report, "%s", error.message);
    for (size_t i = 0;
         varve_report_at(report, VARVE_FINDING_UNEXPECTED, i, &finding); i++)
        left_out |= strcmp(finding.file_path, path) == 0;
    for (size_t i = 0;
         varve_report_at(report, VARVE_FINDING_PENDING, i, &finding); i++)
        waits |= strcmp(finding.file_path, path) == 0;
    cr_assert(left_out != waits, "%s", path);
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    return left_out;
}

static varve_node *add_at(varve_node *root, const char *path)
{
    char name[16];
    size_t size = strcspn(path, "/");
    snprintf(name, sizeof name, "%.*s", (int)size, path);
    if (!path[size])
        return varve_add_variable(root, name, varve_array(COPY_OF(kept), 2));
    varve_node *child = varve_find(root, name);
    return add_at(
        child ? child : varve_add_object(root, name), path + size + 1);
}

TEST(scope, applies_patterns_to_renamed_paths)
{
    static const varve_rename renames[] = { { "model/*", "net/*" },
        { "avg/**", "opt/ema(**)" }, { "adam", "opt" } };
    static const struct {
        const char *only, *except, *path;
        bool wanted;
    } cases[] = {
        { "model", "model/b", "net/a/kernel", true },
        { "model", "model/b", "net/b/kernel", false },
        { "model", NULL, "other/a", false },
        { NULL, "net/a|model", "net/a/kernel", false },
        { NULL, "net/a", "net/a/kernel", true },
        { NULL, "other", "other/a", false },
        { "avg", NULL, "opt/ema(net/a/kernel)", true },
        { "avg/net/b", NULL, "opt/ema(net/a/kernel)", false },
        { "adam/ema(net)", NULL, "opt/ema(net/a/kernel)", true },
        { "opt/ema(model/a)", NULL, "opt/ema(net/a/kernel)", true },
        { "adam/ema(model/a)", NULL, "opt/ema(net/a/kernel)", true },
        { "adam/ema(model/b)", NULL, "opt/ema(net/a/kernel)", false },
    };
    begin_world();
    varve_node *root = new_root();
    varve_node *a = add_at(root, "net/a/kernel");
    add_at(root, "net/b/kernel");
    add_at(root, "other/a");
    varve_add_slot(
        varve_add_object(root, "opt"), a, "ema", varve_array(COPY_OF(kept), 2));
    write_root(root);
    free_root(root);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_read_options options = { .rename = { .list = renames,
                                           .count = 3 },
            .only = cases[i].only,
            .except = cases[i].except };
        cr_assert_neq(is_left_out(&options, cases[i].path), cases[i].wanted,
            "case %zu", i);
    }
    end_world();
}

/* Otherwise a deep file would take quadratic time. */
TEST(scope, follows_renames_backwards_from_any_depth)
{
    enum { NAMES = 1000 };
    char path[2 * NAMES + 8] = "net";
    begin_world();
    varve_node *root = new_root();
    varve_node *node = varve_add_object(root, "net");
    for (int names = 2; names < NAMES; names++) {
        node = varve_add_object(node, "y");
        strcat(path, "/y");
    }
    varve_add_variable(node, "x", varve_array(kept, 2));
    strcat(path, "/x");
    write_root(root);
    free_root(root);
    varve_rename rename = { "model/**/x", "net/**/x" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 },
        .only = "model" };
    cr_assert(!is_left_out(&options, path));
    rename = (varve_rename){ "model", path };
    cr_assert(!is_left_out(&options, path));
    rename = (varve_rename){ "model/*", "net/*" }; /* and all nodes below it */
    cr_assert(!is_left_out(&options, path));
    rename = (varve_rename){ "model/**/z", "net/**/z" };
    cr_assert(is_left_out(&options, path));
    end_world();
}

TEST(scope, never_excludes_unchecked_nodes_without_memory)
{
    varve_rename rename = { "model/*", "net/*" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 },
        .only = "model",
        .except = "model/c" };
    varve_report *report = NULL;
    begin_world();
    varve_node *root = new_root();
    add_at(root, "net/a/kernel");
    write_root(root);
    free_root(root);
    for (long n = 0; !report; n++) {
        varve_error error = { 0 };
        root = new_root();
        varve_restoration *r = read_root(root, &options);
        test_fail_allocation(n, false);
        report = varve_report_new(r, &error);
        test_fail_allocation(-1, false);
        cr_assert(report || error.status == VARVE_NO_MEMORY);
        cr_assert(
            !report || varve_report_count(report, VARVE_FINDING_PENDING) == 1);
        varve_report_free(report);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

static varve_status count_up(void *user, const varve_finding *finding)
{
    size_t *count = user;
    cr_assert_str_eq(finding->program_path, "opt/0");
    return ++*count == 1 ? VARVE_OK : VARVE_CANCELLED;
}

TEST(scope, returns_the_findings_of_a_kind)
{
    varve_error error = { 0 };
    size_t count = 0;
    begin_world();
    write_shared();
    varve_node *root = shared(w);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(
        varve_each_finding(r, VARVE_FINDING_MATCHED, count_up, &count, &error),
        VARVE_OK);
    cr_assert_eq(count, 1u);
    cr_assert_eq(
        varve_each_finding(r, VARVE_FINDING_MATCHED, count_up, &count, &error),
        VARVE_CANCELLED);
    test_fail_allocation(0, true);
    cr_assert_eq(
        varve_each_finding(r, VARVE_FINDING_MATCHED, count_up, &count, &error),
        VARVE_NO_MEMORY);
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MATCHED), SIZE_MAX);
    test_fail_allocation(-1, false);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(scope, resizes_before_it_reshapes)
{
    float saved[6] = { 1, 2, 3, 4, 5, 6 }, other[6] = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "w", varve_array(saved, 2, 3));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_add_variable(root, "w", varve_array(other, 3, 2));
    varve_restoration *r = read_root(
        root, &(varve_read_options){ .resize = "w", .reshape = true });
    static const float expected[6] = { 1, 2, 4, 5, 0, 0 };
    cr_assert_eq(memcmp(other, expected, sizeof expected), 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(scope, fails_beyond_a_limit)
{
    char pattern[8192] = "**";
    begin_world();
    write_shared();
    varve_node *root = new_root(), *at = root;
    while (strlen(pattern) < sizeof pattern - 4)
        strcat(pattern, "/a");
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .only = pattern });
    for (int i = 0; i < 2000; i++)
        at = varve_add_object(at, "a");
    varve_error error = { 0 };
    varve_status status = varve_graph_check(varve_node_graph(root), &error);
    cr_assert_eq(status, VARVE_LIMIT, "%s", error.message);
    cr_assert_eq(varve_restoration_retry(r, &error), VARVE_LIMIT);
    varve_restoration_free(r);
    cr_assert_ok(varve_graph_check(varve_node_graph(root), &error), error);
    fail_read(root, &(varve_read_options){ .only = pattern }, VARVE_LIMIT);
    free_root(root);
    end_world();
}

TEST(scope, recovers_after_a_failed_allocation)
{
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    begin_world();
    write_shared();
    for (long n = 0; status; n++) {
        varve_node *root = new_root();
        varve_node *v = varve_add_variable(
            varve_add_object(root, "opt"), "0", varve_array(w, 2));
        varve_node *model = varve_add_object(root, "model");
        varve_add_object(root, "x");
        varve_restoration *r =
            read_root(root, &(varve_read_options){ .only = "model|**/y/z" });
        memset(w, 0, sizeof w);
        test_fail_allocation(n, false);
        varve_track(model, "x", v);
        test_fail_allocation(-1, false);
        status = varve_graph_check(varve_node_graph(root), &error);
        if (status) {
            cr_assert_eq(status, VARVE_NO_MEMORY);
            if (varve_restoration_retry(r, &error) == VARVE_OK &&
                varve_find(model, "x"))
                cr_assert_eq(w[1], 2);
        } else {
            cr_assert_eq(w[1], 2);
        }
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}
