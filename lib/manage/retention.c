/* retention.c - Implements the policies of a manager: when a checkpoint is due,
 * and which ones to keep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "retention.h"

#include <inttypes.h>
#include <stdio.h>

#include "failure.h"
#include "name.h"

/* --- Intervals ------------------------------------------------------------ */

/* Compares steps by multiples, and time by a monotonic clock. */

varve_status vv_interval_check(const char *directory, const char *option,
    uint64_t value, varve_error *error)
{
    if (value <= INT64_MAX)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: `%s` must be 0 to %" PRId64 ", found %" PRId64, directory, option,
        INT64_MAX, (int64_t)value);
}

static bool are_steps_over(const struct vv_interval *i, int64_t step)
{
    return step < i->last_step ||
           vv_stretch(step, i->steps) != vv_stretch(i->last_step, i->steps);
}

static bool is_time_over(
    const struct vv_interval *i, const struct vv_system *system)
{
    int64_t passed = system->uptime(system->state) - i->last_uptime;
    return passed >= 0 && (uint64_t)(passed / VV_SECOND) >= i->seconds;
}

bool vv_interval_is_over(
    const struct vv_interval *i, int64_t step, const struct vv_system *system)
{
    bool by_steps = i->steps > 0;
    bool by_time = i->seconds > 0;
    if ((!i->has_last && !by_steps) || (!by_steps && !by_time))
        return true;
    return (by_steps && are_steps_over(i, step)) ||
           (by_time && is_time_over(i, system));
}

void vv_interval_begin(
    struct vv_interval *i, int64_t step, const struct vv_system *system)
{
    i->has_last = true;
    i->last_step = step;
    i->last_uptime = system->uptime(system->state);
}

/* --- Retention ------------------------------------------------------------ */

/* Implements the retention policies, each as a pass over the checkpoints.
 *
 * Each pass depends only on the checkpoints that it keeps itself, so that the
 * same checkpoints are kept again after the others are deleted. */

/* Returns true if the policies apply to the checkpoint. */
static bool is_counted(const struct vv_fact *fact)
{
    return fact->is_ours && !fact->is_damaged;
}

static bool has_policy(const struct vv_policy *p)
{
    return p->keep_last || p->keep_every_steps || p->keep_every_seconds ||
           p->keep_best || p->keep_bytes;
}

static void keep_last(
    const struct vv_policy *p, struct vv_fact *facts, size_t count)
{
    size_t place = 0;
    for (size_t i = count; i-- > 0 && place < p->keep_last;) {
        if (!is_counted(&facts[i]))
            continue;
        facts[i].place = ++place;
        facts[i].reasons |= VV_KEPT_LAST;
    }
}

int64_t vv_stretch(int64_t step, uint64_t every)
{
    if (every > INT64_MAX)
        return step < 0 ? -1 : 0;
    int64_t whole = step / (int64_t)every;
    return step % (int64_t)every < 0 ? whole - 1 : whole;
}

/* Keeps the first checkpoint in each interval of steps. A step that is lower
 * than the previous one is in another interval, so that one more is kept. */
static void keep_steps(
    const struct vv_policy *p, struct vv_fact *facts, size_t count)
{
    bool has_last = false;
    int64_t last = 0;
    for (size_t i = 0; i < count && p->keep_every_steps; i++) {
        if (!is_counted(&facts[i]) || facts[i].step < 0)
            continue;
        int64_t stretch = vv_stretch(facts[i].step, p->keep_every_steps);
        if (has_last && stretch == last)
            continue;
        facts[i].reasons |= VV_KEPT_STEPS;
        has_last = true;
        last = stretch;
    }
}

/* If the clock jumped back, the interval starts again. */
static void keep_seconds(
    const struct vv_policy *p, struct vv_fact *facts, size_t count)
{
    int64_t last = -1;
    for (size_t i = 0; i < count && p->keep_every_seconds; i++) {
        if (!is_counted(&facts[i]) || facts[i].time < 0)
            continue;
        int64_t time = facts[i].time;
        if (last >= 0 && time >= last &&
            (uint64_t)(time - last) < p->keep_every_seconds)
            continue;
        facts[i].reasons |= VV_KEPT_SECONDS;
        last = time;
    }
}

static bool retention_is_better(
    const struct vv_policy *p, double one, double other)
{
    return p->best_is_larger ? one > other : one < other;
}

/* Returns the best checkpoint without a position, the newer of equal ones;
 * NULL: none. */
static struct vv_fact *best_left(
    const struct vv_policy *p, struct vv_fact *facts, size_t count)
{
    struct vv_fact *best = NULL;
    for (size_t i = count; i-- > 0;) {
        struct vv_fact *f = &facts[i];
        bool is_number = f->metric == f->metric;
        if (is_counted(f) && is_number && !f->best_place &&
            (!best || retention_is_better(p, f->metric, best->metric)))
            best = f;
    }
    return best;
}

