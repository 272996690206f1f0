/* pairs.c - Injects a second fault while the first is being handled.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/sweep.h"

#include <errno.h>
#include <stdio.h>

#include "support/proof.h"

/* The combined faults: one that stops a call, one that is retried, and a second
 * one with a different error code. */
enum { FIRSTS = 3 };

static const struct fault *fault_by(int error)
{
    size_t i = 0;
    while (i + 1 < fault_count && faults[i].error != error)
        i++;
    return &faults[i];
}

/* Checks that a second fault does not change the result of a call that the
 * first has stopped: the status stays the same, and the file system is as clean
 * as possible. */
static void check_first_holds(const struct attempt *a,
    const struct outcome *alone, const struct outcome *both)
{
    if (alone->status == VARVE_OK || alone->status == VARVE_PARTIALLY_RESTORED)
        return;
    char where[256];
    attempt_text(a, FAULTY_ALL, where, sizeof where);
    cr_assert(both->status == alone->status &&
        both->system_error == alone->system_error,
        "%s: %s by the first fault alone, %s by both", where,
        varve_status_name(alone->status), varve_status_name(both->status));
}

/* number of second faults per first fault in the short version */
enum { USUAL_SECONDS = 8 };

/* Injects the second fault at every later call, or at evenly spaced ones if
 * there are many. */
static long try_after(struct attempt *a)
{
    a->second = NULL;
    struct outcome alone = try_attempt(a);
    if (!alone.was_hit)
        return -1;
    long count = 0;
    long stride = proof_is_long()
        ? 1 : 1 + (alone.calls - a->number) / USUAL_SECONDS;
    for (long m = a->number + 1; m < alone.calls; m += stride)
        for (int sticky = 0; sticky < 2; sticky++) {
            a->second = fault_by(EROFS);
            a->second_number = m;
            a->second_sticky = sticky;
            struct outcome both = try_attempt(a);
            check_first_holds(a, &alone, &both);
            count += both.was_hit_second;
        }
    return count;
}

static long try_call_pairs(const struct scenario *scenario, int error)
{
    struct attempt a = { .scenario = scenario, .first = fault_by(error) };
    long total = 0, count = 0;
    for (long n = 0; count >= 0; n++) {
        a.number = n;
        count = try_after(&a);
        total += count > 0 ? count : 0;
    }
    return total;
}

/* --- Memory and a call ---------------------------------------------------- */

struct both {
    bool was_hit;
    bool had_memory;
};

/* Injects a failed allocation and a fault in one call, in either order. */
static struct both try_both(const struct attempt *a, long allocation)
{
    char where[256];
    struct world w;
    world_begin(&w, a->scenario, a->is_big);
    faulty_plan(w.faulty, &(struct faulty_plan){
        .number = a->number, .error = a->first->error });
    test_fail_allocation(allocation, false);
    varve_error error = { 0 };
    varve_status status = a->scenario->act(&w, &error);
    struct both both = {
        .was_hit = faulty_hit(w.faulty),
        .had_memory = test_allocation_count() <= allocation &&
                      status != VARVE_NO_MEMORY,
    };
    snprintf(where, sizeof where, "%s, allocation %ld, and call %ld, %s",
        a->scenario->name, allocation, a->number, a->first->name);
    expect_truth(&w, a, status, &error, where);
    expect_no_trust(&w, where);
    world_check(&w, status, &error, where);
    world_end(&w, where);
    return both;
}

/* Combines a fault at one call with each failed allocation. Returns false if
 * there is no such call. */
static bool try_call_without_memory(
    const struct attempt *a, long stride, long *count)
{
    struct both both = { 0 };
    bool is_there = false;
    for (long n = a->number % stride; !both.had_memory; n += stride) {
        both = try_both(a, n);
        is_there = is_there || both.was_hit;
        *count += both.was_hit && !both.had_memory;
    }
    return is_there;
}

static long try_memory_pairs(const struct scenario *scenario)
{
    long stride = (long)proof_size(9, 1);
    struct attempt a = { .scenario = scenario, .without_memory = true,
        .first = fault_by(EIO) };
    long count = 0;
    while (try_call_without_memory(&a, stride, &count))
        a.number += (stride + 1) / 2;
    return count;
}

long try_pairs(const struct scenario *scenario)
{
    static const int firsts[FIRSTS] = { EIO, ENOSPC, EINTR };
    long count = 0;
    for (int i = 0; i < FIRSTS; i++)
        if (proof_is_long() || i > 0)
            count += try_call_pairs(scenario, firsts[i]);
    return count + try_memory_pairs(scenario);
}
