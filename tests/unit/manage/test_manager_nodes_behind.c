/* test_manager_nodes_behind.c - Tests asynchronous rebuilding of redundancy.
 *
 * test_manager_nodes.c tests lost nodes. Here the asynchronous execution is
 * tested, and the cases in which it is not possible.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_nodes.h"

#include "node_world.h"

/* Resumes while the rebuilding is held; then waits, or saves. */
static struct {
    bool has_no_copies;
    bool saves;
    /* number of parity files of the lost node when rank 0 continues */
    size_t before;
    size_t after;
} behind;

/* Counts while no rank makes changes. */
static size_t count_parity(const varve_comm *comm)
{
    size_t count = 0;
    cr_assert_eq(comm->barrier(comm->self), VARVE_OK);
    if (comm->rank == 0)
        count = count_files("node-2/", ".parity");
    cr_assert_eq(comm->barrier(comm->self), VARVE_OK);
    return count;
}

static void resume_and_look(const varve_comm *comm, void *user)
{
    struct node_rank r;
    varve_comm own = *comm;
    varve_error error = { 0 };
    (void)user;
    if (behind.has_no_copies)
        own.duplicate = NULL;
    cr_assert(build_node(&r, &own));
    varve_status status = varve_manager_resume(r.manager, &error);
    cr_assert_ok(status, error);
    size_t before = behind.has_no_copies ? count_parity(comm) : 0;
    set_values(&r, 4);
    status = behind.saves ? varve_manager_save(r.manager, 4, &error)
                          : varve_manager_wait(r.manager, &error);
    cr_assert_ok(status, error);
    cr_assert_null(varve_manager_warning(r.manager));
    size_t after = count_parity(comm);
    if (comm->rank == 0) {
        behind.before = before;
        behind.after = after;
    }
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

static void begin_lost(void)
{
    begin_nodes(4, VARVE_XOR);
    nodes.options.keep_last = 9;
    cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
    lose_node(2);
}

TEST(nodes_behind, completes_before_wait_returns)
{
    for (int i = 0; i < 2; i++) {
        behind.saves = i;
        begin_lost();
        thread_comm_run(4, 1, -1, resume_and_look, NULL);
        cr_assert_eq(behind.after, 3 + (size_t)i);
        end_nodes();
    }
}

TEST(nodes_behind, completes_in_the_call_without_a_second_communicator)
{
    behind.has_no_copies = true;
    begin_lost();
    thread_comm_run(4, 1, -1, resume_and_look, NULL);
    cr_assert_eq(behind.before, 3);
    cr_assert_eq(behind.after, 3);
    end_nodes();
}

/* An older set that has lost two files causes a warning, but no failure. */
static void resume_and_be_warned(const varve_comm *comm, void *user)
{
    struct node_rank r;
    varve_error error = { 0 };
    (void)user;
    cr_assert(build_node(&r, comm));
    cr_assert_ok(varve_manager_resume(r.manager, &error), error);
    cr_assert_eq(r.step, 3);
    cr_assert_ok(varve_manager_wait(r.manager, &error), error);
    const char *warning = varve_manager_warning(r.manager);
    cr_assert(warning && strstr(warning, "ckpt-1.varve"), "%s", warning);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

TEST(nodes_behind, reports_a_set_that_cannot_be_rebuilt)
{
    begin_lost();
    lose_files("node-1/run/rank-1/ckpt-1");
    thread_comm_run(4, 1, -1, resume_and_be_warned, NULL);
    cr_assert_eq(count_files("node-2/", ".parity"), 2);
    end_nodes();
}