static void keep_best(
    const struct vv_policy *p, struct vv_fact *facts, size_t count)
{
    struct vv_fact *best;
    for (size_t place = 1;
         place <= p->keep_best && (best = best_left(p, facts, count)) != NULL;
         place++) {
        best->best_place = place;
        best->reasons |= VV_KEPT_BEST;
    }
}

static void retention_keep_bytes(
    const struct vv_policy *p, struct vv_fact *facts, size_t count)
{
    uint64_t left = p->keep_bytes;
    for (size_t i = count; i-- > 0 && p->keep_bytes;) {
        if (!is_counted(&facts[i]))
            continue;
        if (facts[i].size > left)
            return;
        left -= facts[i].size;
        facts[i].reasons |= VV_KEPT_BYTES;
    }
}

static void keep_damaged(
    const struct vv_policy *p, struct vv_fact *facts, size_t count)
{
    size_t place = 0;
    for (size_t i = count; i-- > 0;) {
        if (facts[i].is_damaged &&
            (!p->keep_damaged || place++ < p->keep_damaged))
            facts[i].reasons |= VV_KEPT_DAMAGED;
    }
}

/* Keeps checkpoints independent of the policies. */
static unsigned protection(const struct vv_fact *fact)
{
    unsigned reasons = 0;
    if (fact->is_pinned)
        reasons |= VV_KEPT_PINNED;
    if (fact->is_newest_good)
        reasons |= VV_KEPT_NEWEST_GOOD;
    if (!fact->is_ours)
        reasons |= VV_KEPT_FOREIGN;
    return reasons;
}

void vv_retention_decide(
    const struct vv_policy *policy, struct vv_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        facts[i].place = facts[i].best_place = 0;
        facts[i].reasons = protection(&facts[i]);
        if (!has_policy(policy) &&
            !(facts[i].is_damaged && policy->keep_damaged))
            facts[i].reasons |= VV_KEPT_ALL;
    }
    keep_last(policy, facts, count);
    keep_steps(policy, facts, count);
    keep_seconds(policy, facts, count);
    keep_best(policy, facts, count);
    retention_keep_bytes(policy, facts, count);
    keep_damaged(policy, facts, count);
}

/* --- For people --------------------------------------------------------- */

static void retention_add(struct vv_buffer *text, const char *reason)
{
    if (text->size)
        vv_buffer_add_string(text, ", ");
    vv_buffer_add_string(text, reason);
}

static void retention_add_number(
    struct vv_buffer *text, const char *before, uint64_t number)
{
    char line[64];
    snprintf(line, sizeof line, "%s%" PRIu64, before, number);
    retention_add(text, line);
}

static void add_best(
    struct vv_buffer *text, const struct vv_fact *fact, const char *metric)
{
    char number[40];
    retention_add_number(text, "best ", fact->best_place);
    vv_buffer_add_string(text, " (");
    vv_buffer_add_string(text, metric);
    vv_buffer_add_string(text, " ");
    snprintf(number, sizeof number, "%g", fact->metric);
    vv_buffer_add_string(text, vv_set_point(number));
    vv_buffer_add_string(text, ")");
}

void vv_retention_describe(const struct vv_policy *policy,
    const struct vv_fact *fact, const char *metric, struct vv_buffer *text)
{
    unsigned reasons = fact->reasons;
    if (reasons & VV_KEPT_ALL)
        retention_add(text, "everything is kept");
    if (reasons & VV_KEPT_LAST)
        retention_add_number(text, "last ", fact->place);
    if (reasons & VV_KEPT_STEPS)
        retention_add_number(text, "every step of ", policy->keep_every_steps);
    if (reasons & VV_KEPT_SECONDS)
        retention_add_number(
            text, "every second of ", policy->keep_every_seconds);
    if (reasons & VV_KEPT_BEST)
        add_best(text, fact, metric);
    if (reasons & VV_KEPT_BYTES)
        retention_add_number(text, "the newest bytes of ", policy->keep_bytes);
    if (reasons & VV_KEPT_PINNED)
        retention_add(text, "pinned");
    if (reasons & VV_KEPT_NEWEST_GOOD)
        retention_add(text, "newest intact one");
    if (reasons & VV_KEPT_LEASED)
        retention_add(text, "leased");
    if (reasons & VV_KEPT_UNREADABLE)
        retention_add(text, "its file cannot be opened");
    if (reasons & VV_KEPT_DAMAGED)
        retention_add(text, "damaged");
    if (reasons & VV_KEPT_FOREIGN)
        retention_add(text, "not this manager's");
    if (reasons & VV_KEPT_RESUMED)
        retention_add(text, "resumed from, and not all of it was taken");
}
