/* test_private.c - Tests rank-local nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "private.h"

static const varve_comm third = { .rank = 2, .size = 4 };

static varve_status never(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error)
{
    (void)user, (void)mine, (void)saved, (void)path, (void)count, (void)error;
    return VARVE_OK;
}

static int memory[1];
static const varve_rank_local_options folds = { .merge = never };

TEST(private, is_an_object_with_a_child_for_this_process)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *mine = varve_add_rank_local(root, "own", &third, &folds);
    varve_node *all = varve_find(root, "own");
    cr_assert_eq(varve_find(all, "2"), mine);
    cr_assert_eq(varve_node_kind(all), VARVE_OBJECT);
    cr_assert_eq(varve_node_kind(mine), VARVE_OBJECT);
    cr_assert(varve_has_tag(all, VARVE_TAG_RANK_LOCAL));
    cr_assert_eq(vv_private_of(all)->rank, 2);
    cr_assert_eq(vv_private_of(all)->size, 4);
    cr_assert_eq(vv_private_of(all)->options.merge, never);
    cr_assert_null(vv_private_of(mine));
    cr_assert_eq(vv_private_mine(all), mine);
    varve_untrack(all, "2");
    cr_assert_null(vv_private_mine(all));
    varve_graph_free(graph);
}

TEST(private, is_that_of_a_single_rank_without_a_communicator)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *mine = varve_add_rank_local(root, "own", NULL, NULL);
    varve_node *all = varve_find(root, "own");
    cr_assert_eq(varve_find(all, "0"), mine);
    cr_assert_eq(vv_private_of(all)->size, 1);
    varve_graph_free(graph);
}

TEST(private, requires_a_rank_and_one_policy)
{
    static const struct {
        varve_comm comm;
        varve_rank_local_options options;
        const char *name;
        varve_status status;
    } wrong[] = {
        { { .rank = 4, .size = 4 }, { .drop = true }, "a", VARVE_MISUSE },
        { { .size = 1 }, { .drop = true, .merge = never }, "a", VARVE_MISUSE },
        { { .size = 1 }, { .reserved = { { memory } } }, "a", VARVE_TOO_NEW },
        { { .size = 1 }, { .drop = false }, "taken", VARVE_DUPLICATE },
        { { .size = 1 }, { .drop = false }, "", VARVE_BAD_NAME },
    };
    varve_error error = { 0 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        varve_graph *graph = new_graph();
        varve_node *root = varve_graph_root(graph);
        varve_add_object(root, "taken");
        varve_node *node = varve_add_rank_local(
            root, wrong[i].name, &wrong[i].comm, &wrong[i].options);
        cr_assert_eq(varve_node_kind(node), VARVE_NIL);
        cr_assert_eq(
            varve_graph_check(graph, &error), wrong[i].status, "%zu", i);
        cr_assert_eq(strncmp(error.message, i < 3 ? "(root): \"a\"" : "",
                         i < 3 ? 11 : 0),
            0, "%s", error.message);
        cr_assert_null(varve_find(root, "a"));
        varve_graph_free(graph);
    }
}

TEST(private, can_be_copied_without_its_reduction)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_rank_local(root, "own", &third, &folds);
    varve_node *copy = varve_add_object(root, "copy");
    cr_assert(vv_private_copy(root, copy));
    cr_assert_null(vv_private_of(copy));
    cr_assert(vv_private_copy(varve_find(root, "own"), copy));
    cr_assert_eq(vv_private_of(copy)->rank, 2);
    cr_assert_eq(vv_private_of(copy)->options.merge, NULL);
    varve_graph_free(graph);
}

TEST(private, reports_failed_allocations)
{
    for (long number = 0;; number++) {
        varve_graph *graph = new_graph();
        test_fail_allocation(number, false);
        varve_add_rank_local(varve_graph_root(graph), "own", &third, NULL);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        varve_status status = varve_graph_check(graph, NULL);
        cr_assert_eq(status, is_over ? VARVE_OK : VARVE_NO_MEMORY);
        varve_graph_free(graph);
        if (is_over)
            break;
    }
}
