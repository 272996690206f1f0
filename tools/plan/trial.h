/* trial.h - a plan of the library's, and what it found.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TRIAL_H
#define TOOL_TRIAL_H

#include <varve/restoration.h>

/* A finding that is kept; strings are its own. */
struct found {
    varve_finding_kind kind;
    char *program_path; /* "" where there is none */
    char *file_path;    /* below the subtree; likewise */
    char *reason;
    char *nearest;
    varve_tensor saved;
    varve_tensor wanted;
    uint64_t size;
    bool is_excused;
    bool is_cast;
};

struct found_list {
    struct found *items;
    size_t count, capacity;
};

/* The findings of a plan, but for those that are simply taken from their own
 * path, which are counted. */
struct trial {
    struct found_list moved;      /* matched, from another path */
    struct found_list missing;    /* only in the program */
    struct found_list unexpected; /* only in the file */
    struct found_list inexact;
    size_t by_path;
    size_t subtree_size; /* of what paths in the file begin with */
};

/* Plans a restoration of `file` into `root`. */
varve_status trial_run(struct trial *trial, varve_node *root, const char *file,
    const varve_read_options *options, varve_error *error);

/* The report of such a plan as JSON, to be freed; NULL on failure. */
char *trial_report(varve_node *root, const char *file,
    const varve_read_options *options, varve_error *error);

/* Whether what `before` matched is matched as well, from the same places, and
 * nothing fits worse. */
bool trial_is_as_good(const struct trial *trial, const struct trial *before);

void trial_clear(struct trial *trial);

#endif
