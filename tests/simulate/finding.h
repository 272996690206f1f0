/* finding.h - Declares findings: the first violated rule of a schedule, and a
 * trace.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_FINDING_H
#define SIMULATE_FINDING_H

#include <stdbool.h>

enum finding_kind {
    FINDING_NONE,
    FINDING_LOST, /* a resume does not continue a reported save */
    /* a resume started from the beginning despite a reported save */
    FINDING_ANEW,
    FINDING_DELETED,   /* the newest save of its lineage was deleted */
    FINDING_PINNED,    /* a pinned checkpoint was deleted */
    FINDING_LEASED,    /* a leased checkpoint was deleted */
    FINDING_REPLACED,  /* a checkpoint was replaced by an unrelated one */
    FINDING_TWICE,     /* two saves were reported with one name */
    FINDING_COPY,      /* a flushed tier lacks the caller's checkpoint */
    FINDING_NOT_FOUND, /* a reader found nothing although a save was reported */
    FINDING_APART,     /* ranks of one program got different results */
    FINDING_FAILED,    /* an undisturbed call failed */
    FINDING_LEAK,      /* a process left descriptors or memory */
    FINDING_STUCK,     /* a schedule does not end */
    FINDING_BROKEN,    /* an invalid system call */
    FINDING_CRASH,     /* the process of the simulation died */
    FINDING_KINDS
};

/* Clears the finding. */
void finding_begin(void);

/* Records a finding, unless there is one already. */
void finding(enum finding_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool has_finding(void);
enum finding_kind finding_kind(void);
const char *finding_text(void);
const char *finding_name(enum finding_kind kind);

/* Enables or disables the trace, which has a line for each event. */
void trace_to(bool prints);
bool is_traced(void);
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
