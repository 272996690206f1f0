/* measure.h - contenders that run by turns, their medians, and rows of figures
 * as JSON on standard output and as a table on standard error. A figure is a
 * median, with the least beside it; where the samples swing it is left out.
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

/* What the command line asked for. */
struct wishes {
    const char *directory; /* scratch files come and go here */
    const char *only;      /* ids of rows begin so; NULL: all */
    uint64_t size;         /* bytes of the large model */
    size_t nodes;          /* scalars of the large graph */
    size_t small_count;    /* of 4 KiB variables */
    unsigned rounds;
    bool is_smoke;
    bool is_full;
    bool is_cpu; /* time of the processors instead of the wall's */
};

/* One of those that are compared: a run returns what it measured, which is
 * seconds unless the row says otherwise. */
struct contender {
    const char *name;
    double (*run)(void *user);
    void *user;
    unsigned count;
    double samples[MOST_ROUNDS];
};

/* Runs each in turn, `rounds` times over, after one round that is not counted:
 * what the machine does meanwhile happens to all alike. */
void race(struct contender *contenders, size_t count, unsigned rounds);

double median(const struct contender *contender);
double least(const struct contender *contender);

/* How far apart the middle half of the samples is, beside their median. */
double swing(const struct contender *contender);

/* From here on a figure means nothing. */
#define MOST_SWING 0.15

/* How many want a processor of this machine, over the last minute. */
double load(void);

/* The quickest of several by median. */
const struct contender *quickest(
    const struct contender *contenders, size_t count);

struct row {
    const char *id;
    const char *what;
    const struct contender *ours;
    const struct contender *raw; /* NULL: none */
    const char *unit;            /* of the medians; NULL: ms */
    double scale;                /* samples times this are in the unit; 0: ms */
    double least_ratio;          /* what to reach: raw / ours; 0: nothing */
    double most;                 /* or ours at most, in the unit */
    const char *instead;         /* of a figure, as it would mean nothing; NULL:
                                    none, but where contenders swing */
};

void begin_report(const struct wishes *wishes);
void report(const struct row *row);
void end_report(void);

bool is_wanted(const struct wishes *wishes, const char *id);

double now(void); /* seconds */

/* Ends the program with the message of a failed call. */
void must(varve_status status, const varve_error *error);
void must_system(bool good, const char *what);

/* `directory/name` of the wishes. */
const char *scratch(const struct wishes *wishes, const char *name, char *path);

#endif
