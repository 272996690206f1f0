/* test_refresh.c - Tests updating nodes after the program changed its pointers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "refresh.h"

#include <stdlib.h>

#include <varve/memory.h>
#include <varve/resizing.h>
#include <varve/slice.h>

static float first[12], second[12];
static float *now;
static varve_graph *graph;
static varve_node *root;
static varve_error error;

static void begin(void)
{
    now = first;
    graph = new_graph();
    root = varve_graph_root(graph);
}

static void refresh(varve_node *node)
{
    cr_assert_ok(vv_refresh(node, &error), error);
    cr_assert_ok(varve_graph_check(graph, &error), error);
}

/* Returns the type and shape of a node: "float32[3,4]". */
static const char *text_of(const varve_node *node)
{
    static char text[VARVE_TENSOR_TEXT_SIZE];
    return varve_tensor_text(varve_value(node), text);
}

TEST(refresh, follows_a_pointer_and_its_extents)
{
    int rows = 3;
    unsigned char columns = 4;
    begin();
    varve_node *node = varve_add_variable(
        root, "now", varve_array_at(&now, &rows, &columns));
    cr_assert_eq(varve_data(node), first);
    cr_assert_str_eq(text_of(node), "float32[3,4]");
    now = second;
    rows = 2;
    refresh(root);
    cr_assert_eq(varve_data(node), second);
    cr_assert_str_eq(text_of(node), "float32[2,4]");
    refresh(root);
    cr_assert_eq(varve_data(node), second);
    now = NULL;
    refresh(node);
    cr_assert_null(varve_data(node));
    free_good(graph);
}

TEST(refresh, reads_integers_of_each_size)
{
    const signed char a = 2;
    short b = 3;
    unsigned short c = 4;
    unsigned d = 5;
    long e = 6;
    long long f = 7;
    uint64_t g = 8;
    begin();
    varve_node *node =
        varve_add_variable(root, "a", varve_array_at(&now, &a, &b, 1, 1));
    cr_assert_str_eq(text_of(node), "float32[2,3,1,1]");
    node = varve_add_variable(root, "b", varve_array_at(&now, 1, 1, 1, &c));
    cr_assert_str_eq(text_of(node), "float32[1,1,1,4]");
    varve_rebind(node, varve_array_at(&now, &d, 1U));
    cr_assert_str_eq(text_of(node), "float32[5,1]");
    varve_rebind(node, varve_array_at(&now, &e));
    cr_assert_str_eq(text_of(node), "float32[6]");
    varve_rebind(node, varve_array_at(&now, &f));
    cr_assert_str_eq(text_of(node), "float32[7]");
    varve_rebind(node, varve_array_at(&now, &g));
    cr_assert_str_eq(text_of(node), "float32[8]");
    node = varve_add_variable(root, "c", varve_scalar_at(&now));
    cr_assert_str_eq(text_of(node), "float32[]");
    now = second;
    refresh(root);
    cr_assert_eq(varve_data(node), second);
    free_good(graph);
}

TEST(refresh, fails_if_an_extent_is_invalid)
{
    long count = 3;
    const uint64_t start[] = { 0 };
    begin();
    varve_node *node =
        varve_add_variable(root, "now", varve_array_at(&now, &count));
    count = -1;
    cr_assert_eq(vv_refresh(root, &error), VARVE_BAD_SHAPE);
    cr_assert(strstr(error.message, "now: "), "%s", error.message);
    cr_assert_str_eq(text_of(node), "float32[3]");
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_add_variable(root, "bad", varve_array_at(&now, &count));
    free_bad(graph, VARVE_BAD_SHAPE);
    begin();
    count = 3;
    varve_add_slice(root, "part", varve_array_at(&now, &count), VARVE_SHAPE(9),
        start);
    now = second;
    refresh(root);
    count = 4;
    cr_assert_eq(vv_refresh(root, &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message, "part: "), "%s", error.message);
    free_good(graph);
}

TEST(refresh, keeps_strides_and_stops_at_a_rebind)
{
    const int64_t strides[] = { 2 * sizeof(float) };
    const varve_extent extents[] = { { 6, 0 } };
    const varve_memory apart = {
        .strides = strides, .pointer = &now, .extents = extents
    };
    begin();
    varve_node *node = varve_add_variable(
        root, "apart", varve_view_at(&apart, VARVE_FLOAT32, 1));
    now = second;
    refresh(root);
    const varve_tensor *value = varve_value(node);
    cr_assert_eq(value->data, second);
    cr_assert_eq(value->memory->strides[0], 2 * sizeof(float));
    cr_assert_null(value->memory->pointer);
    varve_rebind(node, varve_array(first, 3));
    refresh(root);
    cr_assert_eq(varve_data(node), first);
    cr_assert_null(varve_value(node)->memory);
    free_good(graph);
}

TEST(refresh, refuses_a_pointer_with_functions_or_without_extents)
{
    const varve_memory bare = { .pointer = &now };
    begin();
    varve_tensor view = varve_array(first, 3);
    view.memory = &bare;
    varve_add_variable(root, "bare", view);
    free_bad(graph, VARVE_MISUSE);
}

/* --- Callbacks ---------------------------------------------------------- */

struct calls {
    int count;
    varve_status status;
    bool removes;
    varve_node *other;
};

static varve_status called(void *user, varve_node *node)
{
    struct calls *c = user;
    c->count++;
    if (c->removes && c->other) {
        varve_remove(c->other);
        c->other = NULL;
    }
    cr_assert_eq(vv_refresh(node, &error), VARVE_OK); /* calls nothing */
    return c->status;
}

TEST(refresh, calls_callbacks_of_descendants_and_ancestors)
{
    struct calls a = { 0 }, b = { 0 }, apart = { 0 };
    begin();
    varve_node *node = varve_add_object(root, "a");
    for (int i = 0; i < 12; i++) /* more levels than are searched upward */
        node = varve_add_object(node, "n");
    varve_set_refresh(varve_find(root, "a"), called, &a);
    varve_set_refresh(node, called, &b);
    varve_set_refresh(varve_add_object(root, "apart"), called, &apart);
    refresh(root);
    cr_assert_eq(a.count, 1);
    cr_assert_eq(b.count, 1);
    cr_assert_eq(apart.count, 1);
    refresh(node);
    cr_assert_eq(a.count, 2);
    cr_assert_eq(b.count, 2);
    cr_assert_eq(apart.count, 1);
    varve_set_refresh(node, NULL, NULL);
    refresh(node);
    cr_assert_eq(a.count, 3);
    cr_assert_eq(b.count, 2);
    a.status = VARVE_MISMATCH;
    cr_assert_eq(vv_refresh(root, &error), VARVE_CALLBACK);
    cr_assert(strstr(error.message, "a: "), "%s", error.message);
    a.status = VARVE_NO_MEMORY;
    cr_assert_eq(vv_refresh(root, &error), VARVE_NO_MEMORY);
    free_good(graph);
}

TEST(refresh, continues_if_a_callback_removes_another_node)
{
    struct calls a = { .removes = true }, b = { 0 };
    begin();
    varve_node *one = varve_add_object(root, "one");
    a.other = varve_add_object(root, "other");
    varve_set_refresh(a.other, called, &b);
    varve_set_refresh(one, called, &a);
    varve_set_refresh(varve_add_object(root, "last"), called, &b);
    refresh(root);
    cr_assert_null(varve_find(root, "other"));
    cr_assert_geq(a.count, 1);
    cr_assert_geq(b.count, 1);
    free_good(graph);
}
