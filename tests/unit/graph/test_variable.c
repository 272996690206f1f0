/* test_variable.c - Tests variables with memory of the program or the library.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "allocator.h"
#include "variable.h"

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

TEST(variable, is_a_view_of_the_programs_memory)
{
    int w[6] = { 1, 2, 3, 4, 5, 6 };
    begin();
    varve_node *node = varve_add_variable(root, "w", varve_array(w, 2, 3));
    cr_assert_eq(varve_data(node), w);
    cr_assert_eq(varve_value(node)->dtype, VARVE_INT32);
    cr_assert_eq(varve_value(node)->rank, 2);
    cr_assert_eq(varve_value(node)->shape[1], 3);
    cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
    cr_assert_null(varve_data(root));
    cr_assert_null(varve_value(root));
    varve_graph_free(graph);
    cr_assert_eq(w[5], 6);
}

TEST(variable, refuses_invalid_shapes)
{
    uint64_t ones[17];
    for (int i = 0; i < 17; i++)
        ones[i] = 1;
    float x = 0;
    varve_tensor bad[] = {
        varve_view(&x, VARVE_FLOAT32, varve_shape_of(17, ones)),
        varve_view(&x, VARVE_FLOAT32, varve_shape_of(UINT32_MAX, ones)),
        varve_view(&x, (varve_dtype)0, VARVE_SCALAR),
        varve_view(&x, (varve_dtype)19, VARVE_SCALAR),
        varve_view(&x, VARVE_FLOAT32, VARVE_SHAPE(UINT64_MAX, 2)),
        varve_view(&x, VARVE_FLOAT64, VARVE_SHAPE(UINT64_C(1) << 61)),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin();
        cr_assert(vv_is_nil(varve_add_variable(root, "x", bad[i])));
        cr_assert_eq(node_count(graph), 1);
        free_bad(graph, VARVE_BAD_SHAPE);
    }
    begin();
    varve_node *most = varve_add_variable(
        root, "x", varve_view(&x, VARVE_FLOAT32, varve_shape_of(16, ones)));
    cr_assert_eq(varve_value(most)->rank, 16);
    free_good(graph);
}

TEST(variable, reports_a_negative_extent)
{
    float x[4] = { 0 };
    int64_t count = -12;
    varve_error error = { .status = VARVE_OK };
    begin();
    varve_add_variable(root, "x",
        varve_view(x, VARVE_FLOAT32, VARVE_SHAPE(4, (uint64_t)count)));
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_BAD_SHAPE);
    cr_assert_str_eq(error.message,
        "(root): \"x\": extent -12 is negative (extent 2 of 2): set the "
        "count to the number of elements");
    varve_graph_free(graph);
}

TEST(variable, requires_memory_unless_it_is_empty)
{
    begin();
    varve_node *empty = varve_add_variable(
        root, "empty", varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(3, 0)));
    cr_assert_eq(varve_node_kind(empty), VARVE_VARIABLE);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    cr_assert(vv_is_nil(varve_add_variable(
        root, "x", varve_view(NULL, VARVE_FLOAT32, VARVE_SCALAR))));
    free_bad(graph, VARVE_MISUSE);
}

static int runs;

static varve_status initialize(const varve_tensor *tensor, void *user)
{
    runs++;
    float *x = tensor->data;
    for (uint64_t i = 0; i < varve_tensor_count(tensor); i++) {
        cr_assert_eq(x[i], 0);
        x[i] = 7;
    }
    return user ? *(varve_status *)user : VARVE_OK;
}

TEST(variable, gets_aligned_zeroed_memory_and_its_initializer_runs_once)
{
    begin();
    for (uint64_t size = 0; size < 200; size++) {
        runs = 0;
        varve_node *node = varve_add_allocated_variable(root, "x",
            VARVE_FLOAT32, VARVE_SHAPE(size), initialize, NULL);
        const float *x = varve_data(node);
        cr_assert_eq((uintptr_t)x % VV_MEMORY_ALIGNMENT, 0);
        cr_assert_eq(runs, 1);
        cr_assert(size == 0 || x[size - 1] == 7);
        cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
        vv_variable_initialize(node);
        cr_assert_eq(runs, 1);
        varve_remove(node);
    }
    varve_node *zero = varve_add_allocated_variable(
        root, "zero", VARVE_INT64, VARVE_SCALAR, NULL, NULL);
    cr_assert_eq(*(int64_t *)varve_data(zero), 0);
    cr_assert_eq(varve_state_of(zero), VARVE_INITIALIZED);
    free_good(graph);
}

TEST(variable, has_no_value_when_its_initializer_fails)
{
    varve_status status = VARVE_IO;
    begin();
    varve_node *node = varve_add_allocated_variable(
        root, "x", VARVE_FLOAT32, VARVE_SHAPE(2), initialize, &status);
    cr_assert_eq(varve_node_kind(node), VARVE_VARIABLE);
    cr_assert_eq(varve_state_of(node), VARVE_DECLARED);
    free_bad(graph, VARVE_CALLBACK);
}

TEST(variable, does_not_run_its_initializer_when_it_is_refused)
{
    begin();
    runs = 0;
    varve_add_object(root, "x");
    varve_add_allocated_variable(
        root, "x", VARVE_FLOAT32, VARVE_SHAPE(2), initialize, NULL);
    cr_assert_eq(runs, 0);
    cr_assert_eq(node_count(graph), 2);
    free_bad(graph, VARVE_DUPLICATE);
}

/* Tensors with few extents are allocated smaller: the copy reads past the last
 * one. */
