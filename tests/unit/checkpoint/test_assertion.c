/* test_assertion.c - Tests the assertions of a restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

static float x = 1, y = 2;

static varve_node *make(const char *first, const char *second)
{
    varve_node *root = new_root();
    if (first)
        varve_add_variable(root, first, varve_scalar(COPY_AT(&x)));
    if (second)
        varve_add_variable(root, second, varve_scalar(COPY_AT(&y)));
    return root;
}

static void write_names(const char *first, const char *second)
{
    varve_node *root = make(first, second);
    write_root(root);
    free_root(root);
}

/* Checks which of the assertions consumed, existing and nontrivial hold. */
static void check(varve_restoration *r, bool consumed, bool existing,
    bool nontrivial, const char *names)
{
    varve_error error = { 0 };
    varve_status no = VARVE_UNMATCHED;
    cr_assert_eq(
        varve_assert_nontrivial_match(r, &error), nontrivial ? 0 : no);
    cr_assert_eq(varve_assert_existing_objects_matched(r, &error),
        existing ? 0 : no);
    cr_assert_eq(varve_assert_consumed(r, &error), consumed ? 0 : no);
    cr_assert(!names || strstr(error.message, names), "%s", error.message);
}

static void check_read(varve_node *root, const varve_read_options *options,
    bool consumed, bool existing, bool nontrivial, const char *names)
{
    varve_restoration *r = read_root(root, options);
    check(r, consumed, existing, nontrivial, names);
    varve_restoration_free(r);
    free_root(root);
}

TEST(assertion, depends_on_the_matched_values)
{
    begin_world();
    write_names("x", "y");
    check_read(make("x", "y"), NULL, true, true, true, NULL);
    check_read(make("x", NULL), NULL, false, true, true, "\n  y ");
    varve_node *strange = make("a", NULL);
    varve_error error = fail_read(strange, NULL, VARVE_UNMATCHED);
    cr_assert(strstr(error.message, "\n  x "), "%s", error.message);
    cr_assert(strstr(error.message, "\n  a "), "%s", error.message);
    free_root(strange);
    check_read(make(NULL, NULL), NULL, false, true, false, "\n  y ");
    varve_node *root = make("x", "y");
    varve_add_variable(root, "more", varve_scalar(COPY_AT(&x)));
    check_read(root, NULL, false, false, true, "\n  more ");
    end_world();
}

/* A node that two paths of the file lead to has one of two values. */
TEST(assertion, reports_the_value_that_a_node_has_instead)
{
    begin_world();
    write_names("x", "y");
    varve_node *root = new_root();
    varve_track(root, "y",
        varve_add_variable(root, "x", varve_scalar(COPY_AT(&x))));
    check_read(root, NULL, false, true, true,
        "<- y float32[]          its node was restored from another value, "
        "\"x\", whose bytes differ");
    end_world();
}

TEST(assertion, ignores_optional_values_of_the_file)
{
    begin_world();
    varve_node *root = make("x", "y");
    varve_tag(varve_find(root, "y"), VARVE_TAG_TRAINABLE);
    varve_tag(varve_find(root, "x"), VARVE_TAG_OPTIONAL);
    write_root(root);
    free_root(root);
    check_read(make("y", NULL), NULL, true, true, true, NULL);
    check_read(make("x", NULL), NULL, false, true, true, "\n  y ");
    end_world();
}

TEST(assertion, ignores_expected_findings)
{
    begin_world();
    write_names("x", "y");
    check_read(make("x", NULL),
        &(varve_read_options){ .expect.unexpected = "y" }, true, true, true,
        NULL);
    varve_node *root = make("x", "y");
    varve_add_variable(root, "more", varve_scalar(COPY_AT(&x)));
    check_read(root, &(varve_read_options){ .expect.missing = "more" }, true,
        true, true, NULL);
    root = make("x", "y");
    varve_tag(varve_add_variable(root, "local", varve_scalar(COPY_AT(&x))),
        VARVE_TAG_LOCAL);
    varve_add_object(root, "no obligation");
    check_read(root, NULL, true, true, true, NULL);
    end_world();
}

