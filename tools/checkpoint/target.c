/* target.c - Opens a file and finds a path in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "target.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "hint.h"
#include "left_out.h"
#include "memory.h"
#include "run.h"
#include "store_path.h"

static bool opens(const char *path)
{
    varve_reader *reader = varve_reader_open(path, NULL, NULL);
    varve_reader_free(reader);
    return reader != NULL;
}

/* Returns true if run_find_file or varve_reader_open would find a
 * checkpoint. */
static bool is_there(const char *path)
{
    char found[PATH_MAX];
    if (is_in_store(path))
        return run_which(path) || opens(path);
    if (access(path, F_OK) == 0 || run_which(path))
        return true;
    snprintf(found, sizeof found, "%s%s", path, VARVE_SUFFIX);
    return access(found, F_OK) == 0 ||
           varve_latest(path, found, sizeof found, NULL) == VARVE_OK;
}

/* Returns the address of the ':' after the file: the first one that follows an
 * existing file, otherwise the last. NULL if there is none. */
static char *find_split(char *argument)
{
    char *path = argument + (behind_host(argument) - argument);
    if (!strchr(path, ':') || is_there(argument))
        return NULL;
    for (char *at = strchr(path, ':'); at; at = strchr(at + 1, ':')) {
        *at = '\0';
        bool found = is_there(argument);
        *at = ':';
        if (found)
            return at;
    }
    return strrchr(path, ':');
}

int target_find(
    const struct settings *settings, struct target *target, const char *path)
{
    path += strspn(path, "/");
    target->path = path;
    if (varve_reader_find(target->reader, path, &target->node))
        return OUTCOME_DONE;
    char *hint = nearest_hint(target->reader, path);
    int outcome = complain_not_found(settings, "no such path",
        shown_path(varve_reader_path(target->reader)), path, hint);
    free(hint);
    return outcome;
}

/* Opens the file. With --salvage, damage outside values is stored in the target
 * and reported. */
static void open_reader(const struct settings *settings, const char *file,
    struct target *target, varve_error *error)
{
    varve_error other;
    const struct opening *opening = &settings->opening;
    varve_reader_options options = { .foreign = { .dots = opening->dots,
                                         .follow_links =
                                             opening->follow_links } };
    target->reader = varve_reader_open_with(file, &options, error);
    if (target->reader || !settings->opening.salvage)
        return;
    options.salvage = true;
    target->reader = varve_reader_open_with(file, &options, &other);
    if (target->reader)
        target->damage =
            memory_copy_text(error->message, strlen(error->message));
}

int target_open_only(const struct settings *settings, const char *argument,
    struct target *target)
{
    varve_error error = { .status = VARVE_OK };
    int outcome;
    *target = (struct target){ .reader = NULL };
    char *name = memory_copy_text(argument, strlen(argument));
    char *split = find_split(name);
    if (split)
        *split = '\0';
    char *file = run_find_file(settings, name, &outcome);
    if (file)
        open_reader(settings, file, target, &error);
    if (file && !target->reader)
        outcome = complain_status(settings, "cannot open", file, &error);
    else if (file)
        outcome = target_find(
            settings, target, split ? argument + (split - name) + 1 : "");
    free(file);
    free(name);
    if (outcome != OUTCOME_DONE)
        target_close(target);
    return outcome;
}

int target_open(const struct settings *settings, const char *argument,
    struct target *target)
{
    int outcome = target_open_only(settings, argument, target);
    if (outcome == OUTCOME_DONE)
        left_out_report(settings, target->reader);
    return outcome;
}

int target_open_at(const struct settings *settings, int count, char **operands,
    struct target *target)
{
    int outcome = target_open(settings, operands[0], target);
    if (outcome != OUTCOME_DONE || count == 1)
        return outcome;
    outcome = target_find(settings, target, operands[1]);
    if (outcome != OUTCOME_DONE)
        target_close(target);
    return outcome;
}

void target_close(struct target *target)
{
    varve_reader_free(target->reader);
    free(target->damage);
    target->reader = NULL;
    target->damage = NULL;
}
