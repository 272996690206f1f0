/* answer.h - what varve diff says: a row for each finding, and a count of them.
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
    const char *page; /* NULL: none */
    bool any_type;
    bool nan_differs;
    bool values; /* and nothing else */
    bool equal;
    bool strict;
};

struct answer {
    const struct settings *settings;
    const struct diff_options *options;
    struct table table;
    struct style style;
    uint64_t counts[FINDING_KINDS];
    uint64_t unread; /* of those that are equal */
};

/* What a row is about. */
struct finding_row {
    enum finding finding;
    const char *path;          /* as in B, */
    const char *path_a;        /* and in A; NULL: the same, or not there */
    const varve_saved_node *a; /* NULL: not there, or not what it is about */
    const varve_saved_node *b;
    const struct difference *difference; /* NULL: none was looked for */
    const char *note;                    /* "" where all is plain */
};

void answer_begin(struct answer *answer, const struct diff_options *options,
    const struct side *a, const struct side *b, bool has_structure);

/* Whether a finding is printed. */
bool answer_shows(const struct answer *answer, enum finding finding);

/* Counts it, and prints it where it is shown; else it needs no path. */
void answer_add(struct answer *answer, const struct finding_row *row);

/* The counts; then nothing more can be added. */
void answer_end(struct answer *answer);

/* Whether there is a difference so far. */
bool answer_differs(const struct answer *answer);

#endif
