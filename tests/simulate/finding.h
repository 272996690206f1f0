/* finding.h - what a schedule was found to break: the first, and what happened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_FINDING_H
#define SIMULATE_FINDING_H

#include <stdbool.h>

enum finding_kind {
    FINDING_NONE,
    FINDING_LOST,      /* a resume has less than what was reported saved */
    FINDING_ANEW,      /* a resume began anew beside what was reported saved */
    FINDING_DELETED,   /* the newest of its lineage was deleted */
    FINDING_PINNED,    /* what is pinned was deleted */
    FINDING_LEASED,    /* what is leased was deleted */
    FINDING_REPLACED,  /* a checkpoint was replaced by another one */
    FINDING_TWICE,     /* two saves were reported with one name */
    FINDING_COPY,      /* a drained level lacks the caller's checkpoint */
    FINDING_NOT_FOUND, /* a reader found nothing beside what is there */
    FINDING_APART,     /* ranks of one program were told different things */
    FINDING_FAILED,    /* a call failed that nothing disturbed */
    FINDING_LEAK,      /* a process left descriptors or memory */
    FINDING_STUCK,     /* a schedule does not end */
    FINDING_BROKEN,    /* a call of the system that makes no sense */
    FINDING_CRASH,     /* the process of the simulation died */
    FINDING_KINDS
};

/* Forgets what was found. */
void finding_begin(void);

/* Notes what is wrong, unless something was before. */
void finding(enum finding_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool has_finding(void);
enum finding_kind finding_kind(void);
const char *finding_text(void);
const char *finding_name(enum finding_kind kind);

/* Whether what happens is printed, each in a line: who, and what. */
void trace_to(bool prints);
bool is_traced(void);
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
