/* test_struct_memory_allocation.c - Tests allocating memory for fields whose
 * pointer is NULL.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "struct.h"
#include "struct_memory.h"

struct resize_buffers {
    int height, width, other;
    double **rows;
    float *flat;
    int *counted;
};

static const int *counter;

static size_t count_ints(const void *object)
{
    const struct resize_buffers *r = object;
    return r->counted ? (size_t)*counter : 0;
}

static const varve_field fields[] = {
    VARVE_FIELD_ROWS(
        struct resize_buffers, rows, height, width, .room = calloc),
    VARVE_FIELD_POINTER(struct resize_buffers, flat, other, .room = calloc),
    VARVE_FIELD_POINTER_BY(
        struct resize_buffers, counted, count_ints, .room = calloc),
    VARVE_FIELDS_END,
};

static void offer(varve_node *node, const char *name, varve_tensor value)
{
    const varve_offer offered = {
        .name = name, .kind = VARVE_VARIABLE, .value = &value
    };
    vv_struct_offered(vv_struct_of(node), node, &offered);
}

TEST(struct_allocation, is_done_only_for_pending_values)
{
    struct resize_buffers r = { 0 };
    int many = 5;
    counter = &many;
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_struct(root, "r", fields, &r);
    offer(node, "rows", varve_view(NULL, VARVE_FLOAT64, VARVE_SHAPE(2)));
    offer(node, "none", varve_view(NULL, VARVE_FLOAT64, VARVE_SHAPE(2)));
    cr_assert_null(r.rows);
    offer(node, "rows", varve_view(NULL, VARVE_FLOAT64, VARVE_SHAPE(2, 3)));
    cr_assert_eq(r.height * 10 + r.width, 23);
    r.rows[1][2] = 1;
    cr_assert_eq(varve_value(varve_find(node, "rows"))->shape[1], 3);
    offer(node, "flat", varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(4)));
    cr_assert_eq(r.other, 4);
    cr_assert_eq(varve_data(varve_find(node, "flat")), r.flat);
    offer(node, "counted", varve_view(NULL, VARVE_INT32, VARVE_SHAPE(5)));
    cr_assert_eq(varve_value(varve_find(node, "counted"))->shape[0], 5);
    free_good(graph);
    free(r.rows[0]);
    free(r.rows[1]);
    free(r.rows);
    free(r.flat);
    free(r.counted);
}
