/* test_check.c - Tests a checkpoint and a golden file with Check.
 *
 * SPDX-License-Identifier: MIT
 */
#include <check.h>

#include <varve/testing.h>

#include "dense.h"

START_TEST(is_saved_and_restored)
{
    struct dense dense = { .bias = { 0 } };
    varve_graph *graph = varve_graph_new(NULL);
    dense_add(&dense, varve_graph_root(graph));
    VARVE_TEST_READ(varve_graph_root(graph), "last_year.varve", NULL);
    VARVE_TEST_GOLDEN(varve_graph_root(graph), "golden.varve", NULL);
    varve_graph_free(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dense");
    TCase *tests = tcase_create("dense");
    tcase_add_test(tests, is_saved_and_restored);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