TEST(assertion, lists_unused_patterns_of_expect_after_the_paths)
{
    varve_error error = { 0 };
    begin_world();
    write_names("x", "y");
    varve_read_options options = { .expect.unexpected = "z|y",
        .expect.missing = "head", .except = "none" };
    check_read(make("x", NULL), &options, true, true, true, NULL);
    varve_node *root = make("x", "more");
    varve_restoration *r = read_root(root, &options);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    const char *path = strstr(error.message, "\n  more ");
    cr_assert(path, "%s", error.message);
    cr_assert(strstr(path, "this pattern of `expect.missing` matched nothing"),
        "%s", error.message);
    const char *z = strstr(path, "\n  z ");
    cr_assert(z && strstr(z, "this pattern of `expect.unexpected` matched "
                             "nothing"),
        "%s", error.message);
    cr_assert_not(strstr(error.message, "[expected]"), "%s", error.message);
    cr_assert_not(strstr(error.message, "`except`"), "%s", error.message);
    cr_assert_eq(
        varve_assert_existing_objects_matched(r, &error), VARVE_UNMATCHED);
    cr_assert_not(strstr(error.message, "pattern"), "%s", error.message);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(assertion, uses_the_state_at_the_time_of_the_call)
{
    begin_world();
    write_names("x", "y");
    varve_node *root = make("x", NULL);
    varve_restoration *r = read_root(root, NULL);
    check(r, false, true, true, NULL);
    varve_node *late = varve_add_variable(root, "y", varve_scalar(COPY_AT(&y)));
    check(r, true, true, true, NULL);
    varve_remove(late);
    check(r, true, true, true, NULL);
    varve_add_variable(root, "y", varve_scalar(COPY_AT(&y)));
    check(r, false, false, true, "\n  y ");
    free_root(root);
    check(r, false, false, false, NULL);
    varve_restoration_free(r);
    end_world();
}

TEST(assertion, handles_every_failed_allocation)
{
    begin_world();
    write_names("x", "y");
    varve_node *root = make("x", "y");
    varve_restoration *r = read_root(root, NULL);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_assert_consumed(r, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
    }
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Untracked nodes are ignored, so they must be found first. */
TEST(assertion, does_not_succeed_without_memory_to_check)
{
    begin_world();
    write_names("x", NULL);
    varve_node *root = make("x", NULL);
    varve_restoration *r = read_root(root, NULL);
    varve_untrack(root, "x");
    for (int i = 0; i < 3; i++) {
        varve_error error = { 0 };
        test_fail_allocation(0, true);
        varve_status status = i == 0 ? varve_assert_nontrivial_match(r, &error)
            : i == 1                 ? varve_assert_consumed(r, &error)
                     : varve_assert_existing_objects_matched(r, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(error.status, VARVE_NO_MEMORY);
        good(root);
    }
    check(r, true, true, true, NULL);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A value with a rename is pending, and must not be taken for an excluded
 * one. */
TEST(assertion, ignores_nothing_without_memory_to_check)
{
    varve_rename rename = { "model", "net" };
    varve_read_options options = { .only = "model", .rename = { .list = &rename,
        .count = 1 } };
    bool was_tried = true;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "net"), "x", varve_scalar(COPY_AT(&x)));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, &options);
    for (long n = 0; was_tried; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        varve_status status = varve_assert_consumed(r, &error);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_NO_MEMORY || status == VARVE_UNMATCHED,
            "allocation %ld: %s", n, varve_status_name(status));
    }
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(assertion, requires_the_restored_node)
{
    varve_error error = { 0 };
    begin_world();
    write_names("x", NULL);
    varve_node *root = new_root();
    varve_node *part = varve_add_object(root, "part");
    varve_restoration *r = read_root(part, NULL);
    varve_remove(part);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert_eq(
        varve_assert_existing_objects_matched(r, &error), VARVE_UNMATCHED);
    cr_assert_eq(varve_assert_nontrivial_match(r, &error), VARVE_UNMATCHED);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
