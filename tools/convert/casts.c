/* casts.c - Selects element types by pattern or by family.
 *
 * SPDX-License-Identifier: MIT
 */
#include "casts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <varve/structure.h>
#include <varve/variable.h>

#include "complaint.h"
#include "json_out.h"
#include "memory.h"
#include "style.h"

enum { FEW = 3 };

/* --- Rules -------------------------------------------------------------- */

static varve_dtype dtype_named(const char *name)
{
    for (int d = VARVE_BOOL; d <= VARVE_DTYPE_COUNT; d++) {
        if (d != VARVE_STRING &&
            strcmp(varve_dtype_name((varve_dtype)d), name) == 0)
            return (varve_dtype)d;
    }
    return (varve_dtype)0;
}

static bool read_rule(struct cast_rule *rule, const char *text)
{
    const char *equals = strrchr(text, '=');
    rule->dtype = dtype_named(equals ? equals + 1 : text);
    if (equals)
        rule->pattern = memory_copy_text(text, (size_t)(equals - text));
    return rule->dtype != 0;
}

int casts_read(const struct settings *settings, const struct text_list *texts,
    struct casts *casts)
{
    *casts = (struct casts){ .rule_count = texts->count };
    casts->rules = memory_allocate(texts->count, sizeof *casts->rules);
    for (size_t i = 0; i < texts->count; i++) {
        if (!read_rule(&casts->rules[i], texts->items[i]))
            return complain_usage(settings,
                "--cast: must be TYPE or PATTERN=TYPE with a type such as "
                "float32, found '%s'",
                texts->items[i]);
    }
    return OUTCOME_DONE;
}

void casts_clear(struct casts *casts)
{
    for (size_t i = 0; i < casts->rule_count; i++)
        free(casts->rules[i].pattern);
    for (size_t i = 0; i < casts->count; i++)
        free(casts->values[i].path);
    free(casts->rules);
    free(casts->values);
    *casts = (struct casts){ .count = 0 };
}

/* Families: real, integer, complex. Types without a family are cast only by a
 * pattern. */
#pragma GCC diagnostic error "-Wswitch"
static int sort_of(varve_dtype dtype)
{
    switch (dtype) {
    case VARVE_FLOAT16:
    case VARVE_BFLOAT16:
    case VARVE_FLOAT32:
    case VARVE_FLOAT64:
    case VARVE_FLOAT8_E4M3FN:
    case VARVE_FLOAT8_E5M2: return 1;
    case VARVE_COMPLEX64:
    case VARVE_COMPLEX128: return 2;
    case VARVE_INT8:
    case VARVE_INT16:
    case VARVE_INT32:
    case VARVE_INT64:
    case VARVE_UINT8:
    case VARVE_UINT16:
    case VARVE_UINT32:
    case VARVE_UINT64: return 3;
    case VARVE_BOOL:
    case VARVE_STRING: break;
    }
    return 3 + (int)dtype;
}

static bool is_for(
    const struct cast_rule *rule, const char *path, varve_dtype dtype)
{
    if (rule->pattern)
        return varve_path_matches(rule->pattern, path);
    return sort_of(rule->dtype) == sort_of(dtype);
}

static struct cast_rule *rule_for(
    struct casts *casts, const char *path, varve_dtype dtype)
{
    struct cast_rule *found = NULL;
    for (size_t i = 0; i < casts->rule_count; i++) {
        if (is_for(&casts->rules[i], path, dtype)) {
            found = &casts->rules[i];
            found->was_used = true;
        }
    }
    return found;
}

/* --- Values ------------------------------------------------------------- */

/* Finds a rule by the full path; for a slot only the end of its path is
 * known. */
