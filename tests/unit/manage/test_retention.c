/* test_retention.c - Tests the retention policies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "retention.h"
#include "support/proof.h"

enum { MOST = 12 };

static struct vv_fact fact(int64_t step)
{
    return (struct vv_fact){
        .step = step, .time = step, .metric = NAN, .size = 10, .is_ours = true
    };
}

/* Fills in checkpoints of steps 0, 10, 20, ... */
static void fill(struct vv_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        facts[i] = fact((int64_t)i * 10);
}

/* Returns which are kept for a reason, as digits: "0110". */
static const char *kept(const struct vv_fact *facts, size_t count, unsigned by)
{
    static char text[MOST + 1];
    for (size_t i = 0; i < count; i++)
        text[i] = facts[i].reasons & by ? '1' : '0';
    text[count] = 0;
    return text;
}

TEST(retention, keeps_all_without_a_policy)
{
    struct vv_policy none = { 0 };
    struct vv_fact facts[MOST];
    fill(facts, 4);
    vv_retention_decide(&none, facts, 4);
    cr_assert_str_eq(kept(facts, 4, VV_KEPT_ALL), "1111");
}

TEST(retention, keep_damaged_keeps_the_newest_damaged_ones)
{
    struct vv_policy policy = { .keep_damaged = 2 };
    struct vv_fact facts[MOST];
    fill(facts, 6);
    for (int i = 0; i < 6; i++)
        facts[i].is_damaged = i != 3;
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_DAMAGED), "000011");
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_ALL), "000100");
    policy.keep_damaged = 0;
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_DAMAGED), "111011");
}

TEST(retention, keep_last_keeps_the_newest_own_intact_ones)
{
    struct vv_policy policy = { .keep_last = 2 };
    struct vv_fact facts[MOST];
    fill(facts, 6);
    facts[5].is_damaged = true;
    facts[4].is_ours = false;
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_LAST), "001100");
    cr_assert_eq(facts[3].place, 1);
    cr_assert_eq(facts[2].place, 2);
    cr_assert_eq(facts[5].reasons, VV_KEPT_DAMAGED);
    cr_assert_eq(facts[4].reasons, VV_KEPT_FOREIGN);
}

TEST(retention, keep_every_steps_keeps_the_first_of_each_interval)
{
    struct vv_policy policy = { .keep_every_steps = 25 };
    struct vv_fact facts[MOST];
    fill(facts, 8); /* 0 10 20 | 30 40 | 50 60 70 */
    facts[7].step = -1;
    vv_retention_decide(&policy, facts, 8);
    cr_assert_str_eq(kept(facts, 8, VV_KEPT_STEPS), "10010100");
    facts[6].step = 12; /* went backwards */
    vv_retention_decide(&policy, facts, 8);
    cr_assert_str_eq(kept(facts, 8, VV_KEPT_STEPS), "10010110");
}

TEST(retention, keep_every_seconds_keeps_those_at_a_minimum_distance)
{
    struct vv_policy policy = { .keep_every_seconds = 25 };
    struct vv_fact facts[MOST];
    fill(facts, 8);
    vv_retention_decide(&policy, facts, 8);
    cr_assert_str_eq(kept(facts, 8, VV_KEPT_SECONDS), "10010010");
    facts[1].time = -1; /* not recorded */
    facts[2].time = 1000000; /* the clock was wrong for a while */
    vv_retention_decide(&policy, facts, 8);
    cr_assert_str_eq(kept(facts, 8, VV_KEPT_SECONDS), "10110010");
}

TEST(retention, keep_best_keeps_the_least_or_greatest_metric)
{
    struct vv_policy policy = { .keep_best = 2 };
    static const double metrics[] = { 3, NAN, 1, 2, 1, INFINITY };
    struct vv_fact facts[MOST];
    fill(facts, 6);
    for (size_t i = 0; i < 6; i++)
        facts[i].metric = metrics[i];
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_BEST), "001010");
    cr_assert_eq(facts[4].best_place, 1, "of equal ones the newer");
    policy.best_is_larger = true;
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_BEST), "100001");
    policy.keep_best = 100;
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_BEST), "101111", "never a NaN");
}

