/* test_comm_collectives.c - Tests the collective operations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <errno.h>

#include "comm_collectives.h"
#include "allocator.h"
#include "failure.h"
#include "support/thread_comm.h"

enum { RANKS = 5 };

/* The arguments and results of each rank. */
struct group {
    varve_status given[RANKS];
    varve_status got[RANKS];
    varve_error errors[RANKS];
    size_t sizes[RANKS];
    bool is_right[RANKS];
};

static void agree(const varve_comm *comm, void *user)
{
    struct group *g = user;
    uint32_t i = comm->rank;
    varve_status status = g->given[i];
    if (status)
        vv_fail(&g->errors[i], status, "somewhere: it failed at %u", i);
    g->got[i] = vv_agree(comm, status, &g->errors[i]);
}

TEST(comm_collectives, is_ok_if_all_ranks_succeed)
{
    struct group g = { .given = { VARVE_OK } };
    thread_comm_run(RANKS, 0, -1, agree, &g);
    for (int i = 0; i < RANKS; i++)
        cr_assert_ok(g.got[i], g.errors[i]);
}

TEST(comm_collectives, returns_the_error_of_the_lowest_failed_rank)
{
    struct group g = { .given = { [2] = VARVE_IO, [4] = VARVE_CORRUPT } };
    thread_comm_run(RANKS, 0, -1, agree, &g);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(g.got[i], VARVE_IO);
        cr_assert_eq(g.errors[i].status, VARVE_IO);
        cr_assert_str_eq(
            g.errors[i].message, "rank 2: somewhere: it failed at 2");
    }
}

static void agree_on_lines(const varve_comm *comm, void *user)
{
    struct group *g = user;
    uint32_t i = comm->rank;
    varve_error *error = &g->errors[i];
    if (i == 1) {
        vv_fail_system(error, EMFILE, "open", "a file");
        vv_error_add_line(error, "  one");
        vv_error_add_line(error, "  two");
    }
    g->got[i] = vv_agree(comm, error->status, error);
}

TEST(comm_collectives, keeps_the_lines_of_a_message_and_its_errno)
{
    struct group g = { .given = { VARVE_OK } };
    thread_comm_run(RANKS, 0, -1, agree_on_lines, &g);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(g.got[i], VARVE_IO);
        cr_assert_eq(g.errors[i].system_error, EMFILE);
        cr_assert(strstr(g.errors[i].message, "rank 1: a file: open failed: "));
        cr_assert(strstr(g.errors[i].message, "\n  one\n  two"));
    }
}

/* A rank whose own communicator failed still takes part in this one. */
TEST(comm_collectives, reports_a_failed_second_communicator)
{
    struct group g = { .given = { [1] = VARVE_DISCONNECTED } };
    thread_comm_run(RANKS, 0, -1, agree, &g);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(g.got[i], VARVE_DISCONNECTED);
        cr_assert_str_eq(
            g.errors[i].message, "rank 1: somewhere: it failed at 1");
    }
}

static void compare_notes(const varve_comm *comm, void *user)
{
    struct group *g = user;
    uint32_t i = comm->rank;
    uint64_t number = i == 3 ? 9 : i, words[2] = { 7 + i, 8 + i };
    g->got[i] = vv_comm_allreduce_max(comm, &number, &g->errors[i]);
    g->is_right[i] = number == 9;
    if (!g->got[i])
        g->got[i] =
            vv_comm_bcast(comm, words, sizeof words, &g->errors[i]);
    g->is_right[i] &= words[0] == 7 && words[1] == 8;
}

TEST(comm_collectives, computes_the_maximum_and_broadcasts_words)
{
    struct group g = { .given = { VARVE_OK } };
    thread_comm_run(RANKS, 0, -1, compare_notes, &g);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_ok(g.got[i], g.errors[i]);
        cr_assert(g.is_right[i]);
    }
    thread_comm_run(RANKS, 0, RANKS, compare_notes, &g);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(g.got[i], VARVE_DISCONNECTED);
        cr_assert(
            strstr(g.errors[i].message, "the collective operation failed"));
    }
}

static void tell_each_other(const varve_comm *comm, void *user)
{
    struct group *g = user;
    uint32_t i = comm->rank, all[RANKS] = { 0 }, mine = 7 * i;
    g->got[i] = vv_comm_allgather(
        comm, &mine, sizeof mine, all, &g->errors[i]);
    g->is_right[i] = true;
    for (uint32_t r = 0; r < RANKS; r++)
        g->is_right[i] &= all[r] == 7 * r;
}

TEST(comm_collectives, gathers_to_all_ranks)
{
    struct group g = { .given = { VARVE_OK } };
    thread_comm_run(RANKS, 0, -1, tell_each_other, &g);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_ok(g.got[i], g.errors[i]);
        cr_assert(g.is_right[i]);
    }
    for (long calls = 0; calls < 2 * RANKS; calls++) {
        thread_comm_run(RANKS, 0, calls, tell_each_other, &g);
        for (int i = 0; i < RANKS; i++)
            cr_assert_eq(g.got[i], VARVE_DISCONNECTED);
    }
}

static void agree_silently(const varve_comm *comm, void *user)
{
    struct group *g = user;
    g->got[comm->rank] = vv_agree(comm, g->given[comm->rank], NULL);
}

TEST(comm_collectives, accepts_a_null_error)
{
    struct group g = { .given = { [1] = VARVE_IO } };
    thread_comm_run(RANKS, 0, -1, agree_silently, &g);
    for (int i = 0; i < RANKS; i++)
        cr_assert_eq(g.got[i], VARVE_IO);
}

