/* test_findings.c - Tests the findings of a report.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "findings.h"

static void check_line(const struct vv_finding *finding, const char *wanted)
{
    struct vv_buffer text;
    vv_buffer_init(&text, test_allocator());
    vv_add_finding_line(&text, finding);
    cr_assert_str_eq(vv_buffer_string(&text), wanted);
    vv_buffer_clear(&text);
}

TEST(findings, are_readable_lines)
{
    varve_tensor two = varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(2));
    varve_tensor three = varve_view(NULL, VARVE_INT64, VARVE_SHAPE(3));
    check_line(&(struct vv_finding){ .kind = VARVE_FINDING_PENDING,
                   .file_path = "a/b",
                   .saved = &two,
                   .reason = "r",
                   .nearest = "c" },
        "a/b                            float32[2]         r (nearest: \"c\")");
    check_line(&(struct vv_finding){ .kind = VARVE_FINDING_MISMATCHED,
                   .file_path = "a", .program_path = "b", .saved = &two,
                   .wanted = &three, .is_excused = true },
        "b                              <- a float32[2] in the file, int64[3] "
        "in the program [expected]");
    check_line(&(struct vv_finding){ .kind = VARVE_FINDING_MISMATCHED,
                   .program_path = "b", .saved = &two, .wanted = &three,
                   .reason = "r" },
        "b                              float32[2] in the file, int64[3] in "
        "the program: r");
    check_line(&(struct vv_finding){ .kind = VARVE_FINDING_MISMATCHED,
                   .program_path = "b", .saved = &two, .wanted = &two,
                   .reason = "shared in the file with a, which was restored "
                       "from it" },
        "b                              float32[2]         shared in the "
        "file with a, which was restored from it");
    check_line(&(struct vv_finding){ .kind = VARVE_FINDING_MISSING,
                   .program_path = "b", .wanted = &three },
        "b                              int64[3]");
    check_line(&(struct vv_finding){ .kind = VARVE_FINDING_MATCHED,
                   .file_path = "\xc3\xa4", .program_path = "\xc3\xa4",
                   .saved = &two, .inexact = 12 },
        "\xc3\xa4                              float32[2]         "
        "(12 values not kept exactly)");
    check_line(&(struct vv_finding){ .kind = VARVE_FINDING_MATCHED,
                   .file_path = "v", .program_path = "v", .saved = &two,
                   .inexact = 1 },
        "v                              float32[2]         "
        "(1 value not kept exactly)");
}

TEST(findings, end_past_the_end)
{
    static int x;
    varve_error error = { 0 };
    varve_finding finding;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    varve_report *report = varve_report_new(r, &error);
    size_t count;
    cr_assert_not_null(vv_findings(report, VARVE_FINDING_MATCHED, &count));
    cr_assert_eq(count, 1);
    cr_assert(varve_report_at(report, VARVE_FINDING_MATCHED, 0, &finding));
    cr_assert(!varve_report_at(report, VARVE_FINDING_MATCHED, 1, &finding));
    cr_assert(!varve_report_at(report, VARVE_FINDING_PENDING, 0, &finding));
    cr_assert(!varve_report_at(report, (varve_finding_kind)5, 0, &finding));
    cr_assert_eq(varve_report_count(report, (varve_finding_kind)-1), 0);
    const char *text = varve_report_text(report);
    cr_assert_eq(text[strlen(text) - 1], '\n');
    cr_assert_eq(strncmp(text, "a.varve: 1 matched", 18), 0, "%s", text);
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
