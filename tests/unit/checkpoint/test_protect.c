/* test_protect.c - Tests the creation of parity files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_world.h"

#include <errno.h>

#include "failure.h"
#include "support/faulty_system.h"

static bool has_parity(uint32_t rank)
{
    size_t size;
    return memory_bytes(world.memory, node_path(rank, "f.parity"), &size);
}

TEST(protect, creates_a_parity_file_for_each_file)
{
    begin_world(3, VARVE_XOR);
    put_files(100, 1);
    protect_all();
    for (uint32_t i = 0; i < 3; i++)
        cr_assert(has_parity(i));
    cr_assert_eq(memory_file_count(world.memory), 6);
    check_whole();
    end_world();
}

/* The second rank of each node is protected by ranks of other nodes. */
TEST(protect, protects_two_ranks_of_one_node)
{
    begin_world(6, VARVE_XOR);
    for (uint32_t i = 0; i < 6; i++)
        world.domains[i] = i / 2;
    put_files(200, 8);
    protect_all();
    for (uint32_t node = 0; node < 3; node++) {
        lose_node(2 * node);
        lose_node(2 * node + 1);
        cr_assert_ok(run_all(true), world.errors[0]);
        check_whole();
    }
    end_world();
}

TEST(protect, is_refused_if_one_node_has_most_ranks)
{
    begin_world(3, VARVE_PARTNER);
    world.domains[1] = 0;
    put_files(50, 8);
    cr_assert_eq(run_all(false), VARVE_MISUSE);
    cr_assert(strstr(world.errors[1].message, "2 run on node 0"));
    for (uint32_t i = 0; i < 3; i++)
        cr_assert(!has_parity(i));
    end_world();
}

/* No parity computed from the zeros of a rank with a read error may be
 * published. */
TEST(protect, publishes_nothing_if_one_file_cannot_be_read)
{
    begin_world(4, VARVE_XOR);
    put_files(900, 3);
    lose(2, "f.varve");
    cr_assert_eq(run_all(false), VARVE_NOT_FOUND);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert(!has_parity(i));
    end_world();
    long reads = 1;
    for (long n = 0; n < reads; n++) {
        begin_world(4, VARVE_XOR);
        put_files(900, 3);
        struct faulty *faulty = faulty_new(memory_system(world.memory));
        world.context.system = faulty_system(faulty);
        faulty_plan(faulty, &(struct faulty_plan){ .number = n,
                                .error = EIO,
                                .kinds = FAULTY_READ });
        cr_assert_eq(run_all(false), VARVE_IO);
        for (uint32_t i = 0; i < 4; i++)
            cr_assert(!has_parity(i), "read %ld, rank %u", n, i);
        faulty_plan(faulty, &(struct faulty_plan){ .number = -1,
                                .kinds = FAULTY_READ });
        protect_all();
        reads = faulty_count(faulty);
        faulty_free(faulty);
        end_world();
    }
}

static void come_with(const varve_comm *comm, void *user)
{
    const struct vv_redundancy r = redundancy_of(comm);
    const struct vv_redundant_file own = { .number = 17,
        .path = node_path(comm->rank, "f.varve"),
        .parity = node_path(comm->rank, "f.parity") };
    varve_status status = VARVE_OK;
    varve_error *error = &world.errors[comm->rank];
    (void)user;
    if (comm->rank == 2)
        status = vv_fail(error, VARVE_NO_SPACE, "f: expected room");
    world.got[comm->rank] = vv_protect(&r, &own, status, error);
}

TEST(protect, fails_on_all_ranks_with_the_error_of_one)
{
    begin_world(3, VARVE_XOR);
    put_files(100, 1);
    thread_comm_run(3, 1, -1, come_with, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(world.got[i], VARVE_NO_SPACE);
        cr_assert_str_eq(
            world.errors[i].message, "rank 2: f: expected room");
        cr_assert(!has_parity(i));
    }
    end_world();
}
