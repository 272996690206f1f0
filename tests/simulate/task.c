/* task.c - Schedules tasks and timers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/task.h"

#include <stddef.h>

#include "simulate/choice.h"
#include "simulate/coroutine.h"
#include "simulate/finding.h"

enum {
    MOST_POINTS = 60000, /* maximum per schedule; otherwise it is stuck */
    MOST_TURNS = 60,     /* per round of switches, from the first task on */
    CALL_TIME = 50000    /* nanoseconds */
};

struct entry {
    struct task task;
    struct coroutine *coroutine;
    void (*function)(void *);
    void *argument;
    const void *token; /* what it waits for; NULL: it is ready */
    int64_t deadline;  /* of its wait; below 0: none */
    bool is_late;      /* the deadline came first */
    uint32_t resumes;  /* does not resume before this number of points */
};

static struct entry entries[MOST_TASKS];
static unsigned count;
static struct entry *current;
static struct pace pace;
static int64_t uptime;
static uint32_t points;
static unsigned next; /* the task that the leaving task selected */

void tasks_begin(const struct pace *wanted)
{
    pace = *wanted;
    count = 0;
    current = NULL;
    uptime = 0;
    points = 0;
    next = 0;
}

void tasks_end(void)
{
    for (unsigned i = 0; i < count; i++)
        coroutine_free(entries[i].coroutine);
    count = 0;
    current = NULL;
}

static void run_task(void *argument)
{
    struct entry *entry = argument;
    entry->function(entry->argument);
    task_leave();
}

struct task *task_start(
    struct process *process, void (*function)(void *), void *argument)
{
    if (count == MOST_TASKS) {
        finding(FINDING_STUCK, "more than %d tasks were started", MOST_TASKS);
        return NULL;
    }
    struct entry *entry = &entries[count];
    *entry = (struct entry){ .task = { .number = count, .process = process },
        .function = function,
        .argument = argument,
        .deadline = -1 };
    entry->coroutine = coroutine_new(run_task, entry);
    count++;
    return &entry->task;
}

struct task *task_current(void)
{
    return current ? &current->task : NULL;
}

int64_t task_uptime(void)
{
    return uptime;
}

uint32_t tasks_points(void)
{
    return points;
}

static void leave(void)
{
    struct entry *self = current;
    current = NULL;
    coroutine_leave(self->coroutine);
    current = self;
}

void task_leave(void)
{
    current->task.is_done = true;
    task_wake(&current->task);
    leave();
}

/* --- Scheduling --------------------------------------------------------- */

static bool is_ready(const struct entry *entry)
{
    return !entry->task.is_done && !entry->token;
}

/* Finds a ready task, starting at a number and wrapping around. Pausing ones
 * are chosen only if there is no other. */
static struct entry *find_ready(unsigned from, bool may_pause)
{
    for (unsigned i = 0; i < count; i++) {
        struct entry *entry = &entries[(from + i) % count];
        if (is_ready(entry) && (may_pause || entry->resumes <= points))
            return entry;
    }
    return NULL;
}

/* Returns the task whose timer expires first, or NULL if there is none. */
static struct entry *find_first_timer(void)
{
    struct entry *first = NULL;
    for (unsigned i = 0; i < count; i++) {
        struct entry *entry = &entries[i];
        if (!entry->task.is_done && entry->token && entry->deadline >= 0 &&
            (!first || entry->deadline < first->deadline))
            first = entry;
    }
    return first;
}

static void end_waiting(struct entry *entry, bool is_late)
{
    entry->token = NULL;
    entry->is_late = is_late;
}

static void end_timers(void)
{
    for (unsigned i = 0; i < count; i++) {
        struct entry *entry = &entries[i];
        if (!entry->task.is_done && entry->token && entry->deadline >= 0 &&
            entry->deadline <= uptime)
            end_waiting(entry, true);
    }
}

static bool leap(void)
{
    const struct entry *first = find_first_timer();
    if (first && first->deadline > uptime)
        uptime = first->deadline;
    end_timers();
    return first != NULL;
}

static bool is_all_done(void)
{
    for (unsigned i = 0; i < count; i++)
        if (!entries[i].task.is_done)
            return false;
    return true;
}

static struct entry *choose_next(void)
{
    struct entry *found = find_ready(next, false);
    if (!found)
        found = find_ready(next, true);
    if (!found && leap())
        found = find_ready(next, true);
    return found;
}

void tasks_run(void)
{
    while (!has_finding()) {
        struct entry *entry = choose_next();
        if (!entry) {
            if (!is_all_done())
                finding(FINDING_STUCK, "every task waits for another one");
            return;
        }
        current = entry;
        coroutine_enter(entry->coroutine);
        current = NULL;
    }
}

void task_point(void)
{
    struct task *t = &current->task;
    if (has_finding())
        leave();
    uint32_t call = ++t->calls;
    uptime += CALL_TIME;
    end_timers();
    if (++points > MOST_POINTS) {
        finding(FINDING_STUCK, "no end after %d calls", MOST_POINTS);
        leave();
    }
    if (choose(CHOOSE_LEAP, t->number, call, pace.leaps, 1))
        leap();
    unsigned pause = choose(
        CHOOSE_PAUSE, t->number, call, pace.pauses, pace.longest_pause);
    current->resumes = points + pause;
    unsigned to =
        choose(CHOOSE_SWITCH, t->number, call, pace.switches, MOST_TURNS);
    if (!pause && !to)
        return;
    next = (to ? to - 1 : t->number + 1) % count;
    if (next == t->number)
        next = (next + 1) % count;
    leave();
}

bool task_wait(const void *token, int64_t deadline)
{
    struct entry *self = current;
    self->token = token;
    self->deadline = deadline;
    self->is_late = false;
    next = (self->task.number + 1) % count;
    leave();
    return !self->is_late;
}

void task_wake(const void *token)
{
    for (unsigned i = 0; i < count; i++)
        if (!entries[i].task.is_done && entries[i].token == token)
            end_waiting(&entries[i], false);
}

void tasks_kill(struct process *process)
{
    bool is_own = false;
    for (unsigned i = 0; i < count; i++) {
        struct entry *entry = &entries[i];
        if (entry->task.process != process || entry->task.is_done)
            continue;
        entry->task.is_done = true;
        is_own |= entry == current;
    }
    if (is_own)
        leave();
}
