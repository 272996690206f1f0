/* migrate.h - structs that move between processes, handed to those whose they
 * are (varve/migrating.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MIGRATE_H
#define VV_MIGRATE_H

#include <varve/migrating.h>
#include <varve/rank_local.h>

/* The fold of such a node: clears what the program has, and puts those of the
 * parts of all that belong to this process. */
varve_status vv_migrate(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error);

#endif
