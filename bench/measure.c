/* measure.c - Runs contenders alternately and prints medians as rows.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE /* for getloadavg */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static bool has_rows;
static double load_before; /* load when the last row was measured */
static clockid_t clock_id = CLOCK_MONOTONIC;

double now(void)
{
    struct timespec time;
    clock_gettime(clock_id, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void must(varve_status status, const varve_error *error)
{
    if (status == VARVE_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->message);
    exit(1);
}

void must_system(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

const char *scratch(const struct wishes *wishes, const char *name, char *path)
{
    snprintf(path, PATH_SIZE, "%s/%s", wishes->directory, name);
    return path;
}

bool is_wanted(const struct wishes *wishes, const char *id)
{
    return !wishes->only ||
           strncmp(id, wishes->only, strlen(wishes->only)) == 0;
}

/* --- Turns -------------------------------------------------------------- */

void race(struct contender *contenders, size_t count, unsigned rounds)
{
    for (unsigned round = 0; round <= rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            struct contender *c = &contenders[i];
            double sample = c->run(c->user);
            if (round > 0 && c->count < MOST_ROUNDS)
                c->samples[c->count++] = sample;
        }
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static size_t sort(const struct contender *contender, double *sorted)
{
    size_t count = contender->count;
    memcpy(sorted, contender->samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return count;
}

double median(const struct contender *contender)
{
    double sorted[MOST_ROUNDS];
    size_t count = sort(contender, sorted);
    return count % 2 ? sorted[count / 2]
                     : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double least(const struct contender *contender)
{
    double sorted[MOST_ROUNDS];
    sort(contender, sorted);
    return sorted[0];
}

double swing(const struct contender *contender)
{
    double sorted[MOST_ROUNDS];
    size_t count = sort(contender, sorted);
    double middle = median(contender);
    return middle > 0 ? (sorted[count * 3 / 4] - sorted[count / 4]) / middle
                      : 0;
}

double load(void)
{
    double average = 0;
    must_system(getloadavg(&average, 1) == 1, "getloadavg");
    return average;
}

const struct contender *quickest(
    const struct contender *contenders, size_t count)
{
    const struct contender *best = contenders;
    for (size_t i = 1; i < count; i++) {
        if (median(&contenders[i]) < median(best))
            best = &contenders[i];
    }
    return best;
}

/* --- Rows --------------------------------------------------------------- */

/* Returns the name of the processor; "" if the system does not report it. */
static const char *processor_name(char *line, int size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    const char *name = "";
    while (file && !*name && fgets(line, size, file)) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            name = strchr(line, ':') + 2;
    }
    if (file)
        fclose(file);
    line[strcspn(line, "\n\"\\")] = '\0';
    return name;
}

static void print_machine(void)
{
    struct utsname system;
    char line[256];
    must_system(uname(&system) == 0, "uname");
    printf("  \"machine\": {\"processors\": %ld, \"processor\": \"%s\", "
           "\"memory\": %.0f,\n    \"system\": \"%s %s\", "
           "\"architecture\": \"%s\", \"compiler\": \"%s\"},\n",
        sysconf(_SC_NPROCESSORS_ONLN), processor_name(line, sizeof line),
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
        system.sysname, system.release, system.machine, __VERSION__);
}

void begin_report(const struct wishes *wishes)
{
    has_rows = false;
    load_before = load();
    if (wishes->is_cpu)
        clock_id = CLOCK_PROCESS_CPUTIME_ID;
    printf("{\n  \"schema\": \"varve.bench/2\",\n  \"varve\": \"%s\",\n",
        varve_version());
    print_machine();
    printf("  \"rounds\": %u,\n  \"clock\": \"%s\",\n  \"bytes\": %llu,\n"
           "  \"nodes\": %zu,\n  \"small_values\": %zu,\n  \"rows\": [",
        wishes->rounds, wishes->is_cpu ? "processor" : "wall",
        (unsigned long long)wishes->size, wishes->nodes, wishes->small_count);
    fprintf(stderr, "%-4s %-50s %-21s %-21s %-5s %6s %6s  %-11s %s\n", "id",
        "what", "varve (least)", "raw (least)", "unit", "ratio", "rounds",
        "load", "to reach");
}

static void print_contender(
    const char *role, const struct contender *c, double scale)
{
    printf(",\n     \"%s\": {\"name\": \"%s\", \"median\": %.6g, "
           "\"least\": %.6g, \"swing\": %.3g, \"runs\": [",
        role, c->name, median(c) * scale, least(c) * scale, swing(c));
    for (unsigned i = 0; i < c->count; i++)
        printf("%s%.6g", i ? ", " : "", c->samples[i] * scale);
    printf("]}");
}

static void print_json(
    const struct row *row, const char *unit, double scale, double load_now)
{
    printf("%s\n    {\"id\": \"%s\", \"what\": \"%s\", \"unit\": \"%s\", "
           "\"rounds\": %u, \"load\": [%.2f, %.2f]",
        has_rows ? "," : "", row->id, row->what, unit, row->ours->count,
        load_before, load_now);
    has_rows = true;
    print_contender("varve", row->ours, scale);
    if (row->raw) {
        print_contender("raw", row->raw, scale);
        printf(",\n     \"ratio\": %.4g", median(row->raw) / median(row->ours));
    }
    if (row->instead)
        printf(",\n     \"instead\": \"%s\"", row->instead);
    if (row->least_ratio > 0)
        printf(",\n     \"least_ratio\": %.4g", row->least_ratio);
    if (row->most > 0)
        printf(",\n     \"most\": %.6g", row->most);
    printf("}");
    fflush(stdout);
}

static void print_figure(const struct contender *c, double scale)
{
    char text[64];
    snprintf(
        text, sizeof text, "%.4g (%.4g)", median(c) * scale, least(c) * scale);
    fprintf(stderr, "%-21s ", text);
}

static void print_figures(const struct row *row, const char *unit, double scale)
{
    print_figure(row->ours, scale);
    if (row->raw)
        print_figure(row->raw, scale);
    fprintf(stderr, "%*s%-5s ", row->raw ? 0 : 22, "", unit);
    if (row->raw)
        fprintf(stderr, "%6.2f", median(row->raw) / median(row->ours));
    else
        fprintf(stderr, "%6s", "");
}

static void print_line(
    const struct row *row, const char *unit, double scale, double load_now)
{
    fprintf(stderr, "%-4s %-50s ", row->id, row->what);
    if (row->instead)
        fprintf(stderr, "%-56s", row->instead);
    else
        print_figures(row, unit, scale);
    fprintf(
        stderr, " %6u  %.1f to %.1f ", row->ours->count, load_before, load_now);
    if (row->least_ratio > 0)
        fprintf(stderr, "  ratio %.2f", row->least_ratio);
    if (row->most > 0)
        fprintf(stderr, "  %g %s", row->most, unit);
    if (row->raw)
        fprintf(stderr, "  (raw: %s)", row->raw->name);
    fprintf(stderr, "\n");
}

void report(const struct row *row)
{
    double swings = swing(row->ours), load_now = load();
    struct row told = *row;
    char text[64];
    if (row->raw && swing(row->raw) > swings)
        swings = swing(row->raw);
    if (!row->instead && swings > MOST_SWING) {
        snprintf(text, sizeof text, "swings by %.0f %%", 100 * swings);
        told.instead = text;
    }
    double scale = row->scale > 0 ? row->scale : 1e3;
    const char *unit = row->unit ? row->unit : "ms";
    print_json(&told, unit, scale, load_now);
    print_line(&told, unit, scale, load_now);
    load_before = load_now;
}

void end_report(void)
{
    printf("\n  ]\n}\n");
}
