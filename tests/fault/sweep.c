/* sweep.c - Injects faults into allocations and system calls one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/sweep.h"

#include <errno.h>
#include <stdio.h>

#include "support/proof.h"

/* --- Allocations ---------------------------------------------------------- */

static void check_without_memory(
    struct world *w, varve_status status, const varve_error *error,
    const char *where)
{
    if (status == VARVE_OK)
        return;
    cr_assert(error->status == status && (status == VARVE_NO_MEMORY ||
        (status == VARVE_PARTIALLY_RESTORED && w->scenario->may_half)),
        "%s: %s: %s", where, varve_status_name(status), error->message);
    cr_assert(*error->message, "%s: no message", where);
}

static bool try_allocation(
    const struct scenario *scenario, bool is_big, long number, bool sticky)
{
    char where[128];
    struct world w;
    snprintf(where, sizeof where, "%s%s, allocation %ld%s", scenario->name,
        is_big ? " of large values" : "", number,
        sticky ? " and all after it" : "");
    world_begin(&w, scenario, is_big);
    test_fail_allocation(number, sticky);
    varve_error error = { 0 };
    varve_status status = scenario->act(&w, &error);
    bool was_hit = test_allocation_count() > number ||
                   status == VARVE_NO_MEMORY;
    check_without_memory(&w, status, &error, where);
    world_check(&w, status, &error, where);
    world_end(&w, where);
    return was_hit;
}

/* Fails each allocation; in the short version with large values, every
 * ninth. */
static long try_allocations(const struct scenario *scenario, bool is_big)
{
    long step = is_big ? (long)proof_size(9, 1) : 1;
    long count = 0;
    for (int sticky = 0; sticky < 2; sticky++)
        for (long n = 0; try_allocation(scenario, is_big, n, sticky);
             n += step)
            count++;
    return count;
}

/* --- Calls to the system -------------------------------------------------- */

/* Restricts the plan to the kind of the affected call, and to its number within
 * that kind. Both are in the log. */
static void limit_to_kind(const struct world *w, struct faulty_plan *plan)
{
    size_t place = (size_t)plan->number;
    if (place >= faulty_log_size(w->faulty))
        return;
    plan->kinds = faulty_log_at(w->faulty, place)->kind;
    plan->number = 0;
    for (size_t i = 0; i < place; i++)
        plan->number += faulty_log_at(w->faulty, i)->kind == plan->kinds;
}

/* Returns the kind of the affected call; FAULTY_ALL if there is none. */
static enum faulty_kind hit_kind(const struct world *w)
{
    size_t hit = faulty_log_hit(w->faulty);
    return hit < faulty_log_size(w->faulty)
               ? faulty_log_at(w->faulty, hit)->kind
               : FAULTY_ALL;
}

/* Finds the kind and number in the log of a separate run without faults. */
static void make_plan_for_kind(
    const struct attempt *a, struct faulty_plan *plan)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, a->scenario, a->is_big);
    a->scenario->act(&w, &error);
    limit_to_kind(&w, plan);
    world_end(&w, a->scenario->name);
}

static struct faulty_plan make_plan(const struct attempt *a)
{
    struct faulty_plan plan = {
        .number = a->number,
        .sticky = a->spread != ONCE,
        .way = a->first->way,
        .error = a->first->error,
        .second = a->second ? a->second_number : 0,
        .second_sticky = a->second_sticky,
        .second_error = a->second ? a->second->error : 0,
    };
    if (a->spread == ALL_OF_KIND_AFTER)
        make_plan_for_kind(a, &plan);
    return plan;
}

struct outcome try_attempt(const struct attempt *a)
{
    char where[256];
    struct world w;
    struct faulty_plan plan = make_plan(a);
    world_begin(&w, a->scenario, a->is_big);
    faulty_plan(w.faulty, &plan);
    varve_error error = { 0 };
    struct outcome o = { .status = a->scenario->act(&w, &error) };
    o.was_hit = faulty_hit(w.faulty);
    o.was_hit_second = faulty_hit_second(w.faulty);
    o.calls = faulty_count(w.faulty);
    o.system_error = o.status ? error.system_error : 0;
    attempt_text(a, hit_kind(&w), where, sizeof where);
    expect_truth(&w, a, o.status, &error, where);
    expect_no_trust(&w, where);
    world_check(&w, o.status, &error, where);
    world_end(&w, where);
    return o;
}

/* Returns true if the attempt ends in a reasonable time. */
static bool is_possible(const struct attempt *a)
{
    bool is_slow = a->first->way == FAULTY_ONE_BYTE && a->spread != ONCE;
    return !(is_slow && a->is_big);
}

/* Returns true if the call is retried thousands of times before it fails. */
static bool is_endless(const struct attempt *a)
{
    return a->spread != ONCE &&
           (a->first->error == EINTR || a->first->error == EAGAIN);
}

/* Returns true if the short version makes this attempt: without large values
 * all but some of the slowest, with large values the faults in rotation. */
static bool is_chosen(const struct attempt *a, size_t i)
{
    if (proof_is_long())
        return true;
    if (!a->is_big && is_endless(a))
        return (a->number + (long)i + (long)a->spread) % 8 == 0;
    size_t turn = (size_t)a->number * SPREADS + a->spread;
    return !a->is_big || i == turn * 7 % fault_count;
}

struct sweep {
    long attempts;
    long pairs;  /* combinations of a call and a fault */
    long halves; /* attempts that reported a partially changed program */
};

/* Injects each fault into one call. Returns false if there is no such call. */
static bool try_call(const struct scenario *scenario, bool is_big, long number,
    struct sweep *sweep)
{
    struct attempt a = { .scenario = scenario, .is_big = is_big,
        .number = number, .first = &faults[0] };
    if (!try_attempt(&a).was_hit)
        return false;
    for (size_t i = 0; i < fault_count; i++)
        for (int spread = 0; spread < SPREADS; spread++) {
            a.first = &faults[i];
            a.spread = (enum spread)spread;
            if (!is_possible(&a) || !is_chosen(&a, i))
                continue;
            struct outcome o = try_attempt(&a);
            sweep->attempts += o.was_hit;
            sweep->pairs += o.was_hit && spread == ONCE && !is_big;
            sweep->halves += o.status == VARVE_PARTIALLY_RESTORED;
        }
    return true;
}

static void try_calls(
    const struct scenario *scenario, bool is_big, struct sweep *sweep)
{
    for (long n = 0; try_call(scenario, is_big, n, sweep); n++)
        continue;
}

void try_all(const struct scenario *scenario)
{
    struct sweep sweep = { 0 };
    long allocations = 0;
    for (int is_big = 0; is_big < 2; is_big++) {
        try_calls(scenario, is_big, &sweep);
        allocations += try_allocations(scenario, is_big);
    }
    cr_assert_eq(sweep.halves > 0, scenario->may_half);
    proof_count("faults.allocations", (uint64_t)allocations);
    proof_count("faults.calls", (uint64_t)sweep.attempts);
    proof_count("faults.pairs", (uint64_t)sweep.pairs);
    proof_count("faults.compound", (uint64_t)try_pairs(scenario));
}
