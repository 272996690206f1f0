/* test_accept_reject.c - Tests that a snapshot keeps values in memory to accept
 * or reject a move, without allocations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

static varve_status save_int(void *self, varve_sink *sink)
{
    varve_put(sink, self, sizeof(int));
    return VARVE_OK;
}

static varve_status load_int(void *self, const void *bytes, size_t size)
{
    cr_assert_eq(size, sizeof(int));
    memcpy(self, bytes, size);
    return VARVE_OK;
}

static const varve_state_callbacks callbacks = { save_int, load_int };

TEST(accept_reject, a_monte_carlo_loop_accepts_and_rejects_moves)
{
    varve_error error;
    float v = 10;
    int state = 1, local = 5;
    varve_string text = { "one", 3 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    varve_add_state(root, "s", &callbacks, &state);
    varve_add_variable(root, "t", varve_scalar(&text));
    varve_tag(varve_add_variable(root, "l", varve_scalar(&local)),
        VARVE_TAG_LOCAL);
    varve_snapshot *best = varve_snapshot_new(root, &error);
    cr_assert(best, "%s", error.message);
    cr_assert_eq(test_file_count(), 0);
    test_fail_allocation(0, true);
    v = 20;
    state = 2;
    local = 6;
    cr_assert_ok(varve_snapshot_restore(best, &error), error);
    cr_assert_eq(v, 10);
    cr_assert_eq(state, 1);
    cr_assert_eq(local, 5);
    v = 30;
    state = 3;
    cr_assert_ok(varve_snapshot_retake(best, &error), error);
    v = 40;
    cr_assert_ok(varve_snapshot_restore(best, &error), error);
    cr_assert_eq(v, 30);
    cr_assert_eq(state, 3);
    cr_assert_eq(text.size, 3);
    cr_assert_eq(memcmp(text.data, "one", 3), 0);
    cr_assert_eq(test_allocation_count(), 0);
    test_fail_allocation(-1, false);
    varve_snapshot_free(best);
    varve_snapshot_free(NULL);
    varve_graph_free(graph);
}

TEST(accept_reject, a_changed_graph_is_refused_and_nothing_changes)
{
    varve_error error;
    float v = 1, w = 2;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    varve_node *added = story_add(root, "w", &w);
    v = 5;
    cr_assert_eq(varve_snapshot_restore(snapshot, &error), VARVE_MISMATCH);
    cr_assert(story_is_one_line(&error));
    cr_assert_eq(varve_snapshot_retake(snapshot, &error), VARVE_MISMATCH);
    cr_assert_eq(v, 5);
    varve_remove(added);
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert_eq(v, 1);
    varve_graph_free(graph);
    varve_snapshot_free(snapshot);
}
