/* test_state.c - Tests custom states.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "state.h"

struct program {
    const char *bytes;
    size_t size;
    varve_status status;
    char loaded[16];
    size_t loaded_size;
};

static varve_status save(void *self, varve_sink *sink)
{
    struct program *p = self;
    for (size_t i = 0; i < p->size; i++)
        varve_put(sink, p->bytes + i, 1);
    varve_put(sink, NULL, 0);
    return p->status;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    struct program *p = self;
    p->loaded_size = size;
    if (size)
        memcpy(p->loaded, bytes, size);
    return p->status;
}

static const varve_state_callbacks callbacks = { save, load };

TEST(state, saves_and_loads_bytes_by_callbacks)
{
    struct program p = { .bytes = "abc", .size = 3 };
    struct vv_buffer bytes;
    varve_error error = { 0 };
    varve_graph *graph = new_graph();
    varve_state_callbacks copied = callbacks;
    varve_node *node =
        varve_add_state(varve_graph_root(graph), "state", &copied, &p);
    memset(&copied, 0, sizeof copied);
    cr_assert_eq(varve_node_kind(node), VARVE_STATE);
    cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
    cr_assert_null(varve_data(node));
    cr_assert_null(varve_value(node));
    vv_buffer_init(&bytes, test_allocator());
    vv_buffer_add_string(&bytes, "before ");
    cr_assert_ok(vv_state_save(node, "state", &bytes, &error), error);
    cr_assert_eq(bytes.size, 10);
    cr_assert_eq(memcmp(bytes.data, "before abc", 10), 0);
    cr_assert_ok(vv_state_load(node, "state", "xy", 2, &error), error);
    cr_assert_eq(p.loaded_size, 2);
    cr_assert_eq(memcmp(p.loaded, "xy", 2), 0);
    vv_buffer_clear(&bytes);
    free_good(graph);
}

TEST(state, reports_its_path_if_a_callback_fails)
{
    struct program p = { .status = VARVE_IO };
    struct vv_buffer bytes;
    varve_error error = { 0 };
    varve_graph *graph = new_graph();
    varve_node *node =
        varve_add_state(varve_graph_root(graph), "state", &callbacks, &p);
    vv_buffer_init(&bytes, test_allocator());
    cr_assert_eq(
        vv_state_save(node, "the/way", &bytes, &error), VARVE_CALLBACK);
    cr_assert_eq(strncmp(error.message, "the/way: ", 9), 0);
    cr_assert_not_null(strstr(error.message, "VARVE_IO"));
    cr_assert_eq(
        vv_state_load(node, "the/way", "", 0, &error), VARVE_CALLBACK);
    cr_assert_eq(strncmp(error.message, "the/way: ", 9), 0);
    vv_buffer_clear(&bytes);
    free_good(graph);
}

TEST(state, reports_a_failed_allocation_of_a_callback)
{
    struct program p = { .status = VARVE_NO_MEMORY };
    struct vv_buffer bytes;
    varve_error error = { 0 };
    varve_graph *graph = new_graph();
    varve_node *node =
        varve_add_state(varve_graph_root(graph), "state", &callbacks, &p);
    vv_buffer_init(&bytes, test_allocator());
    cr_assert_eq(vv_state_save(node, "s", &bytes, &error), VARVE_NO_MEMORY);
    cr_assert_eq(error.status, VARVE_NO_MEMORY);
    cr_assert_eq(vv_state_load(node, "s", "", 0, &error), VARVE_NO_MEMORY);
    cr_assert_str_eq(error.message,
        "s: its load callback failed with VARVE_NO_MEMORY on 0 bytes");
    vv_buffer_clear(&bytes);
    free_good(graph);
}

TEST(state, reports_a_failed_allocation_of_its_bytes)
{
    struct program p = { .bytes = "abc", .size = 3 };
    struct vv_buffer bytes;
    varve_graph *graph = new_graph();
    varve_node *node =
        varve_add_state(varve_graph_root(graph), "state", &callbacks, &p);
    vv_buffer_init(&bytes, test_allocator());
    test_fail_allocation(0, true);
    cr_assert_eq(vv_state_save(node, "s", &bytes, NULL), VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    vv_buffer_clear(&bytes);
    free_good(graph);
}

TEST(state, requires_both_callbacks)
{
    const varve_state_callbacks bad[] = { { save, NULL }, { NULL, load } };
    for (int i = 0; i < 3; i++) {
        varve_graph *graph = new_graph();
        varve_node *root = varve_graph_root(graph);
        cr_assert(vv_is_nil(varve_add_state(
            root, "state", i < 2 ? &bad[i] : NULL, NULL)));
        cr_assert_eq(varve_edge_count(root), 0);
        free_bad(graph, VARVE_MISUSE);
    }
    varve_graph *graph = new_graph();
    varve_node *list = varve_add_list(varve_graph_root(graph), "list");
    cr_assert(vv_is_nil(varve_add_state(list, VARVE_APPEND, NULL, NULL)));
    cr_assert_eq(varve_edge_count(list), 0);
    free_bad(graph, VARVE_MISUSE);
}

TEST(state, has_children_like_an_object)
{
    struct program p = { 0 };
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "list");
    varve_node *node = varve_add_state(list, VARVE_APPEND, &callbacks, &p);
    varve_node *child = varve_add_object(node, "child");
    cr_assert_eq(varve_find_path(root, "list/0/child"), child);
    cr_assert(vv_is_nil(varve_add_state(node, "child", &callbacks, &p)));
    free_bad(graph, VARVE_DUPLICATE);
}

TEST(state, handles_every_failed_allocation)
{
    struct program p = { 0 };
    bool failed = true;
    for (long n = 0; failed; n++) {
        varve_graph *graph = new_graph();
        varve_node *root = varve_graph_root(graph);
        test_fail_allocation(n, false);
        varve_node *node = varve_add_state(root, "state", &callbacks, &p);
        failed = varve_graph_check(graph, NULL) != VARVE_OK;
        test_fail_allocation(-1, false);
        cr_assert_eq(varve_edge_count(root), vv_is_nil(node) ? 0 : 1);
        cr_assert_eq(node_count(graph), vv_is_nil(node) ? 1 : 2);
        if (failed)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}
