/* test_cmocka.c - Tests a checkpoint and a golden file with cmocka.
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <varve/testing.h>

#include "dense.h"

static void is_saved_and_restored(void **state)
{
    struct dense dense = { .bias = { 0 } };
    varve_graph *graph = varve_graph_new(NULL);
    (void)state;
    dense_add(&dense, varve_graph_root(graph));
    VARVE_TEST_READ(varve_graph_root(graph), "last_year.varve", NULL);
    VARVE_TEST_GOLDEN(varve_graph_root(graph), "golden.varve", NULL);
    varve_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_saved_and_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
