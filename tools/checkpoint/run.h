/* run.h - the numbered checkpoints of a directory, PREFIX-N, as its manager
 * sees them; those of other formats beside them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include <varve/manager.h>
#include <varve/reader.h>

#include "settings.h"

/* One of them. */
struct run_entry {
    varve_checkpoint_info
        facts;       /* strings are the run's; `kept` is NULL too where
                nothing decides about it, as of other formats */
    bool is_managed; /* the manager lists it: it is a file PREFIX-N.varve */
    varve_format format;
    int64_t modified; /* seconds since 1970 */
};

/* Those of one prefix. */
struct run {
    varve_manager *manager; /* NULL: none is Varve's, or it is busy */
    bool is_busy;           /* another manager has the lock */
    const char *metric;     /* its name; NULL likewise */
    char *directory;
    char *prefix;
    struct run_entry *entries; /* in the order of their saves */
    size_t count;
    size_t room;
    char **texts; /* that the entries speak of */
    size_t text_count;
    size_t text_room;
};

/* Those of all prefixes of a directory, in the order of the prefixes. */
struct run_list {
    varve_graph *graph; /* what managers want */
    struct run *runs;
    size_t count;
    size_t room;
    int busy_outcome; /* of the prefixes that are busy; OUTCOME_DONE: none is */
};

/* Looks at `argument`, a directory, or a prefix in one. `options` are those of
 * the managers, but for the prefix. OUTCOME_DONE, also where there is none, or
 * complains. A prefix whose lock another manager holds is complained of too,
 * and counts as busy: the others are looked at, with OUTCOME_DONE. Clear it in
 * any case. */
int run_list_open(const struct settings *settings, const char *argument,
    const varve_manager_options *options, struct run_list *list);
void run_list_clear(struct run_list *list);

/* Whether `argument` ends in "@latest", "@latest-valid", "@best" or "@NUMBER":
 * where the '@' is; NULL if it does not. */
const char *run_which(const char *argument);

/* Opens the run of "DIRECTORY@WHICH" or "DIRECTORY/PREFIX@WHICH", the latest
 * without a '@', and finds that checkpoint in it. Nothing is to be cleared
 * where it has complained. */
int run_open_one(const struct settings *settings, const char *argument,
    struct run_list *list, const struct run_entry **entry);

/* The file that `argument` means: with a "@..." behind a directory or prefix
 * that checkpoint, else itself. To be freed; NULL once it has complained, with
 * *outcome. */
char *run_find_file(
    const struct settings *settings, const char *argument, int *outcome);

#endif
