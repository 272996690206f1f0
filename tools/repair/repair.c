/* repair.c - varve repair: a good file of what is intact of a damaged one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command.h"
#include "complaint.h"
#include "convert.h"

#define OPTIONS struct convert_options
static const struct option_row option_rows[] = {
    OPTION("output", 'o', OPTION_TEXT, output, "OUT",
        "the good file; its ending is its format"),
    OPTION("to", 0, OPTION_WORD, format, FORMAT_WORDS,
        "the format, where the name does not say it"),
    OPTION("force", 'f', OPTION_FLAG, force, NULL,
        "replace a checkpoint that is there"),
    OPTION_PARENTS,
    OPTION("verbose", 'v', OPTION_FLAG, verbose, NULL,
        "all that the format cannot hold, not a few"),
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
        return complain_usage(
            &options->settings, "expected -o OUT, the name of the good file");
    salvaging.settings.opening.salvage = true;
    return convert_file(&salvaging, files);
}

const struct command repair_command = {
    .name = "repair",
    .operands = "FILE -o OUT",
    .summary = "a good file of what is intact of a damaged one",
    .details =
        "Every value of FILE that does not verify or cannot be read is left "
        "out; each\nother one is written to OUT, with the whole structure. "
        "What was lost is listed:\nits path, its bytes, where the damage is. "
        "OUT has no value for it, so that a\nprogram that reads OUT gives it "
        "its own. Ends with 0 if nothing was lost, with 1\nif something was. "
        "FILE stays as it is, but for -f -o FILE, which replaces it in\none "
        "step. A header or a footer that is damaged costs nothing, a layer "
        "that is\nmissing the values in it. Of a file whose index is damaged, "
        "or cut off, nothing\ncan be had.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
