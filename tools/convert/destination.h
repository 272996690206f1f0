/* destination.h - where a conversion writes, and in which format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DESTINATION_H
#define TOOL_DESTINATION_H

#include <varve/reader.h>

#include "convert.h"

struct destination {
    char *path; /* as varve_write takes it */
    const char *given;
    varve_format format;
    int guard; /* of the folder of a trial */
};

/* By --to, else by the ending of the name. Without --force, what is there is
 * left alone; with it, what is there and is no checkpoint. An outcome other
 * than OUTCOME_DONE has been complained of. */
int destination_choose(const struct convert_options *options, const char *path,
    struct destination *destination);

/* Opens what was written; NULL once it has been complained of. */
varve_reader *destination_open(
    const struct settings *settings, const struct destination *destination);

/* Whether something would be replaced. */
bool destination_is_there(const struct destination *destination);

/* A destination of the same name and format in a folder of its own beside it,
 * to see whether what is written can be read; false where there can be none. */
bool destination_try(
    const struct destination *destination, struct destination *trial);

/* Gives the files of a trial their place, where nothing is; what has the others
 * in it comes last. */
int destination_settle(const struct settings *settings,
    const struct destination *destination, const struct destination *trial);

/* Takes the folder of a trial out of a message. */
void destination_say_plainly(
    const struct destination *trial, varve_error *error);

/* Removes a trial and what is still in it. */
void destination_end_trial(struct destination *trial);

void destination_clear(struct destination *destination);

#endif
