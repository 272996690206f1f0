/* crowd.c - Runs schedules in several processes, each with every n-th seed, and
 * adds up the results.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "simulate/crowd.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulate/run.h"
#include "simulate/shrink.h"
#include "support/proof.h"

enum { SECONDS = 60, MOST_KINDS = 32 };

/* Results of the schedules of one process. */
struct sums {
    uint64_t next; /* the current schedule */
    uint64_t passed;
    uint64_t found[FINDING_KINDS];
    uint64_t first[FINDING_KINDS]; /* its seed */
    uint64_t faults[FAULT_KINDS];
    uint64_t calls, good, failed, saves, resumes;
    uint64_t busy; /* schedules in which something was saved */
    uint64_t kinds[MOST_KINDS], kinds_failed[MOST_KINDS];
};

static unsigned kind_number(const char *name)
{
    unsigned i = 0;
    while (schedule_kind(i) && strcmp(schedule_kind(i), name) != 0)
        i++;
    return i;
}

static void add_found(struct sums *to, const struct schedule *schedule,
    enum finding_kind found)
{
    unsigned kind = kind_number(schedule->kind);
    to->kinds[kind]++;
    to->passed += found == FINDING_NONE;
    if (!found)
        return;
    to->kinds_failed[kind]++;
    if (!to->found[found]++)
        to->first[found] = schedule->seed;
}

static void add(struct sums *to, const struct outcome *o)
{
    to->calls += o->calls;
    to->good += o->good;
    to->failed += o->failed;
    to->saves += o->saves;
    to->resumes += o->resumes;
    to->busy += o->saves > 0;
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        to->faults[i] += o->faults[i];
}

static void work(const struct crowd *crowd, struct sums *sums)
{
    struct choices *choices = choices_new();
    struct schedule schedule;
    struct outcome outcome;
    while (sums->next < crowd->count) {
        uint64_t seed = crowd->seed + sums->next;
        alarm(SECONDS);
        schedule_draw(&schedule, seed, crowd->kind);
        choices_draw(seed, choices);
        run_schedule(&schedule, &outcome);
        add_found(sums, &schedule, outcome.found);
        add(sums, &outcome);
        sums->next += crowd->jobs;
    }
}

static pid_t start(const struct crowd *crowd, struct sums *sums)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        work(crowd, sums);
        _exit(0);
    }
    if (child < 0) {
        perror("simulate: a child");
        exit(2);
    }
    return child;
}

/* Restarts a process after a schedule that crashed it. */
static void run_all(const struct crowd *crowd, struct sums *sums)
{
    pid_t children[MOST_JOBS];
    unsigned left = crowd->jobs;
    for (unsigned i = 0; i < crowd->jobs; i++) {
        sums[i].next = i;
        children[i] = start(crowd, &sums[i]);
    }
    while (left > 0) {
        int status;
        pid_t child = wait(&status);
        unsigned i = 0;
        while (i < crowd->jobs && children[i] != child)
            i++;
        if (i == crowd->jobs)
            continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            left--;
            continue;
        }
        struct schedule schedule;
        schedule_draw(&schedule, crowd->seed + sums[i].next, crowd->kind);
        add_found(&sums[i], &schedule, FINDING_CRASH);
        sums[i].next += crowd->jobs;
        children[i] = start(crowd, &sums[i]);
    }
}

static void add_sums(struct sums *to, const struct sums *from)
{
    to->passed += from->passed;
    to->calls += from->calls;
    to->good += from->good;
    to->failed += from->failed;
    to->saves += from->saves;
    to->resumes += from->resumes;
    to->busy += from->busy;
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        to->faults[i] += from->faults[i];
    for (unsigned i = 0; i < MOST_KINDS; i++) {
        to->kinds[i] += from->kinds[i];
        to->kinds_failed[i] += from->kinds_failed[i];
    }
    for (unsigned i = 0; i < FINDING_KINDS; i++) {
        bool is_first = from->found[i] &&
            (!to->found[i] || from->first[i] < to->first[i]);
        to->first[i] = is_first ? from->first[i] : to->first[i];
        to->found[i] += from->found[i];
    }
}

static void print_sums(const struct sums *s)
{
    for (unsigned i = 0; schedule_kind(i); i++)
        if (s->kinds[i])
            printf("kind %-10s %9" PRIu64 " schedules, %" PRIu64 " failed\n",
                schedule_kind(i), s->kinds[i], s->kinds_failed[i]);
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        if (s->faults[i])
            printf("fault %-13s %6" PRIu64 " times\n",
                fault_name((enum fault_kind)i), s->faults[i]);
    for (unsigned i = 1; i < FINDING_KINDS; i++)
        if (s->found[i])
            printf("found %-10s in %" PRIu64 " schedules, first of seed %"
                   PRIu64 "\n",
                finding_name((enum finding_kind)i), s->found[i], s->first[i]);
    printf("%" PRIu64 " calls of the system, %" PRIu64 " calls of the library "
           "succeeded, %" PRIu64 " failed\n",
        s->calls, s->good, s->failed);
    printf("%" PRIu64 " saves and %" PRIu64 " resumes; something was saved in %"
           PRIu64 " schedules\n",
        s->saves, s->resumes, s->busy);
}

static void show(const struct crowd *crowd, const struct sums *sums)
{
    unsigned shown = 0;
    for (unsigned i = 1; i < FINDING_KINDS && shown < crowd->shown; i++) {
        struct schedule schedule;
        if (!sums->found[i])
            continue;
        schedule_draw(&schedule, sums->first[i], crowd->kind);
        shrink_and_print(&schedule);
        shown++;
    }
}

int crowd_run(const struct crowd *crowd)
{
    struct sums *all = mmap(NULL, MOST_JOBS * sizeof *all,
        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct sums sums = { 0 };
    if (all == MAP_FAILED) {
        perror("simulate: sums");
        return 2;
    }
    run_all(crowd, all);
    for (unsigned i = 0; i < crowd->jobs; i++)
        add_sums(&sums, &all[i]);
    print_sums(&sums);
    proof_count("simulate.schedules", crowd->count);
    proof_count("simulate.calls", sums.calls);
    show(crowd, &sums);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", sums.passed,
        crowd->count - sums.passed);
    return sums.passed != crowd->count;
}
