/* prune.h - Reports what a prune would delete, or has deleted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_PRUNE_H
#define VARVE_PRUNE_H

#include <varve/incremental.h>
#include <varve/manager.h>

VARVE_BEGIN_DECLS

/* Finds the checkpoints that varve_manager_prune would delete now, and deletes
 * none.
 *
 *     varve_checkpoint_info info;
 *     varve_status status = varve_manager_prune_dry_run(manager, &error);
 *     for (size_t i = 0; !status && varve_manager_at(manager, i, &info); i++)
 *         if (!info.kept)
 *             printf("would delete %s\n", info.path);
 *
 * After the call `kept` of varve_manager_at is NULL for these checkpoints and
 * for no others. The function takes the lock of the manager and a lock of each
 * file, so that files in use are detected. A file that cannot be opened is
 * kept, and varve_manager_warning names it. Collective, like
 * varve_manager_prune. */
VARVE_API varve_status varve_manager_prune_dry_run(
    varve_manager *manager, varve_error *error) VARVE_MUST_CHECK;

/* The result of varve_prune_data_files_with. */
typedef struct varve_data_files_pruned {
    uint64_t count;    /* number of files that were, or would be, deleted */
    uint64_t bytes;    /* total size of these files in bytes */
    bool is_busy;      /* nothing was deleted: a save is running in the
                          directory */
    bool has_no_locks; /* nothing was deleted: the file system does not support
                          locks */
    varve_reserved reserved;
} varve_data_files_pruned;

/* Deletes unused data files, as varve_prune_data_files does, and reports the
 * result.
 *
 * With `dry_run` nothing is deleted. `*result` is set also on failure; `result`
 * may be NULL. */
VARVE_API varve_status varve_prune_data_files_with(const char *directory,
    bool dry_run, varve_data_files_pruned *result,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
