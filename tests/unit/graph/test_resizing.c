/* test_resizing.c - Tests resizing variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "resizing.h"

#include <stdlib.h>
#include <string.h>

#include <varve/slice.h>

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

/* A list of the program, whose callbacks are informed about its memory. */
static struct list {
    float *items;
    int asked, taken, left;
    varve_status status;
    bool gives_none;
} list;

static varve_status make_room(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    struct list *l = user;
    cr_assert_eq(varve_data(node), l->items);
    cr_assert_null(coming->data);
    l->asked++;
    *room = l->gives_none || l->status
                ? NULL
                : malloc((size_t)varve_tensor_size(coming));
    return l->status;
}

static void settle(void *user, varve_node *node, void *room, bool is_taken)
{
    struct list *l = user;
    cr_assert_eq(varve_data(node) == room, is_taken);
    free(is_taken ? l->items : room);
    if (is_taken)
        l->items = room;
    l->taken += is_taken;
    l->left += !is_taken;
}

static const varve_resizing resizing = { make_room, settle };

static varve_node *add_list(void)
{
    list = (struct list){ .items = malloc(3 * sizeof(float)) };
    return varve_add_resizable(
        root, "list", varve_array(list.items, 3), &resizing, &list);
}

TEST(resizing, rebinds_to_another_shape)
{
    float few[2], many[2][3][2];
    uint64_t count = 0;
    begin();
    varve_node *node = varve_add_variable(root, "x", varve_array(few, 2));
    varve_node *slot = varve_add_slot(root, node, "m", varve_array(few, 2));
    varve_rebind(node, varve_array(&many[0][0][0], 2, 3, 2));
    const varve_tensor *now = varve_value(node);
    cr_assert(now->rank == 3 && now->shape[1] == 3 && now->data == many);
    cr_assert_eq(varve_find_slot(root, node, "m"), slot);
    varve_rebind(node, varve_array(few, 0));
    cr_assert_eq(varve_value(node)->rank, 1);
    varve_rebind(node, varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(0)));
    varve_rebind(node, varve_scalar(&few[0]));
    count = varve_tensor_count(varve_value(node));
    cr_assert_eq(count, 1);
    varve_rebind(slot, varve_array(&many[0][0][0], 6, 2));
    cr_assert_eq(varve_value(slot)->rank, 2);
    free_good(graph);
}

TEST(resizing, refuses_a_slice)
{
    float x[4] = { 0 };
    const uint64_t start[] = { 0 };
    begin();
    varve_node *node =
        varve_add_slice(root, "x", varve_array(x, 4), VARVE_SHAPE(4), start);
    varve_rebind(node, varve_array(x, 3));
    cr_assert_eq(varve_value(node)->shape[0], 4);
    free_bad(graph, VARVE_MISMATCH);
    begin();
    node = varve_add_slice(root, "x", varve_array(x, 2), VARVE_SHAPE(4), start);
    varve_set_resizing(node, &resizing, &list);
    free_bad(graph, VARVE_MISUSE);
}

TEST(resizing, requires_callbacks_for_memory_of_the_program)
{
    static const varve_resizing none = { 0 };
    float x[2];
    begin();
    varve_add_resizable(root, "x", varve_array(x, 2), NULL, NULL);
    free_bad(graph, VARVE_MISUSE);
    begin();
    varve_node *node = varve_add_allocated_variable(
        root, "y", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL);
    varve_set_resizing(node, &resizing, &list);
    free_bad(graph, VARVE_MISUSE);
    begin();
    varve_set_resizing(varve_add_object(root, "o"), &none, NULL);
    free_bad(graph, VARVE_MISUSE);
    begin();
    node = varve_add_allocated_variable(
        root, "y", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL);
    varve_set_resizing(node, &none, NULL);
    varve_set_resizing(node, &none, NULL);
    varve_set_resizing(node, NULL, NULL);
    varve_set_resizing(NULL, &none, NULL);
    free_good(graph);
}

