/* test_suggestion.c - Tests suggestions for unmatched paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

static float values[4];

static varve_node *leaf(varve_node *parent, const char *name)
{
    return varve_add_variable(parent, name, varve_array(COPY_OF(values), 4));
}

/* Checks the suggestion for a path of either side, or "-". */
static void expect(varve_restoration *r, bool of_file, const char *path,
    const char *wanted)
{
    varve_error error = { 0 };
    varve_report *report = varve_report_new(r, &error);
    varve_finding f = { 0 };
    varve_finding_kind kind =
        of_file ? VARVE_FINDING_PENDING : VARVE_FINDING_MISSING;
    bool was_seen = false;
    cr_assert(report, "%s", error.message);
    for (size_t i = 0; varve_report_at(report, kind, i, &f); i++) {
        const char *own = of_file ? f.file_path : f.program_path;
        if (strcmp(own, path) != 0)
            continue;
        was_seen = true;
        cr_assert_str_eq(f.nearest ? f.nearest : "-", wanted, "%s: %s", path,
            varve_report_text(report));
    }
    cr_assert(was_seen, "%s: %s", path, varve_report_text(report));
    varve_report_free(report);
}

static varve_node *renewed_root(varve_node *root)
{
    write_root(root);
    free_root(root);
    return new_root();
}

TEST(suggestion, follows_paths_below_a_misspelled_name)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *net = varve_add_object(root, "network");
    leaf(varve_add_object(varve_add_object(net, "a"), "b"), "kernel");
    leaf(varve_add_object(net, "c"), "gone");
    leaf(varve_add_object(net, "d"), "biases");
    root = renewed_root(root);
    net = varve_add_object(root, "netwrk");
    leaf(varve_add_object(varve_add_object(net, "a"), "b"), "kernel");
    varve_add_object(net, "c");
    leaf(varve_add_object(net, "d"), "bias");
    varve_restoration *r = read_strange(root);
    expect(r, true, "network/a/b/kernel", "netwrk/a/b/kernel");
    expect(r, false, "netwrk/a/b/kernel", "network/a/b/kernel");
    expect(r, true, "network/d/biases", "netwrk/d/bias"); /* two errors */
    expect(r, false, "netwrk/d/bias", "network/d/biases");
    expect(r, true, "network/c/gone", "netwrk/c"); /* as far as it exists */
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

static void add_layer(varve_node *model, const char *name, size_t extent)
{
    varve_node *layer = varve_add_object(model, name);
    varve_add_variable(layer, "w", varve_array(COPY_OF(values), extent));
    leaf(layer, "b");
}

