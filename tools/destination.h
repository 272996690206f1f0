/* destination.h - where a conversion writes, and in which format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DESTINATION_H
#define TOOL_DESTINATION_H

#include <varve/reader.h>

#include "command.h"

struct destination {
    char *path;        /* as varve_write takes it */
    const char *given;
    varve_format format;
};

/* By --to, else by the ending of the name. Without --force, what is there is
 * left alone; with it, what is there and is no checkpoint. An outcome other
 * than OUTCOME_DONE has been complained of. */
int destination_choose(const struct settings *settings, const char *path,
    struct destination *destination);

/* Opens what was written; NULL once it has been complained of. */
varve_reader *destination_open(const struct settings *settings,
    const struct destination *destination);

void destination_clear(struct destination *destination);

#endif
