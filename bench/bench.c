/* bench.c - Runs the benchmarks: JSON on standard output, a table on standard
 * error. Started by `bench/run.sh`, which passes a directory for files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

static const char usage[] =
    "usage: bench [--smoke | --full] [--cpu] [--rounds N] [--only ID] "
    "DIRECTORY\n";

static bool read_arguments(int count, char **arguments, struct wishes *wishes)
{
    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i];
        if (strcmp(argument, "--full") == 0) {
            wishes->size = (uint64_t)2 << 30;
            wishes->is_full = true;
        } else if (strcmp(argument, "--cpu") == 0) {
            wishes->is_cpu = true;
        } else if (strcmp(argument, "--smoke") == 0) {
            wishes->is_smoke = true;
            wishes->size = 4 << 20;
            wishes->nodes = 2000;
            wishes->small_count = 100;
            wishes->rounds = 1;
        } else if (strcmp(argument, "--rounds") == 0 && i + 1 < count) {
            wishes->rounds = (unsigned)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(argument, "--only") == 0 && i + 1 < count) {
            wishes->only = arguments[++i];
        } else if (*argument != '-' && !wishes->directory) {
            wishes->directory = argument;
        } else {
            return false;
        }
    }
    return wishes->directory && wishes->rounds > 0 &&
           wishes->rounds <= MOST_ROUNDS;
}

int main(int count, char **arguments)
{
    struct wishes wishes = {
        .size = 512 << 20,
        .nodes = 1000000,
        .small_count = 20000,
        .rounds = 5,
    };
    if (!read_arguments(count, arguments, &wishes)) {
        fputs(usage, stderr);
        return 2;
    }
    begin_report(&wishes);
    bench_memory(&wishes);
    bench_save(&wishes);
    bench_restore(&wishes);
    bench_cold(&wishes);
    bench_background(&wishes);
    bench_changed(&wishes);
    bench_small(&wishes);
    bench_nodes(&wishes);
    bench_snapshot(&wishes);
    bench_compressed(&wishes);
    bench_views(&wishes);
    bench_foreign(&wishes);
    bench_resume(&wishes);
    bench_structs(&wishes);
    bench_levels(&wishes);
    bench_growth(&wishes);
    end_report();
    return 0;
}
