/* test_report_program.c - Tests the findings about the program in a report.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report_program.h"

#include "worlds.h"

static float x = 5;

static void write_shared(void)
{
    varve_node *root = new_root();
    varve_track(
        root, "b", varve_add_variable(root, "a", varve_scalar(&x)));
    write_root(root);
    free_root(root);
}

/* Checks the only finding of its kind for "b". */
static void check(varve_node *root, const varve_read_options *options,
    varve_finding_kind kind, const char *reason)
{
    varve_error error = { 0 };
    varve_finding f = { .kind = VARVE_FINDING_PENDING };
    varve_restoration *r = read_root(root, options);
    varve_report *report = varve_report_new(r, &error);
    size_t count = varve_report_count(report, kind);
    cr_assert(count > 0, "%s", varve_report_text(report));
    cr_assert(varve_report_at(report, kind, count - 1, &f));
    cr_assert_str_eq(f.program_path, "b");
    cr_assert_str_eq(f.reason, reason);
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
}

static varve_node *make(void)
{
    static float values[2];
    varve_node *root = new_root();
    varve_add_variable(root, "b", varve_scalar(&values[1]));
    varve_add_variable(root, "a", varve_scalar(&values[0]));
    return root;
}

TEST(report_program, lists_the_path_that_has_a_formerly_shared_value)
{
    begin_world();
    write_shared();
    check(make(), NULL, VARVE_FINDING_MISMATCHED,
        "shared in the file with a, which was restored from it");
    check(make(), &(varve_read_options){ .copy_shared = true },
        VARVE_FINDING_MATCHED, "a copy of the value of a");
    end_world();
}

TEST(report_program, lists_values_missing_in_the_file)
{
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_scalar(&x));
    write_root(root);
    free_root(root);
    check(make(), NULL, VARVE_FINDING_MISSING,
        "the root of the file has no edge \"b\"");
    end_world();
}

/* The file has a node without a value in the place of a variable. */
TEST(report_program, describes_an_object_in_the_place_of_a_variable)
{
    static const struct {
        varve_node *(*add)(varve_node *parent, const char *name);
        const char *tag;
        const char *reason;
    } cases[] = {
        { varve_add_object, NULL, "the file has an object here" },
        { varve_add_object, "none", "the file has None here" },
        { varve_add_list, NULL, "the file has a list here" },
        { varve_add_dict, NULL, "the file has a dict here" },
    };
    begin_world();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_node *root = new_root();
        varve_add_variable(root, "a", varve_scalar(&x));
        varve_node *other = cases[i].add(root, "b");
        if (cases[i].tag)
            varve_tag(other, cases[i].tag);
        write_root(root);
        free_root(root);
        check(make(), &(varve_read_options){ .only = "a" },
            VARVE_FINDING_MISMATCHED, cases[i].reason);
    }
    end_world();
}