TEST(variable, has_a_tensor_that_a_program_can_copy)
{
    enum { COUNT = 300 };
    static char bytes[1 << 16];
    varve_node *nodes[COUNT];
    begin();
    uint64_t extents[VARVE_MAX_RANK];
    for (int i = 0; i < VARVE_MAX_RANK; i++)
        extents[i] = (uint64_t)(i % 2 + 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        varve_node *list = i ? nodes[0] : root;
        nodes[i] = i ? varve_add_variable(list, VARVE_APPEND,
                           varve_view(bytes, VARVE_INT8,
                               varve_shape_of(i % 17, extents)))
                     : varve_add_list(root, "all");
    }
    for (uint32_t i = 1; i < COUNT; i++) {
        varve_tensor copy = *varve_value(nodes[i]);
        cr_assert_eq(copy.rank, i % 17);
        cr_assert_eq(copy.data, bytes);
        cr_assert_arr_eq(copy.shape, extents, copy.rank * sizeof *extents);
    }
    varve_list_remove(nodes[0], 0);
    varve_remove(nodes[2]); /* while another one remains */
    cr_assert_eq((*varve_value(nodes[COUNT - 1])).data, bytes);
    varve_graph_free(graph);
}

static void *released;

static void release(struct vv_borrowed *self, void *data)
{
    (void)self;
    released = data;
}

TEST(variable, borrows_memory_and_releases_it)
{
    static float other[2] = { 1, 2 };
    static float third[2] = { 3, 4 };
    struct vv_borrowed borrowed = { .release = release };
    begin();
    varve_node *node = varve_add_allocated_variable(
        root, "x", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL);
    long blocks = test_block_count();
    vv_variable_borrow(node, other, &borrowed);
    cr_assert_lt(test_block_count(), blocks);
    cr_assert_eq(varve_data(node), other);
    cr_assert_null(released);
    vv_variable_borrow(node, third, &borrowed);
    cr_assert_eq(released, other);
    varve_remove(node);
    cr_assert_eq(released, third);
    free_good(graph);
}

TEST(variable, keeps_the_bytes_of_its_strings)
{
    varve_string texts[1] = { { "abc", 3 } };
    begin();
    varve_node *node = varve_add_variable(root, "x", varve_array(texts, 1));
    const varve_allocator *a = test_allocator();
    vv_variable_keep_strings(node, a->function(NULL, NULL, 0, 10), 10);
    vv_variable_keep_strings(node, a->function(NULL, NULL, 0, 20), 20);
    free_good(graph);
}

TEST(variable, handles_every_failed_allocation)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        begin();
        test_fail_allocation(n, false);
        runs = 0;
        varve_node *node = varve_add_allocated_variable(
            root, "x", VARVE_FLOAT32, VARVE_SHAPE(200), initialize, NULL);
        failed = varve_graph_check(graph, NULL) != VARVE_OK;
        test_fail_allocation(-1, false);
        cr_assert_eq(runs, failed ? 0 : 1);
        cr_assert_eq(node_count(graph), vv_is_nil(node) ? 1 : 2);
        if (failed)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}
