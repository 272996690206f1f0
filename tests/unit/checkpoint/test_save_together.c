/* test_save_together.c - Tests the steps of a collective save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

enum { RANKS = 3 };

static varve_status statuses[RANKS];
static varve_error errors[RANKS];

static void save(const varve_comm *comm, void *user)
{
    struct part **parts = user;
    statuses[comm->rank] = varve_write_all(comm, parts[comm->rank]->root,
        FILE_NAME, NULL, &errors[comm->rank]);
}

/* If any rank has no memory, all ranks fail, and nothing is leaked. */
TEST(save_together, reports_failed_allocations)
{
    bool is_over = false;
    begin_world();
    struct part *parts[RANKS];
    for (uint32_t i = 0; i < RANKS; i++) {
        const varve_comm comm = { .rank = i, .size = RANKS };
        parts[i] = new_part(&comm, 1, true);
    }
    /* name indices have been assigned now */
    thread_comm_run(RANKS, 2, -1, save, parts);
    long blocks = test_block_count();
    for (long number = 0; !is_over; number++) {
        test_fail_allocation(number, number % 2);
        thread_comm_run(RANKS, 2, -1, save, parts);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        for (int i = 0; i < RANKS; i++) {
            cr_assert_eq(statuses[i], statuses[0], "%ld", number);
            cr_assert(statuses[i] == VARVE_NO_MEMORY ||
                          statuses[i] == VARVE_OK,
                "%s", errors[i].message);
        }
    }
    cr_assert_eq(test_block_count(), blocks);
    for (int i = 0; i < RANKS; i++)
        free_part(parts[i]);
    end_world();
}

static void save_odd(const varve_comm *comm, void *user)
{
    (void)user;
    struct part *p = new_part(comm, 1, true);
    statuses[comm->rank] =
        varve_write_all(comm, comm->rank == 1 ? NULL : p->root, FILE_NAME,
            NULL, &errors[comm->rank]);
    free_part(p);
}

TEST(save_together, requires_a_root_on_every_rank)
{
    begin_world();
    thread_comm_run(RANKS, 0, -1, save_odd, NULL);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(statuses[i], VARVE_MISUSE);
        cr_assert_str_eq(errors[i].message,
            "rank 1: node or path is NULL");
    }
    end_world();
}
