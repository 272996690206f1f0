/* test_initial.c - Tests initializers of variables and their order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include <varve/collection.h>

#include "support/proof.h"

enum { MOST = 40 };

static char order[512]; /* names in the order in which they were initialized */

static varve_status note(const varve_tensor *tensor, void *user)
{
    size_t used = strlen(order);
    snprintf(order + used, sizeof order - used, "%s", (const char *)user);
    *(float *)tensor->data = (float)used + 1;
    return VARVE_OK;
}

static varve_status refuse(const varve_tensor *tensor, void *user)
{
    (void)tensor;
    return *(bool *)user ? VARVE_IO : VARVE_OK;
}

static varve_graph *begin(void)
{
    varve_graph *g = varve_graph_new(test_allocator());
    order[0] = 0;
    varve_defer_initializers(g, true);
    return g;
}

static varve_node *add(varve_graph *g, const char *name)
{
    return varve_add_allocated_variable(varve_graph_root(g), name,
        VARVE_FLOAT32, VARVE_SHAPE(1), note, (char *)name);
}

static const char *initialize(varve_graph *g, const char *pattern)
{
    varve_error error;
    varve_select select = { .pattern = pattern };
    order[0] = 0;
    cr_assert_ok(varve_initialize(varve_graph_root(g),
                     pattern ? &select : NULL, &error),
        error);
    return order;
}

TEST(initial, values_are_initialized_in_order_and_once)
{
    varve_graph *g = begin();
    varve_node *c = add(g, "c");
    add(g, "a");
    cr_assert_eq(varve_state_of(c), VARVE_DECLARED);
    cr_assert_eq(*(float *)varve_data(c), 0);
    cr_assert_str_eq(initialize(g, NULL), "ca");
    cr_assert_eq(varve_state_of(c), VARVE_INITIALIZED);
    cr_assert_str_eq(initialize(g, NULL), "");
    varve_defer_initializers(g, false);
    add(g, "b");
    cr_assert_str_eq(order, "b", "at once again");
    varve_graph_free(g);
}

TEST(initial, each_is_initialized_after_its_dependencies)
{
    varve_graph *g = begin();
    varve_node *a = add(g, "a");
    varve_node *b = add(g, "b");
    varve_node *c = add(g, "c");
    varve_node *d = add(g, "d");
    varve_initialize_after(a, d);
    varve_initialize_after(a, c);
    varve_initialize_after(d, b);
    varve_initialize_after(a, b);
    cr_assert_str_eq(initialize(g, NULL), "bdca");
    varve_graph_free(g);
}

TEST(initial, dependencies_are_initialized_even_if_not_selected)
{
    varve_graph *g = begin();
    varve_node *a = add(g, "a");
    varve_node *b = add(g, "b");
    add(g, "c");
    varve_initialize_after(a, b);
    cr_assert_str_eq(initialize(g, "a"), "ba");
    cr_assert_str_eq(initialize(g, NULL), "c");
    varve_graph_free(g);
}

