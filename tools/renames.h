/* renames.h - the renames of --rename and --rename-file, from paths in the
 * source to paths in the destination.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_RENAMES_H
#define TOOL_RENAMES_H

#include "command.h"

struct rename_rule {
    char *from;
    char *to;
    bool is_of_file; /* of --rename-file: it may be about other checkpoints */
    bool was_used;
};

struct renames {
    struct rename_rule *rules;
    size_t count, capacity;
};

/* An outcome other than OUTCOME_DONE has been complained of. */
int renames_read(const struct settings *settings, struct renames *renames);
void renames_clear(struct renames *renames);

/* What the first rule that matches a path itself makes of it, allocated; NULL
 * if none does. */
char *renames_apply(struct renames *renames, const char *path);

/* Complains of a rule of the command line that matched nothing. */
int renames_check(
    const struct settings *settings, const struct renames *renames);

#endif
