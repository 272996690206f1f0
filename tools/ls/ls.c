/* ls.c - Implements varve ls: prints objects and values as a tree, a table or
 * JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ls.h"

#include "command.h"
#include "complaint.h"
#include "target.h"

struct ls_options {
    struct settings settings;
    struct view view;
    bool flat;
};

#define OPTIONS struct ls_options
static const struct option_row option_rows[] = {
    OPTION("flat", 'l', OPTION_FLAG, flat, NULL,
        "print a table of values instead of the tree"),
    OPTION_FORMS,
    OPTION("sort", 0, OPTION_WORD, view.sort, "path|bytes|offset",
        "order of the table (bytes: largest first)"),
    OPTION(
        "limit", 0, OPTION_MOST, view.limit, "N", "at most N lines or items"),
    OPTION_DEPTH,
    OPTION_PATTERNS(view.patterns),
    OPTION_SLOTS,
    OPTION_VALUES,
    OPTION_ALL,
    OPTION_UNITS,
    OPTION_ASCII,
    OPTION_COLOR,
    OPTION_FOREIGN,
    OPTION_HELP,
    OPTION_END,
};

static int run(const void *given, int count, char **operands)
{
    const struct ls_options *options = given;
    const struct settings *settings = &options->settings;
    (void)count;
    struct target target;
    struct outline outline;
    int outcome = target_open(settings, operands[0], &target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    bool done = false;
    bool as_table = options->flat || settings->tsv || settings->markdown ||
                    options->view.sort;
    /* tables and output for programs are never folded */
    if ((settings->json || as_table ? outline_make : outline_make_folded)(
            &outline, target.reader, target.node.id, &options->view)) {
        outcome = complain_unmatched(
            settings, operands[0], &options->view.patterns, &outline.matches);
        done = outcome          ? true
               : settings->json ? ls_json(settings, &outline)
               : as_table       ? ls_table(settings, &outline)
                                : ls_tree(settings, &outline);
        outline_clear(&outline);
    }
    target_close(&target);
    return done ? outcome : complain_memory(settings);
}

const struct command ls_command = {
    .name = "ls",
    .operands = "FILE[:PATH]",
    .summary = "list the objects and values of a checkpoint",
    .details = "Prints a tree with types, sizes and the values of scalars. "
               "Each node is shown once;\n"
               "further edges to it are arrows. --flat prints a table of "
               "values with their digests,\n"
               "--json prints everything, with a digest of all values "
               "together. Only scalar values\n"
               "are read.\n"
               "\n"
               "In TensorFlow checkpoints, objects without values and "
               "alternative names are folded;\n"
               "the last line counts them, and --all shows them.\n"
               "\n"
               "FILE is a checkpoint, with or without .varve, or the prefix or "
               "directory of numbered\n"
               "checkpoints (the newest is used), or DIRECTORY@latest, @best, "
               "@12. PATH is a part of\n"
               "the checkpoint, such as model/layers/0.\n"
               "\n"
               "PAT is a path with wildcards: * matches any part of a name, ** "
               "any number of names,\n"
               "? one character, [0-9] one of a set.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
