/* main.c - Runs many schedules and reports those that failed.
 *
 *     simulate [--seed S] [--count N] [--jobs J] [--kind NAME] [--long] [-v]
 *
 * Schedules have the seeds S to S + N - 1. With -v each is printed with its
 * complete trace, and none is reduced.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/crowd.h"
#include "simulate/run.h"
#include "simulate/shrink.h"
#include "support/proof.h"

enum { USUAL = 1000, LONGER = 10 };

static int usage(void)
{
    fputs("usage: simulate [--seed S] [--count N] [--jobs J] [--kind NAME] "
          "[--show N] [--long] [-v]\nkinds:",
        stderr);
    for (unsigned i = 0; schedule_kind(i); i++)
        fprintf(stderr, " %s", schedule_kind(i));
    fputc('\n', stderr);
    return 2;
}

static bool parse(int argc, char **argv, struct crowd *crowd, bool *prints)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--long") == 0) {
            crowd->is_long = true;
            continue;
        }
        if (strcmp(argv[i], "-v") == 0) {
            *prints = true;
            continue;
        }
        i++;
        if (!value)
            return false;
        if (strcmp(argv[i - 1], "--seed") == 0)
            crowd->seed = strtoull(value, NULL, 0);
        else if (strcmp(argv[i - 1], "--count") == 0)
            crowd->count = strtoull(value, NULL, 0);
        else if (strcmp(argv[i - 1], "--jobs") == 0)
            crowd->jobs = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(argv[i - 1], "--show") == 0)
            crowd->shown = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(argv[i - 1], "--kind") == 0)
            crowd->kind = value;
        else
            return false;
    }
    return true;
}

static int print_all(const struct crowd *crowd)
{
    struct schedule schedule;
    struct choices *choices = choices_new();
    uint64_t failed = 0;
    for (uint64_t i = 0; i < crowd->count; i++) {
        schedule_draw(&schedule, crowd->seed + i, crowd->kind);
        schedule_print(&schedule, stderr);
        failed += shrink_try(&schedule, choices, true, schedule.seed, true) !=
            FINDING_NONE;
    }
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", crowd->count - failed,
        failed);
    return failed != 0;
}

int main(int argc, char **argv)
{
    struct crowd crowd = { .seed = 1, .count = USUAL, .jobs = 1, .shown = 3 };
    struct schedule schedule;
    bool prints = false;
    if (!parse(argc, argv, &crowd, &prints) || crowd.jobs == 0 ||
        crowd.jobs > MOST_JOBS ||
        !schedule_draw(&schedule, crowd.seed, crowd.kind))
        return usage();
    if (crowd.is_long || proof_is_long())
        crowd.count *= LONGER;
    return prints ? print_all(&crowd) : crowd_run(&crowd);
}