TEST(initial, dependency_cycles_are_reported)
{
    varve_error error;
    varve_graph *g = begin();
    varve_node *a = add(g, "a");
    varve_node *b = add(g, "b");
    varve_node *c = add(g, "c");
    varve_initialize_after(a, b);
    varve_initialize_after(b, c);
    varve_initialize_after(c, b);
    cr_assert_eq(
        varve_initialize(varve_graph_root(g), NULL, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message, "initial values: they depend on each "
        "other in a cycle: b needs c needs b");
    cr_assert_str_eq(order, "", "nothing has run");
    varve_graph_free(g);
}

TEST(initial, restored_values_are_skipped)
{
    varve_error error;
    varve_graph *g = begin();
    varve_node *a = add(g, "a");
    varve_node *b = add(g, "b");
    initialize(g, "a");
    cr_assert_ok(varve_write(varve_graph_root(g), test_path("f"), NULL,
                     &error), error);
    varve_graph_free(g);
    g = begin();
    varve_restoration *r =
        varve_read(varve_graph_root(g), test_path("f"), NULL, &error);
    a = add(g, "a");
    b = add(g, "b");
    varve_initialize_after(a, b);
    cr_assert_eq(varve_state_of(a), VARVE_RESTORED);
    cr_assert_str_eq(initialize(g, NULL), "b");
    varve_restoration_free(r);
    varve_graph_free(g);
}

TEST(initial, an_undelivered_value_does_not_prevent_others)
{
    varve_error error;
    varve_graph *g = begin();
    varve_add_object(varve_graph_root(g), "a");
    add(g, "b");
    initialize(g, NULL);
    cr_assert_ok(varve_write(varve_graph_root(g), test_path("f"), NULL,
                     &error), error);
    varve_graph_free(g);
    g = begin();
    varve_restoration *r =
        varve_read(varve_graph_root(g), test_path("f"), NULL, &error);
    varve_node *a = add(g, "a");
    varve_node *b = varve_add_allocated_variable(varve_graph_root(g), "b",
        VARVE_FLOAT64, VARVE_SHAPE(1), note, "b");
    add(g, "c");
    cr_assert_eq(varve_graph_check(g, &error), VARVE_MISMATCH);
    cr_assert_str_eq(initialize(g, NULL), "ac");
    cr_assert_eq(varve_state_of(a), VARVE_INITIALIZED);
    cr_assert_eq(varve_state_of(b), VARVE_PENDING);
    cr_assert_eq(varve_graph_check(g, &error), VARVE_MISMATCH);
    varve_restoration_free(r);
    varve_graph_free(g);
}

TEST(initial, memory_of_the_program_can_be_declared_empty)
{
    varve_error error;
    float x = 7;
    float y = 7;
    varve_graph *g = begin();
    varve_node *root = varve_graph_root(g);
    varve_node *nx = varve_add_variable(root, "x", varve_scalar(&x));
    varve_node *ny = varve_add_variable(root, "y", varve_scalar(&y));
    varve_set_initializer(nx, note, "x");
    varve_set_initializer(ny, NULL, NULL);
    cr_assert_eq(varve_state_of(nx), VARVE_DECLARED);
    cr_assert_eq(varve_require_ready(root, NULL, &error), VARVE_UNMATCHED);
    cr_assert_str_eq(initialize(g, NULL), "x");
    cr_assert(x == 1 && y == 0);
    cr_assert_ok(varve_require_ready(root, NULL, &error), error);
    varve_graph_free(g);
}

TEST(initial, a_failure_is_reported_and_a_second_call_continues)
{
    varve_error error;
    bool refuses = true;
    varve_graph *g = begin();
    varve_node *root = varve_graph_root(g);
    add(g, "a");
    varve_add_allocated_variable(
        root, "b", VARVE_FLOAT32, VARVE_SHAPE(1), refuse, &refuses);
    add(g, "c");
    cr_assert_eq(varve_initialize(root, NULL, &error), VARVE_CALLBACK);
    cr_assert_str_eq(error.message, "b: its initializer failed with VARVE_IO");
    cr_assert_str_eq(order, "a");
    cr_assert_ok(varve_graph_check(g, &error), error);
    refuses = false;
    cr_assert_str_eq(initialize(g, NULL), "c");
    varve_graph_free(g);
}

TEST(initial, errors_are_recorded_in_the_graph)
{
    varve_error error;
    float x = 0;
    for (int i = 0; i < 4; i++) {
        varve_graph *g = begin();
        varve_graph *second = begin();
        varve_node *root = varve_graph_root(g);
        varve_node *a = add(g, "a");
        if (i == 0)
            varve_initialize_after(a, root);
        else if (i == 1)
            varve_initialize_after(root, a);
        else if (i == 2)
            varve_initialize_after(a, add(second, "b"));
        else {
            initialize(g, NULL);
            varve_set_initializer(a, note, "a");
        }
        cr_assert_eq(varve_graph_check(g, &error), VARVE_MISUSE, "%d", i);
        varve_graph_free(g);
        varve_graph_free(second);
    }
    varve_graph *g = begin();
    cr_assert_eq(varve_initialize(NULL, NULL, &error), VARVE_MISUSE);
    varve_defer_initializers(NULL, true);
    varve_node *node = varve_add_variable(
        varve_graph_root(g), "x", varve_scalar(&x));
    varve_initialize_after(node, node);
    cr_assert_ok(
        varve_initialize(varve_graph_root(g), NULL, &error), error);
    varve_graph_free(g);
}

TEST(initial, removed_variables_are_removed_from_dependencies)
{
    varve_graph *g = begin();
    varve_node *a = add(g, "a");
    varve_node *b = add(g, "b");
    varve_node *c = add(g, "c");
    varve_initialize_after(a, b);
    varve_initialize_after(b, c);
    varve_initialize_after(c, b);
    varve_initialize_after(a, c);
    varve_remove(b);
    varve_node *d = add(g, "d");
    varve_initialize_after(d, a);
    cr_assert_str_eq(initialize(g, NULL), "cad");
    varve_remove(c);
    varve_remove(a);
    varve_graph_free(g);
}

/* Returns the position of a name in this order. */
static long place_of(size_t i)
{
    const char *found = strchr(order, 'A' + (int)i);
    return found ? (long)(found - order) : -1;
}

/* Variables that depend on another one and are removed must not leak memory. */
TEST(initial, removed_variables_leave_no_dependency_records)
{
    float v = 0;
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_node *stays = varve_add_variable(root, "stays", varve_scalar(&v));
    size_t bytes = 0;
    for (int i = 0; i < 2000; i++) {
        varve_node *node =
            varve_add_variable(root, "passing", varve_scalar(&v));
        varve_initialize_after(node, stays);
        varve_initialize_after(node, node);
        varve_remove(node);
        if (i == 10)
            bytes = test_byte_count();
    }
    cr_assert_leq(test_byte_count(), bytes);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    varve_graph_free(graph);
}

TEST(initial, acyclic_dependencies_are_always_satisfied)
{
    uint64_t state = proof_seed();
    uint64_t tries = proof_size(300, 20000);
    static char names[MOST][2];
    for (uint64_t n = 0; n < tries; n++) {
        varve_graph *g = begin();
        varve_node *nodes[MOST];
        bool needs[MOST][MOST] = { { false } };
        size_t count = 1 + proof_next(&state) % MOST;
        size_t shift = proof_next(&state) % count;
        for (size_t i = 0; i < count; i++) {
            names[i][0] = (char)('A' + i);
            nodes[i] = add(g, names[i]);
        }
        for (size_t k = 0; k < 2 * count; k++) {
            size_t one = proof_next(&state) % count;
            size_t other = proof_next(&state) % count;
            if ((one + shift) % count <= (other + shift) % count)
                continue; /* acyclic, except for the order of creation */
            needs[one][other] = true;
            varve_initialize_after(nodes[one], nodes[other]);
        }
        cr_assert_eq(strlen(initialize(g, NULL)), count);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count; k++)
                cr_assert(!needs[i][k] || place_of(k) < place_of(i));
        varve_graph_free(g);
    }
    proof_count("graph.initial_orders", tries);
}

TEST(initial, without_memory_nothing_runs_or_is_lost)
{
    varve_error error;
    for (long n = 0;; n++) {
        varve_graph *g = begin();
        varve_node *root = varve_graph_root(g);
        varve_node *a = add(g, "a");
        varve_node *b = add(g, "b");
        test_fail_allocation(n, false);
        varve_initialize_after(a, b);
        varve_status status = varve_initialize(root, NULL, &error);
        bool hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_str_eq(order, status ? "" : "ba");
        varve_graph_free(g);
        if (!hit)
            break;
    }
}

TEST(initial, fails_without_memory)
{
    static float x = 3;
    varve_graph *g = varve_graph_new(test_allocator());
    varve_node *node =
        varve_add_variable(varve_graph_root(g), "x", varve_scalar(&x));
    test_fail_allocation(0, false);
    varve_set_initializer(node, note, "x");
    test_fail_allocation(-1, false);
    cr_assert_eq(varve_graph_check(g, NULL), VARVE_NO_MEMORY);
    cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
    cr_assert_float_eq(x, 3, 0);
    varve_graph_free(g);
}
