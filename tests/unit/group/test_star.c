/* test_star.c - Tests the star topology of a group of processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"

TEST(star, deliver_all_data)
{
    static const size_t largest[] = { 300000, 5000, 100 };
    struct outcomes *outcomes = new_outcomes();
    uint64_t rounds = proof_size(6, 100), steps = 0;
    for (uint32_t size = 1; size <= MOST_RANKS; size++)
        for (uint64_t i = 0; i < rounds; i++) {
            script = (struct comm_script){
                .seed = proof_seed() + 100 * i + size,
                .steps = 25,
                .largest = largest[i % 3],
            };
            run_trapped(size, 0, (struct trap){ .at = -1 }, outcomes);
            check_ends(outcomes, size, "no trap");
            for (uint32_t rank = 0; rank < size; rank++) {
                cr_assert_eq(outcomes->of[rank].status, VARVE_OK);
                steps += outcomes->of[rank].steps;
            }
        }
    proof_count("processes.calls", steps);
    free_outcomes(outcomes);
}

TEST(star, continue_after_interruptions_and_short_transfers)
{
    struct outcomes *outcomes = new_outcomes();
    script = (struct comm_script){ .seed = 3, .steps = 20 };
    for (uint32_t turn = 0; turn < 6; turn++) {
        uint32_t rank = turn / 2;
        script.largest = turn % 2 ? 2000 : 100;
        struct trap slowly = { .way = SLOWLY, .at = 0 };
        run_trapped(3, rank, slowly, outcomes);
        check_ends(outcomes, 3, "slowly");
        for (uint32_t i = 0; i < 3; i++)
            cr_assert_eq(outcomes->of[i].status, VARVE_OK);
    }
    free_outcomes(outcomes);
}

static void lose_step(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    char bytes[32] = { 0 }, many[3 * 16];
    if (rank == 1)
        outcome->status = comm->gather(comm->self, bytes, 17, NULL);
    else
        outcome->status = comm->gather(
            comm->self, bytes, 16, rank == 0 ? many : NULL);
    if (!outcome->status)
        outcome->status = comm->barrier(comm->self);
}

TEST(star, detect_different_calls)
{
    struct outcomes *outcomes = new_outcomes();
    run_group(new_group(3, NULL, NULL), 3, lose_step, outcomes);
    check_ends(outcomes, 3, "lost step");
    cr_assert_eq(outcomes->of[0].status, VARVE_MISUSE);
    cr_assert_eq(outcomes->of[1].status, VARVE_DISCONNECTED);
    cr_assert_eq(outcomes->of[2].status, VARVE_DISCONNECTED);
    free_outcomes(outcomes);
}

/* The shift of each of three ranks in a round in which sizes do not match. */
static varve_shift misfit;

static void shift_to_nobody(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    char bytes[64] = { 0 };
    varve_shift one = rank == 1 ? misfit : (varve_shift){ 0 };
    if (rank == 2) /* expects ten bytes from rank 1 */
        one = (varve_shift){ .in = bytes, .in_size = 10, .from = 1 };
    one.out = bytes;
    outcome->status = comm->shift(comm->self, &one);
}

TEST(star, refuse_data_of_an_unexpected_size)
{
    struct outcomes *outcomes = new_outcomes();
    const varve_shift cases[] = {
        { 0 },                       /* nothing at all */
        { .out_size = 9, .to = 2 },  /* too few */
        { .out_size = 11, .to = 2 }, /* too many */
        { .out_size = 10, .to = 0 }, /* to another rank */
        { .out_size = 10, .to = 1 }, /* to itself */
        { .out_size = 10, .to = 3 }, /* to no rank of the group */
        { .out_size = 10, .to = UINT32_MAX },
        { .out_size = 10, .to = 2 }, /* as expected */
    };
    const size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++) {
        misfit = cases[i];
        run_group(new_group(3, NULL, NULL), 3, shift_to_nobody, outcomes);
        check_ends(outcomes, 3, "misfit");
        cr_assert_eq(outcomes->of[0].status,
            i + 1 < count ? VARVE_MISUSE : VARVE_OK, "case %zu", i);
    }
    free_outcomes(outcomes);
}

/* Maps the same small memory repeatedly to `size` bytes of addresses. */
static unsigned char *map_again_and_again(size_t size)
{
    const size_t block = (size_t)32 << 20;
    int file = memfd_create("block", 0);
    cr_assert(file >= 0 && ftruncate(file, (off_t)block) == 0);
    unsigned char *all = mmap(NULL, size, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(all, MAP_FAILED);
    for (size_t i = 0; i < size; i += block)
        cr_assert_neq(mmap(all + i, block, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED, file, 0),
            MAP_FAILED);
    close(file);
    return all;
}

static void move_much(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    size_t size = ((size_t)proof_size(64, 3072) << 20);
    unsigned char *bytes = map_again_and_again(size);
    if (rank == 0)
        bytes[size - 1] = 5;
    outcome->status = comm->broadcast(comm->self, bytes, size);
    outcome->is_wrong = bytes[size - 1] != 5;
    munmap(bytes, size);
}

TEST(star, transfer_values_of_any_size)
{
    struct outcomes *outcomes = new_outcomes();
    run_group(new_group(2, NULL, NULL), 2, move_much, outcomes);
    check_ends(outcomes, 2, "much");
    for (uint32_t i = 0; i < 2; i++)
        cr_assert_eq(outcomes->of[i].status, VARVE_OK);
    free_outcomes(outcomes);
}
