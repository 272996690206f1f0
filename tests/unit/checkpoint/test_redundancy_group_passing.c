/* test_redundancy_group_passing.c - Tests passing data between ranks, with and
 * without a shift function.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_world.h"

#include "redundancy_group.h"

enum { RANKS = 5 };

static struct {
    bool has_no_shift;
    varve_shift shifts[RANKS];
    char out[RANKS][8], in[RANKS][8];
    varve_status got[RANKS];
    varve_error errors[RANKS];
    bool is_right[RANKS];
} post;

static varve_comm comm_of(const varve_comm *comm)
{
    varve_comm own = *comm;
    if (post.has_no_shift)
        own.shift = NULL;
    return own;
}

static void pass_one(const varve_comm *comm, void *user)
{
    const varve_comm own = comm_of(comm);
    uint32_t i = comm->rank;
    (void)user;
    post.shifts[i].out = post.out[i];
    post.shifts[i].in = post.in[i];
    post.errors[i] = (varve_error){ 0 };
    post.got[i] =
        vv_pass(&own, test_allocator(), &post.shifts[i], &post.errors[i]);
}

static void send(uint32_t from, uint32_t to, const char *text)
{
    strcpy(post.out[from], text);
    post.shifts[from].to = to;
    post.shifts[from].out_size = strlen(text);
    post.shifts[to].from = from;
    post.shifts[to].in_size = strlen(text);
}

TEST(passing, transfers_bytes_with_or_without_a_shift_call)
{
    for (int turn = 0; turn < 2; turn++) {
        memset(&post, 0, sizeof post);
        post.has_no_shift = turn;
        send(0, 3, "abc");
        send(3, 0, "defgh");
        send(4, 1, "i");
        thread_comm_run(RANKS, 1, -1, pass_one, NULL);
        for (int i = 0; i < RANKS; i++)
            cr_assert_ok(post.got[i], post.errors[i]);
        cr_assert_str_eq(post.in[3], "abc");
        cr_assert_str_eq(post.in[0], "defgh");
        cr_assert_str_eq(post.in[1], "i");
        cr_assert_str_eq(post.in[2], "");
    }
}

TEST(passing, without_a_shift_call_detects_unexpected_data)
{
    memset(&post, 0, sizeof post);
    post.has_no_shift = true;
    send(2, 1, "abc");
    post.shifts[1].in_size = 4;
    thread_comm_run(RANKS, 1, -1, pass_one, NULL);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(post.got[i], VARVE_MISUSE);
        cr_assert_str_eq(post.errors[i].message,
            "rank 1: received other bytes than those of rank 2");
    }
}

TEST(passing, without_a_shift_call_reports_failed_allocations_to_all)
{
    post.has_no_shift = true;
    for (long n = 0;; n++) {
        memset(post.shifts, 0, sizeof post.shifts);
        send(2, 1, "abc");
        test_fail_allocation(n, false);
        thread_comm_run(RANKS, 1, -1, pass_one, NULL);
        bool was_hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        for (int i = 0; i < RANKS; i++)
            cr_assert_eq(post.got[i], was_hit ? VARVE_NO_MEMORY : VARVE_OK);
        if (!was_hit)
            break;
    }
}

TEST(passing, fails_after_a_lost_rank)
{
    for (int turn = 0; turn < 2; turn++) {
        memset(&post, 0, sizeof post);
        post.has_no_shift = turn;
        thread_comm_run(RANKS, 1, 2, pass_one, NULL);
        for (int i = 0; i < RANKS; i++)
            cr_assert_eq(post.got[i], VARVE_DISCONNECTED);
    }
}

/* Ranks 0, 2, 4 and 1, 3: groups may have different sizes. */
static void tell_group(const varve_comm *comm, void *user)
{
    const varve_comm own = comm_of(comm);
    struct vv_redundancy_group g;
    const uint32_t domains[RANKS] = { 0, 1, 2, 3, 4 };
    const uint32_t rank_and_size[] = { comm->rank, RANKS };
    uint64_t all[3] = { 0 };
    (void)user;
    post.is_right[comm->rank] = !vv_redundancy_group_of(
        &g, domains, rank_and_size, 2, test_allocator(), NULL);
    all[g.index] = 100 + comm->rank;
    post.is_right[comm->rank] &= !vv_pass_around(
        &own, test_allocator(), &g, all, sizeof *all, NULL);
    for (uint32_t i = 0; i < g.count; i++)
        post.is_right[comm->rank] &= all[i] == 100 + g.ranks[i];
}

TEST(passing, around_gives_each_member_the_data_of_all)
{
    for (int turn = 0; turn < 2; turn++) {
        memset(&post, 0, sizeof post);
        post.has_no_shift = turn;
        thread_comm_run(RANKS, 1, -1, tell_group, NULL);
        for (int i = 0; i < RANKS; i++)
            cr_assert(post.is_right[i], "rank %d", i);
    }
}
