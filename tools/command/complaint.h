/* complaint.h - Prints errors on standard error: as a line of text or, with
 * --json, as a line of JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_COMPLAINT_H
#define TOOL_COMPLAINT_H

#include <varve/error.h>

#include "pattern.h"
#include "settings.h"

struct complaint {
    int outcome;      /* exit status of the program */
    const char *code; /* such as "VARVE_NOT_FOUND" or "USAGE" */
    const char *what; /* the operation that failed */
    const char *file; /* can be NULL */
    const char *why;
    const char *hint; /* remedy; can be NULL */
};

/* Prints an error and returns its outcome. */
int complain(const struct settings *settings, const struct complaint *c);

/* Prints the error of a failed call of the library. */
int complain_status(const struct settings *settings, const char *what,
    const char *file, const varve_error *error);

/* Like complain_status, with a hint. */
int complain_status_hint(const struct settings *settings, const char *what,
    const char *file, const varve_error *error, const char *hint);

/* Prints that an object does not exist, and returns OUTCOME_NO. `file` and
 * `hint` can be NULL. */
int complain_not_found(const struct settings *settings, const char *what,
    const char *file, const char *why, const char *hint);

/* Prints that an include pattern has matched no path of `file`, and returns
 * OUTCOME_NO. Returns OUTCOME_DONE if there is none. `file` can be NULL. */
int complain_unmatched(const struct settings *settings, const char *file,
    const struct pattern_list *patterns, const struct pattern_matches *matches);

/* Prints the error of a failed system call from errno. */
int complain_system(
    const struct settings *settings, const char *what, const char *file);

/* Prints that writing to a store is not supported. */
int complain_store(const struct settings *settings, const char *file);

/* Prints a warning as text; nothing with --json or --quiet. */
void print_warning(const struct settings *settings, const char *file,
    const char *what, const char *why);

int complain_memory(const struct settings *settings);

#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
int complain_usage(const struct settings *settings, const char *format, ...);

/* Returns the exit status for a status of the library. */
int outcome_of(varve_status status);

#endif
