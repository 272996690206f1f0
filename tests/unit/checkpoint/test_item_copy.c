/* test_item_copy.c - Tests copying values of a snapshot through functions of
 * the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/views.h"
#include "worlds.h"

enum { FLOATS = 300000 };

static struct view far[2], strided;
static float plain[4];
static varve_node *root;

static void set(uint64_t number)
{
    view_set(&far[0], number);
    view_set(&strided, number);
    view_set(&far[1], number);
    plain[0] = (float)number;
}

static void check(uint64_t number)
{
    cr_assert(view_is(&far[0], number));
    cr_assert(view_is(&strided, number));
    cr_assert(view_is(&far[1], number));
    cr_assert_eq(plain[0], (float)number);
}

static varve_snapshot *begin(void)
{
    uint64_t seed = 5;
    varve_error error = { 0 };
    begin_world();
    root = new_root();
    view_make_far(&far[0], VARVE_FLOAT32, VARVE_SHAPE(FLOATS));
    view_make_strided(&strided, VARVE_INT16, VARVE_SHAPE(30, 10), &seed);
    view_make_far(&far[1], VARVE_UINT8, VARVE_SHAPE(3));
    varve_add_variable(root, "a", far[0].tensor);
    varve_add_variable(root, "b", strided.tensor);
    varve_add_variable(root, "c", far[1].tensor);
    varve_add_variable(root, "d", varve_array(plain, 4));
    set(1);
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert(s, "%s", error.message);
    set(2);
    return s;
}

static void end(varve_snapshot *s)
{
    varve_snapshot_free(s);
    view_free(&far[0]);
    view_free(&far[1]);
    view_free(&strided);
    free_root(root);
    end_world();
}

static varve_status note(void *user, const varve_difference *d)
{
    (*(uint64_t *)user) += d->count;
    return VARVE_OK;
}

static uint64_t differences(varve_snapshot *s)
{
    uint64_t count = 0;
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_diff(s, NULL, note, &count, &error), error);
    return count;
}

TEST(item_copy, copies_values_out_and_back)
{
    varve_error error = { 0 };
    varve_snapshot *s = begin();
    cr_assert_eq(differences(s), FLOATS + 300 + 3 + 1);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    check(1);
    cr_assert_eq(differences(s), 0);
    set(3);
    cr_assert_ok(varve_snapshot_retake(s, &error), error);
    set(4);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    check(3);
    end(s);
}

TEST(item_copy, is_unchanged_if_a_value_cannot_be_copied_again)
{
    for (long at = 0; at < 2; at++) {
        varve_error error = { 0 };
        varve_snapshot *s = begin();
        view_fail(&far[0], at, 1);
        cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_CALLBACK);
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        check(1);
        end(s);
    }
}

TEST(item_copy, is_not_created_if_a_value_cannot_be_copied)
{
    varve_error error = { 0 };
    varve_snapshot *s = begin();
    view_fail(&far[0], 1, 1);
    cr_assert_null(varve_snapshot_new(root, &error));
    cr_assert_eq(error.status, VARVE_CALLBACK);
    end(s);
}

TEST(item_copy, keeps_program_values_if_a_value_cannot_be_restored)
{
    for (long at = 0; at < 4; at++) {
        varve_error error = { 0 };
        varve_snapshot *s = begin();
        view_fail(&far[0], at, 1);
        cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_CALLBACK);
        check(2);
        view_fail(&far[1], at % 2, 1);
        cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_CALLBACK);
        check(2);
        view_fail(&far[1], -1, 0);
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        check(1);
        end(s);
    }
}

TEST(item_copy, reports_values_that_could_not_be_restored)
{
    varve_error error = { 0 };
    varve_snapshot *s = begin();
    view_fail(&far[0], 3, 1000);
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_PARTIALLY_RESTORED);
    cr_assert_eq(error.status, VARVE_PARTIALLY_RESTORED);
    cr_assert(strstr(error.message, "copying its value in failed"));
    cr_assert(strstr(error.message, "could not be rolled back:\n  a"));
    cr_assert_eq(plain[0], 2);
    end(s);
}

TEST(item_copy, allocates_memory_before_anything_changes)
{
    for (long i = 0;; i++) {
        varve_error error = { 0 };
        varve_snapshot *s = begin();
        test_fail_allocation(i, false);
        varve_status taken = varve_snapshot_retake(s, &error);
        varve_status put =
            taken ? taken : varve_snapshot_restore(s, &error);
        test_fail_allocation(-1, false);
        if (taken) {
            cr_assert_eq(taken, VARVE_NO_MEMORY);
            cr_assert_ok(varve_snapshot_restore(s, &error), error);
            check(1);
        } else {
            cr_assert(put == VARVE_OK || put == VARVE_NO_MEMORY);
            check(2);
        }
        end(s);
        if (!put) {
            cr_assert_geq(i, 3);
            break;
        }
    }
}
