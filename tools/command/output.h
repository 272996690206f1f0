/* output.h - where an answer goes: standard output, or a file that appears
 * under its name only when it is complete.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <stdio.h>

#include "settings.h"

struct output {
    FILE *stream;
    const char *path; /* NULL: standard output */
    char *end;        /* the path, or what it leads to as a symbolic link */
    char *temporary;  /* NULL: written in place, as to a device */
    int guard;        /* of that */
};

/* To `path`, or to standard output where it is NULL. A symbolic link stays, and
 * the file that it leads to is replaced; a file that is replaced leaves its
 * permissions to the new one. OUTCOME_DONE, or complains. */
int output_open(
    const struct settings *settings, const char *path, struct output *output);

/* Finishes it, or removes what was written if `outcome` is not OUTCOME_DONE.
 * Returns `outcome` or what failed now. */
int output_close(
    const struct settings *settings, struct output *output, int outcome);

#endif
