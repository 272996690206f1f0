/* test_slice.c - Tests slices.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "slice.h"

static varve_graph *graph;
static varve_node *root;
static float memory[12];

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

/* Adds rows 2 and 3 of 8. */
static varve_node *add_rows(const char *name)
{
    const uint64_t start[] = { 2, 0 };
    return varve_add_slice(
        root, name, varve_array(memory, 2, 3), VARVE_SHAPE(8, 3), start);
}

static void check_rows(const varve_node *node)
{
    const varve_slice *slice = varve_slice_of(node);
    const varve_tensor whole = vv_whole_of(node);
    const varve_box box = vv_box_of(node);
    char text[VV_SLICE_TEXT_SIZE];
    cr_assert_not_null(slice);
    cr_assert_eq(slice->shape.rank, 2);
    cr_assert_eq(slice->shape.extents[0], 8);
    cr_assert_eq(slice->start[0], 2);
    cr_assert_eq(slice->start[1], 0);
    cr_assert_eq(vv_part_of(node), slice);
    cr_assert(whole.rank == 2 && whole.shape[0] == 8 && whole.shape[1] == 3);
    cr_assert(box.start[0] == 2 && box.extents[0] == 2);
    cr_assert(box.start[1] == 0 && box.extents[1] == 3);
    vv_slice_text(varve_value(node), slice, text);
    cr_assert_str_eq(text, "float32[2,3] from [2,0] on");
}

TEST(slice, has_the_shape_of_its_value_and_its_box)
{
    begin();
    varve_node *node = add_rows("rows");
    cr_assert_eq(varve_data(node), memory);
    cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
    cr_assert_eq(varve_find(root, "rows"), node);
    check_rows(node);
    free_good(graph);
}

TEST(slice, does_not_exist_for_other_nodes)
{
    begin();
    varve_node *node = varve_add_variable(root, "x", varve_array(memory, 4, 3));
    const varve_tensor whole = vv_whole_of(node);
    cr_assert_null(varve_slice_of(NULL));
    cr_assert_null(varve_slice_of(root));
    cr_assert_null(varve_slice_of(node));
    cr_assert_null(vv_part_of(node));
    cr_assert(whole.rank == 2 && whole.shape[0] == 4 && !whole.data);
    /* an ordinary variable needs no additional memory */
    cr_assert_null(node->variable->extra);
    free_good(graph);
}

TEST(slice, of_all_of_its_value_is_not_a_part)
{
    const uint64_t start[] = { 0, 0 };
    begin();
    varve_node *node = varve_add_slice(
        root, "all", varve_array(memory, 4, 3), VARVE_SHAPE(4, 3), start);
    varve_node *scalar = varve_add_slice(
        root, "scalar", varve_scalar(&memory[0]), VARVE_SCALAR, NULL);
    cr_assert_not_null(varve_slice_of(node));
    cr_assert_null(vv_part_of(node));
    cr_assert_not_null(varve_slice_of(scalar));
    cr_assert_null(vv_part_of(scalar));
    free_good(graph);
}

TEST(slice, may_be_empty)
{
    const uint64_t start[] = { 8, 1 };
    const uint64_t large = UINT64_C(1) << 59;
    begin();
    varve_node *node = varve_add_slice(root, "none",
        varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(0, 2)), VARVE_SHAPE(8, 3),
        start);
    cr_assert_not_null(vv_part_of(node));
    node = varve_add_slice(root, "large", varve_array(memory, 1, 3),
        VARVE_SHAPE(large, 4), (uint64_t[]){ large - 1, 1 });
    cr_assert_eq(vv_whole_of(node).shape[0], large);
    free_good(graph);
}

static varve_status fill(const varve_tensor *tensor, void *user)
{
    float *x = tensor->data;
    for (uint64_t i = 0; i < varve_tensor_count(tensor); i++)
        x[i] = *(float *)user;
    return VARVE_OK;
}

TEST(slice, can_be_library_owned)
{
    float seven = 7;
    const varve_box box = { { 2, 0 }, { 2, 3 } };
    begin();
    varve_node *node = varve_add_allocated_slice(root, "rows", VARVE_FLOAT32,
        VARVE_SHAPE(8, 3), &box, fill, &seven);
    check_rows(node);
    cr_assert_eq(varve_tensor_size(varve_value(node)), 24);
    cr_assert_eq(((float *)varve_data(node))[5], 7);
    varve_error error = { 0 };
    cr_assert_ok(varve_retype(node, VARVE_FLOAT64, NULL, &error), error);
    cr_assert_eq(vv_whole_of(node).dtype, VARVE_FLOAT64);
    cr_assert_eq(((double *)varve_data(node))[5], 7);
    free_good(graph);
}

