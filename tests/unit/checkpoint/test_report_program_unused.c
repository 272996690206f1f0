/* test_report_program_unused.c - Tests reports of unused patterns and renames.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <varve/restoration.h>

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

TEST(unused_pattern, is_listed_with_the_nearest_path)
{
    varve_error error = { 0 };
    varve_finding finding;
    begin_world();
    write_shared();
    varve_node *root = shared(w);
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .only = "model|optt/0|opt",
            .except = "a*|m(b|model", .expect = { .unexpected = "modl/x",
            .missing = "head" } });
    varve_report *report = varve_report_new(r, &error);
    static const struct {
        const char *path;
        const char *nearest;
        const char *option;
    } expected[] = {
        { "optt/0", "opt/0", "only" },
        { "a*", NULL, "except" },
        { "m(b|model", NULL, "except" },
        { "head", NULL, "expect.missing" },
        { "modl/x", "model/x", "expect.unexpected" },
    };
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_MISMATCHED), 5u);
    for (size_t i = 0; i < 5; i++) {
        cr_assert(
            varve_report_at(report, VARVE_FINDING_MISMATCHED, i, &finding));
        cr_assert(finding.expected);
        cr_assert_str_eq(finding.program_path ? finding.program_path
                                              : finding.file_path,
            expected[i].path);
        cr_assert_str_eq(finding.nearest ? finding.nearest : "-",
            expected[i].nearest ? expected[i].nearest : "-");
        cr_assert_str_eq(finding.option, expected[i].option);
        cr_assert(strstr(finding.reason, expected[i].option));
    }
    varve_report_free(report);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, "1 pattern of `only` matches nothing:"));
    cr_assert(strstr(error.message, "(nearest: \"opt/0\")"));
    cr_assert_not(strstr(error.message, "[expected]"));
    cr_assert_not(strstr(error.message, "a*"));
    cr_assert_eq(
        varve_assert_nontrivial_match(r, &error), VARVE_UNMATCHED);
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MISMATCHED), 5u);
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MATCHED), 1u);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
