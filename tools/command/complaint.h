/* complaint.h - how errors are told, on standard error: a line for people or,
 * with --json, one of JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_COMPLAINT_H
#define TOOL_COMPLAINT_H

#include <varve/error.h>

#include "settings.h"

struct complaint {
    int outcome;      /* what the program is to end with */
    const char *code; /* such as "VARVE_NOT_FOUND" or "USAGE" */
    const char *what; /* what failed */
    const char *file; /* may be NULL */
    const char *why;
    const char *hint; /* what to do next; may be NULL */
};

/* Tells it; returns the outcome. */
int complain(const struct settings *settings, const struct complaint *c);

/* Tells of a failed call of the library. */
int complain_status(const struct settings *settings, const char *what,
    const char *file, const varve_error *error);

/* The same with a hint of the caller's. */
int complain_status_hint(const struct settings *settings, const char *what,
    const char *file, const varve_error *error, const char *hint);

/* Tells that there is nothing of the kind: OUTCOME_NO. `file` and `hint` may be
 * NULL. */
int complain_not_found(const struct settings *settings, const char *what,
    const char *file, const char *why, const char *hint);

/* Tells of a failed system call, by errno. */
int complain_system(
    const struct settings *settings, const char *what, const char *file);

/* Tells that nothing is written to a store. */
int complain_store(const struct settings *settings, const char *file);

/* A line for people, none with --json or --quiet. */
void tell_warning(const struct settings *settings, const char *file,
    const char *what, const char *why);

int complain_memory(const struct settings *settings);

#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
int complain_usage(const struct settings *settings, const char *format, ...);

/* What a status of the library means for the program. */
int outcome_of(varve_status status);

#endif
