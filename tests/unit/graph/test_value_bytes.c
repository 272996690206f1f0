/* test_value_bytes.c - Tests copying values by strides or functions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "support/views.h"
#include "value_bytes.h"

TEST(value_bytes, can_be_strided_or_contiguous)
{
    struct {
        double x, y;
    } p[5] = { { 0 } };
    varve_graph *graph = new_graph();
    varve_node *x = varve_add_variable(varve_graph_root(graph), "x",
        varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), 5));
    double found[5] = { 0 };
    p[3].x = 7;
    cr_assert_eq(vv_value_out(x, 0, found, sizeof found, NULL), VARVE_OK);
    cr_assert_eq(found[3], 7);
    cr_assert_eq(vv_value_in(x, 8, &found[3], 8, NULL), VARVE_OK);
    cr_assert_eq(p[1].x, 7);
    varve_node *y = varve_add_variable(
        varve_graph_root(graph), "y", varve_array(found, 5));
    double one = 0;
    cr_assert_eq(vv_value_out(y, 24, &one, sizeof one, NULL), VARVE_OK);
    cr_assert_eq(one, 7);
    cr_assert_eq(vv_value_in(y, 8, &one, sizeof one, NULL), VARVE_OK);
    cr_assert_eq(found[1], 7);
    free_good(graph);
}

TEST(value_bytes, are_requested_within_the_documented_limits)
{
    struct view v;
    size_t size = 3 * VV_RANGE_SIZE + 24;
    unsigned char *bytes = malloc(size);
    varve_graph *graph = new_graph();
    view_make_far(&v, VARVE_FLOAT64, VARVE_SHAPE(size / 8));
    view_set(&v, 1);
    varve_node *x =
        varve_add_variable(varve_graph_root(graph), "x", v.tensor);
    cr_assert_null(varve_data(x));
    cr_assert_eq(vv_value_out(x, 0, bytes, size, NULL), VARVE_OK);
    cr_assert(view_bytes_are(bytes, size, 1));
    cr_assert(v.calls == 4 && v.largest == VV_RANGE_SIZE);
    bytes[16] = 200;
    cr_assert_eq(vv_value_in(x, 16, bytes + 16, 8, NULL), VARVE_OK);
    cr_assert_eq(v.block[16], 200);
    varve_graph_free(graph);
    view_free(&v);
    free(bytes);
}

TEST(value_bytes, report_the_failed_function_and_its_error)
{
    struct view v;
    double room[5];
    varve_error error;
    varve_graph *graph = new_graph();
    view_make_far(&v, VARVE_FLOAT64, VARVE_SHAPE(5));
    varve_node *layer = varve_add_object(varve_graph_root(graph), "layer");
    varve_node *x = varve_add_variable(layer, "x", v.tensor);
    view_fail(&v, 0, 1);
    cr_assert_eq(
        vv_value_out(x, 0, room, sizeof room, &error), VARVE_CALLBACK);
    cr_assert_str_eq(error.message,
        "layer/x: copying its value out failed with VARVE_IO");
    view_fail(&v, 0, 1);
    cr_assert_eq(
        vv_value_in(x, 0, room, sizeof room, &error), VARVE_CALLBACK);
    cr_assert_str_eq(error.message,
        "layer/x: copying its value in failed with VARVE_IO");
    varve_graph_free(graph);
    view_free(&v);
}
