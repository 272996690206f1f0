/* plan.c - Implements varve plan: shows what a restoration would do, and
 * suggests missing renames.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "complaint.h"
#include "fold.h"
#include "output.h"
#include "page_notes_in.h"
#include "plan_answer.h"
#include "program.h"
#include "rename_map.h"
#include "memory.h"
#include "store_path.h"
#include "suggest.h"
#include "target.h"
#include "trial.h"

#define OPTIONS struct plan_options
static const struct option_row option_rows[] = {
    OPTION("into", 0, OPTION_TEXT, into, "B",
        "the program: its checkpoint, or a list of its values"),
    OPTION("rename", 0, OPTION_TEXTS, rename.texts, "'NEW -> OLD'",
        "a path in the program, and in A; repeatable"),
    OPTION("rename-file", 0, OPTION_TEXT, rename.file, "FILE",
        "a file with one rename per line; # starts a comment"),
    OPTION("allow-missing", 0, OPTION_TEXTS, allow_missing, "PATS",
        "values that may be missing in A; repeatable"),
    OPTION("allow-unexpected", 0, OPTION_TEXTS, allow_unexpected, "PATS",
        "values of A that may be unexpected; repeatable"),
    OPTION("cast", 0, OPTION_FLAG, any_type, NULL, "element types may differ"),
    OPTION("write-map", 0, OPTION_TEXT, map, "FILE",
        "write the renames, including suggested ones, to a file"),
    OPTION_PARENTS,
    OPTION("page", 0, OPTION_TEXT, page, "FILE",
        "write A as an HTML page that shows the result"),
    OPTION("verbose", 'v', OPTION_FLAG, verbose, NULL,
        "also list values that match by another path or are permitted"),
    OPTION_SHARED("quiet", 'q', OPTION_FLAG, quiet, NULL,
        "print nothing; only set the exit status"),
    OPTION_FORMS,
    OPTION_UNITS,
    OPTION_COLOR,
    OPTION_FOREIGN,
    OPTION_HELP,
    OPTION_END,
};

enum { MOST_SUGGESTIONS = 1000 };

struct plan {
    const struct settings *settings;
    const struct plan_options *options;
    struct target source;
    struct program program;
    struct renames renames;
    struct suggestions suggestions;
    struct folds folds;
    varve_rename *pairs; /* pairs of the suggestions, then of the renames */
    char *allow_missing;
    char *allow_unexpected;
    struct trial before; /* without suggestions */
    struct trial after;  /* with suggestions */
};

/* --- Planning ----------------------------------------------------------- */

/* Joins patterns that were given several times. */
static char *joined(const struct text_list *list)
{
    char *all = memory_copy_text("", 0);
    for (size_t i = 0; i < list->count; i++) {
        size_t size = strlen(all) + strlen(list->items[i]) + 2;
        char *longer = memory_allocate(size, 1);
        snprintf(longer, size, "%s%s%s", all, *all ? "|" : "", list->items[i]);
        free(all);
        all = longer;
    }
    return all;
}

/* Suggestions are first, because the first matching rename decides. */
static size_t make_pairs(struct plan *p)
{
    size_t count = 0;
    free(p->pairs);
    p->pairs = memory_allocate(
        p->suggestions.count + p->folds.count + p->renames.count,
        sizeof *p->pairs);
    for (size_t i = 0; i < p->suggestions.count; i++) {
        const struct suggestion *s = &p->suggestions.items[i];
        if (!folds_have(&p->folds, s))
            p->pairs[count++] = (varve_rename){ .program = s->program_path,
                .file = s->file_path };
    }
    for (size_t i = 0; i < p->folds.count; i++)
        p->pairs[count++] =
            (varve_rename){ .program = p->folds.items[i].program_path,
                .file = p->folds.items[i].file_path };
    for (size_t i = 0; i < p->renames.count; i++)
        p->pairs[count++] = (varve_rename){ .program = p->renames.rules[i].to,
            .file = p->renames.rules[i].from };
    return count;
}

/* Writes A as a page, with the result for each value, and values that only the
 * program has. */
static int write_page(const struct plan *p, const varve_read_options *read)
{
    varve_error error = { .status = VARVE_OK };
    const char *file = shown_path(varve_reader_path(p->source.reader));
    varve_node *root = varve_graph_root(p->program.graph);
    const struct page_to to = { .path = p->options->page };
    struct target whole = { .reader = p->source.reader };
    char *report = trial_report(root, file, read, &error);
    if (!report)
        return complain_status(p->settings, "cannot plan", file, &error);
    int outcome = page_with_report(p->settings, &to, &whole, report);
    free(report);
    return outcome;
}

