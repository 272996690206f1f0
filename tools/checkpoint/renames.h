/* renames.h - the renames of --rename and --rename-file, each
 * `NEW -> OLD`: a path in the destination, and the one in the source.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_RENAMES_H
#define TOOL_RENAMES_H

#include "settings.h"

struct rename_options {
    struct text_list texts; /* of --rename */
    const char *file;       /* of --rename-file; NULL: none */
};

struct rename_rule {
    char *to;
    char *from;
    bool is_of_file; /* of --rename-file: it may be about other checkpoints */
    bool is_from_there; /* `from` matches a path of the source */
    bool is_to_there;   /* `to` matches one below its root */
    bool was_used;
};

struct renames {
    struct rename_rule *rules;
    size_t count, capacity;
    const char *file;
};

/* An outcome other than OUTCOME_DONE has been complained of. */
int renames_read(const struct settings *settings,
    const struct rename_options *options, struct renames *renames);
void renames_clear(struct renames *renames);

/* How many names a path may have that a rule, or its other side, matches. */
size_t renames_depth(const struct renames *renames);

/* To be told every path of the source. */
void renames_see(struct renames *renames, const char *path);

/* What the first rule that matches a path itself makes of it, allocated; NULL
 * if none does. */
char *renames_apply(struct renames *renames, const char *path);

/* Complains of a rule that is the other way round, as far as the paths of the
 * source show it, and of one of the command line that was of no use. Warns of
 * one of the file that matched nothing. */
int renames_check(
    const struct settings *settings, const struct renames *renames);

#endif
