/* output.h - Writes output to standard output, or to a file that appears under
 * its name only when it is complete.
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
    char *end;        /* the path, or the target of a symbolic link */
    char *temporary;  /* NULL: written in place, as for a device */
    int guard;        /* descriptor with the lock of the temporary file */
};

/* Opens output to `path`, or to standard output if it is NULL. A symbolic link
 * is followed and its target replaced. A new file gets the permissions of the
 * one it replaces. Returns OUTCOME_DONE, or prints an error. */
int output_open(
    const struct settings *settings, const char *path, struct output *output);

/* Completes the output, or removes it if `outcome` is not OUTCOME_DONE. Returns
 * `outcome` or the failure of this call. */
int output_close(
    const struct settings *settings, struct output *output, int outcome);

#endif
