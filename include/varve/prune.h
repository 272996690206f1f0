/* prune.h - what a prune would delete, and what it has deleted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_PRUNE_H
#define VARVE_PRUNE_H

#include <varve/incremental.h>
#include <varve/manager.h>

VARVE_BEGIN_DECLS

/* Finds which checkpoints varve_manager_prune would delete at this moment, and
 * deletes none: `kept` of varve_manager_at is then NULL of these and of no
 * other. Takes the locks of the manager and of each file, so that what is in
 * use is found. A file that cannot be opened stays, and is the warning. A call
 * of all processes, as varve_manager_prune is. */
VARVE_API varve_status varve_manager_prune_dry_run(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* The outcome of varve_prune_data_files_with. */
typedef struct varve_data_files_pruned {
    uint64_t count;    /* files that it deleted, or would delete */
    uint64_t bytes;    /* of these */
    bool is_busy;      /* nothing is deleted: a save goes on in the directory */
    bool has_no_locks; /* nothing is deleted: the file system has no locks */
    varve_reserved reserved;
} varve_data_files_pruned;

/* varve_prune_data_files, which sets *result, also on failure; it may be NULL.
 * With `dry_run` nothing is deleted. */
VARVE_API varve_status varve_prune_data_files_with(const char *directory,
    bool dry_run, varve_data_files_pruned *result,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
