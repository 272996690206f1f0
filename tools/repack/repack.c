/* repack.c - varve repack: one file of a checkpoint with layers.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/layers.h>

#include "command.h"
#include "complaint.h"

static const struct option_row options[] = {
    OPTION("output", 'o', OPTION_TEXT, output, "OUT",
        "write to OUT, and leave FILE as it is"),
    OPTION("force", 'f', OPTION_FLAG, force, NULL,
        "replace a checkpoint that is there"),
    OPTION("quiet", 'q', OPTION_FLAG, quiet, NULL, "print nothing but errors"),
    OPTION_HELP,
    OPTION_END,
};

static int repack_file(const struct settings *settings, const char *file)
{
    varve_error error = { 0 };
    const varve_write_options write = { .no_replace = settings->output &&
                                                      !settings->force };
    if (varve_repack(file, settings->output, &write, &error))
        return complain_status(settings, "cannot repack", file, &error);
    if (!settings->quiet)
        printf("wrote %s\n", settings->output ? settings->output : file);
    return OUTCOME_DONE;
}

static int run(const struct settings *settings, int count, char **operands)
{
    int worst = OUTCOME_DONE;
    if (settings->output && count > 1)
        return complain_usage(settings, "expected one FILE with -o");
    for (int i = 0; i < count; i++) {
        int outcome = repack_file(settings, operands[i]);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

const struct command repack_command = {
    .name = "repack",
    .operands = "FILE...",
    .summary = "one file of a checkpoint with layers",
    .details =
        "Makes of each FILE, whose data is in files that it shares with "
        "others, one that\nstands alone: the same, byte for byte, that a "
        "full save would have written. Every\nvalue is verified. "
        "varve prune then deletes layers that no checkpoint needs.\n",
    .options = options,
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run,
};
