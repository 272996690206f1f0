/* trial.h - Runs a dry run, and stores its findings.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TRIAL_H
#define TOOL_TRIAL_H

#include <varve/restoration.h>

/* A finding with its own copies of strings. */
struct found {
    varve_finding_kind kind;
    char *program_path; /* "" if there is none */
    char *file_path;    /* relative to the subtree; "" if there is none */
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

/* The findings of a dry run, except values that match by their path, which are
 * only counted. */
struct trial {
    struct found_list moved;      /* matched, from another path */
    struct found_list missing;    /* only in the program */
    struct found_list unexpected; /* only in the file */
    struct found_list inexact;
    size_t by_path;
    size_t subtree_size; /* length of the common prefix of paths in the file */
};

/* Runs a dry run of a restoration of `file` into `root`. */
varve_status trial_run(struct trial *trial, varve_node *root, const char *file,
    const varve_read_options *options, varve_error *error);

/* Returns the report of such a dry run as JSON, to be freed; NULL on
 * failure. */
char *trial_report(varve_node *root, const char *file,
    const varve_read_options *options, varve_error *error);

/* Returns true if everything that `before` matched is matched from the same
 * places, and nothing is worse. */
bool trial_is_as_good(const struct trial *trial, const struct trial *before);

void trial_clear(struct trial *trial);

#endif
