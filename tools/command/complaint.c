/* complaint.c - Prints errors on standard error.
 *
 * SPDX-License-Identifier: MIT
 */
#include "complaint.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/base/printed.h"
#include "command.h"
#include "json_out.h"
#include "store_path.h"
#include "style.h"

static void print_complaint_json(const struct complaint *c)
{
    fputs("{\"schema\":\"varve.error/1\",\"code\":", stderr);
    json_print_text(stderr, c->code);
    fprintf(stderr, ",\"exit\":%d,\"what\":", c->outcome);
    json_print_text(stderr, shown_text(c->what));
    fputs(",\"file\":", stderr);
    json_print_text(stderr, shown_path(c->file));
    fputs(",\"why\":", stderr);
    json_print_text(stderr, shown_text(c->why));
    fputs(",\"hint\":", stderr);
    json_print_text(stderr, shown_text(c->hint));
    fputs("}\n", stderr);
}

static void print_complaint_text(const struct complaint *c)
{
    fprintf(stderr, "varve: %s: ", shown_text(c->what));
    if (c->file) {
        print_clean(stderr, shown_path(c->file));
        fputs(": ", stderr);
    }
    print_clean(stderr, shown_text(c->why));
    putc('\n', stderr);
    if (!c->hint)
        return;
    fputs("hint: ", stderr);
    print_clean(stderr, shown_text(c->hint));
    putc('\n', stderr);
}

int complain(const struct settings *settings, const struct complaint *c)
{
    fflush(stdout);
    if (settings->json)
        print_complaint_json(c);
    else
        print_complaint_text(c);
    return c->outcome;
}

int outcome_of(varve_status status)
{
    switch (status) {
    case VARVE_OK: return OUTCOME_DONE;
    case VARVE_EMPTY_FILE:
    case VARVE_NOT_A_CHECKPOINT:
    case VARVE_TRUNCATED:
    case VARVE_LIMIT:
    case VARVE_CORRUPT: return OUTCOME_FOREIGN;
    case VARVE_TOO_NEW: return OUTCOME_NEWER;
    case VARVE_CANCELLED: return OUTCOME_INTERRUPTED;
    default: return OUTCOME_FILE;
    }
}

/* Returns true if a repair is possible: a footer or data files are missing. */
static bool can_repair(
    const struct settings *settings, const varve_error *error)
{
    return !settings->opening.salvage &&
           (strstr(error->message, "no footer at") ||
               strstr(error->message, " data file"));
}

/* Messages about files in other formats already contain a remedy. */
static const char *hint_of(
    const struct settings *settings, const varve_error *error)
{
    bool is_ours = strstr(error->message, "format version") ||
                   strstr(error->message, "required key");
    switch (error->status) {
    case VARVE_TOO_NEW: return is_ours ? "use a newer varve" : NULL;
    case VARVE_NOT_FOUND:
        return strchr(error->message, '@')
                   ? "DIRECTORY@ must be followed by latest, latest-valid, "
                     "best or a number"
                   : NULL;
    case VARVE_TRUNCATED:
        return can_repair(settings, error)
                   ? "the file is incomplete: use another copy or an older "
                     "checkpoint, or recover the rest with varve repair"
                   : "the file is incomplete: use another copy or an older "
                     "checkpoint";
    case VARVE_NO_MEMORY:
        return settings->max_memory ? "--max-memory gives no more" : NULL;
    default: return NULL;
    }
}

/* Writes a hint with the path of the single file that a message about its
 * directory contains. Returns false if there is none, or no room for it. */
static bool suggest_file(const struct settings *settings, const char *directory,
    const char *message, char *hint, size_t size)
{
    const char *name = strstr(message, "single files such as \"");
    if (!name)
        return false;
    name = strchr(name, '"') + 1;
    size_t length = strlen(directory);
    int written =
        snprintf(hint, size, "use varve %s %s%s%.*s", settings->command->name,
            directory, length && directory[length - 1] == '/' ? "" : "/",
            (int)strcspn(name, "\""), name);
    return written > 0 && (size_t)written < size;
}

int complain_status(const struct settings *settings, const char *what,
    const char *file, const varve_error *error)
{
    char hint[512];
    if (error->status == VARVE_IS_DIRECTORY && file && settings->command &&
        suggest_file(settings, file, error->message, hint, sizeof hint))
        return complain_status_hint(settings, what, file, error, hint);
    return complain_status_hint(
        settings, what, file, error, hint_of(settings, error));
}

int complain_status_hint(const struct settings *settings, const char *what,
    const char *file, const varve_error *error, const char *hint)
{
    const char *why = error->message;
    file = shown_path(file);
    size_t size = file ? strlen(file) : 0;
    if (size && strncmp(why, file, size) == 0 &&
        strncmp(why + size, ": ", 2) == 0)
        why += size + 2;
    return complain(
        settings, &(struct complaint){ .outcome = outcome_of(error->status),
                      .code = varve_status_name(error->status),
                      .what = what,
                      .file = file,
                      .why = why,
                      .hint = hint });
}

int complain_not_found(const struct settings *settings, const char *what,
    const char *file, const char *why, const char *hint)
{
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_NO,
                                  .code = varve_status_name(VARVE_NOT_FOUND),
                                  .what = what,
                                  .file = file,
                                  .why = why,
                                  .hint = hint });
}

int complain_unmatched(const struct settings *settings, const char *file,
    const struct pattern_list *patterns, const struct pattern_matches *matches)
{
    const char *pattern = pattern_unmatched(patterns, matches);
    return pattern ? complain_not_found(settings, "no path matches", file,
                         pattern, "to list all paths, use varve ls")
                   : OUTCOME_DONE;
}

int complain_system(
    const struct settings *settings, const char *what, const char *file)
{
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_FILE,
                                  .code = "SYSTEM",
                                  .what = what,
                                  .file = file,
                                  .why = strerror(errno) });
}

void print_warning(const struct settings *settings, const char *file,
    const char *what, const char *why)
{
    if (settings->json || settings->quiet)
        return;
    fflush(stdout);
    fputs("varve: warning: ", stderr);
    print_clean(stderr, shown_path(file));
    fprintf(stderr, ": %s: ", what);
    print_clean(stderr, shown_text(why));
    putc('\n', stderr);
}

int complain_store(const struct settings *settings, const char *file)
{
    return complain(settings,
        &(struct complaint){ .outcome = OUTCOME_FILE,
            .code = varve_status_name(VARVE_MISUSE),
            .what = "cannot write",
            .file = file,
            .why = is_on_web(file) ? "a local path is required: "
                                     "the store is read only"
                                   : "a local path is required: only "
                                     "checkpoints can be written to a store" });
}

int complain_memory(const struct settings *settings)
{
    return complain(settings,
        &(struct complaint){ .outcome = OUTCOME_FILE,
            .code = varve_status_name(VARVE_NO_MEMORY),
            .what = settings->command->name,
            .why = "out of memory",
            .hint =
                settings->max_memory ? "--max-memory gives no more" : NULL });
}

int complain_usage(const struct settings *settings, const char *format, ...)
{
    char why[512];
    char hint[64] = "varve help";
    va_list arguments;
    va_start(arguments, format);
    vv_print(why, sizeof why, format, arguments);
    va_end(arguments);
    const char *name = settings->command ? settings->command->name : "usage";
    if (settings->command)
        snprintf(hint, sizeof hint, "varve help %s", name);
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_USAGE,
                                  .code = "USAGE",
                                  .what = name,
                                  .why = why,
                                  .hint = hint });
}
