/* answer.h - what varve diff says: a row for each finding, and a count of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ANSWER_H
#define TOOL_ANSWER_H

#include "difference.h"
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

struct answer {
    const struct settings *settings;
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

void answer_begin(struct answer *answer, const struct settings *settings,
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
