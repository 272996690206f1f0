/* shrink.c - Reduces the number of programs, calls, faults and task switches.
 * Each try runs in a child process.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "simulate/shrink.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 30, REDRAWS = 40 };

enum finding_kind shrink_try(const struct schedule *schedule,
    struct choices *choices, bool draws, uint64_t seed, bool traces)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct outcome outcome;
        if (!traces && !freopen("/dev/null", "w", stderr))
            _exit(FINDING_CRASH);
        alarm(SECONDS);
        trace_to(traces);
        if (draws)
            choices_draw(seed, choices);
        else
            choices_replay(choices);
        run_schedule(schedule, &outcome);
        fflush(NULL);
        _exit((int)outcome.found);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("simulate: a child");
        exit(2);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) < FINDING_KINDS
        ? (enum finding_kind)WEXITSTATUS(status)
        : FINDING_CRASH;
}

/* The schedule being reduced. */
struct shrinking {
    struct schedule schedule;
    struct choices *choices; /* with which it fails */
    struct choices *tried;
    enum finding_kind found;
};

static void copy_choices(struct choices *to, const struct choices *from)
{
    to->count = from->count;
    memcpy(to->all, from->all, from->count * sizeof *from->all);
}

static void swap_choices(struct shrinking *s)
{
    struct choices *other = s->choices;
    s->choices = s->tried;
    s->tried = other;
}

/* Takes a smaller schedule if it fails in the same way, with the remaining
 * choices or with newly drawn ones. */
static bool take(
    struct shrinking *s, const struct schedule *smaller, unsigned redraws)
{
    copy_choices(s->tried, s->choices);
    bool fails =
        shrink_try(smaller, s->tried, false, 0, false) == s->found;
    for (unsigned i = 0; i < redraws && !fails; i++)
        fails = shrink_try(smaller, s->tried, true,
                    smaller->seed + i * UINT64_C(0x10001), false) == s->found;
    if (!fails)
        return false;
    s->schedule = *smaller;
    swap_choices(s);
    return true;
}

/* --- Choices ------------------------------------------------------------ */

static bool drop_choices(struct shrinking *s, size_t at, size_t count)
{
    struct choices *fewer = s->tried;
    copy_choices(fewer, s->choices);
    memmove(fewer->all + at, fewer->all + at + count,
        (fewer->count - at - count) * sizeof *fewer->all);
    fewer->count -= count;
    if (shrink_try(&s->schedule, fewer, false, 0, false) != s->found)
        return false;
    swap_choices(s);
    return true;
}

static void shrink_choices(struct shrinking *s)
{
    size_t run = s->choices->count;
    while (run > 0) {
        bool dropped = false;
        for (size_t at = s->choices->count; at > 0;) {
            size_t count = at < run ? at : run;
            at -= count;
            if (at + count <= s->choices->count)
                dropped |= drop_choices(s, at, count);
        }
        if (!dropped || run > 1)
            run /= 2;
    }
}

/* --- The schedule ------------------------------------------------------- */

static void drop_ops(struct shrinking *s, unsigned redraws)
{
    for (unsigned i = 0; i < s->schedule.program_count; i++)
        for (unsigned k = s->schedule.programs[i].op_count; k-- > 0;) {
            struct schedule smaller = s->schedule;
            struct program_plan *p = &smaller.programs[i];
            if (!p->ops[k])
                continue;
            p->ops[k] = OP_NONE;
            take(s, &smaller, redraws);
        }
}

/* Empties programs. Their tasks keep their numbers. */
static void drop_programs(struct shrinking *s, unsigned redraws)
{
    for (unsigned i = 0; i < s->schedule.program_count; i++) {
        struct schedule smaller = s->schedule;
        memset(smaller.programs[i].ops, OP_NONE, MOST_OPS);
        take(s, &smaller, redraws);
    }
}

static void zero(struct shrinking *s, unsigned *field, unsigned redraws)
{
    struct schedule smaller = s->schedule;
    size_t offset = (size_t)((char *)field - (char *)&s->schedule);
    if (!*field)
        return;
    memset((char *)&smaller + offset, 0, sizeof *field);
    take(s, &smaller, redraws);
}

static void drop_faults(struct shrinking *s, unsigned redraws)
{
    struct schedule *all = &s->schedule;
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        zero(s, &all->trouble.rates[i], redraws);
    zero(s, &all->lateness.look_ups, redraws);
    zero(s, &all->lateness.lists, redraws);
    zero(s, &all->away, redraws);
    zero(s, &all->cuts, redraws);
    zero(s, &all->losses, redraws);
    zero(s, &all->stops, redraws);
    zero(s, &all->turns, redraws);
    zero(s, &all->spares, redraws);
    for (unsigned i = 0; i <= MOST_NODES; i++)
        zero(s, (unsigned *)&all->minutes[i], redraws);
    for (unsigned i = 0; i < MOST_DISKS; i++)
        zero(s, &all->traits[i], redraws);
    zero(s, &all->job.keep_best, redraws);
    zero(s, &all->job.keep_every_steps, redraws);
    zero(s, &all->job.level_keep_last, redraws);
    zero(s, &all->pace.leaps, redraws);
}

static void drop_options(struct shrinking *s, unsigned redraws)
{
    struct schedule smaller = s->schedule;
    smaller.job.by_step = false;
    take(s, &smaller, redraws);
    smaller = s->schedule;
    smaller.job.async = false;
    take(s, &smaller, redraws);
}

static void shrink_schedule(struct shrinking *s, unsigned redraws)
{
    drop_programs(s, redraws);
    drop_faults(s, redraws);
    drop_options(s, redraws);
    drop_ops(s, redraws);
}

void shrink_and_print(const struct schedule *schedule)
{
    struct shrinking s = { .schedule = *schedule,
        .choices = choices_new(),
        .tried = choices_new() };
    s.found = shrink_try(schedule, s.choices, true, schedule->seed, false);
    fprintf(stderr, "\n%s: simulate --seed %" PRIu64 " --kind %s --count 1\n",
        finding_name(s.found), schedule->seed, schedule->kind);
    schedule_print(schedule, stderr);
    if (s.found == FINDING_NONE) {
        fputs("  it passes when it is run alone\n", stderr);
        return;
    }
    size_t all = s.choices->count;
    shrink_schedule(&s, REDRAWS);
    shrink_choices(&s);
    shrink_schedule(&s, 0);
    shrink_choices(&s);
    fprintf(stderr, "made smaller, with %zu of %zu choices:\n",
        s.choices->count, all);
    schedule_print(&s.schedule, stderr);
    shrink_try(&s.schedule, s.choices, false, 0, true);
}
