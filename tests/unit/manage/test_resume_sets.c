/* test_resume_sets.c - Tests resuming from sets of nodes and tiers, from the
 * newest on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "node_levels.h"

#include <errno.h>
#include <stdatomic.h>

/* Creates sets 1 to 5 of steps 1 to 5; 5 remains on the nodes, 4 at the
 * tier. */
static void begin_five(void)
{
    static const varve_level level = {
        .directory = "far", .every_steps = 2, .keep_last = 2
    };
    begin_far(&level);
    cr_assert_ok(save_steps(1, 5), nodes.errors[0]);
}

static void damage_copy(const char *path)
{
    size_t size;
    unsigned char *bytes = memory_bytes(nodes.memory, path, &size);
    cr_assert(bytes && size > 64);
    bytes[64] ^= 1;
}

static void check_passed_over(const char *part)
{
    for (uint32_t i = 0; i < nodes.count; i++)
        cr_assert(strstr(nodes.passed_over[i], part), "rank %u: %s", i,
            nodes.passed_over[i]);
}

TEST(resume_sets, prefer_a_set_that_can_be_rebuilt_to_an_older_copy)
{
    begin_five();
    lose_node(2);
    cr_assert_eq(resume_all(), 5);
    cr_assert_str_eq(nodes.passed_over[0], "");
    end_nodes();
}

TEST(resume_sets, use_copies_if_too_many_files_are_lost_and_report_ranks)
{
    begin_five();
    lose_node(1);
    lose_node(2);
    nodes.from = nodes.to = 6;
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(nodes.steps[3], 4);
    check_passed_over("ckpt-5.varve: too many files are lost: at most one "
                      "node of a group of 4 can be lost, but ranks 1 (node "
                      "1), 2 (node 2) have lost files\n");
    /* The next number exceeds all existing ones. */
    cr_assert(has_file("node-1/run/rank-1/ckpt-6.varve"));
    lose_node(0);
    cr_assert_eq(resume_all(), 6);
    end_nodes();
}

TEST(resume_sets, skip_a_set_that_one_rank_lacks_in_a_level)
{
    begin_five();
    lose_path("far/rank-3/ckpt-4.varve");
    lose_all_nodes();
    cr_assert_eq(resume_all(), 2);
    check_passed_over("rank 3: far/rank-3/ckpt-4.varve: the file of this "
                      "rank is missing\n");
    end_nodes();
}

TEST(resume_sets, skip_a_set_damaged_on_one_rank)
{
    begin_five();
    damage_copy("far/rank-1/ckpt-4.varve");
    lose_all_nodes();
    cr_assert_eq(resume_all(), 2);
    check_passed_over("rank 1: far/rank-1/ckpt-4.varve");
    end_nodes();
}

/* The file of one rank is from another step with the same number. */
TEST(resume_sets, do_not_mix_files_of_two_sets)
{
    size_t size;
    begin_five();
    const void *bytes =
        memory_bytes(nodes.memory, "far/rank-1/ckpt-2.varve", &size);
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    lose_path("far/rank-1/ckpt-4.varve");
    lose_path("far/rank-1/ckpt.ledger");
    memory_put(nodes.memory, "far/rank-1/ckpt-4.varve", copy, size);
    free(copy);
    lose_all_nodes();
    cr_assert_eq(resume_all(), 2);
    check_passed_over("rank 1: ");
    check_passed_over("the copy of ckpt-4 is another checkpoint (step 2, run ");
    end_nodes();
}

/* A directory that one rank cannot list may have an intact set, so no rank may
 * start from the beginning. */
TEST(resume_sets, do_not_start_over_if_one_rank_cannot_list_a_level)
{
    begin_five();
    lose_files("far/rank-2/");
    lose_path("far/rank-2");
    memory_put(nodes.memory, "far/rank-2", "x", 1);
    lose_node(1);
    cr_assert_neq(run_life(), VARVE_OK);
    nodes.options.may_resume_older = true;
    cr_assert_eq(resume_all(), 5); /* it is not needed */
    check_passed_over("rank 2: far/rank-2");
    lose_all_nodes();
    cr_assert_neq(run_life(), VARVE_OK);
    cr_assert_not(
        strstr(nodes.passed_over[0], "the file of this rank is missing"));
    cr_assert(strstr(nodes.errors[0].message, "rank 2: far/rank-2"), "%s",
        nodes.errors[0].message);
    end_nodes();
}

