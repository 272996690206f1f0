/* test_add_slot.c - Tests adding slot variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "allocator.h"
#include "slot.h"
#include "variable.h"

static varve_graph *graph;
static varve_node *root;
static varve_node *x;
static varve_node *y;
static float memory[2];

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
    x = varve_add_variable(root, "x", varve_array(memory, 2));
    y = varve_add_variable(root, "y", varve_array(memory, 2));
}

static varve_node *add(
    varve_node *owner, varve_node *variable, const char *name)
{
    return varve_add_slot(owner, variable, name, varve_array(memory, 2));
}

TEST(add_slot, refuses_invalid_names)
{
    const char *bad[] = { "", NULL, "\xff" };
    for (int i = 0; i < 3; i++) {
        begin();
        cr_assert(vv_is_nil(add(root, x, bad[i])));
        cr_assert_null(varve_slot_first(root));
        free_bad(graph, VARVE_BAD_NAME);
    }
}

TEST(add_slot, refuses_the_nil_node_of_another_graph)
{
    begin();
    varve_graph *other = new_graph();
    varve_node *nil = varve_add_object(varve_graph_root(other), "");
    cr_assert(vv_is_nil(nil));
    cr_assert(vv_is_nil(add(root, nil, "m")));
    varve_graph_free(other);
    free_bad(graph, VARVE_MISUSE);
}

TEST(add_slot, requires_an_ordinary_variable_of_the_same_graph)
{
    static const char *const messages[] = {
        "(root): slot \"of\": (root) is an object, not a variable",
        "(root): slot \"of\": x is in another graph",
        "(root): slot \"of\": m(x) is a slot, not an ordinary variable",
        "y: a variable cannot have children (\"of\")",
    };
    for (int i = 0; i < 4; i++) {
        varve_error error = { 0 };
        begin();
        varve_graph *other = new_graph();
        varve_node *foreign = varve_add_variable(
            varve_graph_root(other), "x", varve_array(memory, 2));
        varve_node *variables[] = { root, foreign, add(root, x, "m"), x };
        varve_node *owners[] = { root, root, root, y };
        cr_assert(vv_is_nil(add(owners[i], variables[i], "of")));
        cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
        cr_assert_str_eq(error.message, messages[i]);
        varve_graph_free(other);
        free_bad(graph, VARVE_MISUSE);
    }
}

TEST(add_slot, names_a_kind_of_node_and_a_variable_that_could_not_be_made)
{
    begin();
    varve_error error = { 0 };
    varve_node *list = varve_add_list(root, "l");
    cr_assert(vv_is_nil(add(root, list, "of")));
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
    cr_assert_str_eq(
        error.message, "(root): slot \"of\": l is a list, not a variable");
    free_bad(graph, VARVE_MISUSE);
    begin();
    cr_assert(vv_is_nil(add(root, NULL, "of")));
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message, "(root): slot \"of\": the variable is "
                                    "NULL or could not be created");
    free_bad(graph, VARVE_MISUSE);
}

TEST(add_slot, refuses_invalid_views)
{
    begin();
    uint64_t extents[17] = { 0 };
    cr_assert(vv_is_nil(varve_add_allocated_slot(root, x, "m", VARVE_FLOAT32,
        varve_shape_of(17, extents), NULL, NULL)));
    cr_assert_null(varve_slot_first(root));
    free_bad(graph, VARVE_BAD_SHAPE);
    begin();
    cr_assert(vv_is_nil(varve_add_slot(root, x, "m",
        varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(1)))));
    free_bad(graph, VARVE_MISUSE);
}

static varve_status fill(const varve_tensor *tensor, void *user)
{
    *(float *)tensor->data = *(float *)user;
    return VARVE_OK;
}

TEST(add_slot, initializes_a_library_owned_slot)
{
    float value = 5;
    begin();
    varve_node *m = varve_add_allocated_slot(
        root, x, "m", VARVE_FLOAT32, VARVE_SHAPE(3), fill, &value);
    const float *data = varve_data(m);
    cr_assert_eq((uintptr_t)data % VV_MEMORY_ALIGNMENT, 0);
    cr_assert_eq(data[0], 5);
    cr_assert_eq(data[2], 0);
    cr_assert_eq(varve_state_of(m), VARVE_INITIALIZED);
    free_good(graph);
}

/* Returns the number of nodes that are slots. */
static size_t slot_count(void)
{
    size_t count = 0;
    for (varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node))
        count += vv_as_slot(node) != NULL;
    return count;
}

TEST(add_slot, handles_every_failed_allocation)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        begin();
        cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
        size_t count = node_count(graph);
        test_fail_allocation(n, false);
        varve_node *made = varve_add_allocated_slot(
            root, x, "m", VARVE_FLOAT32, VARVE_SHAPE(3), NULL, NULL);
        add(root, y, "m");
        failed = varve_graph_check(graph, NULL) != VARVE_OK;
        test_fail_allocation(-1, false);
        if (vv_is_nil(made))
            cr_assert_null(varve_find_slot(root, x, "m"));
        cr_assert_eq(slot_count(), node_count(graph) - count);
        if (failed)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}
