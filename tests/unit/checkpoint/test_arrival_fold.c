/* test_arrival_fold.c - Tests merging of rank-local values after a change of
 * the number of ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_world.h"

#include <varve/restoration.h>

#include "node.h"

/* A rank with its own count. With another number of ranks each rank takes a
 * part of the sum. */
struct counter {
    varve_node *root;
    const varve_comm *comm;
    int64_t x;
    int64_t count;
    int64_t more; /* added by the merge callback */
    int calls;
    bool was_there; /* the other values were restored when it was called */
    varve_status fails;
};

static varve_status add_up(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error)
{
    struct counter *c = user;
    int64_t sum = 0;
    c->calls++;
    c->was_there = c->x == 7;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        int64_t one;
        varve_saved_node node;
        snprintf(name, sizeof name, "%s/%zu/count", path, i);
        cr_assert(varve_reader_find(saved, name, &node), "%s", name);
        varve_status status =
            varve_reader_read(saved, node.id, &one, sizeof one, error);
        if (status)
            return status;
        sum += one;
    }
    c->count = sum / (c->comm ? c->comm->size : 1);
    varve_add_variable(mine, "more", varve_scalar(&c->more));
    return c->fails;
}

static void begin_counter(struct counter *c, const varve_comm *comm, bool folds)
{
    const varve_rank_local_options options = { .merge = folds ? add_up : NULL,
        .merge_user = c };
    *c = (struct counter){
        .root = new_root(), .comm = comm, .x = -1, .count = -1, .more = -1
    };
    varve_add_variable(c->root, "x", varve_scalar(&c->x));
    varve_add_variable(varve_add_rank_local(c->root, "own", comm, &options),
        "count", varve_scalar(&c->count));
}

struct run {
    struct own_run run;
    uint32_t saved_by;
    int bad; /* rank whose callback fails; -1: none */
    int odd; /* rank whose variable has another type */
    int calls[MOST_RANKS];
};

static void save_counter(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct counter c;
    begin_counter(&c, comm, false);
    c.x = 7;
    c.count = 10 * (comm->rank + 1);
    run->run.statuses[comm->rank] = varve_write_all(
        comm, c.root, FILE_NAME, NULL, &run->run.errors[comm->rank]);
    free_root(c.root);
}

static void save_counters(uint32_t size)
{
    struct run run = { .bad = -1 };
    thread_comm_run(size, 0, -1, save_counter, &run);
    check_own(&run.run, size, VARVE_OK);
}

static void load_counter(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct counter c;
    float other = 0;
    varve_error *error = &run->run.errors[comm->rank];
    begin_counter(&c, comm, true);
    if (run->bad == (int)comm->rank)
        c.fails = VARVE_IO;
    varve_remove(varve_find(c.root, "x"));
    if (run->odd == (int)comm->rank)
        varve_add_variable(c.root, "x", varve_scalar(&other));
    else if (run->odd < 0)
        varve_add_variable(c.root, "x", varve_scalar(&c.x));
    varve_restoration *r = varve_read_all(comm, c.root, FILE_NAME, NULL, error);
    run->run.statuses[comm->rank] = r ? VARVE_OK : error->status;
    run->calls[comm->rank] = c.calls;
    if (run->bad >= 0) /* `x` is marked on all ranks, even after the failure */
        cr_assert(varve_find(c.root, "x")->is_half);
    if (r && comm->size != run->saved_by) {
        int64_t sum = 5 * run->saved_by * (run->saved_by + 1);
        cr_assert_eq(c.count, sum / comm->size);
        cr_assert(c.was_there);
    } else if (r) {
        cr_assert_eq(c.count, 10 * (comm->rank + 1));
    }
    if (r) /* `more` is handled by the program */
        cr_assert_ok(varve_assert_consumed(r, error), *error);
    varve_restoration_free(r);
    free_root(c.root);
}

TEST(fold, is_called_once_on_each_rank_if_their_number_differs)
{
    begin_world();
    save_counters(4);
    for (uint32_t size = 1; size <= 6; size++) {
        struct run run = { .bad = -1, .odd = -1, .saved_by = 4 };
        thread_comm_run(size, 0, -1, load_counter, &run);
        check_own(&run.run, size, VARVE_OK);
        for (uint32_t i = 0; i < size; i++)
            cr_assert_eq(run.calls[i], size != 4);
    }
    end_world();
}

TEST(fold, reports_a_failure_on_one_rank_to_all)
{
    begin_world();
    save_counters(4);
    struct run run = { .bad = 1, .odd = -1, .saved_by = 4 };
    thread_comm_run(3, 0, -1, load_counter, &run);
    check_own(&run.run, 3, VARVE_PARTIALLY_RESTORED);
    cr_assert(strstr(run.run.errors[2].message,
                  "rank 1: own: its merge callback failed with VARVE_IO"),
        "%s", run.run.errors[2].message);
    end_world();
}

