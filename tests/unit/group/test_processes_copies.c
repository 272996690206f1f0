/* test_processes_copies.c - Tests duplicates of a communicator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"

/* The duplicate is used while a call of the original waits. */
static void use_both(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    trap.at = -1;
    trap.count = 0;
    if (rank == trapped_rank)
        trap = trap_of_rank;
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    varve_comm *copy = NULL, *other = NULL;
    outcome->status = comm->duplicate(comm->self, &copy);
    if (!outcome->status)
        outcome->status = copy->duplicate(copy->self, &other);
    if (!outcome->status) {
        outcome->is_wrong = comm->release || !copy->release ||
                            copy->rank != rank || copy->size != comm->size;
        comm_run_script(copy, &script, outcome);
        struct comm_outcome second = { .status = VARVE_OK };
        comm_run_script(other, &script, &second);
        outcome->is_wrong |= second.is_wrong;
        second = (struct comm_outcome){ .status = VARVE_OK };
        comm_run_script(comm, &script, &second);
        outcome->is_wrong |= second.is_wrong;
    }
    if (other)
        other->release(other->self);
    if (copy)
        copy->release(copy->self);
    outcome->calls = trap.count;
}

static void run_both(uint32_t size, uint32_t rank, struct trap as,
    struct outcomes *outcomes)
{
    script = (struct comm_script){ .seed = 5, .steps = 6, .largest = 3000 };
    trapped_rank = rank;
    trap_of_rank = as;
    run_group(new_group(size, NULL, NULL), size, use_both, outcomes);
    check_ends(outcomes, size, "two communicators");
}

TEST(processes, can_be_used_with_their_original)
{
    struct outcomes *outcomes = new_outcomes();
    for (uint32_t size = 1; size <= 4; size++) {
        run_both(size, 0, (struct trap){ .at = -1 }, outcomes);
        for (uint32_t i = 0; i < size; i++)
            cr_assert_eq(outcomes->of[i].status, VARVE_OK);
        run_both(size, size - 1, (struct trap){ .way = SLOWLY, .at = 0 },
            outcomes);
        for (uint32_t i = 0; i < size; i++)
            cr_assert_eq(outcomes->of[i].status, VARVE_OK);
    }
    free_outcomes(outcomes);
}

/* No rank waits forever, whichever system call fails on any rank. */
TEST(processes, are_created_or_fail_at_any_failed_call)
{
    struct outcomes *outcomes = new_outcomes();
    for (uint32_t rank = 0; rank < 3; rank++) {
        run_both(3, rank, (struct trap){ .at = -1 }, outcomes);
        long calls = outcomes->of[rank].calls;
        for (long at = 0; at < calls; at++)
            for (int way = FAILS; way <= KILLS; way++)
                run_both(3, rank,
                    (struct trap){ .way = (enum way)way, .at = at }, outcomes);
    }
    free_outcomes(outcomes);
}

/* A rank without memory, which has memory later. */
static void lack_memory(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    trap.at = -1;
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    varve_comm *copy = NULL;
    long blocks = test_block_count();
    for (long n = 0; !copy && n < 100; n++) {
        if (rank == trapped_rank)
            test_fail_allocation(n, false);
        varve_status status = comm->duplicate(comm->self, &copy);
        outcome->is_wrong |= status && status != VARVE_NO_MEMORY;
        outcome->is_wrong |= !copy && test_block_count() != blocks;
        outcome->calls = n;
    }
    test_fail_allocation(-1, false);
    outcome->is_wrong |= !copy || copy->barrier(copy->self) != VARVE_OK;
    if (copy)
        copy->release(copy->self);
}

TEST(processes, are_created_on_all_ranks_or_none)
{
    struct outcomes *outcomes = new_outcomes();
    for (trapped_rank = 0; trapped_rank < 3; trapped_rank++) {
        run_group(new_group(3, NULL, NULL), 3, lack_memory, outcomes);
        check_ends(outcomes, 3, "memory");
        cr_assert_geq(outcomes->of[0].calls, 5);
    }
    free_outcomes(outcomes);
}

/* When a rank frees its group, all its communicators end; one that is still in
 * use is freed later. */
static void leave_first(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    varve_comm *copy = NULL;
    outcome->status = comm->duplicate(comm->self, &copy);
    if (rank == 1) {
        pid_t child = fork(); /* closes only its own sockets */
        if (child == 0) {
            varve_processes_free(all);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    outcome->is_wrong = copy->barrier(copy->self) != VARVE_OK;
    if (rank == 2) {
        varve_processes_free(all);
        outcome->is_wrong |=
            copy->barrier(copy->self) != VARVE_DISCONNECTED;
        copy->release(copy->self);
        _exit(0);
    }
    outcome->is_wrong |= copy->barrier(copy->self) != VARVE_DISCONNECTED;
    copy->release(copy->self);
}

TEST(processes, are_closed_with_their_original)
{
    struct outcomes *outcomes = new_outcomes();
    run_group(new_group(3, NULL, NULL), 3, leave_first, outcomes);
    check_ends(outcomes, 3, "left");
    free_outcomes(outcomes);
}

static int count_descriptors_of_child(varve_processes *all)
{
    int pipe_ends[2];
    cr_assert_eq(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int before = test_descriptor_count();
        varve_processes_free(all);
        int gone = before - test_descriptor_count();
        cr_assert_eq(write(pipe_ends[1], &gone, sizeof gone), sizeof gone);
        _exit(0);
    }
    int gone = -1;
    cr_assert_eq(read(pipe_ends[0], &gone, sizeof gone), sizeof gone);
    waitpid(child, NULL, 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return gone;
}

static void fork_a_child(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    varve_comm *copy = NULL;
    outcome->status = comm->duplicate(comm->self, &copy);
    outcome->calls = count_descriptors_of_child(all);
    outcome->is_wrong = copy->barrier(copy->self) != VARVE_OK;
    copy->release(copy->self);
    outcome->is_wrong |= comm->barrier(comm->self) != VARVE_OK;
}

TEST(processes, close_all_sockets_in_a_child)
{
    struct outcomes *outcomes = new_outcomes();
    run_group(new_group(3, NULL, NULL), 3, fork_a_child, outcomes);
    check_ends(outcomes, 3, "child");
    cr_assert_eq(outcomes->of[0].calls, 4);
    cr_assert_eq(outcomes->of[1].calls, 2);
    free_outcomes(outcomes);
}

