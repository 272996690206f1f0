/* test_report.c - Tests reports of restorations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "questions.h"
#include "report.h"

static float values[4] = { 1, 2, 3, 4 };
static float mine[4];

static void write_model(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "kernel", varve_array(COPY_OF(values), 4));
    varve_add_variable(model, "bias", varve_array(COPY_OF(values), 2));
    varve_add_variable(root, "step", varve_array(COPY_OF(values), 1));
    write_root(root);
    free_root(root);
}

static varve_node *make_program(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "kernel", varve_array(COPY_OF(mine), 4));
    varve_add_variable(model, "biass", varve_array(COPY_OF(mine), 2));
    varve_tag(
        varve_add_variable(model, "scratch", varve_array(COPY_OF(mine), 4)),
        VARVE_TAG_LOCAL);
    return root;
}

static varve_finding finding_at(
    const varve_report *report, varve_finding_kind kind, size_t i)
{
    varve_finding finding;
    cr_assert(varve_report_at(report, kind, i, &finding));
    cr_assert_eq(finding.kind, kind);
    return finding;
}

TEST(report, sorts_values_into_lists)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = make_program();
    varve_restoration *r = read_root(root, NULL);
    varve_add_variable(root, "step", varve_array(COPY_OF(mine), 4));
    varve_report *report = varve_report_new(r, &error);
    static const size_t counts[VARVE_FINDING_KINDS] = { 1, 1, 0, 1, 1 };
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++)
        cr_assert_eq(varve_report_count(report, (varve_finding_kind)kind),
            counts[kind], "%d: %s", kind, varve_report_text(report));
    varve_finding f = finding_at(report, VARVE_FINDING_MATCHED, 0);
    cr_assert_str_eq(f.program_path, "model/kernel");
    cr_assert_str_eq(f.file_path, "model/kernel");
    cr_assert_eq(f.size, 16);
    cr_assert(!f.cast && !f.expected && f.inexact == 0);
    f = finding_at(report, VARVE_FINDING_PENDING, 0);
    cr_assert_str_eq(f.file_path, "model/bias");
    cr_assert_null(f.program_path);
    cr_assert_str_eq(f.nearest, "model/biass");
    f = finding_at(report, VARVE_FINDING_MISSING, 0);
    cr_assert_str_eq(f.program_path, "model/biass");
    cr_assert_str_eq(f.nearest, "model/bias");
    f = finding_at(report, VARVE_FINDING_MISMATCHED, 0);
    cr_assert_eq(f.saved.shape[0], 1);
    cr_assert_eq(f.wanted.shape[0], 4);
    varve_report_free(report);
    varve_report_free(NULL);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report, of_a_dry_run_matches_that_of_a_read)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = make_program();
    varve_add_variable(root, "step", varve_array(COPY_OF(mine), 4));
    mine[0] = 9;
    varve_restoration *r = varve_dry_run(root, FILE_NAME, NULL, &error);
    varve_report *report = varve_report_new(r, &error);
    static const size_t counts[VARVE_FINDING_KINDS] = { 1, 0, 1, 1, 1 };
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++)
        cr_assert_eq(varve_report_count(report, (varve_finding_kind)kind),
            counts[kind], "%d: %s", kind, varve_report_text(report));
    cr_assert_eq(mine[0], 9);
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report, outlives_graph_and_restoration)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = make_program();
    varve_restoration *r = read_root(root, NULL);
    varve_report *report = varve_report_new(r, &error);
    free_root(root);
    varve_report *later = varve_report_new(r, &error);
    cr_assert_not_null(later);
    varve_restoration_free(r);
    cr_assert_str_eq(
        finding_at(report, VARVE_FINDING_MATCHED, 0).file_path, "model/kernel");
    cr_assert(strlen(varve_report_text(later)) > 0);
    varve_report_free(report);
    varve_report_free(later);
    end_world();
}

TEST(report, counts_matches_that_it_omits)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = make_program();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_ok(vv_prepare_report(r, &error), error);
    varve_report *report = vv_report_make(&r->delivery, 0, &error);
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_MATCHED), 1);
    cr_assert_eq(report->findings[VARVE_FINDING_MATCHED].size, 0);
    cr_assert_eq(report->value_count, 3);
    cr_assert_eq(report->variable_count, 3);
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report, handles_every_failed_allocation)
{
    begin_world();
    write_model();
    varve_node *root = make_program();
    varve_restoration *r = read_root(root, NULL);
    varve_report *report = NULL;
    for (long n = 0; !report; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        report = varve_report_new(r, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, report ? VARVE_OK : VARVE_NO_MEMORY);
    }
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* It contains no untracked node, even if memory is exhausted. */
TEST(report, is_complete_or_not_created_without_memory)
{
    begin_world();
    write_model();
    varve_node *root = make_program();
    varve_restoration *r = read_root(root, NULL);
    varve_untrack(root, "model");
    varve_report *report = NULL;
    for (long n = 0; !report; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        report = varve_report_new(r, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, report ? VARVE_OK : VARVE_NO_MEMORY);
        good(root);
    }
    size_t matched = varve_report_count(report, VARVE_FINDING_MATCHED);
    cr_assert_eq(
        matched + varve_report_count(report, VARVE_FINDING_PENDING), 3);
    for (size_t i = 0; i < matched; i++) {
        varve_finding f = finding_at(report, VARVE_FINDING_MATCHED, i);
        cr_assert_null(f.program_path);
        cr_assert_str_eq(f.reason, "its node was removed");
    }
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report, lists_values_replaced_by_a_later_restoration)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *older = read_root(root, NULL);
    varve_restoration *newer = read_root(root, NULL);
    varve_add_variable(root, "step", varve_array(COPY_OF(mine), 1));
    varve_report *report = varve_report_new(older, &error);
    varve_finding f = finding_at(report, VARVE_FINDING_MATCHED, 0);
    cr_assert_str_eq(f.program_path, "step");
    cr_assert_str_eq(
        f.reason, "a later restore replaced its value");
    varve_report_free(report);
    report = varve_report_new(newer, &error);
    cr_assert_str_eq(finding_at(report, VARVE_FINDING_MATCHED, 0).reason, "");
    varve_report_free(report);
    varve_restoration_free(older);
    varve_restoration_free(newer);
    free_root(root);
    end_world();
}
