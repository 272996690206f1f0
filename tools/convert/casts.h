/* casts.h - Applies --cast, and counts inexact conversions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CASTS_H
#define TOOL_CASTS_H

#include <stdio.h>

#include <varve/tensor.h>

#include "parts.h"
#include "settings.h"

struct cast_rule {
    char *pattern; /* NULL: every value of a type of the same family */
    varve_dtype dtype;
    bool was_used;
};

/* A value that was cast. */
struct cast_value {
    char *path;
    varve_dtype from;
    varve_dtype to;
    uint64_t inexact; /* number of elements that were not converted exactly */
};

struct casts {
    struct cast_rule *rules;
    size_t rule_count;
    struct cast_value *values;
    size_t count, capacity;
};

/* Reads the rules. If the result is not OUTCOME_DONE, an error was printed. */
int casts_read(const struct settings *settings, const struct text_list *texts,
    struct casts *casts);
void casts_clear(struct casts *casts);

/* Casts the variables that are kept. Rules are compared with paths in the
 * source; the last matching rule decides. */
int casts_apply(
    const struct settings *settings, struct casts *casts, struct parts *parts);

/* Prints a summary of the casts, and the values that changed. */
void casts_print(const struct casts *casts, bool all);

/* Prints {"path":...,"from":...,"to":...,"inexact":...} for each. */
void casts_print_json(const struct casts *casts);

#endif
