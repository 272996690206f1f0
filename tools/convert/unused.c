/* unused.c - Uses a dry run to find the patterns that match nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unused.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/restoration.h>

#include "complaint.h"
#include "memory.h"

static varve_status add(void *user, const varve_finding *finding)
{
    struct unused *u = user;
    const char *pattern = finding->program_path;
    const char *nearest = finding->nearest;
    if (!finding->option)
        return VARVE_OK;
    u->items = memory_grow(u->items, &u->capacity, u->count, sizeof *u->items);
    u->items[u->count++] = (struct unused_pattern){
        .option = strcmp(finding->option, "only") == 0 ? "--only" : "--except",
        .pattern = memory_copy_text(pattern, strlen(pattern)),
        .nearest = nearest ? memory_copy_text(nearest, strlen(nearest)) : NULL
    };
    return VARVE_OK;
}

varve_status unused_find(struct unused *u, varve_node *root, const char *file,
    const varve_read_options *options, varve_error *error)
{
    if (!options->only && !options->except)
        return VARVE_OK;
    varve_restoration *plan = varve_dry_run(root, file, options, error);
    if (!plan)
        return error->status;
    varve_status status =
        varve_each_finding(plan, VARVE_FINDING_MISMATCHED, add, u, error);
    varve_restoration_free(plan);
    return status;
}

void unused_clear(struct unused *u)
{
    for (size_t i = 0; i < u->count; i++) {
        free(u->items[i].pattern);
        free(u->items[i].nearest);
    }
    free(u->items);
    *u = (struct unused){ .count = 0 };
}

/* Returns for example "modle (did you mean 'model'?)". */
static char *text_of(const struct unused_pattern *item)
{
    static const char asks[] = " (did you mean '%s'?)";
    const char *nearest = item->nearest ? item->nearest : "";
    size_t size = strlen(item->pattern) + strlen(nearest) + sizeof asks;
    char *text = memory_allocate(size, 1);
    size_t used = strlen(strcpy(text, item->pattern));
    if (item->nearest)
        snprintf(text + used, size - used, asks, nearest);
    return text;
}

void unused_warn(const struct settings *settings, const struct unused *u)
{
    for (size_t i = 0; i < u->count; i++) {
        char *text = text_of(&u->items[i]);
        print_warning(settings, u->items[i].option, "no path matches", text);
        free(text);
    }
}

static char *list(const struct unused *u)
{
    char *hint = memory_copy_text("no path matches ", 16);
    for (size_t i = 0; i < u->count; i++) {
        char *text = text_of(&u->items[i]);
        size_t size = strlen(hint) + strlen(text) + 3;
        char *longer = memory_allocate(size, 1);
        snprintf(longer, size, "%s%s%s", hint, i ? ", " : "", text);
        free(text);
        free(hint);
        hint = longer;
    }
    return hint;
}

int unused_complain(const struct settings *settings, const struct unused *u)
{
    char *hint = u->count ? list(u) : NULL;
    int outcome = complain_not_found(settings, "nothing to convert", NULL,
        "--only and --except leave no value", hint);
    free(hint);
    return outcome;
}
