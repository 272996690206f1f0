/* casts.h - the casts of --cast, and what they cost.
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
    char *pattern; /* NULL: every value of a type of the same sort */
    varve_dtype dtype;
    bool was_used;
};

/* A value that was cast. */
struct cast_value {
    char *path;
    varve_dtype from;
    varve_dtype to;
    uint64_t inexact; /* elements that were not kept exactly */
};

struct casts {
    struct cast_rule *rules;
    size_t rule_count;
    struct cast_value *values;
    size_t count, capacity;
};

/* An outcome other than OUTCOME_DONE has been complained of. */
int casts_read(const struct settings *settings, const struct text_list *texts,
    struct casts *casts);
void casts_clear(struct casts *casts);

/* Casts the variables that are kept, by their paths in the source: the last
 * rule that is for one decides. */
int casts_apply(
    const struct settings *settings, struct casts *casts, struct parts *parts);

/* What was cast, in a line or two; the values that changed. */
void casts_print(const struct casts *casts, bool all);

/* {"path":...,"from":...,"to":...,"inexact":...} for each. */
void casts_print_json(const struct casts *casts);

#endif
