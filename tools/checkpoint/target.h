/* target.h - what FILE or FILE:PATH on the command line means.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TARGET_H
#define TOOL_TARGET_H

#include <varve/reader.h>

#include "settings.h"

struct target {
    varve_reader *reader;
    char *damage;          /* why it could only be salvaged; NULL: it is good */
    const char *path;      /* in the argument, without a leading '/' */
    varve_saved_node node; /* the path's; else the root */
};

/* Opens FILE or FILE:PATH; where the whole names a file it is the file. FILE is
 * what run_find_file (run.h) takes. With --salvage a file is opened whose
 * header, footer or layers are lost, too. Warns of what the reader has left
 * out (left_out.h). An outcome other than OUTCOME_DONE has been complained of,
 * and nothing is open. */
int target_open(const struct settings *settings, const char *argument,
    struct target *target);

/* The same without warnings of what the reader has left out. */
int target_open_only(const struct settings *settings, const char *argument,
    struct target *target);

void target_close(struct target *target);

/* The same of FILE[:PATH] [PATH], which are the operands. */
int target_open_at(const struct settings *settings, int count, char **operands,
    struct target *target);

/* Finds a path in a file, or complains with the nearest name: OUTCOME_NO. */
int target_find(
    const struct settings *settings, struct target *target, const char *path);

#endif
