/* measure.h - Declares contenders that run alternately, their medians, and rows
 * of results as JSON on standard output and as a table on standard error.
 *
 * A result is a median, printed with the minimum. It is omitted if the samples
 * vary too much.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <varve/varve.h>

enum { MOST_ROUNDS = 32, PATH_SIZE = 1024 };

/* The options of the command line. */
struct wishes {
    const char *directory; /* directory for temporary files */
    const char *only;      /* only rows whose ids begin with this; NULL: all */
    uint64_t size;         /* bytes of the large model */
    size_t nodes;          /* scalars of the large graph */
    size_t small_count;    /* number of 4 KiB variables */
    unsigned rounds;
    bool is_smoke;
    bool is_full;
    bool is_cpu; /* processor time instead of wall-clock time */
};

/* One of the compared operations. A run returns its result, in seconds unless
 * the row has another unit. */
struct contender {
    const char *name;
    double (*run)(void *user);
    void *user;
    unsigned count;
    double samples[MOST_ROUNDS];
};

/* Runs each in turn for `rounds` rounds after a warm-up round, so that
 * disturbances of the machine affect all equally. */
void race(struct contender *contenders, size_t count, unsigned rounds);

double median(const struct contender *contender);
double least(const struct contender *contender);

/* Returns the interquartile range of the samples divided by their median. */
double swing(const struct contender *contender);

/* Results with a larger spread are omitted. */
#define MOST_SWING 0.15

/* Returns the load average of the last minute divided by the number of
 * processors. */
double load(void);

/* Returns the contender with the smallest median. */
const struct contender *quickest(
    const struct contender *contenders, size_t count);

struct row {
    const char *id;
    const char *what;
    const struct contender *ours;
    const struct contender *raw; /* NULL: none */
    const char *unit;            /* unit of the medians; NULL: ms */
    double scale;                /* factor from samples to the unit; 0: ms */
    double least_ratio;          /* required ratio raw / ours; 0: none */
    double most;                 /* or the maximum of ours in the unit */
    /* text printed instead of a result that would be misleading; NULL: print
     * the result unless samples vary */
    const char *instead;
};

void begin_report(const struct wishes *wishes);
void report(const struct row *row);
void end_report(void);

bool is_wanted(const struct wishes *wishes, const char *id);

double now(void); /* seconds */

/* Exits with the message if a call has failed. */
void must(varve_status status, const varve_error *error);
void must_system(bool good, const char *what);

/* Writes the path `directory/name`. */
const char *scratch(const struct wishes *wishes, const char *name, char *path);

#endif
