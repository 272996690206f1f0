/* fault.c - Chooses faults by their rates.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/fault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "simulate/choice.h"
#include "simulate/finding.h"
#include "simulate/process.h"
#include "simulate/schedule.h"
#include "simulate/task.h"

uint32_t calls_faults[FAULT_KINDS];
uint32_t calls_made;

static struct trouble trouble;
static unsigned rated; /* mask of kinds with a rate above 0 */
static unsigned stops;
static int64_t clocks[MOST_NODES + 1];

static const char *const names[FAULT_KINDS] = {
    [FAULT_INTERRUPTED] = "interrupted",
    [FAULT_IO] = "io",
    [FAULT_STALE] = "stale",
    [FAULT_WRITE] = "write",
    [FAULT_SPACE] = "space",
    [FAULT_LOST] = "lost-answer",
    [FAULT_NO_THREAD] = "no-thread",
    [FAULT_KILL] = "kill",
    [FAULT_TORN] = "torn-list",
};

const char *fault_name(enum fault_kind kind)
{
    return names[kind];
}

void fault_set_clock(unsigned node, int minutes)
{
    clocks[node] =
        INT64_C(1800000000000000000) + minutes * INT64_C(60000000000);
}

void calls_begin(const struct schedule *s)
{
    trouble = s->trouble;
    rated = 0;
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        rated |= trouble.rates[i] ? 1u << i : 0;
    stops = s->stops;
    memset(calls_faults, 0, sizeof calls_faults);
    calls_made = 0;
    for (unsigned i = 0; i <= MOST_NODES; i++)
        fault_set_clock(i, s->minutes[i]);
}

int64_t fault_clock(unsigned node)
{
    return clocks[node];
}

/* Returns a number that identifies the choice for a kind: the number of the
 * call times the number of kinds. */
static uint32_t call_of(const struct task *t, unsigned kind)
{
    return t->calls * FAULT_KINDS + kind;
}

enum fault_kind fault_happens(struct process *p, unsigned kinds)
{
    const struct task *t = task_current();
    if (!(kinds & rated) || !t || p->is_quiet)
        return FAULT_KINDS;
    for (unsigned kind = 0; kind < FAULT_KINDS; kind++) {
        if (!(kinds & 1u << kind) || !trouble.rates[kind] ||
            !choose(CHOOSE_FAULT, t->number, call_of(t, kind),
                trouble.rates[kind], 1))
            continue;
        calls_faults[kind]++;
        p->disturbances++;
        return (enum fault_kind)kind;
    }
    return FAULT_KINDS;
}

static int fault(struct process *p, unsigned kinds)
{
    switch (fault_happens(p, kinds)) {
    case FAULT_INTERRUPTED: return -EINTR;
    case FAULT_STALE: return -ESTALE;
    case FAULT_SPACE: return -ENOSPC;
    case FAULT_IO:
    case FAULT_WRITE: return -EIO;
    default: return 0;
    }
}

int fault_of_reading(struct process *p)
{
    return fault(p,
        1u << FAULT_INTERRUPTED | 1u << FAULT_IO | 1u << FAULT_STALE);
}

int fault_of_writing(struct process *p)
{
    return fault(p,
        1u << FAULT_INTERRUPTED | 1u << FAULT_WRITE | 1u << FAULT_SPACE);
}

int fault_of_creating(struct process *p)
{
    return fault(p, 1u << FAULT_INTERRUPTED | 1u << FAULT_SPACE);
}

int fault_of_answer(struct process *p, int second)
{
    if (fault_happens(p, 1u << FAULT_LOST) != FAULT_LOST)
        return 0;
    return p->disturbances & 1 ? second : -EIO;
}

unsigned fault_of_request(struct process *p)
{
    static const unsigned seconds[] = { 1, 1, 2, 20, 50, 90 };
    return fault_happens(p, 1u << FAULT_LOST) == FAULT_LOST
        ? seconds[p->disturbances % (sizeof seconds / sizeof *seconds)]
        : 0;
}

unsigned fault_stop(const struct process *p)
{
    const struct task *t = task_current();
    return p->is_quiet
        ? 0
        : choose(CHOOSE_STOP, t->number, t->calls, stops, 150);
}

size_t fault_of_listing(struct process *p, size_t count)
{
    const struct task *t = task_current();
    if (!t || p->is_quiet || !trouble.rates[FAULT_TORN] || count == 0)
        return 0;
    unsigned split = choose(CHOOSE_NAME, t->number, t->calls,
        trouble.rates[FAULT_TORN], (unsigned)count);
    if (split)
        calls_faults[FAULT_TORN]++;
    return split;
}

const char *fault_result(int result)
{
    static char text[32];
    static const struct {
        int number;
        const char *name;
    } known[] = {
        { -ENOENT, "ENOENT" }, { -EEXIST, "EEXIST" }, { -EIO, "EIO" },
        { -EINTR, "EINTR" }, { -ESTALE, "ESTALE" }, { -ENOSPC, "ENOSPC" },
        { -EWOULDBLOCK, "EWOULDBLOCK" }, { -ENOTDIR, "ENOTDIR" },
        { -EISDIR, "EISDIR" }, { -ENOSYS, "ENOSYS" }, { -EINVAL, "EINVAL" },
        { -EPERM, "EPERM" }, { -ENOTEMPTY, "ENOTEMPTY" },
        { -EBADF, "EBADF" }, { -EMFILE, "EMFILE" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == result)
            return known[i].name;
    snprintf(text, sizeof text, "%d", result);
    return text;
}
