/* repair.c - Implements varve repair: writes the intact values of a damaged
 * file to a new file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command.h"
#include "complaint.h"
#include "convert.h"

#define OPTIONS struct convert_options
static const struct option_row option_rows[] = {
    OPTION("output", 'o', OPTION_TEXT, output, "OUT",
        "the new file; its ending selects the format"),
    OPTION("to", 0, OPTION_WORD, format, FORMAT_WORDS,
        "the format, if the name does not show it"),
    OPTION("force", 'f', OPTION_FLAG, force, NULL,
        "replace an existing checkpoint"),
    OPTION_PARENTS,
    OPTION("verbose", 'v', OPTION_FLAG, verbose, NULL,
        "list all that the format cannot hold, not only some"),
    OPTION_SHARED(
        "quiet", 'q', OPTION_FLAG, quiet, NULL, "print nothing but errors"),
    OPTION_JSON,
    OPTION_PROGRESS,
    OPTION_UNITS,
    OPTION_ASCII,
    OPTION_HELP,
    OPTION_END,
};

static int run(const void *given, int count, char **operands)
{
    const struct convert_options *options = given;
    struct convert_options salvaging = *options;
    char *files[] = { operands[0], (char *)options->output };
    (void)count;
    if (!options->output)
        return complain_usage(&options->settings,
            "-o OUT, the name of the new file, is required");
    salvaging.settings.opening.salvage = true;
    return convert_file(&salvaging, files);
}

const struct command repair_command = {
    .name = "repair",
    .operands = "FILE -o OUT",
    .summary = "recover intact values from a damaged file",
    .details = "Writes the intact values of FILE, and its whole structure, to "
               "OUT. Values that do not\n"
               "verify or cannot be read are left out and listed: path, number "
               "of bytes, and the\n"
               "position of the damage. A program that reads OUT treats them "
               "as missing and uses its\n"
               "own initial values. The exit status is 0 if nothing was lost, "
               "and 1 otherwise. FILE\n"
               "is not changed, except with -f -o FILE, which replaces it "
               "atomically. A damaged\n"
               "header or footer loses no values. A missing data file loses "
               "the values in it. If the\n"
               "index is damaged or missing, nothing can be recovered.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