/* The other ranks have nothing else to restore. */
TEST(fold, is_not_called_if_another_rank_cannot_restore)
{
    begin_world();
    save_counters(4);
    struct run run = { .bad = -1, .odd = 2, .saved_by = 4 };
    thread_comm_run(3, 0, -1, load_counter, &run);
    check_own(&run.run, 3, VARVE_MISMATCH);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(run.calls[i], 0);
    end_world();
}

/* --- One process ---------------------------------------------------------- */

TEST(fold, is_called_with_a_single_process)
{
    struct counter c;
    begin_world();
    save_counters(3);
    begin_counter(&c, NULL, true);
    varve_restoration *r = read_root(c.root, NULL);
    cr_assert_eq(c.count, 60);
    cr_assert(c.was_there);
    varve_restoration_free(r);
    free_root(c.root);
    end_world();
}

TEST(fold, leaves_values_partially_restored_if_it_fails)
{
    struct counter c;
    varve_error error = { 0 };
    begin_world();
    save_counters(3);
    begin_counter(&c, NULL, true);
    c.fails = VARVE_IO;
    cr_assert(!varve_read(c.root, FILE_NAME, NULL, &error));
    cr_assert_eq(error.status, VARVE_PARTIALLY_RESTORED);
    cr_assert_eq(c.x, 7);
    cr_assert_eq(varve_write(c.root, "c.varve", NULL, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "x: "), "%s", error.message);
    free_root(c.root);
    end_world();
}

static varve_status take_away(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error)
{
    (void)user;
    (void)saved;
    (void)path;
    (void)count;
    (void)error;
    varve_remove(mine);
    return VARVE_OK;
}

/* As in any callback of the library. */
TEST(fold, must_not_remove_nodes)
{
    const varve_rank_local_options options = { .merge = take_away };
    int64_t count = 0;
    begin_world();
    save_counters(3);
    varve_node *root = new_root();
    varve_node *mine = varve_add_rank_local(root, "own", NULL, &options);
    varve_add_variable(mine, "count", varve_scalar(&count));
    varve_restoration_free(varve_read(root, FILE_NAME, NULL, NULL));
    cr_assert_eq(varve_find_path(root, "own/0"), mine);
    cr_assert_eq(varve_graph_check(varve_node_graph(root), NULL), VARVE_MISUSE);
    free_root(root);
    end_world();
}

TEST(fold, is_not_called_by_a_dry_run)
{
    struct counter c;
    varve_error error = { 0 };
    begin_world();
    save_counters(3);
    begin_counter(&c, NULL, true);
    varve_restoration *r = varve_dry_run(c.root, FILE_NAME, NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(c.calls, 0);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    free_root(c.root);
    end_world();
}

TEST(fold, is_called_for_a_later_node_and_again_after_a_failure)
{
    struct counter c;
    varve_error error = { 0 };
    begin_world();
    save_counters(3);
    begin_counter(&c, NULL, true);
    c.fails = VARVE_IO;
    varve_node *own = varve_find(c.root, "own");
    varve_node *aside = varve_add_detached(varve_node_graph(c.root));
    varve_track(aside, "own", own);
    varve_untrack(c.root, "own");
    varve_restoration *r = read_root(c.root, NULL);
    cr_assert_eq(c.calls, 0);
    varve_track(c.root, "own", own);
    cr_assert_eq(c.calls, 1);
    cr_assert_eq(varve_graph_check(varve_node_graph(c.root), &error),
        VARVE_PARTIALLY_RESTORED);
    c.fails = VARVE_OK;
    varve_untrack(varve_find(own, "0"), "more");
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(c.calls, 2);
    good(c.root);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(c.calls, 2);
    varve_restoration_free(r);
    free_root(c.root);
    end_world();
}

TEST(fold, reports_failed_allocations)
{
    begin_world();
    save_counters(3);
    for (long number = 0;; number++) {
        struct counter c;
        varve_error error = { 0 };
        begin_counter(&c, NULL, true);
        test_fail_allocation(number, false);
        varve_restoration *r = varve_read(c.root, FILE_NAME, NULL, &error);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        if (r) /* `more` is not reported as missing */
            cr_assert_eq(c.count, 60);
        else
            cr_assert(error.status == VARVE_NO_MEMORY ||
                          error.status == VARVE_PARTIALLY_RESTORED,
                "%s", error.message);
        varve_restoration_free(r);
        free_root(c.root);
        if (is_over)
            break;
    }
    end_world();
}
