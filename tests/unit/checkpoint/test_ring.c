/* test_ring.c - Tests rings of snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

static varve_graph *graph;
static varve_node *root;
static int64_t step;
static int64_t other;

static varve_ring *begin(size_t count, const varve_snapshot_options *options)
{
    varve_error error;
    graph = varve_graph_new(test_allocator());
    root = varve_graph_root(graph);
    step = 0;
    other = 0;
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_variable(root, "other", varve_scalar(&other));
    varve_ring *ring = varve_ring_new(root, count, options, &error);
    cr_assert(ring);
    return ring;
}

static void end(varve_ring *ring)
{
    varve_ring_free(ring);
    varve_graph_free(graph);
}

static void push(varve_ring *ring, int64_t value)
{
    varve_error error;
    step = value;
    cr_assert_ok(varve_ring_push(ring, &error), error);
}

static void rollback(varve_ring *ring, size_t back, int64_t expected)
{
    varve_error error;
    step = -1;
    cr_assert_ok(varve_ring_rollback(ring, back, &error), error);
    cr_assert_eq(step, expected);
}

TEST(ring, restores_any_of_the_last_snapshots)
{
    varve_error error;
    varve_ring *ring = begin(3, NULL);
    cr_assert_eq(varve_ring_rollback(ring, 0, &error), VARVE_NOT_FOUND);
    cr_assert_str_eq(error.message,
        "ring: there is no snapshot 0 back, only 0 in all");
    for (int i = 1; i <= 5; i++)
        push(ring, i);
    cr_assert_eq(varve_ring_count(ring), 3);
    rollback(ring, 0, 5);
    rollback(ring, 0, 5);
    rollback(ring, 1, 4);
    cr_assert_eq(varve_ring_count(ring), 2, "5 is dropped");
    cr_assert_eq(varve_ring_rollback(ring, 2, &error), VARVE_NOT_FOUND);
    push(ring, 6);
    push(ring, 7);
    rollback(ring, 2, 4);
    cr_assert_eq(varve_ring_count(ring), 1);
    end(ring);
}

TEST(ring, returns_each_snapshot)
{
    varve_ring *ring = begin(2, NULL);
    varve_error error;
    cr_assert_null(varve_ring_at(ring, 0));
    push(ring, 1);
    push(ring, 2);
    cr_assert_null(varve_ring_at(ring, 2));
    cr_assert_ok(
        varve_snapshot_restore(varve_ring_at(ring, 1), &error), error);
    cr_assert_eq(step, 1);
    cr_assert_eq(varve_ring_count(ring), 2, "only a rollback drops");
    end(ring);
}

TEST(ring, allocates_nothing_once_it_is_full)
{
    varve_ring *ring = begin(2, NULL);
    push(ring, 1);
    push(ring, 2);
    test_fail_allocation(-1, false);
    for (int i = 0; i < 10; i++) {
        push(ring, i);
        rollback(ring, 1, i ? i - 1 : 2);
        push(ring, i);
    }
    cr_assert_eq(test_allocation_count(), 0);
    end(ring);
}

TEST(ring, is_unchanged_without_memory_for_another_snapshot)
{
    varve_ring *ring = begin(2, &(varve_snapshot_options){ .except = "x" });
    varve_error error;
    push(ring, 1);
    step = 2;
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_status status = varve_ring_push(ring, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(varve_ring_count(ring), 1);
    }
    cr_assert_eq(varve_ring_count(ring), 2);
    rollback(ring, 1, 1);
    end(ring);
    for (long n = 0;; n++) {
        varve_graph *g = varve_graph_new(test_allocator());
        test_fail_allocation(n, false);
        ring = varve_ring_new(varve_graph_root(g), 2,
            &(varve_snapshot_options){ .except = "x" }, &error);
        test_fail_allocation(-1, false);
        varve_graph_free(g);
        if (ring)
            break;
        cr_assert_eq(error.status, VARVE_NO_MEMORY);
    }
    varve_ring_free(ring);
}

TEST(ring, reports_a_changed_structure)
{
    varve_ring *ring = begin(2, NULL);
    varve_error error;
    float more = 0;
    push(ring, 1);
    varve_add_variable(root, "more", varve_scalar(&more));
    cr_assert_eq(varve_ring_rollback(ring, 0, &error), VARVE_MISMATCH);
    cr_assert_str_eq(error.message, "snapshot: the 2 variables it was taken "
        "of have been replaced by others");
    end(ring);
}

TEST(ring, continues_after_the_program_has_changed)
{
    varve_error error;
    float more = 1;
    varve_ring *ring = begin(2, NULL);
    push(ring, 1);
    push(ring, 2);
    varve_remove(varve_find(root, "other"));
    varve_add_variable(root, "more", varve_scalar(&more));
    for (int i = 3; i <= 6; i++)
        push(ring, i);
    cr_assert_eq(varve_ring_count(ring), 2);
    rollback(ring, 1, 5);
    varve_remove(varve_find(root, "more"));
    cr_assert_eq(varve_ring_rollback(ring, 0, &error), VARVE_MISMATCH);
    varve_status status = VARVE_NO_MEMORY;
    for (long i = 0; status == VARVE_NO_MEMORY; i++) {
        test_fail_allocation(i, false);
        status = varve_ring_push(ring, &error);
        cr_assert_eq(varve_ring_count(ring), status ? 1 : 2);
    }
    cr_assert_ok(status, error);
    end(ring);
}

TEST(ring, may_outlive_its_node_and_its_graph)
{
    varve_error error;
    varve_ring *ring = begin(2, NULL);
    varve_ring *part = varve_ring_new(
        varve_add_object(root, "part"), 2, NULL, &error);
    cr_assert_ok(varve_ring_push(part, &error), error);
    varve_remove(varve_find(root, "part"));
    cr_assert_eq(varve_ring_push(part, &error), VARVE_MISMATCH);
    cr_assert_str_eq(error.message,
        "ring: its node was removed");
    cr_assert_eq(varve_ring_rollback(part, 0, &error), VARVE_MISMATCH);
    cr_assert_eq(varve_ring_count(part), 1);
    varve_graph_free(graph);
    cr_assert_eq(varve_ring_push(ring, &error), VARVE_MISMATCH);
    varve_ring_free(part);
    varve_ring_free(ring);
}

TEST(ring, omits_excluded_values)
{
    varve_ring *ring =
        begin(2, &(varve_snapshot_options){ .except = "other" });
    push(ring, 1);
    other = 5;
    rollback(ring, 0, 1);
    cr_assert_eq(other, 5);
    end(ring);
}

TEST(ring, refuses_invalid_arguments)
{
    varve_error error = { 0 };
    varve_ring *ring = begin(1, NULL);
    cr_assert_null(varve_ring_new(NULL, 1, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_ring_new(root, 0, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_ring_new(root, SIZE_MAX, NULL, &error));
    cr_assert_eq(varve_ring_push(NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_ring_rollback(NULL, 0, &error), VARVE_MISUSE);
    cr_assert_eq(varve_ring_count(NULL), 0);
    varve_ring_free(NULL);
    end(ring);
}
