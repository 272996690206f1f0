/* test_questions.c - Tests that reports and assertions refer to the present
 * program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "findings.h"
#include "questions.h"

static float values[3] = { 1, 2, 3 };

/* Writes a file with x and y, and reads it into a program with x. */
static varve_restoration *begin(varve_node **root, float *x)
{
    varve_node *saved = new_root();
    varve_add_variable(saved, "x", varve_array(values, 3));
    varve_add_variable(saved, "y", varve_array(COPY_OF(values), 3));
    write_root(saved);
    free_root(saved);
    *root = new_root();
    varve_add_variable(*root, "x", varve_array(x, 3));
    return read_root(*root, NULL);
}

TEST(questions, use_the_current_program)
{
    float x[3];
    varve_node *root;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin(&root, x);
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MATCHED), 1);
    varve_node *object = varve_add_object(root, "object");
    varve_track(object, "self", object);
    varve_add_variable(object, "z", varve_array(values, 3));
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MISSING), 1);
    varve_untrack(root, "object");
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MISSING), 0);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    cr_assert_ok(varve_assert_nontrivial_match(r, &error), error);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Without memory the functions return that error. */
TEST(questions, change_nothing)
{
    float x[3];
    varve_node *root;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin(&root, x);
    cr_assert_ok(vv_prepare_report(r, &error), error);
    struct vv_pairing pairing = r->pairing;
    struct vv_delivery delivery = r->delivery;
    size_t count = SIZE_MAX;
    for (long n = 0; count == SIZE_MAX; n++) {
        test_fail_allocation(n, false);
        count = varve_finding_count(r, VARVE_FINDING_PENDING);
        test_fail_allocation(-1, false);
        cr_assert_eq(memcmp(&pairing, &r->pairing, sizeof pairing), 0);
        cr_assert_eq(memcmp(&delivery, &r->delivery, sizeof delivery), 0);
    }
    cr_assert_eq(count, 1);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