static int try(struct plan *p, struct trial *trial)
{
    varve_error error = { .status = VARVE_OK };
    const char *subtree = p->source.node.path;
    varve_read_options read = {
        .subtree = *subtree ? subtree : NULL,
        .foreign = { .dots = p->settings->opening.dots,
            .follow_links = p->settings->opening.follow_links },
        .expect = { .missing = *p->allow_missing ? p->allow_missing : NULL,
            .unexpected = *p->allow_unexpected ? p->allow_unexpected : NULL },
        .cast = p->options->any_type ? VARVE_CAST_ANY : VARVE_CAST_NONE,
    };
    read.rename.count = make_pairs(p);
    read.rename.list = p->pairs;
    const char *file = shown_path(varve_reader_path(p->source.reader));
    varve_node *root = varve_graph_root(p->program.graph);
    if (trial_run(trial, root, file, &read, &error) != VARVE_OK)
        return complain_status(p->settings, "cannot plan", file, &error);
    return p->options->page && trial == &p->before ? write_page(p, &read)
                                                   : OUTCOME_DONE;
}

static bool any_free(const struct found_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i].is_excused)
            return true;
    }
    return false;
}

/* Tries other folds, and keeps them if the result is as good; otherwise
 * restores the previous state. Takes ownership of `folds`. */
static int try_folds(struct plan *p, struct folds *folds, bool *kept)
{
    struct folds former = p->folds;
    struct trial before = p->after;
    p->folds = *folds;
    int outcome = try(p, &p->after);
    *kept = outcome == OUTCOME_DONE && trial_is_as_good(&p->after, &before);
    *folds = *kept ? former : p->folds;
    if (!*kept) {
        struct trial worse = p->after;
        p->after = before;
        before = worse;
        p->folds = former;
    }
    trial_clear(&before);
    return outcome;
}

/* Replaces many renames of values by a few renames of objects if the result is
 * the same. If it is not, tries them one by one. */
static int fold(struct plan *p)
{
    struct folds all;
    bool kept;
    folds_make(&all, &p->suggestions);
    if (all.count == 0)
        return OUTCOME_DONE;
    size_t count = all.count;
    int outcome = try_folds(p, &all, &kept);
    for (size_t i = 0; outcome == OUTCOME_DONE && !kept && i < count; i++) {
        struct folds more = folds_with(&p->folds, &all.items[i]);
        bool is_better;
        outcome = try_folds(p, &more, &is_better);
        folds_clear(&more);
    }
    folds_clear(&all);
    return outcome;
}

/* Handles very many suggestions. The library compares each path with all
 * renames, so uses only suggestions that follow from a few renames of objects,
 * provided that the result is not worse than without them. */
static int suggest_many(struct plan *p)
{
    bool kept;
    struct folds all;
    size_t count = p->suggestions.count;
    folds_make(&all, &p->suggestions);
    suggestions_keep(&p->suggestions, &all);
    int outcome = try_folds(p, &all, &kept);
    folds_clear(&all);
    if (!kept)
        suggestions_clear(&p->suggestions);
    p->suggestions.left_out = count - p->suggestions.count;
    return outcome;
}

static int suggest_few(struct plan *p, bool slots)
{
    trial_clear(&p->after);
    int outcome = try(p, &p->after);
    return outcome == OUTCOME_DONE && !slots ? fold(p) : outcome;
}

/* First suggests all values except slots, which follow their owners and
 * variables; then the remaining slots. */
static int look_for_suggestions(struct plan *p)
{
    int outcome = try(p, &p->after);
    for (int slots = 0; outcome == OUTCOME_DONE && slots < 2; slots++) {
        size_t known = p->suggestions.count;
        if (!any_free(&p->after.missing) || !any_free(&p->after.unexpected) ||
            known > MOST_SUGGESTIONS || p->suggestions.left_out)
            break;
        suggest(&p->suggestions, &p->after, p->source.reader,
            p->source.node.path, slots == 1);
        if (p->suggestions.count > MOST_SUGGESTIONS && slots == 0)
            outcome = suggest_many(p);
        else if (p->suggestions.count > MOST_SUGGESTIONS) {
            p->suggestions.left_out = p->suggestions.count - known;
            suggestions_cut(&p->suggestions, known);
        } else if (p->suggestions.count > known)
            outcome = suggest_few(p, slots == 1);
    }
    return outcome;
}

