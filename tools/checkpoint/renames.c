/* renames.c - Parses renames and applies them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "renames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/structure.h>

#include "complaint.h"
#include "memory.h"

/* Enough for a path with a name of the largest size. */
enum { PATH_SIZE = 1 << 20 };

/* Limit of the number of names that a `**` matches. Deeper nodes are moved
 * together with their ancestors. */
enum { MOST_NAMES = 1000 };

/* Returns a copy without surrounding spaces and a leading '/'. */
static char *trimmed(const char *text, size_t size)
{
    while (size && strchr(" \t", *text)) {
        text++;
        size--;
    }
    while (size && strchr(" \t\r\n", text[size - 1]))
        size--;
    if (size > 1 && *text == '/') {
        text++;
        size--;
    }
    return memory_copy_text(text, size);
}

/* Parses `NEW -> OLD`; returns false if the text does not have this form. */
static bool add_rule(struct renames *r, const char *text, bool is_of_file)
{
    char ignored[1];
    const char *arrow = strstr(text, "->");
    if (!arrow)
        return false;
    r->rules = memory_grow(r->rules, &r->capacity, r->count, sizeof *r->rules);
    struct rename_rule *rule = &r->rules[r->count++];
    *rule = (struct rename_rule){ .is_of_file = is_of_file,
        .to = trimmed(text, (size_t)(arrow - text)),
        .from = trimmed(arrow + 2, strlen(arrow + 2)) };
    return varve_path_rename(rule->from, rule->to, "", ignored, 0) !=
           VARVE_MISUSE;
}

static int bad_rule(
    const struct settings *settings, const char *where, const char *text)
{
    return complain_usage(settings,
        "%s: expected 'NEW -> OLD' with the same wildcards on both sides, "
        "found '%.*s'",
        where, (int)strcspn(text, "\r\n"), text);
}

static int read_lines(
    const struct settings *settings, struct renames *r, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    char where[600];
    int outcome = OUTCOME_DONE;
    for (unsigned long number = 1;
         outcome == OUTCOME_DONE && getline(&line, &room, file) >= 0;
         number++) {
        const char *text = line + strspn(line, " \t\r\n");
        snprintf(where, sizeof where, "%.500s:%lu", r->file, number);
        if (*text && *text != '#' && !add_rule(r, text, true))
            outcome = bad_rule(settings, where, text);
    }
    free(line);
    if (outcome == OUTCOME_DONE && ferror(file))
        outcome = complain_system(settings, "cannot read", r->file);
    return outcome;
}

static int read_file(const struct settings *settings, struct renames *r)
{
    FILE *file = fopen(r->file, "r");
    if (!file)
        return complain_system(settings, "cannot read", r->file);
    int outcome = read_lines(settings, r, file);
    fclose(file);
    return outcome;
}

int renames_read(const struct settings *settings,
    const struct rename_options *options, struct renames *r)
{
    *r = (struct renames){ .file = options->file };
    for (size_t i = 0; i < options->texts.count; i++) {
        if (!add_rule(r, options->texts.items[i], false))
            return bad_rule(settings, "--rename", options->texts.items[i]);
    }
    return r->file ? read_file(settings, r) : OUTCOME_DONE;
}

void renames_clear(struct renames *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->rules[i].from);
        free(r->rules[i].to);
    }
    free(r->rules);
    *r = (struct renames){ .count = 0 };
}

/* Returns true if one side of a rule matches a whole path. The result cannot
 * fit in an empty buffer then, so the status is VARVE_LIMIT. */
static bool matches(const char *side, const char *other, const char *path)
{
    char ignored[1];
    return varve_path_rename(side, other, path, ignored, 0) == VARVE_LIMIT;
}

static size_t names_in(const char *side)
{
    size_t count = 1;
    if (strstr(side, "**"))
        return MOST_NAMES;
    for (; *side; side++)
        count += *side == '/';
    return count;
}

size_t renames_depth(const struct renames *r)
{
    size_t most = 0;
    for (size_t i = 0; i < r->count; i++) {
        size_t from = names_in(r->rules[i].from);
        size_t to = names_in(r->rules[i].to);
        most = from > most ? from : most;
        most = to > most ? to : most;
    }
    return most;
}

/* Records which sides of the rules match a path. The root is in every file, so
 * it gives no information about the direction. */
void renames_see(struct renames *r, const char *path)
{
    for (size_t i = 0; i < r->count; i++) {
        struct rename_rule *rule = &r->rules[i];
        rule->is_from_there |= matches(rule->from, rule->to, path);
        rule->is_to_there |= *path && matches(rule->to, rule->from, path);
    }
}

char *renames_apply(struct renames *r, const char *path)
{
    static char renamed[PATH_SIZE];
    for (size_t i = 0; i < r->count; i++) {
        struct rename_rule *rule = &r->rules[i];
        varve_status status = varve_path_rename(
            rule->from, rule->to, path, renamed, sizeof renamed);
        if (status != VARVE_OK)
            continue;
        rule->was_used = true;
        return memory_copy_text(renamed, strlen(renamed));
    }
    return NULL;
}

static int complain_reversed(const struct settings *settings,
    const struct renames *r, const struct rename_rule *rule)
{
    char why[512];
    snprintf(why, sizeof why, "%s -> %s", rule->to, rule->from);
    return complain(
        settings, &(struct complaint){ .outcome = OUTCOME_USAGE,
                      .code = "USAGE",
                      .what = "the rename is reversed: write 'NEW -> OLD'",
                      .file = rule->is_of_file ? r->file : NULL,
                      .why = why });
}

static int check_rule(const struct settings *settings, const struct renames *r,
    const struct rename_rule *rule)
{
    if (rule->is_to_there && !rule->is_from_there)
        return complain_reversed(settings, r, rule);
    if (rule->is_of_file || rule->was_used)
        return OUTCOME_DONE;
    return complain_not_found(
        settings, "--rename: no path matches", NULL, rule->from, NULL);
}

int renames_check(const struct settings *settings, const struct renames *r)
{
    int outcome = OUTCOME_DONE;
    for (size_t i = 0; outcome == OUTCOME_DONE && i < r->count; i++)
        outcome = check_rule(settings, r, &r->rules[i]);
    for (size_t i = 0; outcome == OUTCOME_DONE && i < r->count; i++) {
        const struct rename_rule *rule = &r->rules[i];
        if (rule->is_of_file && !rule->is_from_there)
            print_warning(settings, r->file, "no path matches", rule->from);
    }
    return outcome;
}
