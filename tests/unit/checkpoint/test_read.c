/* test_read.c - Tests the functions that open a restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

TEST(read, reads_restores_and_makes_dry_runs)
{
    int x = 5;
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    cr_assert_ok(varve_save(root, "c", NULL, &error), error);
    free_root(root);
    root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    x = 0;
    varve_restoration *r = varve_dry_run(root, "c", NULL, &error);
    cr_assert_not_null(r);
    cr_assert(x == 0 && varve_save_counter(root) == 0);
    varve_restoration_free(r);
    cr_assert_null(varve_read(root, "c", NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    r = varve_read(root, "c-1", NULL, &error);
    cr_assert(r && x == 5 && varve_save_counter(root) == 0);
    cr_assert_str_eq(varve_restoration_path(r), "c-1.varve");
    varve_restoration_free(r);
    x = 0;
    r = varve_restore(root, "c", NULL, &error);
    cr_assert(r && x == 5 && varve_save_counter(root) == 1);
    varve_restoration_free(r);
    cr_assert_null(varve_read(root, NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    free_root(root);
    end_world();
}