/* A copy of the file of a rank. */
struct kept {
    char path[64];
    unsigned char *bytes;
    size_t size;
};

static struct kept keep_file(const char *path)
{
    struct kept kept = { .bytes = NULL };
    const unsigned char *bytes = memory_bytes(nodes.memory, path, &kept.size);
    cr_assert(bytes);
    snprintf(kept.path, sizeof kept.path, "%s", path);
    kept.bytes = malloc(kept.size);
    cr_assert(kept.bytes);
    memcpy(kept.bytes, bytes, kept.size);
    return kept;
}

/* Two nodes and the whole tier are lost, the run starts from the beginning, and
 * one of the nodes comes back with its abandoned set. The new set is complete
 * only at the tier. */
TEST(resume_sets, use_copies_of_the_younger_run)
{
    static const varve_level level = { .directory = "far", .every_steps = 1 };
    begin_far(&level);
    memory_set_now(nodes.memory, INT64_C(5000000000));
    cr_assert_ok(save_steps(1, 1), nodes.errors[0]);
    struct kept away = keep_file("node-3/run/rank-3/ckpt-1.varve");
    lose_node(2);
    lose_node(3);
    lose_files("far/");
    memory_set_now(nodes.memory, INT64_C(9000000000));
    nodes.from = nodes.to = 7;
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(nodes.steps[0], -1);
    cr_assert_eq(count_far(2), 4);
    lose_files("node-3/");
    memory_put(nodes.memory, away.path, away.bytes, away.size);
    lose_node(1);
    cr_assert_eq(resume_all(), 7);
    free(away.bytes);
    end_nodes();
}

/* --- Read errors -------------------------------------------------------- */

/* Files with this path ending cannot be opened a number of times on each of two
 * ranks.
 */
static struct {
    const struct vv_system *under;
    struct vv_system system;
    const char *ending;
    atomic_int left[MOST_RANKS];
} unread;

static int open_unread(void *state, int directory, const char *path)
{
    for (int i = 1; i <= 2; i++) {
        char text[64];
        snprintf(text, sizeof text, "rank-%d/%s", i, unread.ending);
        if (strstr(path, text) && atomic_load(&unread.left[i]) > 0 &&
            atomic_fetch_sub(&unread.left[i], 1) > 0)
            return -EIO;
    }
    return unread.under->open_file(state, directory, path);
}

/* Saves steps 1 and 2; then the second one cannot be read on two of four
 * ranks. */
static void begin_unread(int times)
{
    begin_nodes(4, VARVE_XOR);
    cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
    unread.under = memory_system(nodes.memory);
    unread.system = *unread.under;
    unread.system.open_file = open_unread;
    unread.ending = "ckpt-2.varve";
    for (uint32_t i = 0; i < 4; i++) {
        unread.left[i] = times;
        nodes.contexts[i].system = &unread.system;
    }
    nodes.from = 1;
    nodes.to = 0;
}

TEST(resume_sets, use_no_older_set_if_files_are_temporarily_unreadable)
{
    begin_unread(1000000);
    cr_assert_eq(run_life(), VARVE_IO);
    cr_assert(strstr(nodes.errors[3].message,
                  "ckpt-2.varve: too few nodes of its group of 4 can read "
                  "their files now; reading failed at ranks 1 (node 1), 2 "
                  "(node 2)"),
        "%s", nodes.errors[3].message);
    for (uint32_t i = 0; i < 4; i++)
        unread.left[i] = 0;
    cr_assert_eq(resume_all(), 2);
    end_nodes();
}

TEST(resume_sets, use_an_older_set_if_allowed)
{
    begin_unread(1000000);
    nodes.options.may_resume_older = true;
    cr_assert_eq(resume_all(), 1);
    check_passed_over("ckpt-2.varve: too few nodes");
    end_nodes();
}

TEST(resume_sets, retry_files_that_could_not_be_read)
{
    for (int times = 1; times <= 8; times++) {
        begin_unread(times);
        cr_assert_eq(resume_all(), 2);
        cr_assert_str_eq(nodes.passed_over[0], "");
        end_nodes();
    }
}
