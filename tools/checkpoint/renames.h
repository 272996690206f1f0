/* renames.h - The renames of --rename and --rename-file. Each is `NEW -> OLD`:
 * a path in the destination, and a path in the source.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_RENAMES_H
#define TOOL_RENAMES_H

#include "settings.h"

struct rename_options {
    struct text_list texts; /* values of --rename */
    const char *file;       /* value of --rename-file; or NULL */
};

struct rename_rule {
    char *to;
    char *from;
    bool is_of_file; /* from --rename-file: it may be for other checkpoints */
    bool is_from_there; /* `from` matches a path of the source */
    bool is_to_there;   /* `to` matches a path below its root */
    bool was_used;
};

struct renames {
    struct rename_rule *rules;
    size_t count, capacity;
    const char *file;
};

/* Reads the rules. If the result is not OUTCOME_DONE, an error was printed. */
int renames_read(const struct settings *settings,
    const struct rename_options *options, struct renames *renames);
void renames_clear(struct renames *renames);

/* Returns the largest number of names in a path that a rule, or its other side,
 * can match. */
size_t renames_depth(const struct renames *renames);

/* Must be called with every path of the source. */
void renames_see(struct renames *renames, const char *path);

/* Applies the first rule that matches the whole path. Returns the new path,
 * allocated, or NULL if no rule matches. */
char *renames_apply(struct renames *renames, const char *path);

/* Prints an error for a rule that is reversed, as far as the paths of the
 * source show it, and for a rule of the command line that had no effect. Prints
 * a warning for a rule of the file that matched nothing. */
int renames_check(
    const struct settings *settings, const struct renames *renames);

#endif