/* --- The rename file ---------------------------------------------------- */

static int write_map(const struct plan *p)
{
    struct output output;
    if (!p->options->map)
        return OUTCOME_DONE;
    int outcome = output_open(p->settings, p->options->map, &output);
    if (outcome != OUTCOME_DONE)
        return outcome;
    rename_map_print(output.stream, &p->suggestions, &p->folds, &p->renames);
    return output_close(p->settings, &output, outcome);
}

/* --- The command -------------------------------------------------------- */

static int prepare(struct plan *p, char **operands)
{
    const struct settings *s = p->settings;
    const struct plan_options *o = p->options;
    if (!o->into)
        return complain_usage(s, "--into is required");
    p->allow_missing = joined(&o->allow_missing);
    p->allow_unexpected = joined(&o->allow_unexpected);
    int outcome = renames_read(s, &o->rename, &p->renames);
    if (outcome == OUTCOME_DONE)
        outcome = target_open(s, operands[0], &p->source);
    if (outcome == OUTCOME_DONE)
        outcome = program_open(s, o->into, &p->program);
    return outcome;
}

static int answer(struct plan *p)
{
    struct plan_facts facts = { .settings = p->settings,
        .options = p->options,
        .source = p->source.reader,
        .source_path = p->source.node.path,
        .program = p->program.file,
        .program_format = p->program.format,
        .program_path = p->program.path,
        .before = &p->before,
        .after = &p->after,
        .suggestions = &p->suggestions };
    int outcome = write_map(p);
    if (outcome != OUTCOME_DONE)
        return outcome;
    return plan_answer(&facts) ? OUTCOME_DONE : OUTCOME_NO;
}

static int run(const void *given, int count, char **operands)
{
    const struct plan_options *options = given;
    struct plan p = { .settings = &options->settings, .options = options };
    (void)count;
    int outcome = prepare(&p, operands);
    if (outcome == OUTCOME_DONE)
        outcome = try(&p, &p.before);
    if (outcome == OUTCOME_DONE)
        outcome = look_for_suggestions(&p);
    if (outcome == OUTCOME_DONE)
        outcome = answer(&p);
    trial_clear(&p.before);
    trial_clear(&p.after);
    suggestions_clear(&p.suggestions);
    folds_clear(&p.folds);
    renames_clear(&p.renames);
    target_close(&p.source);
    program_clear(&p.program);
    free(p.pairs);
    free(p.allow_missing);
    free(p.allow_unexpected);
    return outcome;
}

const struct command plan_command = {
    .name = "plan",
    .operands = "A[:PATH]",
    .summary = "dry run of a restore into another program",
    .details = "A is a checkpoint in any supported format. B describes the "
               "program: a checkpoint\n"
               "that it has saved (no values are read), or a text with one "
               "line for each of its\n"
               "values, as varve ls --tsv prints them:\n"
               "\n"
               "    # path, element type, shape\n"
               "    model/kernel float32 [784,10]\n"
               "    adam/m(model/kernel) float32 [784,10]\n"
               "    random state\n"
               "\n"
               "Values of A are matched with the program by path, or by a "
               "rename. Values that only\n"
               "the program has are missing, values that only A has are "
               "unexpected, and values of\n"
               "another type or shape are mismatched. Pairs of missing and "
               "unexpected values with\n"
               "the same type and shape are suggested, each once, and tried. "
               "Suggestions may be\n"
               "wrong: check them. The column BY is the reason for a "
               "suggestion:\n"
               "\n"
               "    along   a slot whose owner and variable are matched\n"
               "    end     no other paths end in the same names\n"
               "    only    no other values with this type and shape are "
               "left\n"
               "    name    each path is the nearest to the other\n"
               "    place   both sides have equally many such values: they are "
               "paired in order\n"
               "\n"
               "The column OF is the number of unused values of A with this "
               "type and shape from\n"
               "which the suggestion was chosen.\n"
               "\n"
               "--write-map writes a rename file for varve_read, varve "
               "convert, varve diff, and\n"
               "--rename-file of this command. Suggestions based on type and "
               "shape ('only', 'name',\n"
               "'place') are guesses and are written as comments: remove '#? ' "
               "if one is right.\n"
               "\n"
               "The exit status is 0 if everything in A and in the program is "
               "matched or permitted,\n"
               "1 if not, and higher if an error occurred.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