TEST(slice, refuses_a_type_that_makes_its_value_too_large)
{
    const uint64_t huge = UINT64_C(1) << 62;
    const varve_box box = { { 0 }, { 2 } };
    varve_error error = { 0 };
    begin();
    varve_node *node = varve_add_allocated_slice(
        root, "x", VARVE_INT8, VARVE_SHAPE(huge), &box, NULL, NULL);
    cr_assert_eq(
        varve_retype(node, VARVE_INT64, NULL, &error), VARVE_MISMATCH);
    cr_assert_eq(varve_value(node)->dtype, VARVE_INT8);
    free_good(graph);
}

TEST(slice, has_slots_that_are_slices)
{
    begin();
    varve_node *node = add_rows("rows");
    varve_node *owner = varve_add_object(root, "optimizer");
    varve_node *like = varve_add_slot_like(owner, node, "m", NULL, NULL);
    check_rows(like);
    cr_assert_eq(varve_find_slot(owner, node, "m"), like);
    varve_node *other =
        varve_add_slot(owner, node, "steps", varve_scalar(&memory[0]));
    cr_assert_null(varve_slice_of(other));
    free_good(graph);
}

/* Each with its error message. */
TEST(slice, that_is_invalid_is_an_error)
{
    const varve_tensor view = varve_array(memory, 2, 3);
    varve_string string = { "s", 1 };
    const struct {
        varve_tensor view;
        varve_shape shape;
        const uint64_t *start;
        varve_status status;
        const char *says;
    } cases[] = {
        { view, VARVE_SHAPE(8, 3), (uint64_t[]){ 7, 0 }, VARVE_BAD_SHAPE,
            "(root): \"x\": the shard is not inside float32[8,3]: "
            "float32[2,3] from [7,0] on" },
        { view, VARVE_SHAPE(8, 3), (uint64_t[]){ UINT64_MAX, 0 },
            VARVE_BAD_SHAPE, "from [18446744073709551615,0] on" },
        { view, VARVE_SHAPE(8, 2), (uint64_t[]){ 0, 0 }, VARVE_BAD_SHAPE,
            "not inside float32[8,2]" },
        { view, VARVE_SHAPE(8), (uint64_t[]){ 0 }, VARVE_BAD_SHAPE,
            "not inside float32[8]" },
        { view, VARVE_SHAPE(UINT64_MAX, 3), (uint64_t[]){ 0, 0 },
            VARVE_BAD_SHAPE, "\": the rank of a shard is at most" },
        { view, { .rank = 17 }, (uint64_t[17]){ 0 }, VARVE_BAD_SHAPE,
            "found rank 17" },
        { view, VARVE_SHAPE(8, 3), NULL, VARVE_MISUSE,
            "\": the start of the shard is NULL" },
        { varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(2, 3)), VARVE_SHAPE(8, 3),
            (uint64_t[]){ 0, 0 }, VARVE_MISUSE, "is NULL" },
        { varve_array(&string, 1), VARVE_SHAPE(4), (uint64_t[]){ 1 },
            VARVE_MISUSE, "elements of a fixed size, found string[4]" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_error error = { 0 };
        begin();
        cr_assert(vv_is_nil(varve_add_slice(root, "x", cases[i].view,
                      cases[i].shape, cases[i].start)),
            "case %zu", i);
        cr_assert_eq(varve_graph_check(graph, &error), cases[i].status,
            "case %zu: %s", i, error.message);
        cr_assert(strstr(error.message, cases[i].says), "%s", error.message);
        cr_assert_eq(node_count(graph), 1);
        varve_graph_free(graph);
    }
}

TEST(slice, allocated_requires_a_box)
{
    begin();
    cr_assert(vv_is_nil(varve_add_allocated_slice(root, "x", VARVE_FLOAT32,
        VARVE_SHAPE(8), NULL, NULL, NULL)));
    free_bad(graph, VARVE_MISUSE);
}

TEST(slice, is_not_created_without_memory)
{
    const varve_box box = { { 2, 0 }, { 2, 3 } };
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status == VARVE_NO_MEMORY; n++) {
        begin();
        varve_node *owner = varve_add_object(root, "optimizer");
        varve_tag(root, "x"); /* the following calls allocate memory */
        test_fail_allocation(n, false);
        varve_node *rows = add_rows("rows");
        varve_node *own = varve_add_allocated_slice(root, "own", VARVE_FLOAT32,
            VARVE_SHAPE(8, 3), &box, NULL, NULL);
        varve_node *like = varve_add_slot_like(owner, rows, "m", NULL, NULL);
        test_fail_allocation(-1, false);
        status = varve_graph_check(graph, NULL);
        if (status == VARVE_OK) {
            cr_assert_gt(n, 3);
            check_rows(rows);
            check_rows(own);
            check_rows(like);
        }
        varve_graph_free(graph);
    }
    cr_assert_eq(status, VARVE_OK);
}
