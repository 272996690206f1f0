/* target.h - Opens the checkpoint and finds the node that FILE or FILE:PATH on
 * the command line refers to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TARGET_H
#define TOOL_TARGET_H

#include <varve/reader.h>

#include "settings.h"

struct target {
    varve_reader *reader;
    char *damage; /* reason why the file could only be salvaged; NULL: intact */
    const char *path;      /* from the argument, without a leading '/' */
    varve_saved_node node; /* node of the path, or the root */
};

/* Opens FILE or FILE:PATH. If the whole argument is the name of a file, opens
 * that. FILE can have any form of run_find_file (run.h). With --salvage, also
 * opens a file whose header, footer or layers are lost. Prints warnings about
 * omitted parts (left_out.h). If the result is not OUTCOME_DONE, an error was
 * printed and nothing is open. */
int target_open(const struct settings *settings, const char *argument,
    struct target *target);

/* Like target_open, without these warnings. */
int target_open_only(const struct settings *settings, const char *argument,
    struct target *target);

void target_close(struct target *target);

/* Like target_open, for the operands FILE[:PATH] [PATH]. */
int target_open_at(const struct settings *settings, int count, char **operands,
    struct target *target);

/* Finds a path in a file. Otherwise prints an error with the nearest name and
 * returns OUTCOME_NO. */
int target_find(
    const struct settings *settings, struct target *target, const char *path);

#endif
