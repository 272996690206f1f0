/* run.h - The numbered checkpoints of a directory, PREFIX-N, as listed by its
 * manager, and those of other formats beside them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include <varve/manager.h>
#include <varve/reader.h>

#include "settings.h"

/* A checkpoint. */
struct run_entry {
    varve_checkpoint_info
        /* strings belong to the run; `kept` is also NULL if no policy applies,
         * as for other formats */
        facts;
    bool is_managed; /* listed by the manager: a file PREFIX-N.varve */
    varve_format format;
    int64_t modified; /* in seconds since 1970 */
};

/* All checkpoints of one prefix. */
struct run {
    /* NULL: there is no Varve checkpoint, or the prefix is busy */
    varve_manager *manager;
    bool is_busy;       /* another manager holds the lock */
    const char *metric; /* name of the metric; or NULL */
    char *directory;
    char *prefix;
    struct run_entry *entries; /* in the order in which they were saved */
    size_t count;
    size_t room;
    char **texts; /* owned strings of the entries */
    size_t text_count;
    size_t text_room;
};

/* The runs of all prefixes of a directory, in the order of the prefixes. */
struct run_list {
    varve_graph *graph; /* required by managers */
    struct run *runs;
    size_t count;
    size_t room;
    /* outcome for busy prefixes; OUTCOME_DONE: none is busy */
    int busy_outcome;
};

/* Lists `argument`, a directory, or a prefix in one. `options` are passed to
 * the managers, with another prefix for each. Returns OUTCOME_DONE, also if
 * there is no checkpoint, or prints an error. If another manager holds the lock
 * of a prefix, prints an error, marks the prefix as busy and continues with
 * OUTCOME_DONE. Call run_list_clear in any case. */
int run_list_open(const struct settings *settings, const char *argument,
    const varve_manager_options *options, struct run_list *list);
void run_list_clear(struct run_list *list);

/* If `argument` ends in "@latest", "@latest-valid", "@best" or "@NUMBER",
 * returns the address of the '@', otherwise NULL. */
const char *run_which(const char *argument);

/* Opens the run of "DIRECTORY@WHICH" or "DIRECTORY/PREFIX@WHICH" and finds that
 * checkpoint; without '@' the latest one. If it has printed an error, there is
 * nothing to clear. */
int run_open_one(const struct settings *settings, const char *argument,
    struct run_list *list, const struct run_entry **entry);

/* Returns the file for `argument`, to be freed: that checkpoint if it is a
 * directory or prefix with "@...", otherwise the argument itself. On failure
 * prints an error, sets *outcome and returns NULL. */
char *run_find_file(
    const struct settings *settings, const char *argument, int *outcome);

#endif
