/* main.c - the command: many schedules, and the report of those that failed.
 *
 *     simulate [--seed S] [--count N] [--jobs J] [--kind NAME] [--long] [-v]
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulate/run.h"
#include "simulate/draw.h"

int main(int argc, char **argv)
{
    uint64_t seed = 1, count = 100;
    const char *kind = NULL;
    int verbose = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seed")) seed = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--count")) count = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--kind")) kind = argv[++i];
        else if (!strcmp(argv[i], "-v")) verbose++;
    }
    uint64_t failed = 0, calls = 0, saves = 0;
    unsigned by[FINDING_KINDS] = {0};
    struct choices made = {0};
    clock_t t = clock();
    for (uint64_t n = seed; n < seed + count; n++) {
        struct schedule s; struct outcome o;
        if (!schedule_draw(&s, n, kind)) return 2;
        if (verbose) schedule_print(&s, stderr);
        trace_to(verbose);
        choices_draw(n, &made);
        run_schedule(&s, &o);
        calls += o.calls; saves += o.saves;
        if (o.found) { failed++; by[o.found]++;
            if (by[o.found] < 4 ) fprintf(stderr, "%" PRIu64 " %s: %s: %s\n", n, s.kind, finding_name(o.found), finding_text()); }
    }
    for (int i = 1; i < FINDING_KINDS; i++) if (by[i]) printf("%s %u\n", finding_name(i), by[i]);
    printf("%" PRIu64 " calls %" PRIu64 " saves %.3f ms each, %" PRIu64 " passed, %" PRIu64 " failed\n", calls, saves, (double)(clock()-t)/CLOCKS_PER_SEC*1e3/(double)count, count - failed, failed);
    return failed != 0;
}
