/* test_processes.c - Tests groups of processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"

/* --- Guarantees ---------------------------------------------------------- */

/* No rank passes a step that another one did not reach, if the step requires
 * all ranks. The rank with the failing call may have succeeded just before. */
static void check_failure(
    const struct outcomes *outcomes, uint32_t size, uint32_t rank)
{
    for (uint32_t i = 0; i < size; i++) {
        const struct comm_outcome *of = &outcomes->of[i];
        bool is_whole = of->steps == script.steps;
        cr_assert(of->status == VARVE_DISCONNECTED ||
                      (i != rank && is_whole) || was_killed(outcomes, i),
            "rank %u, trap in rank %u: %s after %u steps", i, rank,
            varve_status_name(of->status), of->steps);
    }
}

/* Fails every socket call of every rank. */
static void trap_everywhere(enum way way, uint32_t largest_group)
{
    struct outcomes *outcomes = new_outcomes();
    uint64_t count = 0;
    script = (struct comm_script){ .seed = 11, .steps = 6, .largest = 400000 };
    for (uint32_t size = 2; size <= largest_group; size++)
        for (uint32_t rank = 0; rank < size; rank++)
            for (long at = 0;; at++, count++) {
                struct trap as = { .way = way, .at = at };
                run_trapped(size, rank, as, outcomes);
                check_ends(outcomes, size, "trap");
                const struct comm_outcome *of = &outcomes->of[rank];
                if (!of->status && !was_killed(outcomes, rank))
                    break;
                check_failure(outcomes, size, rank);
            }
    proof_count(way == KILLS ? "processes.kills" : "processes.faults", count);
    free_outcomes(outcomes);
}

TEST(processes, report_a_process_killed_at_any_call)
{
    trap_everywhere(KILLS, (uint32_t)proof_size(3, 5));
}

TEST(processes, report_a_process_whose_calls_fail)
{
    trap_everywhere(FAILS, (uint32_t)proof_size(3, 5));
}

static void end_before_joining(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    if (rank == trapped_rank)
        kill(getpid(), SIGKILL);
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    outcome->status = comm->barrier(comm->self);
}

TEST(processes, report_a_process_that_never_joined)
{
    struct outcomes *outcomes = new_outcomes();
    for (trapped_rank = 0; trapped_rank < 4; trapped_rank++) {
        run_group(new_group(4, NULL, NULL), 4, end_before_joining, outcomes);
        for (uint32_t i = 0; i < 4; i++)
            cr_assert(i == trapped_rank ||
                      (outcomes->ended[i] == 0 &&
                          outcomes->of[i].status == VARVE_DISCONNECTED));
    }
    free_outcomes(outcomes);
}

/* Rank 0 waits for rank 1, which only waits for the end of rank 2. */
static void wait_while_one_ends(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    if (rank == 2)
        kill(getpid(), SIGKILL);
    struct vv_wait waits = { .socket = -1 };
    if (rank == 1)
        vv_posix_sockets.wait(NULL, &waits, 1, (int64_t)500 * 1000000);
    int64_t begin = vv_posix_system.uptime(NULL);
    outcome->status = comm->barrier(comm->self);
    outcome->calls = (long)((vv_posix_system.uptime(NULL) - begin) / 1000000);
}

TEST(processes, report_a_loss_although_another_has_not_joined)
{
    struct outcomes *outcomes = new_outcomes();
    run_group(new_group(3, NULL, NULL), 3, wait_while_one_ends, outcomes);
    cr_assert_eq(outcomes->of[0].status, VARVE_DISCONNECTED);
    cr_assert_eq(outcomes->of[1].status, VARVE_DISCONNECTED);
    cr_assert_lt(outcomes->of[0].calls, 400);
    free_outcomes(outcomes);
}

/* A rank that has done its part may leave: the data that it sent arrives. */
static void leave_early(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    unsigned char *bytes = comm_bytes(0, rank, 1000);
    unsigned char *many = calloc(3, 1000);
    if (rank == 0)
        usleep(50000);
    outcome->status =
        comm->gather(comm->self, bytes, 1000, rank == 0 ? many : NULL);
    outcome->is_wrong = rank == 0 && !comm_are_bytes(many + 2000, 0, 2, 1000);
    outcome->calls = rank == 0 && comm->barrier(comm->self);
    free(bytes);
    free(many);
}