TEST(retention, keep_bytes_keeps_the_newest_that_fit)
{
    struct vv_policy policy = { .keep_bytes = 35 };
    struct vv_fact facts[MOST];
    fill(facts, 6);
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_BYTES), "000111");
    facts[4].size = UINT64_MAX;
    vv_retention_decide(&policy, facts, 6);
    cr_assert_str_eq(kept(facts, 6, VV_KEPT_BYTES), "000001");
}

static uint64_t state;

static uint64_t any(void)
{
    return proof_next(&state);
}

static struct vv_policy any_policy(void)
{
    return (struct vv_policy){
        .keep_last = any() % 4,
        .keep_every_steps = any() % 40,
        .keep_every_seconds = any() % 40,
        .keep_best = any() % 3,
        .best_is_larger = any() % 2,
        .keep_bytes = any() % 60,
    };
}

static size_t any_facts(struct vv_fact *facts)
{
    size_t count = any() % (MOST + 1);
    for (size_t i = 0; i < count; i++)
        facts[i] = (struct vv_fact){
            .step = (int64_t)(any() % 101) - 1,
            .time = (int64_t)(any() % 101) - 1,
            .metric = any() % 5 ? (double)(any() % 7) : NAN,
            .size = any() % 30,
            .is_ours = any() % 8 != 0,
            .is_pinned = any() % 8 == 0,
            .is_damaged = any() % 8 == 0,
        };
    if (count)
        facts[any() % count].is_newest_good = true;
    return count;
}

static size_t remove_the_others(struct vv_fact *facts, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (facts[i].reasons)
            facts[left++] = facts[i];
    return left;
}

TEST(retention, protected_and_kept_checkpoints_are_never_deleted)
{
    uint64_t tries = proof_size(20000, 1000000);
    state = proof_seed();
    for (uint64_t n = 0; n < tries; n++) {
        struct vv_fact facts[MOST], again[MOST];
        struct vv_policy policy = any_policy();
        size_t count = any_facts(facts);
        vv_retention_decide(&policy, facts, count);
        for (size_t i = 0; i < count; i++)
            cr_assert(facts[i].reasons || (facts[i].is_ours &&
                !facts[i].is_pinned && !facts[i].is_damaged &&
                !facts[i].is_newest_good), "a protected one would go");
        size_t left = remove_the_others(facts, count);
        memcpy(again, facts, sizeof facts);
        vv_retention_decide(&policy, again, left);
        for (size_t i = 0; i < left; i++)
            cr_assert(again[i].reasons,
                "with the others gone, one more would go");
    }
    proof_count("manager.decisions", tries);
}

static const char *reasons(
    const struct vv_policy *policy, const struct vv_fact *f)
{
    static char text[256];
    struct vv_buffer buffer;
    vv_buffer_init(&buffer, test_allocator());
    vv_retention_describe(policy, f, "loss", &buffer);
    snprintf(text, sizeof text, "%s", vv_buffer_string(&buffer));
    vv_buffer_clear(&buffer);
    return text;
}

TEST(retention, an_interval_of_steps_begins_at_a_multiple)
{
    static const struct {
        int64_t step;
        uint64_t every;
        int64_t stretch;
    } all[] = { { 0, 10, 0 }, { 9, 10, 0 }, { 10, 10, 1 }, { 19, 10, 1 },
        { -1, 10, -1 }, { -10, 10, -1 }, { -11, 10, -2 }, { 7, 1, 7 },
        { INT64_MAX, 1, INT64_MAX }, { INT64_MIN, 1, INT64_MIN },
        { INT64_MAX, UINT64_MAX, 0 }, { -1, UINT64_MAX, -1 },
        { INT64_MAX, INT64_MAX, 1 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cr_assert_eq(vv_stretch(all[i].step, all[i].every), all[i].stretch,
            "%zu", i);
}

TEST(retention, every_reason_has_a_text)
{
    struct vv_policy policy = { .keep_every_steps = 500,
        .keep_every_seconds = 60, .keep_bytes = 1000 };
    struct vv_fact f = { .reasons = 2047, .place = 3, .best_place = 1,
        .metric = 0.25 };
    cr_assert_str_eq(reasons(&policy, &f),
        "everything is kept, last 3, every step of 500, every second of 60, "
        "best 1 (loss 0.25), the newest bytes of 1000, pinned, "
        "newest intact one, leased, damaged, not this manager's");
    f.reasons = 0;
    cr_assert_str_eq(reasons(&policy, &f), "");
}