TEST(comm_collectives, ends_after_a_lost_rank)
{
    for (long calls = 0; calls < 3 * RANKS; calls++) {
        struct group g = { .given = { [1] = VARVE_IO } };
        thread_comm_run(RANKS, 0, calls, agree, &g);
        for (int i = 0; i < RANKS; i++)
            cr_assert_eq(g.got[i], VARVE_DISCONNECTED);
    }
}

/* Rank `i` sends `sizes[i]` bytes of value `i` + 1. */
static void gather(const varve_comm *comm, void *user)
{
    struct group *g = user;
    uint32_t i = comm->rank;
    const varve_allocator *a = test_allocator();
    struct vv_gathered all;
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, a);
    for (size_t k = 0; k < g->sizes[i]; k++)
        vv_buffer_add8(&bytes, (uint8_t)(i + 1));
    g->got[i] = vv_comm_gatherv(comm, g->given[i], &bytes, &all, &g->errors[i]);
    size_t at = 0;
    g->is_right[i] = true;
    for (uint32_t r = 0; !g->got[i] && i == 0 && r < comm->size; r++) {
        g->is_right[i] &= all.sizes[r] == g->sizes[r];
        for (size_t k = 0; k < g->sizes[r]; k++)
            g->is_right[i] &= all.bytes.data[at++] == r + 1;
    }
    if (!g->got[i])
        vv_gathered_clear(&all);
    vv_buffer_clear(&bytes);
}

TEST(comm_collectives, gathers_words_of_all_ranks)
{
    struct group g = { .sizes = { 3, 0, 100000, 1, 7 } };
    thread_comm_run(RANKS, 0, -1, gather, &g);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_ok(g.got[i], g.errors[i]);
        cr_assert(g.is_right[i]);
    }
}

TEST(comm_collectives, gathers_nothing_if_one_rank_failed)
{
    struct group g = { .sizes = { 3, 1 }, .given = { [3] = VARVE_LIMIT } };
    vv_fail(&g.errors[3], VARVE_LIMIT, "too much");
    thread_comm_run(RANKS, 0, -1, gather, &g);
    for (int i = 0; i < RANKS; i++)
        cr_assert_eq(g.got[i], VARVE_LIMIT);
}

static void tell(const varve_comm *comm, void *user)
{
    struct group *g = user;
    uint32_t i = comm->rank;
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, test_allocator());
    for (size_t k = 0; i == 0 && k < g->sizes[0]; k++)
        vv_buffer_add8(&bytes, (uint8_t)k);
    g->got[i] = vv_comm_bcast_buffer(comm, g->given[i], &bytes, &g->errors[i]);
    g->is_right[i] = bytes.size == g->sizes[0];
    for (size_t k = 0; g->is_right[i] && k < bytes.size; k++)
        g->is_right[i] = bytes.data[k] == (uint8_t)k;
    vv_buffer_clear(&bytes);
}

TEST(comm_collectives, broadcasts_bytes_of_rank_0)
{
    static const size_t sizes[] = { 0, 1, 5000 };
    for (int n = 0; n < 3; n++) {
        struct group g = { .sizes = { sizes[n] } };
        thread_comm_run(RANKS, 0, -1, tell, &g);
        for (int i = 0; i < RANKS; i++) {
            cr_assert_ok(g.got[i], g.errors[i]);
            cr_assert(g.is_right[i]);
        }
    }
}

/* Regardless of the rank without memory, all ranks get the same status. */
TEST(comm_collectives, reports_failed_allocations_on_all_ranks)
{
    for (long number = 0; number < 40; number++) {
        struct group g = { .sizes = { 5000, 3, 9 } };
        test_fail_allocation(number, false);
        thread_comm_run(3, 0, -1, number % 2 ? tell : gather, &g);
        test_fail_allocation(-1, false);
        for (int i = 0; i < 3; i++) {
            cr_assert(g.got[i] == VARVE_OK || g.got[i] == VARVE_NO_MEMORY);
            cr_assert_eq(g.got[i], g.got[0]);
        }
    }
}

/* --- One process ---------------------------------------------------------- */

TEST(alone, returns_a_single_failure_unchanged)
{
    varve_error error = { .status = VARVE_IO, .message = "x: failed" };
    cr_assert_ok(vv_check_comm(&vv_comm_alone, NULL), error);
    cr_assert_ok(vv_agree(&vv_comm_alone, VARVE_OK, NULL), error);
    cr_assert_eq(vv_agree(&vv_comm_alone, VARVE_IO, &error), VARVE_IO);
    cr_assert_str_eq(error.message, "x: failed");
    cr_assert_eq(vv_comm_or_alone(NULL), &vv_comm_alone);
}

TEST(alone, gathers_buffers_of_all_ranks)
{
    struct group g = { .sizes = { 5000 } };
    uint64_t number = 7, copy = 0;
    gather(&vv_comm_alone, &g);
    cr_assert_ok(g.got[0], g.errors[0]);
    cr_assert(g.is_right[0]);
    tell(&vv_comm_alone, &g);
    cr_assert_ok(g.got[0], g.errors[0]);
    cr_assert(g.is_right[0]);
    cr_assert_ok(vv_comm_allgather(
                     &vv_comm_alone, &number, sizeof number, &copy, NULL),
        g.errors[0]);
    cr_assert_eq(copy, 7);
    cr_assert_eq(vv_comm_alone.barrier(NULL), VARVE_OK);
}