static struct cast_rule *rule_for_part(
    struct casts *casts, const struct parts *parts, const struct part *part)
{
    varve_dtype from = varve_value(part->node)->dtype;
    char *path =
        !path_is_end(part->path) || part->way == PART_NONE
            ? NULL
            : parts_link_path(parts, &parts->links[part->way], SIZE_MAX);
    struct cast_rule *rule = rule_for(casts, path ? path : part->path, from);
    free(path);
    return rule;
}

static int cast_part(const struct settings *settings, struct casts *casts,
    const struct parts *parts, const struct part *part)
{
    varve_error error = { .status = VARVE_OK };
    varve_dtype from = varve_value(part->node)->dtype;
    struct cast_rule *rule = rule_for_part(casts, parts, part);
    struct cast_value value = { .from = from };
    if (!rule || rule->dtype == from)
        return OUTCOME_DONE;
    value.to = rule->dtype;
    if (varve_retype(part->node, value.to, &value.inexact, &error))
        return complain_status(settings, "cannot cast", part->path, &error);
    value.path = memory_copy_text(part->path, strlen(part->path));
    casts->values = memory_grow(
        casts->values, &casts->capacity, casts->count, sizeof value);
    casts->values[casts->count++] = value;
    return OUTCOME_DONE;
}

static int complain_unused_cast(
    const struct settings *settings, const struct cast_rule *rule)
{
    const char *type = varve_dtype_name(rule->dtype);
    char hint[256];
    if (rule->pattern)
        return complain_not_found(
            settings, "--cast: no value matches", NULL, rule->pattern, NULL);
    snprintf(hint, sizeof hint,
        "a TYPE alone converts only values of the same kind (reals, integers, "
        "complex numbers); to convert other values, use --cast 'PATS=%s'",
        type);
    return complain_not_found(
        settings, "--cast: no value was converted", NULL, type, hint);
}

int casts_apply(
    const struct settings *settings, struct casts *casts, struct parts *parts)
{
    int outcome = OUTCOME_DONE;
    for (size_t i = 0; i < parts->count && outcome == OUTCOME_DONE; i++) {
        const struct part *part = &parts->items[i];
        if (part->is_kept && varve_node_kind(part->node) == VARVE_VARIABLE)
            outcome = cast_part(settings, casts, parts, part);
    }
    for (size_t i = 0; i < casts->rule_count && outcome == OUTCOME_DONE; i++) {
        if (!casts->rules[i].was_used)
            outcome = complain_unused_cast(settings, &casts->rules[i]);
    }
    return outcome;
}

/* --- Output ------------------------------------------------------------- */

static void print_changed(const struct cast_value *value)
{
    fputs("  ", stdout);
    print_clean(stdout, value->path);
    printf(": %s to %s, %" PRIu64 " %s not kept exactly\n",
        varve_dtype_name(value->from), varve_dtype_name(value->to),
        value->inexact, value->inexact == 1 ? "element" : "elements");
}

void casts_print(const struct casts *casts, bool all)
{
    size_t changed = 0;
    for (size_t i = 0; i < casts->count; i++)
        changed += casts->values[i].inexact > 0;
    if (casts->count)
        printf("cast %zu %s, %zu not exactly\n", casts->count,
            casts->count == 1 ? "value" : "values", changed);
    size_t shown = 0;
    for (size_t i = 0; i < casts->count && (all || shown < FEW); i++) {
        if (!all && casts->values[i].inexact == 0)
            continue;
        print_changed(&casts->values[i]);
        shown++;
    }
    if (!all && shown < changed)
        puts("  ...");
}

void casts_print_json(const struct casts *casts)
{
    for (size_t i = 0; i < casts->count; i++) {
        const struct cast_value *value = &casts->values[i];
        fputs(i ? ",\n{\"path\":" : "\n{\"path\":", stdout);
        json_print_text(stdout, value->path);
        printf(",\"from\":\"%s\",\"to\":\"%s\",\"inexact\":%" PRIu64 "}",
            varve_dtype_name(value->from), varve_dtype_name(value->to),
            value->inexact);
    }
}
