/* ls.c - varve ls: objects and values as a tree, a table or JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ls.h"

#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "style.h"
#include "target.h"

static const struct option_row options[] = {
    OPTION("flat", 'l', OPTION_FLAG, flat, NULL,
        "a table of values instead of the tree"),
    OPTION("tsv", 0, OPTION_FLAG, tsv, NULL,
        "the table with tabs, for other programs"),
    OPTION_JSON,
    OPTION("sort", 0, OPTION_WORD, sort, "path|bytes|offset",
        "order of the table (bytes: largest first)"),
    OPTION("limit", 0, OPTION_NUMBER, limit, "N", "at most N lines or items"),
    OPTION("depth", 0, OPTION_NUMBER, depth, "N",
        "at most N levels below the root"),
    OPTION("include", 'I', OPTION_INCLUDE, patterns, "PAT",
        "only paths that match PAT and what is below"),
    OPTION("exclude", 'X', OPTION_EXCLUDE, patterns, "PAT",
        "not these; the last pattern that matches wins"),
    OPTION(
        "slots", 0, OPTION_FLAG, slots, NULL, "each slot variable in the tree"),
    OPTION("values", 0, OPTION_FLAG, values, NULL,
        "only what has a value or leads to one"),
    OPTION(
        "units", 0, OPTION_WORD, units, "iec|si|bytes", "how to print sizes"),
    OPTION("ascii", 0, OPTION_FLAG, ascii, NULL, "draw with ASCII only"),
    OPTION("color", 0, OPTION_WORD, color, "auto|always|never",
        "colours (also: NO_COLOR)"),
    OPTION_HELP,
    OPTION_END,
};

struct keyed_value {
    uint32_t id;
    uint64_t number;
    const char *file; /* where the order is that of files */
    const char *path;
};

static int compare(const void *left, const void *right)
{
    const struct keyed_value *a = left;
    const struct keyed_value *b = right;
    int by_file = a->file && b->file ? strcmp(a->file, b->file) : 0;
    if (by_file)
        return by_file;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    int order = a->path && b->path ? text_compare(a->path, b->path) : 0;
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

static struct keyed_value key_of(
    const struct settings *settings, const varve_saved_node *node)
{
    struct keyed_value key = { .id = node->id, .path = node->path };
    if (settings->sort == SORT_BYTES)
        key.number = UINT64_MAX - (node->has_value ? node->size : 0);
    if (settings->sort == SORT_OFFSET) {
        key.file = node->has_value && node->file ? node->file : "\xff";
        key.number = node->has_value ? node->offset : UINT64_MAX;
    }
    return key;
}

static bool is_listed(
    const struct settings *settings, const struct outline *outline, uint32_t id)
{
    const struct outline_node *node = &outline->nodes[id];
    if (!node->shown || node->depth > settings->depth)
        return false;
    varve_saved_node saved = outline_saved(outline, id);
    return saved.value.dtype &&
           pattern_selects(&settings->patterns, saved.path);
}

uint32_t *ls_values(const struct settings *settings,
    const struct outline *outline, size_t *count)
{
    struct keyed_value *keys = calloc(outline->reached + 1, sizeof *keys);
    uint32_t *ids = calloc(outline->reached + 1, sizeof *ids);
    *count = 0;
    for (size_t i = 0; keys && i < outline->reached; i++) {
        uint32_t id = outline->order[i];
        varve_saved_node saved = outline_saved(outline, id);
        if (is_listed(settings, outline, id))
            keys[(*count)++] = key_of(settings, &saved);
    }
    if (keys)
        qsort(keys, *count, sizeof *keys, compare);
    for (size_t i = 0; ids && keys && i < *count; i++)
        ids[i] = keys[i].id;
    bool failed = !keys || !ids;
    free(keys);
    if (failed) {
        free(ids);
        return NULL;
    }
    if (*count > settings->limit)
        *count = (size_t)settings->limit;
    return ids;
}

static int run(const struct settings *settings, int count, char **operands)
{
    (void)count;
    struct target target;
    struct outline outline;
    int outcome = target_open(settings, operands[0], &target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    bool done = false;
    if (outline_make(&outline, target.reader, target.node.id, settings)) {
        bool as_table = settings->flat || settings->tsv || settings->sort;
        done = settings->json ? ls_json(settings, &outline)
               : as_table     ? ls_table(settings, &outline)
                              : ls_tree(settings, &outline);
        outline_clear(&outline);
    }
    target_close(&target);
    return done ? OUTCOME_DONE : complain_memory(settings);
}

const struct command ls_command = {
    .name = "ls",
    .operands = "FILE[:PATH]",
    .summary = "objects and values of a checkpoint",
    .details =
        "FILE is a checkpoint, with or without .varve, or the prefix of "
        "numbered ones,\nof which the newest is taken. PATH is a part of it, "
        "such as model/layers/0.\n\nPAT is a path with wildcards: * is any "
        "part of a name, ** any number of names,\n? one byte, [0-9] one of a "
        "set.\n",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