TEST(processes, may_end_before_the_others)
{
    struct outcomes *outcomes = new_outcomes();
    run_group(new_group(3, NULL, NULL), 3, leave_early, outcomes);
    check_ends(outcomes, 3, "left");
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(outcomes->of[i].status, VARVE_OK);
    cr_assert_eq(outcomes->of[0].calls, 1, "a call after they left succeeds");
    free_outcomes(outcomes);
}

static void let_a_child_go(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    pid_t child = fork();
    if (child == 0) {
        varve_processes_free(all);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    outcome->status = comm->barrier(comm->self);
}

TEST(processes, are_not_affected_by_a_child_that_closes_its_copy)
{
    struct outcomes *outcomes = new_outcomes();
    run_group(new_group(3, NULL, NULL), 3, let_a_child_go, outcomes);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(outcomes->of[i].status, VARVE_OK);
    free_outcomes(outcomes);
}

/* The last rank never calls. */
static void wait_in_vain(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    if (rank == 2)
        usleep(600000);
    else
        outcome->status = comm->barrier(comm->self);
}

TEST(processes, fail_after_the_timeout)
{
    struct outcomes *outcomes = new_outcomes();
    const varve_processes_options options = { .timeout_ms = 100 };
    run_group(new_group(3, &options, NULL), 3, wait_in_vain, outcomes);
    check_ends(outcomes, 3, "timeout");
    bool is_first = outcomes->of[0].status == VARVE_TIMEOUT;
    cr_assert(is_first || outcomes->of[0].status == VARVE_DISCONNECTED);
    bool is_second = outcomes->of[1].status == VARVE_TIMEOUT;
    cr_assert(is_second || outcomes->of[1].status == VARVE_DISCONNECTED);
    cr_assert(is_first || is_second);
    free_outcomes(outcomes);
}

TEST(processes, keep_their_own_sockets_only)
{
    int before = test_descriptor_count();
    varve_processes *all = varve_processes_new(4, NULL, NULL);
    cr_assert_eq(test_descriptor_count(), before + 6);
    cr_assert(varve_processes_join(all, 2, NULL));
    cr_assert_eq(test_descriptor_count(), before + 1);
    varve_processes_free(all);
    all = varve_processes_new(4, NULL, NULL);
    cr_assert(varve_processes_join(all, 0, NULL));
    cr_assert_eq(test_descriptor_count(), before + 3);
    varve_processes_free(all);
}

static void check_misuse(const void *made, varve_error *error)
{
    cr_assert_null(made);
    cr_assert_eq(error->status, VARVE_MISUSE, "%s", error->message);
    error->status = VARVE_OK;
}

TEST(processes, refuse_invalid_arguments)
{
    varve_error error = { 0 };
    const varve_processes_options options = { .timeout_ms = -1 };
    check_misuse(varve_processes_new(0, NULL, &error), &error);
    check_misuse(varve_processes_new(2, &options, &error), &error);
    check_misuse(varve_processes_join(NULL, 0, &error), &error);
    varve_processes *all = varve_processes_new(2, NULL, &error);
    check_misuse(varve_processes_join(all, 2, &error), &error);
    cr_assert(varve_processes_join(all, 0, &error));
    check_misuse(varve_processes_join(all, 1, &error), &error);
    varve_processes_free(all);
    varve_processes_free(NULL);
}

TEST(processes, leak_nothing_without_memory_or_descriptors)
{
    varve_error error = { 0 };
    varve_processes *all = NULL;
    for (long n = 0; !all; n++) {
        test_fail_allocation(n, false);
        all = new_group(3, NULL, &error);
        cr_assert(all || error.status == VARVE_NO_MEMORY);
        cr_assert(all || test_block_count() == 0);
    }
    test_fail_allocation(-1, false);
    varve_processes_free(all);
    int before = test_descriptor_count();
    for (long at = 0; at < 2; at++) {
        trap = (struct trap){ .way = FAILS, .at = at };
        cr_assert_null(new_group(3, NULL, &error));
        cr_assert_eq(error.status, VARVE_IO);
        cr_assert_eq(error.system_error, EMFILE);
        cr_assert_eq(test_descriptor_count(), before);
    }
    trap.at = -1;
}