TEST(suggestion, finds_the_only_object_with_the_same_children)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    add_layer(model, "fc", 3);
    add_layer(model, "head", 2);
    add_layer(model, "in", 1);
    add_layer(model, "two", 1);
    root = renewed_root(root);
    model = varve_add_object(root, "model");
    add_layer(model, "dense", 3);
    add_layer(model, "embedding", 1);
    varve_restoration *r = read_strange(root);
    expect(r, true, "model/fc/w", "model/dense/w");
    expect(r, false, "model/dense/b", "model/fc/b");
    expect(r, true, "model/head/w", "-"); /* another shape */
    expect(r, false, "model/embedding/w", "-"); /* two are alike */
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(suggestion, escapes_names_for_renames)
{
    begin_world();
    varve_node *root = new_root();
    leaf(varve_add_object(root, "a/b*c|d%"), "kernel(1)");
    leaf(root, "#one->two ");
    root = renewed_root(root);
    leaf(varve_add_object(root, "a/b*c|d"), "kernel(1)");
    leaf(root, "#one->two");
    varve_restoration *r = read_strange(root);
    expect(r, false, "a%2Fb%2Ac%7Cd/kernel%281%29",
        "a%2Fb%2Ac%7Cd%25/kernel%281%29");
    expect(r, false, "#one->two", "%23one-%3Etwo%20");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A truncated path would be useless. */
TEST(suggestion, omits_paths_that_are_too_long)
{
    static char name[4090];
    begin_world();
    memset(name, 'n', sizeof name - 1);
    varve_node *root = new_root();
    varve_node *deep = varve_add_object(root, name);
    leaf(varve_add_object(root, "short"), "kernel");
    leaf(deep, "kernel");
    leaf(deep, "abcd");
    root = renewed_root(root);
    deep = varve_add_object(root, name);
    leaf(deep, "kernels");
    leaf(deep, "abce");
    varve_restoration *r = read_root(root, NULL);
    varve_report *report = varve_report_new(r, NULL);
    varve_finding f;
    size_t count = 0;
    for (size_t i = 0; varve_report_at(report, VARVE_FINDING_PENDING, i, &f);
         i++) {
        count += f.nearest != NULL;
        cr_assert(!f.nearest || strcmp(f.nearest + 4089, "/abce") == 0);
    }
    cr_assert_eq(count, 1);
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(suggestion, formats_slots_with_paths_of_the_other_side)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *w = leaf(varve_add_object(root, "model"), "kernel");
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, w, "momentum", varve_array(COPY_OF(values), 4));
    varve_add_slot(adam, w, "velocity", varve_array(COPY_OF(values), 3));
    root = renewed_root(root);
    w = leaf(varve_add_object(root, "net"), "weight");
    varve_alias(varve_find(root, "net"), "model");
    varve_alias(w, "kernel");
    adam = varve_add_object(root, "adam");
    varve_add_slot(adam, w, "momentm", varve_array(COPY_OF(values), 4));
    varve_add_slot(adam, w, "zz", varve_array(COPY_OF(values), 3));
    varve_restoration *r = read_root(root, NULL);
    expect(r, true, "adam/momentum(model/kernel)", "adam/momentm(net/weight)");
    expect(r, false, "adam/momentm(net/weight)",
        "adam/momentum(model/kernel)");
    expect(r, true, "adam/velocity(model/kernel)", "adam/zz(net/weight)");
    expect(r, false, "adam/zz(net/weight)", "adam/velocity(model/kernel)");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(suggestion, finds_slots_with_renamed_owner_or_variable)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *w = leaf(varve_add_object(root, "model"), "kernel");
    varve_add_slot(varve_add_object(root, "optimizer"), w, "m",
        varve_array(COPY_OF(values), 4));
    root = renewed_root(root);
    w = leaf(varve_add_object(root, "modell"), "kernel");
    varve_add_slot(varve_add_object(root, "optimiser"), w, "m",
        varve_array(COPY_OF(values), 4));
    varve_restoration *r = read_strange(root);
    expect(r, true, "optimizer/m(model/kernel)", "optimiser/m(modell/kernel)");
    expect(r, false, "optimiser/m(modell/kernel)",
        "optimizer/m(model/kernel)");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(suggestion, suggests_nothing_for_a_slot_without_a_similar_one)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *w = leaf(root, "w");
    varve_add_slot(varve_add_object(root, "opt"), w, "m",
        varve_array(COPY_OF(values), 4));
    varve_add_slot(varve_add_object(root, "other"), w, "m",
        varve_array(COPY_OF(values), 4));
    root = renewed_root(root);
    w = leaf(root, "w");
    varve_add_slot(varve_add_object(root, "opt"), w, "unlike",
        varve_array(COPY_OF(values), 2));
    varve_restoration *r = read_root(root, NULL);
    expect(r, true, "opt/m(w)", "-");
    expect(r, true, "other/m(w)", "-");
    expect(r, false, "opt/unlike(w)", "-");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(suggestion, handles_failed_allocations)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *w = leaf(varve_add_object(root, "model"), "kernel");
    varve_add_slot(varve_add_object(root, "optimizer"), w, "m",
        varve_array(COPY_OF(values), 4));
    root = renewed_root(root);
    w = leaf(varve_add_object(root, "modell"), "kernel");
    varve_add_slot(varve_add_object(root, "optimiser"), w, "m",
        varve_array(COPY_OF(values), 4));
    varve_restoration *r = read_strange(root);
    varve_report *report = NULL;
    for (long n = 0; !report; n++) {
        test_fail_allocation(n, false);
        report = varve_report_new(r, &error);
        test_fail_allocation(-1, false);
        cr_assert(report || error.status == VARVE_NO_MEMORY);
    }
    cr_assert(strstr(varve_report_text(report),
        "(nearest: \"optimizer/m(model/kernel)\")"));
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