TEST(resizing, swaps_memory_and_commits)
{
    varve_tensor coming = varve_view(NULL, VARVE_FLOAT64, VARVE_SHAPE(2, 5));
    struct vv_resize room;
    varve_error error = { 0 };
    begin();
    varve_node *node = add_list();
    cr_assert(vv_takes_shape(node, &coming));
    cr_assert(!vv_takes_shape(node, varve_value(node)));
    for (int i = 0; i < 2; i++) {
        cr_assert_ok(vv_resize_prepare(&room, node, &coming, &error), error);
        vv_resize_exchange(&room);
        cr_assert(varve_value(node)->rank == 2 &&
                  varve_data(node) == room.data &&
                  varve_value(node)->dtype == VARVE_FLOAT32);
        if (i == 0)
            vv_resize_exchange(&room);
        vv_resize_settle(&room);
        cr_assert(list.asked == i + 1 && list.left == 1 && list.taken == i);
    }
    cr_assert_eq(varve_data(node), list.items);
    free_good(graph);
    free(list.items);
}

TEST(resizing, can_be_refused_by_the_program)
{
    varve_tensor coming = varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(5));
    struct vv_resize room;
    varve_error error = { 0 };
    begin();
    varve_node *node = add_list();
    list.gives_none = true;
    cr_assert_eq(
        vv_resize_prepare(&room, node, &coming, &error), VARVE_CALLBACK);
    cr_assert_str_eq(error.message, "list: its callback that makes room for 5 "
                                    "elements gave none");
    list.status = VARVE_LIMIT;
    cr_assert_eq(
        vv_resize_prepare(&room, node, &coming, &error), VARVE_CALLBACK);
    cr_assert_str_eq(error.message, "list: its callback that makes room for 5 "
                                    "elements failed with VARVE_LIMIT");
    coming.shape[0] = 1;
    cr_assert_eq(
        vv_resize_prepare(&room, node, &coming, &error), VARVE_CALLBACK);
    cr_assert_str_eq(error.message, "list: its callback that makes room for 1 "
                                    "element failed with VARVE_LIMIT");
    coming.shape[0] = 5;
    list.status = VARVE_NO_MEMORY;
    cr_assert_eq(
        vv_resize_prepare(&room, node, &coming, &error), VARVE_NO_MEMORY);
    cr_assert(list.taken == 0 && list.left == 0);
    free_good(graph);
    free(list.items);
}

TEST(resizing, of_library_memory_needs_no_callbacks)
{
    static const varve_resizing none = { 0 };
    varve_tensor coming = varve_view(NULL, VARVE_INT64, VARVE_SHAPE(5, 1));
    struct vv_resize room;
    varve_error error = { 0 };
    begin();
    varve_node *node = varve_add_allocated_variable(
        root, "y", VARVE_INT64, VARVE_SHAPE(2), NULL, NULL);
    varve_set_resizing(node, &none, NULL);
    const void *older = varve_data(node);
    for (int i = 0; i < 2; i++) {
        cr_assert_ok(vv_resize_prepare(&room, node, &coming, &error), error);
        if (i == 1)
            vv_resize_exchange(&room);
        vv_resize_settle(&room);
        cr_assert_eq(varve_data(node) == older, i == 0);
        cr_assert_eq(varve_value(node)->rank, i == 0 ? 1 : 2);
    }
    free_good(graph);
}

TEST(resizing, records_a_failed_allocation)
{
    float few[2], many[3][2];
    begin();
    varve_node *node = varve_add_variable(root, "x", varve_array(few, 2));
    test_fail_allocation(0, true);
    varve_rebind(node, varve_array(&many[0][0], 3, 2, 1));
    test_fail_allocation(-1, false);
    cr_assert_eq(varve_data(node), few);
    free_bad(graph, VARVE_NO_MEMORY);
}
