/* answer.h - Prints the result of varve diff: a row for each finding, and their
 * numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ANSWER_H
#define TOOL_ANSWER_H

#include "difference.h"
#include "renames.h"
#include "table.h"

enum finding {
    FINDING_CHANGED,
    FINDING_INCOMPARABLE,
    FINDING_ONLY_IN_A,
    FINDING_ONLY_IN_B,
    FINDING_STRUCTURE, /* kind, tags, names, sharing */
    FINDING_METADATA,
    FINDING_DAMAGED,
    FINDING_EQUAL,
    FINDING_KINDS
};

struct diff_options {
    struct settings settings;
    struct rename_options rename;
    struct pattern_list patterns;
    const char *tolerance;
    const char *relative;
    const char *page; /* or NULL */
    bool any_type;
    bool nan_differs;
    bool values; /* and compare nothing else */
    bool equal;
    bool strict;
};

struct answer {
    const struct settings *settings;
    const struct diff_options *options;
    struct table table;
    struct style style;
    uint64_t counts[FINDING_KINDS];
    uint64_t unread; /* number of these that are equal */
};

/* The subject of a row. */
struct finding_row {
    enum finding finding;
    const char *path;          /* path in B */
    const char *path_a;        /* path in A; NULL: equal, or missing */
    const varve_saved_node *a; /* NULL: missing, or not concerned */
    const varve_saved_node *b;
    const struct difference *difference; /* NULL: not computed */
    const char *note;                    /* "" if there is none */
};

void answer_begin(struct answer *answer, const struct diff_options *options,
    const struct side *a, const struct side *b, bool has_structure);

/* Returns true if a finding is printed. */
bool answer_shows(const struct answer *answer, enum finding finding);

/* Counts a finding, and prints it if it is shown; only then it needs a path. */
void answer_add(struct answer *answer, const struct finding_row *row);

/* Prints the numbers. Nothing can be added afterwards. */
void answer_end(struct answer *answer);

/* Returns true if there is a difference so far. */
bool answer_differs(const struct answer *answer);

#endif
