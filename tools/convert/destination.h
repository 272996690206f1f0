/* destination.h - The destination of a conversion, and its format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DESTINATION_H
#define TOOL_DESTINATION_H

#include <varve/reader.h>

#include "convert.h"

struct destination {
    char *path; /* in the form for varve_write */
    const char *given;
    varve_format format;
    int guard; /* guard of the directory of a trial */
};

/* Chooses the format by --to, or by the extension of the name. An existing file
 * is replaced only with --force, and only if it is a checkpoint. If the result
 * is not OUTCOME_DONE, an error was printed. */
int destination_choose(const struct convert_options *options, const char *path,
    struct destination *destination);

/* Opens the written checkpoint. On failure prints an error and returns NULL. */
varve_reader *destination_open(
    const struct settings *settings, const struct destination *destination);

/* Returns true if an existing file would be replaced. */
bool destination_is_there(const struct destination *destination);

/* Makes a destination of the same name and format in a temporary directory
 * beside it, to check that the written files can be read. Returns false if that
 * is not possible. */
bool destination_try(
    const struct destination *destination, struct destination *trial);

/* Moves the files of a trial to their final names, which must not exist; the
 * file that refers to the others is last. */
int destination_settle(const struct settings *settings,
    const struct destination *destination, const struct destination *trial);

/* Removes the temporary directory of a trial from a message. */
void destination_correct_message(
    const struct destination *trial, varve_error *error);

/* Removes a trial and its remaining files. */
void destination_end_trial(struct destination *trial);

void destination_clear(struct destination *destination);

#endif
